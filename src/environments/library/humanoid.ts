/**
 * MuJoCo's humanoid is to stand, by 21 torques within the gears of the file. Without them it falls over in half a second or so.
 *   reward     1 + (z − 1.28) − 0.1 (v_x² + v_y²) − 0.5 tilt − 0.02 ‖a‖², z the torso's height, tilt 1 − cosine of the torso's lean
 *   observed   height, attitude and hinges (x and y are left out), and all rates
 *   over       torso's height below 0.9 m
 */
import { models } from "../../models/index.ts";
import { add, mul, square, sub, sum } from "../../symbolic/index.ts";
import type { EnvironmentDescription } from "../description.ts";
import { requireOptions, stepsPerAction, type TimestepOptions } from "./options.ts";
import { raised } from "./raised.ts";

const interval = 0.02;
const lowest = 0.9;
/** Gears of MuJoCo's file, N·m: abdomen z, y, x; hip x, z, y; knee; ankle y, x; shoulders; elbow. */
const leg = [40, 40, 120, 80, 20, 20];
const arm = [20, 20, 40];

export function humanoidEnvironment(options: TimestepOptions = {}): EnvironmentDescription {
  requireOptions("humanoid-stand", options, interval);
  const { timestep = interval } = options;
  const mechanism = { ...models.humanoid({ timestep }), damperCentering: 0 };
  return {
    name: "humanoid-stand",
    summary: "MuJoCo's humanoid stands by its own muscles, 150 steps of 0.02 s",
    mechanism,
    stepsPerAction: stepsPerAction(interval, timestep),
    horizon: 150,
    actionScale: [40, 40, 40, ...leg, ...arm, ...leg, ...arm],
    actionLimit: 1,
    observation: (q) => {
      const aside = [q.coordinate("root.x"), q.coordinate("root.y")];
      return q.minimalState.filter((entry) => !aside.includes(entry));
    },
    reward: ({ after, action }) => {
      const torso = after.body("torso");
      const drift = mul(0.1, add(square(torso.velocity[0]), square(torso.velocity[1])));
      const tilt = mul(0.5, sub(1, torso.axes[2][2]));
      const effort = mul(0.02, sum(action.map(square)));
      return sub(sub(sub(sub(torso.position[2], 0.28), drift), tilt), effort);
    },
    alive: (q) => [sub(q.body("torso").position[2], lowest)],
    relativeKappa: 0.1,
    start: raised(mechanism, "root", 2, 0.06),
    startNoise: 0.02,
  };
}
