/** Points of steps as flat numbers: state, unknowns, b, c, turns. Steps keep some of them for gradients. */
import type { System } from "../../kernels/index.ts";
import type { BounceRecord } from "../bounce/bounceRecord.ts";
import { copyInto } from "../copyInto.ts";

/** Points of one kind that a step has kept for gradients: at its end, or at one κ. */
export class KeptPoints {
  /** One per substep. */
  readonly points: Float64Array[] = [];
  /** How many of them the last step has kept. */
  count = 0;
  /** What the last step has kept of bounces, one per substep; undefined where nothing bounced. */
  readonly bounces: (BounceRecord | undefined)[] = [];

  /** What the last step has kept is that of another; lists that are empty stay untouched, which is quicker. */
  clear(): void {
    this.count = 0;
    if (this.bounces.length > 0) this.bounces.length = 0;
  }

  /** The place for the point of a substep, which counts as kept. What a part of that number that was tried before has kept of a bounce is forgotten. */
  take(system: System, substep: number): Float64Array {
    const { points, bounces } = this;
    points[substep] ??= newPoint(system);
    if (this.count >= substep) this.count = substep + 1;
    if (bounces.length > substep) bounces.length = substep;
    return points[substep];
  }

  /** The point of a substep was not found. */
  lose(substep: number): void {
    this.count = Math.min(this.count, substep);
  }

  /** Keeps a bounce in place of the point of its free stage. */
  bounce(record: BounceRecord, system: System, substep: number): void {
    this.take(system, substep).set(record.position);
    this.bounces[substep] = record;
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
