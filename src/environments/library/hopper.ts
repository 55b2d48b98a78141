/**
 * Gym's hopper: one leg is to hop along x without falling, by three torques.
 *   reward     1 + v_x up to 1 m/s, less effort, pitch and sinking (planarRunner.ts)
 *   observed   height, pitch and hinges (x is left out), and all rates
 *   over       torso's height below 0.7 m, or pitch beyond 1 rad
 */
import type { EnvironmentDescription } from "../description.ts";
import type { TimestepOptions } from "./options.ts";
import { planarRunner } from "./planarRunner.ts";

export function hopperEnvironment(options: TimestepOptions = {}): EnvironmentDescription {
  return planarRunner("hopper", options, {
    summary: "Gym's hopper hops forwards without falling, 200 steps of 0.02 s",
    lowest: 0.7,
    relativeKappa: 0.3,
  });
}
