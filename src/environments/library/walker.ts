/**
 * Gym's walker: two legs in a plane are to walk along x without falling, by six torques.
 *   reward     1 + v_x up to 1 m/s, less effort, pitch and sinking (planarRunner.ts)
 *   observed   height, pitch and hinges (x is left out), and all rates
 *   over       torso's height below 0.8 m, or pitch beyond 1 rad
 */
import type { EnvironmentDescription } from "../description.ts";
import type { TimestepOptions } from "./options.ts";
import { planarRunner } from "./planarRunner.ts";

export function walkerEnvironment(options: TimestepOptions = {}): EnvironmentDescription {
  return planarRunner("walker", options, {
    summary: "Gym's walker walks forwards without falling, 200 steps of 0.02 s",
    lowest: 0.8,
  });
}
