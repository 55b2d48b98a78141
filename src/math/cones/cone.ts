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
  out.set(coneFormulas[cone.kind].product(numbers, slice(b, cone, 0), slice(c, cone, 1)), cone.offset);
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
  return coneFormulas[cone.kind].margin(numbers, slice(y, cone, 0));
}

/** Largest α with y + αΔ in the cone; Infinity when Δ never leaves it. [paper eq:alpha_ort, eq:alpha_soc] */
export function coneLargestStep(y: Float64Array, delta: Float64Array, cone: ConeSlice): number {
  return coneFormulas[cone.kind].largestStep(numbers, slice(y, cone, 0), slice(delta, cone, 1));
}

/** Smallest eigenvalue of the pair (b + αΔb, c + αΔc): κ on the central path, not positive outside the cone. */
export function coneSmallestEigenvalue(
  b: Float64Array,
  c: Float64Array,
  deltaB: Float64Array,
  deltaC: Float64Array,
  alpha: number,
  cone: ConeSlice,
): number {
  return cone.kind === "orthant"
    ? orthant.smallestEigenvalueAlong(b, c, deltaB, deltaC, alpha, cone.offset, cone.size)
    : secondOrder.smallestEigenvalueAlong(b, c, deltaB, deltaC, alpha, cone.offset, cone.size);
}

/** Copies by size, two of each: nothing is allocated after the first. */
const copies: (readonly [Float64Array, Float64Array])[] = [];

function slice(y: Float64Array, { offset, size }: ConeSlice, which: 0 | 1): Float64Array {
  copies[size] ??= [new Float64Array(size), new Float64Array(size)];
  const copy = copies[size][which];
  for (let k = 0; k < size; k++) copy[k] = y[offset + k];
  return copy;
}
