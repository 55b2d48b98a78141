/**
 * The model library: robots and toys as descriptions, written from published figures. Every model has a state `rest` in which it
 * stands, lies or hangs; the first of its states is one in which something happens when it is let go.
 *   models.atlas({ timestep: 0.01, servo: { stiffness: 2000, damping: 100 } })
 */
import { a1 } from "./a1.ts";
import { ant } from "./ant.ts";
import { atlas } from "./atlas/atlas.ts";
import { block } from "./block.ts";
import { cartpole } from "./cartpole.ts";
import { delta } from "./delta.ts";
import { dzhanibekov } from "./dzhanibekov.ts";
import { fourBar } from "./fourBar.ts";
import { halfCheetah } from "./halfCheetah.ts";
import { hopper } from "./hopper.ts";
import { humanoid } from "./humanoid.ts";
import { nPendulum } from "./nPendulum.ts";
import { common, drive, floor, limb, robot, withCheckedOptions } from "./optionNames.ts";
import { panda } from "./panda.ts";
import { pendulum } from "./pendulum.ts";
import { planarBlock } from "./planarBlock.ts";
import { raibertHopper } from "./raibertHopper.ts";
import { rope } from "./rope.ts";
import { skydioX2 } from "./skydioX2.ts";
import { slider } from "./slider.ts";
import { snake } from "./snake.ts";
import { sphere } from "./sphere.ts";
import type { ModelName } from "./summaries.ts";
import { tippeTop } from "./tippeTop.ts";
import { walker } from "./walker.ts";
import { xarm6WithBox } from "./xarm6WithBox.ts";

export type { A1Options } from "./a1.ts";
export type { AntOptions } from "./ant.ts";
export type { AtlasOptions } from "./atlas/atlas.ts";
export type { BlockOptions } from "./block.ts";
export type { CartpoleOptions } from "./cartpole.ts";
export type { DeltaOptions } from "./delta.ts";
export type { DzhanibekovOptions } from "./dzhanibekov.ts";
export type { FourBarOptions } from "./fourBar.ts";
export type { HalfCheetahOptions } from "./halfCheetah.ts";
export type { HopperOptions } from "./hopper.ts";
export type { HumanoidOptions } from "./humanoid.ts";
export type { NPendulumOptions } from "./nPendulum.ts";
export type {
  BodyContactOptions,
  DriveOptions,
  EffortOptions,
  FloorOptions,
  LimbOptions,
  LimitOptions,
  ModelOptions,
  RobotOptions,
} from "./options.ts";
export type { PandaOptions } from "./panda.ts";
export type { PendulumOptions } from "./pendulum.ts";
export type { RaibertHopperOptions } from "./raibertHopper.ts";
export type { RopeOptions } from "./rope.ts";
export * from "./scenes/index.ts";
export type { SelfCollisionOptions } from "./selfCollisions.ts";
export { servoTargets } from "./servoTargets.ts";
export type { SkydioX2Options } from "./skydioX2.ts";
export type { SliderOptions } from "./slider.ts";
export type { SnakeOptions } from "./snake.ts";
export type { SphereOptions } from "./sphere.ts";
export { type ModelName, type ModelSummary, modelNames, modelSummaries } from "./summaries.ts";
export type { TippeTopOptions } from "./tippeTop.ts";
export type { WalkerOptions } from "./walker.ts";
export type { Xarm6WithBoxOptions } from "./xarm6WithBox.ts";

/** Models with the option `bodyContacts`. */
export const bodyContactModels = [
  "hopper",
  "walker",
  "halfCheetah",
  "ant",
  "a1",
  "atlas",
  "humanoid",
  "panda",
  "xarm6WithBox",
] as const satisfies readonly ModelName[];

/** Models with the option `selfCollisions`. */
export const selfCollisionModels = ["ant", "a1", "atlas", "humanoid", "panda"] as const satisfies readonly ModelName[];

const makers = {
  pendulum,
  nPendulum,
  cartpole,
  slider,
  block,
  planarBlock,
  sphere,
  dzhanibekov,
  tippeTop,
  snake,
  rope,
  fourBar,
  delta,
  raibertHopper,
  hopper,
  walker,
  halfCheetah,
  ant,
  a1,
  atlas,
  humanoid,
  panda,
  skydioX2,
  xarm6WithBox,
} as const satisfies Record<ModelName, unknown>;

const ofBlock = `${common} ${floor} edge mass model actuated` as const;

/** Model functions by name. */
export const models = withCheckedOptions("models", makers, {
  pendulum: `${common} ${drive} mass length radius damping`,
  nPendulum: `${common} ${drive} links mass length damping`,
  cartpole: `${common} ${drive} cartMass poleMass length damping`,
  slider: `${common} ${drive} mass stiffness damping`,
  block: ofBlock,
  planarBlock: ofBlock,
  sphere: `${common} ${floor} radius mass actuated`,
  dzhanibekov: `${common} spin disturbance`,
  tippeTop: `${common} ${floor} radius mass offset spin`,
  snake: `${common} ${floor} ${drive} links mass length radius joints damping`,
  rope: `${common} links length mass damping load`,
  fourBar: `${common} ${drive} base side coupler damping`,
  delta: `${common} ${drive} damping`,
  raibertHopper: `${common} ${floor} ${drive} bodyTorques jointLimits legLength`,
  hopper: `${limb} damping`,
  walker: `${limb} damping`,
  halfCheetah: `${limb} springs dampingFactor`,
  ant: `${limb} selfCollisions stiffness damping`,
  a1: `${robot} damping`,
  atlas: `${robot} spring damper rootActuated sensors`,
  humanoid: `${robot} springs`,
  panda: `${robot} gripper damping armature`,
  skydioX2: `${common} ${floor} fluid`,
  xarm6WithBox: `${limb} effortLimits damping box boxSize boxMass boxPosition`,
});
