/**
 * Gym's hopper: one leg is to hop along x without falling, by three torques.
 *   reward     1 + v_x up to 1 m/s, less effort, pitch and sinking (planarRunner.ts)
 *   observed   height, pitch and hinges (x is left out), and all rates
 *   over       torso's height below 0.7 m, or pitch beyond 1 rad
 */
import { models } from "../../models/index.ts";
import type { EnvironmentDescription } from "../description.ts";
import { requireOptions, stepsPerAction, type TimestepOptions } from "./options.ts";
import { planarRunner } from "./planarRunner.ts";
import { raised } from "./raised.ts";

const interval = 0.02;

export function hopperEnvironment(options: TimestepOptions = {}): EnvironmentDescription {
  requireOptions("hopper", options, interval);
  const { timestep = interval } = options;
  const mechanism = models.hopper({ timestep, damping: 1 });
  return {
    name: "hopper",
    summary: "Gym's hopper hops forwards without falling, 200 steps of 0.02 s",
    mechanism,
    stepsPerAction: stepsPerAction(interval, timestep),
    horizon: 200,
    actionScale: 50,
    actionLimit: 1,
    ...planarRunner({ lowest: 0.7, steepest: 1 }),
    relativeKappa: 0.3,
    start: raised(mechanism, "base", 0, 0.03),
    startNoise: 0.01,
  };
}
