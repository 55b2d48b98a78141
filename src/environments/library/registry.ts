/** Environments by name, with options as data: for command lines, workers and other languages. */

import { unknownName } from "../../mechanism/index.ts";
import type { EnvironmentDescription } from "../description.ts";
import { antEnvironment } from "./ant.ts";
import { boxEnvironment, goalOption } from "./box.ts";
import { boxPushEnvironment } from "./boxPush.ts";
import { cartpoleEnvironment } from "./cartpole.ts";
import { halfCheetahEnvironment } from "./halfCheetah.ts";
import { hopperEnvironment } from "./hopper.ts";
import { humanoidEnvironment } from "./humanoid.ts";
import { clipRewardOption, type EnvironmentOption, timestepOption } from "./options.ts";
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

export interface EnvironmentSummary {
  readonly name: EnvironmentName;
  readonly summary: string;
  readonly options: readonly EnvironmentOption[];
}

/** What each has besides `timestep`. */
const ownOptions: Partial<Readonly<Record<EnvironmentName, readonly EnvironmentOption[]>>> = {
  "half-cheetah": [clipRewardOption],
  ant: [clipRewardOption],
  box: [goalOption],
};

/** All environments, a line each, with their options. It is JSON. */
export function environmentSummaries(): EnvironmentSummary[] {
  return (Object.keys(environments) as EnvironmentName[]).map(summaryOf);
}

function summaryOf(name: EnvironmentName): EnvironmentSummary {
  const { summary = "", mechanism } = environments[name]();
  return { name, summary, options: [timestepOption(mechanism.timestep), ...(ownOptions[name] ?? [])] };
}

/** The description of the environment of a name. Throws where there is none, or an option is unknown or of the wrong kind. */
export function describeEnvironment(
  name: string,
  options: Readonly<Record<string, unknown>> = {},
): EnvironmentDescription {
  if (!isEnvironmentName(name)) throw unknownName("environment", name, Object.keys(environments));
  return (environments[name] as (given: object) => EnvironmentDescription)(options);
}

function isEnvironmentName(name: string): name is EnvironmentName {
  return Object.hasOwn(environments, name);
}
