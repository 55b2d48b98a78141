/**
 * The paper's ant [rl_results]: it is to run along x at half a metre per second or more, by eight torques.
 *   reward     2 Δx/h − 0.05 ‖a‖² − 5e-4 Σ clip(γ)² + 0.05, clipped to ±1: 150 at most over 150 steps of 0.05 s
 *   observed   14 joint coordinates, their rates, and the normal impulses γ of nine contacts, clipped to ±1
 *   over       where the torso is lower than 0.2 m or higher than 1 m
 *   start      0.63 m up, ankles bent by 45°, always the same
 */
import type { JointState } from "../../coordinates/index.ts";
import { models } from "../../models/index.ts";
import type { Quantities } from "../../quantities/index.ts";
import { add, mul, type Scalar, square, sub, sum } from "../../symbolic/index.ts";
import type { EnvironmentDescription } from "../description.ts";
import { clipped } from "./clipped.ts";
import {
  clipRewardOption,
  type RewardOptions,
  requireOptions,
  stepsPerAction,
  type TimestepOptions,
} from "./options.ts";

const interval = 0.05;
const [lowest, highest] = [0.2, 1];
const bend = Math.PI / 4;
const bent: Readonly<Record<string, JointState>> = {
  base: { position: [0, 0, 0.63, 0, 0, 0] },
  ankle_1: { position: [bend] },
  ankle_2: { position: [-bend] },
  ankle_3: { position: [-bend] },
  ankle_4: { position: [bend] },
};

/** Normal impulses of all contacts, clipped. */
const pressures = (q: Quantities): Scalar[] =>
  q.mechanism.contacts.map(({ name }) => clipped(q.contact(name).normalImpulse, 1));

export function antEnvironment(options: RewardOptions & TimestepOptions = {}): EnvironmentDescription {
  requireOptions("ant", options, interval, [clipRewardOption]);
  const { clipReward = true, timestep = interval } = options;
  const mechanism = {
    ...models.ant({ timestep, stiffness: 25, damping: 50, frictionCoefficient: 0.5 }),
    damperCentering: 0,
  };
  return {
    name: "ant",
    summary: "Gym's ant runs: speed less effort and impacts, 150 steps of 0.05 s",
    mechanism,
    stepsPerAction: stepsPerAction(interval, timestep),
    horizon: 150,
    actionScale: 150,
    observation: (q) => [...q.minimalState, ...pressures(q)],
    reward: ({ before, after, action }) => {
      const forwards = sub(after.body("torso").position[0], before.body("torso").position[0]);
      const effort = mul(0.05, sum(action.map(square)));
      const impacts = mul(5e-4, sum(pressures(after).map(square)));
      const reward = add(sub(sub(mul(2 / interval, forwards), effort), impacts), 0.05);
      return clipReward ? clipped(reward, 1) : reward;
    },
    alive: (q) => {
      const z = q.body("torso").position[2];
      return [sub(z, lowest), sub(highest, z)];
    },
    start: bent,
  };
}
