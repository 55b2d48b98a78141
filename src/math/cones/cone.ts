/**
 * One cone of the product K = R₊ × … × Q × …: a slice of a flat vector and the operations of its kind, on numbers.
 * The only place that asks which kind a cone is; everything above works for any list of cones.
 */
import { numbers } from "./arithmetic.ts";
import type { ConeFormulas } from "./formulas.ts";
import * as orthant from "./orthant.ts";
import * as secondOrder from "./secondOrder.ts";

/** Entries [offset, offset + size) of a flat vector, in R₊^size or in Q^size. */
export interface ConeSlice {
  readonly kind: "orthant" | "secondOrder";
  readonly offset: number;
  readonly size: number;
}

/** Cones of one number are orthants. */
export function coneKind(size: number): ConeSlice["kind"] {
  return size === 1 ? "orthant" : "secondOrder";
}

export const coneFormulas: Readonly<Record<ConeSlice["kind"], ConeFormulas>> = { orthant, secondOrder };

/** out ← b ∘ c on this cone. */
export function coneProductInto(out: Float64Array, b: Float64Array, c: Float64Array, cone: ConeSlice): void {
  out.set(coneFormulas[cone.kind].product(numbers, slice(b, cone), slice(c, cone)), cone.offset);
}

/** out ← scale·e on this cone. */
export function coneIdentityInto(out: Float64Array, scale: number, { kind, offset, size }: ConeSlice): void {
  out.fill(0, offset, offset + size);
  out.fill(scale, offset, offset + coneFormulas[kind].ones(size));
}

/** deg(K⁽ⁱ⁾), the value of eᵀe: 1 for Qⁿ, because bᵀc = κ on the central path whatever n is. [paper eq:centering_0] */
export function coneDegree({ kind, size }: ConeSlice): number {
  return coneFormulas[kind].ones(size);
}

/** How far inside the cone y is: positive inside, zero on the boundary. */
export function coneMargin(y: Float64Array, cone: ConeSlice): number {
  return coneFormulas[cone.kind].margin(numbers, slice(y, cone));
}

/** Largest α with y + αΔ in the cone; Infinity when Δ never leaves it. [paper eq:alpha_ort, eq:alpha_soc] */
export function coneLargestStep(y: Float64Array, delta: Float64Array, cone: ConeSlice): number {
  return coneFormulas[cone.kind].largestStep(numbers, slice(y, cone), slice(delta, cone));
}

/**
 * Smallest eigenvalue of the pair (b + αΔb, c + αΔc): κ on the central path, not positive outside the cone. Steps ask for it in loops: with
 * operators it is ten times as fast as by the formulas, with which it agrees to the bit.
 */
export function coneSmallestEigenvalue(
  b: Float64Array,
  c: Float64Array,
  deltaB: Float64Array,
  deltaC: Float64Array,
  alpha: number,
  { kind, offset, size }: ConeSlice,
): number {
  const b1 = b[offset] + alpha * deltaB[offset];
  const c1 = c[offset] + alpha * deltaC[offset];
  if (kind === "orthant") {
    let least = b1 > 0 && c1 > 0 ? b1 * c1 : Math.min(b1, c1);
    for (let k = offset + 1; k < offset + size; k++) {
      const bk = b[k] + alpha * deltaB[k];
      const ck = c[k] + alpha * deltaC[k];
      least = Math.min(least, bk > 0 && ck > 0 ? bk * ck : Math.min(bk, ck));
    }
    return least;
  }
  let bb = 0;
  let bc = 0;
  let cc = 0;
  for (let k = offset + 1; k < offset + size; k++) {
    const bk = b[k] + alpha * deltaB[k];
    const ck = c[k] + alpha * deltaC[k];
    bb += bk * bk;
    bc += bk * ck;
    cc += ck * ck;
  }
  const bNorm = Math.sqrt(bb);
  const cNorm = Math.sqrt(cc);
  if (!(b1 > bNorm && c1 > cNorm)) return Math.min(b1 - bNorm, c1 - cNorm);
  const sum = b1 * c1 + bc;
  const determinants = (b1 - bNorm) * (b1 + bNorm) * ((c1 - cNorm) * (c1 + cNorm));
  return determinants / (sum + Math.sqrt(Math.max(0, sum * sum - determinants)));
}

function slice(y: Float64Array, { offset, size }: ConeSlice): Float64Array {
  return y.subarray(offset, offset + size);
}
