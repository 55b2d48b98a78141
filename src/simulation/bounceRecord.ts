/** What the stages of a step with a bounce are taken by, and what is kept of them for gradients (bounce.ts). */
import type { System } from "../kernels/index.ts";
import type { Matrix3 } from "../math/index.ts";
import type { Attempt } from "./attempts.ts";
import type { GateScale } from "./bounceMaps.ts";
import type { Touch } from "./impacts.ts";
import type { StepOptions } from "./stepReport.ts";

/** What gradients need of a step, or part of one, with a bounce: the points of its stages, at their κ. */
export interface BounceRecord extends GateScale {
  readonly free: Float64Array;
  readonly compression: Float64Array;
  readonly restitution: Float64Array;
  readonly position: Float64Array;
  readonly touches: readonly Touch[];
  /** The part of the restitution that was given. */
  readonly share: number;
  /** For each body the contact whose time of impact is its own; −1 where no impact reaches it. */
  readonly leaders: Int32Array;
  /** Whole impulses of the contacts that bounce, three each; zero of the others. */
  readonly impulses: Float64Array;
  /** Force and torque that stand for the impulses in the last stage, six per body. */
  readonly wrench: Float64Array;
  /** Orientations and velocities of the bodies as the next state has them, ten numbers per body. */
  readonly turned: Float64Array;
}

/** What takes the stages that are steps. */
export interface StageTaker {
  readonly system: System;
  attempt(state: Float64Array, options: StepOptions, attempts: readonly Attempt[]): boolean;
  /** V of the step last attempted (units.ts). */
  speed(): number;
  inertia(body: number): Matrix3;
  /** The point that stands in memory. */
  point(): Float64Array;
}
