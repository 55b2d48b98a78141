/**
 * One cone of the product K = R₊ × … × Q × …: a slice of a flat vector and the operations of its kind.
 * The only place that asks which kind a cone is; everything above works for any list of cones.
 */
import * as orthant from "./orthant.ts";
import * as secondOrder from "./secondOrder.ts";

/** Entries [offset, offset + size) of a flat vector, in R₊^size or in Q^size. */
export interface ConeSlice {
  readonly kind: "orthant" | "secondOrder";
  readonly offset: number;
  readonly size: number;
}

/** out ← b ∘ c on this cone. */
export function coneProductInto(out: Float64Array, b: Float64Array, c: Float64Array, cone: ConeSlice): void {
  if (cone.kind === "orthant") orthant.productInto(out, b, c, cone.offset, cone.size);
  else secondOrder.productInto(out, b, c, cone.offset, cone.size);
}

/** out ← scale·e on this cone. */
export function coneIdentityInto(out: Float64Array, scale: number, cone: ConeSlice): void {
  if (cone.kind === "orthant") orthant.identityInto(out, scale, cone.offset, cone.size);
  else secondOrder.identityInto(out, scale, cone.offset, cone.size);
}

/** deg(K⁽ⁱ⁾), the value of eᵀe. [paper eq:centering_0] */
export function coneDegree(cone: ConeSlice): number {
  return cone.kind === "orthant" ? orthant.degree(cone.size) : secondOrder.degree(cone.size);
}

/** How far inside the cone y is: positive inside, zero on the boundary. */
export function coneMargin(y: Float64Array, cone: ConeSlice): number {
  return cone.kind === "orthant"
    ? orthant.margin(y, cone.offset, cone.size)
    : secondOrder.margin(y, cone.offset, cone.size);
}

/** Largest α with y + αΔ in the cone; Infinity when Δ never leaves it. [paper eq:alpha_ort, eq:alpha_soc] */
export function coneLargestStep(y: Float64Array, delta: Float64Array, cone: ConeSlice): number {
  return cone.kind === "orthant"
    ? orthant.largestStep(y, delta, cone.offset, cone.size)
    : secondOrder.largestStep(y, delta, cone.offset, cone.size);
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
    ? orthant.smallestEigenvalue(b, c, deltaB, deltaC, alpha, cone.offset, cone.size)
    : secondOrder.smallestEigenvalue(b, c, deltaB, deltaC, alpha, cone.offset, cone.size);
}
