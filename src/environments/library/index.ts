/** The environments that have a name. */
import type { EnvironmentDescription } from "../description.ts";
import { cartpoleEnvironment } from "./cartpole.ts";
import { halfCheetahEnvironment } from "./halfCheetah.ts";
import { pendulumEnvironment } from "./pendulum.ts";

export const environments = {
  "half-cheetah": halfCheetahEnvironment,
  pendulum: pendulumEnvironment,
  cartpole: cartpoleEnvironment,
} as const satisfies Readonly<Record<string, () => EnvironmentDescription>>;

export { cartpoleEnvironment } from "./cartpole.ts";
export { halfCheetahEnvironment, type RewardOptions } from "./halfCheetah.ts";
export { pendulumEnvironment } from "./pendulum.ts";
