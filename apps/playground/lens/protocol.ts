/** What the page and its worker tell each other. Of several requests only the last matters. */
import type { Direction } from "../../../experiments/gradient-comparison/box.ts";
import type { Values } from "./boxLens.ts";
import type { Curve } from "./exactCurve.ts";
import type { LensSettings } from "./settings.ts";

export interface Request {
  readonly id: number;
  readonly settings: LensSettings;
}

/** At the current force, one entry a κ. */
export interface PointReply {
  readonly kind: "point";
  readonly id: number;
  readonly direction: Direction;
  readonly force: number;
  readonly values: readonly { readonly kappa: number; readonly values: Values }[];
}

/** How long one step with its gradient takes. */
export interface TimingReply {
  readonly kind: "timing";
  readonly seconds: number;
}

export interface CurveReply {
  readonly kind: "curve";
  readonly direction: Direction;
  readonly kappa: number;
  readonly curve: Curve;
}

export interface SmoothedPointReply {
  readonly kind: "smoothedPoint";
  readonly id: number;
  readonly gradient: number;
  readonly seconds: number;
}

export interface SmoothedCurveReply {
  readonly kind: "smoothedCurve";
  /** Key of the curve, as `smoothingKey` writes it. */
  readonly key: string;
  readonly forces: Float64Array;
  /** NaN where there is no value yet. */
  readonly gradient: Float64Array;
  readonly done: boolean;
}

export interface FaultReply {
  readonly kind: "fault";
  readonly message: string;
}

export type Reply = PointReply | TimingReply | CurveReply | SmoothedPointReply | SmoothedCurveReply | FaultReply;

export function curveKey(direction: Direction, kappa: number): string {
  return `${direction} ${kappa}`;
}

export function smoothingKey({ direction, sigma, samples, seed }: LensSettings): string {
  return `${direction} ${sigma} ${samples} ${seed}`;
}
