/**
 * The paper's half-cheetah [rl_results]: it is to run forwards at 1 m/s or more, by six torques.
 *   reward     v_x − 0.1 ‖a‖², clipped to ±1: 80 at most over 80 steps of 0.05 s
 *   observed   all nine joint coordinates and their rates, x among them
 *   start      standing, 0.25 m up, ±0.1 on all 18 numbers
 */
import { models } from "../../models/index.ts";
import { mul, square, sub, sum } from "../../symbolic/index.ts";
import type { EnvironmentDescription } from "../description.ts";
import { clipped } from "./clipped.ts";
import {
  clipRewardOption,
  type RewardOptions,
  requireOptions,
  stepsPerAction,
  type TimestepOptions,
} from "./options.ts";
import { raised } from "./raised.ts";

const interval = 0.05;
const height = 0.25;

export function halfCheetahEnvironment(options: RewardOptions & TimestepOptions = {}): EnvironmentDescription {
  requireOptions("half-cheetah", options, interval, [clipRewardOption]);
  const { clipReward = true, timestep = interval } = options;
  const mechanism = {
    ...models.halfCheetah({ timestep, frictionCoefficient: 0.4, dampingFactor: 2.5 }),
    damperCentering: 0,
  };
  return {
    name: "half-cheetah",
    summary: "Gym's half-cheetah runs: speed less effort, 80 steps of 0.05 s",
    mechanism,
    stepsPerAction: stepsPerAction(interval, timestep),
    horizon: 80,
    actionScale: [120, 90, 60, 120, 60, 30],
    observation: (q) => q.minimalState,
    reward: ({ after, action }) => {
      // the base slides along z, then along x
      const reward = sub(after.rate("base.slide2"), mul(0.1, sum(action.map(square))));
      return clipReward ? clipped(reward, 1) : reward;
    },
    start: raised(mechanism, "base", 0, height),
    startNoise: 0.1,
  };
}
