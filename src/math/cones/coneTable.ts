/**
 * All cones of a product K = R₊ × … × Q × … at once. The cones are sorted by kind into flat tables, so that the loops of the
 * solver, which run several times an iteration, neither branch on the kind nor touch an object.
 */
import { type ConeSlice, coneDegree } from "./cone.ts";
import * as secondOrder from "./secondOrder.ts";

export interface ConeTable {
  /** Every entry of every orthant: R₊ⁿ is n cones of its own. */
  readonly orthants: Int32Array;
  /** Second-order cones: where they start and how long they are. */
  readonly offsets: Int32Array;
  readonly sizes: Int32Array;
  /** deg K. [paper eq:centering_0] */
  readonly degree: number;
}

export function coneTable(cones: readonly ConeSlice[]): ConeTable {
  const orthants: number[] = [];
  for (const { kind, offset, size } of cones) {
    if (kind === "orthant") for (let k = offset; k < offset + size; k++) orthants.push(k);
  }
  const seconds = cones.filter((cone) => cone.kind === "secondOrder");
  return {
    orthants: Int32Array.from(orthants),
    offsets: Int32Array.from(seconds, (cone) => cone.offset),
    sizes: Int32Array.from(seconds, (cone) => cone.size),
    degree: cones.reduce((sum, cone) => sum + coneDegree(cone), 0),
  };
}

/** out ← b ∘ c. */
export function productsInto(out: Float64Array, b: Float64Array, c: Float64Array, table: ConeTable): void {
  const { orthants, offsets, sizes } = table;
  for (let i = 0; i < orthants.length; i++) {
    const k = orthants[i];
    out[k] = b[k] * c[k];
  }
  for (let i = 0; i < offsets.length; i++) secondOrder.productInto(out, b, c, offsets[i], sizes[i]);
}

/** Largest α with y + αΔ in K; Infinity when Δ never leaves it. */
export function largestStep(y: Float64Array, delta: Float64Array, table: ConeTable): number {
  const { orthants, offsets, sizes } = table;
  let alpha = Infinity;
  for (let i = 0; i < orthants.length; i++) {
    const k = orthants[i];
    if (delta[k] < 0) {
      const ratio = -y[k] / delta[k];
      if (ratio < alpha) alpha = ratio;
    }
  }
  for (let i = 0; i < offsets.length; i++) {
    const step = secondOrder.largestStep(y, delta, offsets[i], sizes[i]);
    if (!(step >= alpha)) alpha = step;
  }
  return alpha;
}

/** Smallest eigenvalue of all pairs (b + αΔb, c + αΔc), each times the `scale` of its cone; not positive outside K. */
export function smallestScaledEigenvalue(
  b: Float64Array,
  c: Float64Array,
  deltaB: Float64Array,
  deltaC: Float64Array,
  alpha: number,
  scale: Float64Array,
  table: ConeTable,
): number {
  const { orthants, offsets, sizes } = table;
  let smallest = Infinity;
  for (let i = 0; i < orthants.length; i++) {
    const k = orthants[i];
    const bk = b[k] + alpha * deltaB[k];
    const ck = c[k] + alpha * deltaC[k];
    const eigenvalue = (bk > 0 && ck > 0 ? bk * ck : Math.min(bk, ck)) * scale[k];
    if (!(eigenvalue >= smallest)) smallest = eigenvalue;
  }
  for (let i = 0; i < offsets.length; i++) {
    const at = offsets[i];
    const eigenvalue = secondOrder.smallestEigenvalue(b, c, deltaB, deltaC, alpha, at, sizes[i]) * scale[at];
    if (!(eigenvalue >= smallest)) smallest = eigenvalue;
  }
  return smallest;
}
