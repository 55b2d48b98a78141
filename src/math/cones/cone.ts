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

/** Smallest eigenvalue of the pair (b, c): κ on the central path, not positive outside the cone. */
export function coneSmallestEigenvalue(b: Float64Array, c: Float64Array, cone: ConeSlice): number {
  return coneFormulas[cone.kind].smallestEigenvalue(numbers, slice(b, cone), slice(c, cone));
}

function slice(y: Float64Array, { offset, size }: ConeSlice): Float64Array {
  return y.subarray(offset, offset + size);
}
