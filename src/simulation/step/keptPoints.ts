/** Points of steps as flat numbers: state, unknowns, b, c, turns. Steps keep some of them for gradients. */
import type { System } from "../../kernels/index.ts";
import type { BounceRecord } from "../bounce/bounceRecord.ts";
import { copyInto } from "../copyInto.ts";
import type { ConePoint } from "../runs/continuation.ts";

/** Points on the central path that steps have kept for gradients. */
export class KeptPoints {
  /** One per substep. */
  readonly points: Float64Array[] = [];
  /** How many of them the last step has kept. */
  count = 0;
  /** Whether the last attempt was to keep its point above its end. */
  isAbove = false;
  /** What the last step has kept of bounces, one per substep; undefined where nothing bounced. */
  readonly bounces: (BounceRecord | undefined)[] = [];

  /** Keeps the current point, as that of a substep. */
  keep(system: System, substep: number): void {
    this.points[substep] ??= newPoint(system);
    this.count = substep + 1;
    pointInto(this.points[substep], system);
  }
}

export function newPoint({ mechanism, unknowns, coneSize, turns }: System): Float64Array {
  return new Float64Array(mechanism.stateSize + unknowns + 2 * coneSize + turns.indices.length);
}

/** The point as it stands in memory. */
export function pointInto(kept: Float64Array, system: System): Float64Array {
  const { f64, places, unknowns, coneSize, mechanism } = system;
  const { indices } = system.turns;
  const { stateSize } = mechanism;
  const turns = stateSize + unknowns + 2 * coneSize;
  copyInto(kept, 0, f64, places.state, stateSize);
  copyInto(kept, stateSize, f64, places.unknown, unknowns);
  copyInto(kept, stateSize + unknowns, f64, places.coneB, coneSize);
  copyInto(kept, stateSize + unknowns + coneSize, f64, places.coneC, coneSize);
  for (let i = 0; i < indices.length; i++) kept[turns + i] = f64[indices[i]];
  return kept;
}

/** Views of the cone variables of a point. */
export function coneVariablesOf(point: Float64Array, { mechanism, unknowns, coneSize }: System): ConePoint {
  const at = mechanism.stateSize + unknowns;
  return { b: point.subarray(at, at + coneSize), c: point.subarray(at + coneSize, at + 2 * coneSize) };
}
