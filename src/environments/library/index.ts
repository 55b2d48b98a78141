/** The environments that have a name. */
export { antEnvironment } from "./ant.ts";
export { type BoxOptions, boxEnvironment } from "./box.ts";
export { boxPushEnvironment } from "./boxPush.ts";
export { cartpoleEnvironment } from "./cartpole.ts";
export { halfCheetahEnvironment } from "./halfCheetah.ts";
export { hopperEnvironment } from "./hopper.ts";
export { humanoidEnvironment } from "./humanoid.ts";
export type { EnvironmentOption, RewardOptions, TimestepOptions } from "./options.ts";
export { pendulumEnvironment } from "./pendulum.ts";
export { quadrotorEnvironment } from "./quadrotor.ts";
export { quadrupedEnvironment } from "./quadruped.ts";
export {
  describeEnvironment,
  type EnvironmentName,
  type EnvironmentSummary,
  environmentSummaries,
  environments,
} from "./registry.ts";
export { walkerEnvironment } from "./walker.ts";
