/**
 * Sets whose support function is √(nᵀM n): ellipsoids, and discs. Of a disc with radius r and axis a, M = r²(1 − a aᵀ), so M² = r² M, and
 *   √(nᵀM n) = |M n|/r
 * which rounding leaves alone next to the axis, where nᵀM n is a small difference of large numbers.
 */
import {
  abs,
  add,
  cross,
  div,
  dot,
  ifLess,
  matVec,
  max,
  mul,
  type Scalar,
  sqrt,
  stopGradient,
  sub,
  vadd,
  vscale,
} from "../symbolic/index.ts";
import { unit } from "./featureGeometry.ts";

/** Part of M's trace: keeps roots from zero where a rim is seen along its axis. */
const smallest = 1e-20;
/** Part of the square of M's trace: keeps the axis of a disc that n is square to from being none. */
const aside = 1e-12;
/** Sets that are discs to this are. */
const flat = 1e-12;

/** A set in the frame in which n is. */
export interface RoundSet {
  readonly matrix: readonly (readonly Scalar[])[];
  readonly trace: Scalar;
  /** No more than the least eigenvalue of the matrix. */
  readonly least: Scalar;
  /** How far it is from a disc, as a pure number. */
  readonly roundness: Scalar;
  /** The axis of a disc, on the side of n, fixed in what carries it. Of other sets it is some direction. */
  readonly axisNear: (n: readonly Scalar[]) => Scalar[];
}

/** The set in its own frame. */
export function roundSet(matrix: readonly (readonly Scalar[])[]): RoundSet {
  const trace = add(add(matrix[0][0], matrix[1][1]), matrix[2][2]);
  const cofactors = [cross(matrix[1], matrix[2]), cross(matrix[2], matrix[0]), cross(matrix[0], matrix[1])];
  // of eigenvalues a, b and 0, tr² − 2 tr M² = −(a − b)²
  const squared = mul(trace, trace);
  const squares = matrix.reduce<Scalar>((sum, row) => add(sum, dot(row, row)), 0);
  const unequal = div(abs(sub(mul(2, squares), squared)), squared);
  const determinant = dot(matrix[0], cofactors[0]);
  const thick = div(abs(determinant), mul(squared, trace));
  return {
    matrix,
    trace,
    // the product of the others is at most (½ tr)²
    least: div(mul(4, determinant), squared),
    roundness: add(unequal, thick),
    axisNear: (n) =>
      unit(vadd(matVec(cofactors, n), vscale(n, mul(aside, squared)))).map((entry) => stopGradient(entry)),
  };
}

/** `yes` of discs, `no` of others. */
export function ofDisc({ roundness }: Pick<RoundSet, "roundness">, yes: Scalar, no: Scalar): Scalar {
  return ifLess(roundness, flat, yes, no);
}

/** √(nᵀM n), of M n. */
export function reachOf(set: RoundSet, n: readonly Scalar[], image: readonly Scalar[]): Scalar {
  return rootOf(set, ofDisc(set, div(mul(2, dot(image, image)), set.trace), dot(n, image)));
}

/** The root of a square, which rounding takes below zero where a rim is seen along its axis. */
export function rootOf({ trace }: Pick<RoundSet, "trace">, square: Scalar): Scalar {
  return sqrt(add(max(0, square), mul(smallest, trace)));
}
