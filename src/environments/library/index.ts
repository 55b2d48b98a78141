/** The environments that have a name. */
import type { EnvironmentDescription } from "../description.ts";
import { antEnvironment } from "./ant.ts";
import { boxEnvironment } from "./box.ts";
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

export { antEnvironment } from "./ant.ts";
export { type BoxOptions, boxEnvironment } from "./box.ts";
export { boxPushEnvironment } from "./boxPush.ts";
export { cartpoleEnvironment } from "./cartpole.ts";
export { halfCheetahEnvironment } from "./halfCheetah.ts";
export { hopperEnvironment } from "./hopper.ts";
export { humanoidEnvironment } from "./humanoid.ts";
export type { RewardOptions, TimestepOptions } from "./options.ts";
export { pendulumEnvironment } from "./pendulum.ts";
export { quadrotorEnvironment } from "./quadrotor.ts";
export { quadrupedEnvironment } from "./quadruped.ts";
export { walkerEnvironment } from "./walker.ts";
