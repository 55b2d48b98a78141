/** Environments by name, with options as data: for command lines, workers and other languages. */
import { ArgumentError, nearestName } from "../../mechanism/index.ts";
import type { EnvironmentDescription } from "../description.ts";
import { antEnvironment } from "./ant.ts";
import { boxEnvironment, boxGoals } from "./box.ts";
import { boxPushEnvironment } from "./boxPush.ts";
import { cartpoleEnvironment } from "./cartpole.ts";
import { halfCheetahEnvironment } from "./halfCheetah.ts";
import { hopperEnvironment } from "./hopper.ts";
import { humanoidEnvironment } from "./humanoid.ts";
import { pendulumEnvironment } from "./pendulum.ts";
import { quadrotorEnvironment } from "./quadrotor.ts";
import { quadrupedEnvironment } from "./quadruped.ts";
import { walkerEnvironment } from "./walker.ts";

export const environments = {
  "half-cheetah": halfCheetahEnvironment,
  ant: antEnvironment,
  hopper: hopperEnvironment,
  walker: walkerEnvironment,
  "humanoid-stand": humanoidEnvironment,
  "quadruped-walk": quadrupedEnvironment,
  "quadrotor-waypoints": quadrotorEnvironment,
  box: boxEnvironment,
  "box-push": boxPushEnvironment,
  pendulum: pendulumEnvironment,
  cartpole: cartpoleEnvironment,
} as const satisfies Readonly<Record<string, () => EnvironmentDescription>>;

export type EnvironmentName = keyof typeof environments;

/** An option of an environment. */
export interface EnvironmentOption {
  readonly name: string;
  readonly summary: string;
  readonly default: number | boolean | string;
  /** What it may be, of an option that is a word. */
  readonly choices?: readonly string[];
}

export interface EnvironmentSummary {
  readonly name: EnvironmentName;
  readonly summary: string;
  readonly options: readonly EnvironmentOption[];
}

/** What each has besides `timestep`. */
const ownOptions: Partial<Readonly<Record<EnvironmentName, readonly EnvironmentOption[]>>> = {
  "half-cheetah": [{ name: "clipReward", summary: "clip the reward of each step to ±1", default: true }],
  ant: [{ name: "clipReward", summary: "clip the reward of each step to ±1", default: true }],
  box: [{ name: "goal", summary: "where the cube is to go", default: "right", choices: Object.keys(boxGoals) }],
};

/** All environments, a line each, with their options. It is JSON. */
export function environmentSummaries(): EnvironmentSummary[] {
  return (Object.keys(environments) as EnvironmentName[]).map(summaryOf);
}

function summaryOf(name: EnvironmentName): EnvironmentSummary {
  const { summary = "", mechanism } = environments[name]();
  const step = { name: "timestep", summary: "time step of the simulation, s", default: mechanism.timestep };
  return { name, summary, options: [step, ...(ownOptions[name] ?? [])] };
}

/** The description of the environment of a name. Throws where there is none, or an option is unknown or of the wrong kind. */
export function describeEnvironment(
  name: string,
  options: Readonly<Record<string, unknown>> = {},
): EnvironmentDescription {
  if (!isEnvironmentName(name)) throw unknown("environment", name, Object.keys(environments));
  const { options: known } = summaryOf(name);
  for (const [option, value] of Object.entries(options)) {
    const fitting = known.find((entry) => entry.name === option);
    if (!fitting)
      throw unknown(
        "option",
        option,
        known.map((entry) => entry.name),
        `environments.${name}.${option}`,
      );
    if (typeof value === typeof fitting.default && (fitting.choices?.includes(value as string) ?? true)) continue;
    const wanted = fitting.choices ? `one of ${fitting.choices.join(", ")}` : `a ${typeof fitting.default}`;
    throw new ArgumentError("wrong-type", `environments.${name}.${option}`, `${JSON.stringify(value)}: give ${wanted}`);
  }
  return (environments[name] as (given: object) => EnvironmentDescription)(options);
}

function isEnvironmentName(name: string): name is EnvironmentName {
  return Object.hasOwn(environments, name);
}

function unknown(what: string, name: string, names: readonly string[], path = what): ArgumentError {
  const nearest = nearestName(name, names);
  const hint = nearest === undefined ? "" : `; did you mean "${nearest}"?`;
  return new ArgumentError(`unknown-${what}`, path, `there is no "${name}" (have: ${names.join(", ")})${hint}`);
}
