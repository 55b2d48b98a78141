/** What the stages of a step with a bounce are taken by, and what is kept of them for gradients (bounce.ts). */
import type { System } from "../../kernels/index.ts";
import type { StepReadings } from "../runs/stepReadings.ts";
import type { StateWriter } from "../states/stateWriter.ts";
import type { Attempt } from "../step/attempts.ts";
import type { PathParameter } from "../step/pathParameter.ts";
import type { StepOptions } from "../step/stepReport.ts";
import type { GateScale } from "./bounceMaps.ts";
import type { Touch } from "./impacts.ts";

/** Which stages the reading of a contact is summed over: the last one; or those that change velocities, the impact and, if it was in it, the free step. */
export type ImpulseShare = "position" | "impact" | "free and impact";

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
  /** What readers see of all contacts: of those in the impact what they have given to velocities, in the free step and in the impact. Three each. */
  readonly readings: Float64Array;
  /** How each contact comes by that: from which stages. */
  readonly shares: readonly ImpulseShare[];
  /** Force and torque that stand for the impulses in the last stage, six per body. */
  readonly wrench: Float64Array;
  /** The next state. */
  readonly next: Float64Array;
  /** Bodies that the last stage has pushed apart (bounceContacts.ts). */
  readonly groups: Int32Array;
}

/** What takes the stages that are steps. */
export interface StageTaker {
  readonly system: System;
  readonly writer: StateWriter;
  /** Where it leaves what contacts have given in the world. */
  readonly readings: StepReadings;
  attempt(state: Float64Array, options: StepOptions, attempts: readonly Attempt[]): boolean;
  /** V of the step last attempted (units.ts). */
  speed(): number;
  /** Where a smoothed point lies in the units of the step last attempted. */
  smoothed(path: PathParameter): PathParameter;
  /** The point that stands in memory. */
  point(): Float64Array;
  /** Which part of the step is being taken. */
  part(): number;
}
