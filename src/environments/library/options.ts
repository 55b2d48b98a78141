/** Options that several environments have. */
import { ArgumentError } from "../../mechanism/index.ts";

export interface TimestepOptions {
  /**
   * Time step of the simulation, s. An action lasts as long as ever, for several steps where they are shorter: the interval between actions
   * must be a multiple. Default: one step per action.
   */
  readonly timestep?: number;
}

export interface RewardOptions {
  /** Clip the reward of each step to ±1, as the paper does. Default true. */
  readonly clipReward?: boolean;
}

/** How many steps make an interval between actions. */
export function stepsPerAction(interval: number, timestep: number): number {
  const count = Math.round(interval / timestep);
  // as close as decimal fractions come
  if (count >= 1 && Math.abs(count * timestep - interval) < 1e-9 * interval) return count;
  const message = `${timestep}: the ${interval} s between actions are no multiple of it; give ${interval}, ${interval / 2}, ${interval / 5} …`;
  throw new ArgumentError("out-of-range", "timestep", message);
}
