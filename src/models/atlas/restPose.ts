/**
 * A pose in which Atlas stands balanced: knees bent, arms down with the forearms forward, feet flat, and the centre of mass above
 * the middle between the feet's eight contacts. The hip and ankle angles are solved for that (see the test).
 */
import type { Coordinates } from "../placement.ts";

const knee = 0.5;
const hip = -0.218;

const legPose = (side: "l" | "r"): Coordinates => ({
  [`${side}_leg_hpy`]: [hip],
  [`${side}_leg_kny`]: [knee],
  [`${side}_leg_aky`]: [-hip - knee],
});
const armPose = (side: "l" | "r"): Coordinates => {
  const sign = side === "r" ? 1 : -1;
  return {
    [`${side}_arm_shx`]: [1.2 * sign],
    [`${side}_arm_ely`]: [1.57],
    [`${side}_arm_elx`]: [-0.6 * sign],
  };
};

export const restPose: Coordinates = { ...legPose("l"), ...legPose("r"), ...armPose("l"), ...armPose("r") };
