/**
 * Gym's walker: two legs in a plane are to walk along x without falling, by six torques. The episode is over where Gym's is.
 *   reward     1 + v_x up to 2 m/s − 0.1 ‖a‖² − 0.5 θ², θ the torso's pitch
 *   observed   height, pitch and hinges (x is left out), and all rates
 *   over       torso's height below 0.8 m, or pitch beyond 1 rad
 */
import type { JointState } from "../../coordinates/index.ts";
import { models } from "../../models/index.ts";
import type { EnvironmentDescription } from "../description.ts";
import { stepsPerAction, type TimestepOptions } from "./options.ts";
import { planarRunner } from "./planarRunner.ts";

const interval = 0.02;

export function walkerEnvironment(options: TimestepOptions = {}): EnvironmentDescription {
  const { timestep = interval } = options;
  const mechanism = models.walker({ timestep, damping: 1 });
  return {
    name: "walker",
    summary: "Gym's walker walks forwards without falling, 200 steps of 0.02 s",
    mechanism,
    stepsPerAction: stepsPerAction(interval, timestep),
    horizon: 200,
    actionScale: 100,
    actionLimit: 1,
    ...planarRunner({ fastest: 2, lowest: 0.8, steepest: 1, effort: 0.1, lean: 0.5 }),
    start: mechanism.states?.rest as Readonly<Record<string, JointState>>,
    startNoise: 0.01,
  };
}
