/** The environments that have a name. */
import type { EnvironmentDescription } from "../description.ts";
import { antEnvironment } from "./ant.ts";
import { cartpoleEnvironment } from "./cartpole.ts";
import { halfCheetahEnvironment } from "./halfCheetah.ts";
import { pendulumEnvironment } from "./pendulum.ts";

export const environments = {
  "half-cheetah": halfCheetahEnvironment,
  ant: antEnvironment,
  pendulum: pendulumEnvironment,
  cartpole: cartpoleEnvironment,
} as const satisfies Readonly<Record<string, () => EnvironmentDescription>>;

export { antEnvironment } from "./ant.ts";
export { cartpoleEnvironment } from "./cartpole.ts";
export { halfCheetahEnvironment } from "./halfCheetah.ts";
export type { RewardOptions, TimestepOptions } from "./options.ts";
export { pendulumEnvironment } from "./pendulum.ts";
