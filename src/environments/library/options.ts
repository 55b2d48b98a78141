/** Options of environments: what there are, and the check that every constructor makes of what it is given. */
import { ArgumentError, unknownName } from "../../mechanism/index.ts";
import { valueText } from "../refusals.ts";

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

/** An option of an environment, as data. */
export interface EnvironmentOption {
  readonly name: string;
  readonly summary: string;
  readonly default: number | boolean | string;
  /** What it may be, of an option that is a word. */
  readonly choices?: readonly string[];
}

export const clipRewardOption: EnvironmentOption = {
  name: "clipReward",
  summary: "clip the reward of each step to ±1",
  default: true,
};

export const timestepOption = (interval: number): EnvironmentOption => ({
  name: "timestep",
  summary: "time step of the simulation, s",
  default: interval,
});

/** Throws where an option is unknown or of the wrong kind. All environments have `timestep`; `own` are the others. */
export function requireOptions(
  environment: string,
  options: object,
  interval: number,
  own: readonly EnvironmentOption[] = [],
): void {
  const path = `environments.${environment}`;
  if (typeof options !== "object" || options === null)
    throw new ArgumentError("wrong-type", path, `${valueText(options)}: give an object of options, or nothing`);
  const known = [timestepOption(interval), ...own];
  for (const [name, value] of Object.entries(options)) {
    const fitting = known.find((entry) => entry.name === name);
    if (!fitting) {
      const names = known.map((entry) => entry.name);
      throw unknownName("option", name, names, `${path}.${name}`);
    }
    if (value === undefined) continue;
    const { default: usual, choices } = fitting;
    if (typeof value === typeof usual && (choices?.includes(value) ?? true)) continue;
    const wanted = choices ? `one of ${choices.join(", ")}` : `a ${typeof usual}`;
    throw new ArgumentError("wrong-type", `${path}.${name}`, `${valueText(value)}: give ${wanted}`);
  }
}

/** How many steps make an interval between actions. */
export function stepsPerAction(interval: number, timestep: number): number {
  const count = Math.round(interval / timestep);
  // as close as decimal fractions come
  if (count >= 1 && Math.abs(count * timestep - interval) < 1e-9 * interval) return count;
  const fault = timestep > 0 ? `the ${interval} s between actions are no multiple of it` : "it must be above 0";
  const message = `${timestep}: ${fault}; give ${interval}, ${interval / 2}, ${interval / 5} …`;
  throw new ArgumentError("out-of-range", "timestep", message);
}
