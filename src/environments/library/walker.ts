/**
 * Gym's walker: two legs in a plane are to walk along x without falling, by six torques.
 *   reward     1 + v_x up to 1 m/s, less effort, pitch and sinking (planarRunner.ts)
 *   observed   height, pitch and hinges (x is left out), and all rates
 *   over       torso's height below 0.8 m, or pitch beyond 1 rad
 */
import { models } from "../../models/index.ts";
import type { EnvironmentDescription } from "../description.ts";
import { requireOptions, stepsPerAction, type TimestepOptions } from "./options.ts";
import { planarRunner } from "./planarRunner.ts";
import { raised } from "./raised.ts";

const interval = 0.02;

export function walkerEnvironment(options: TimestepOptions = {}): EnvironmentDescription {
  requireOptions("walker", options, interval);
  const { timestep = interval } = options;
  const mechanism = models.walker({ timestep, damping: 1 });
  return {
    name: "walker",
    summary: "Gym's walker walks forwards without falling, 200 steps of 0.02 s",
    mechanism,
    stepsPerAction: stepsPerAction(interval, timestep),
    horizon: 200,
    actionScale: 50,
    actionLimit: 1,
    ...planarRunner({ lowest: 0.8, steepest: 1 }),
    start: raised(mechanism, "base", 0, 0.03),
    startNoise: 0.01,
  };
}
