/**
 * A direction near the one along which two round sets are farthest apart (largestSeparation.ts), by Newton's method on how far the sets
 * reach along it. Where F(n) = n·d − Σ √(nᵀM n) has its maximum,
 *   d = B n,   B = λ + Σ M/α,   α = √(nᵀM n),   λ = F(n)
 * so n is known from one number α per set, as n(α) = B⁻¹d/|B⁻¹d|, and α from
 *   α − √(n(α)ᵀM n(α)) = 0,   dn/dα = B⁻¹M n/α²   (less its part along n)
 * which is nearly a straight line in α, next to a disc's axis too, where α is 0 and F has a corner that steps of n lead past. λ follows the
 * last n, which is right to second order, and B stays positive: of sets that overlap by more, n is nearly one along which they part as they
 * shrink.
 * Nothing here is differentiated.
 */
import {
  add,
  cross,
  div,
  dot,
  ifLess,
  matVec,
  max,
  mul,
  neg,
  type Scalar,
  sub,
  vadd,
  vscale,
} from "../symbolic/index.ts";
import { unit } from "./featureGeometry.ts";

/** Parts of the sets' sizes: the least λ, and what α is larger by. */
const leastGap = 1e-3;
const leastReach = 1e-8;
/** What is left of an α that would become less than nothing. */
const leastPart = 1e-3;

type Vector = readonly Scalar[];
type Matrix = readonly Vector[];

/** F of sets given by their matrices, in three dimensions or in the two across a line. */
export interface Reaches {
  readonly between: Vector;
  readonly matrices: readonly Matrix[];
  /** For each set no more than the least eigenvalue of its matrix. */
  readonly least: readonly Scalar[];
  /** Sum of the sets' sizes. */
  readonly size: Scalar;
  /** √(nᵀM n) of each set, from n and M n. */
  readonly reaches: readonly ((n: Vector, image: Vector) => Scalar)[];
}

interface Point {
  readonly n: Vector;
  readonly images: readonly Vector[];
  readonly reaches: readonly Scalar[];
  readonly value: Scalar;
}

/** The best of `start`, d/|d| and what so many steps from the better of the two lead to. */
export function farthestApart(problem: Reaches, start: Vector, steps: number): Vector {
  const { between, size } = problem;
  const tiny = mul(leastReach, size);
  // where the centres are one, it is the start
  const across = unit(vadd(between, vscale(start, tiny)));
  let best = better(pointAt(problem, across), pointAt(problem, start));
  let point = best;
  let alphas = best.reaches.map((reach) => add(reach, tiny));
  for (let i = 0; i < steps; i++) {
    const bound = problem.least.reduce<Scalar>((sum, least, k) => sub(sum, div(least, alphas[k])), mul(leastGap, size));
    const lambda = max(point.value, bound);
    const matrix = between.map((_, r) =>
      between.map((_, c) =>
        problem.matrices.reduce<Scalar>((sum, m, k) => add(sum, div(m[r][c], alphas[k])), r === c ? lambda : 0),
      ),
    );
    const cofactors = cofactorsOf(matrix);
    const inverse = div(1, dot(matrix[0], cofactors[0]));
    point = pointAt(problem, unit(matVec(cofactors, between)));
    best = better(point, best);
    if (i < steps - 1) {
      const solve = (v: Vector): Scalar[] => vscale(matVec(cofactors, v), inverse);
      alphas = newReaches(alphas, point, point.images.map(solve)).map((alpha) => add(alpha, tiny));
    }
  }
  return best.n;
}

/** One step of Newton's method; `moves` are B⁻¹M n. */
function newReaches(alphas: readonly Scalar[], point: Point, moves: readonly Vector[]): Scalar[] {
  const { n, images, reaches } = point;
  const turns = moves.map((move, k) => vscale(move, div(1, mul(alphas[k], alphas[k]))));
  const residual = alphas.map((alpha, j) => sub(alpha, reaches[j]));
  const slope = (j: number, k: number): Scalar =>
    add(j === k ? 1 : 0, sub(mul(alphas[j], dot(n, turns[k])), div(dot(images[j], turns[k]), reaches[j])));
  const steps =
    alphas.length === 1
      ? [div(residual[0], slope(0, 0))]
      : solvePair(slope(0, 0), slope(0, 1), slope(1, 0), slope(1, 1), residual);
  return alphas.map((alpha, j) => max(sub(alpha, steps[j]), mul(leastPart, alpha)));
}

function solvePair(a: Scalar, b: Scalar, c: Scalar, d: Scalar, [x, y]: readonly Scalar[]): Scalar[] {
  const inverse = div(1, sub(mul(a, d), mul(b, c)));
  return [mul(inverse, sub(mul(d, x), mul(b, y))), mul(inverse, sub(mul(a, y), mul(c, x)))];
}

function pointAt({ between, matrices, reaches: reachOf }: Reaches, n: Vector): Point {
  const images = matrices.map((matrix) => matVec(matrix, n));
  const reaches = images.map((image, k) => reachOf[k](n, image));
  return { n, images, reaches, value: reaches.reduce<Scalar>((value, reach) => sub(value, reach), dot(n, between)) };
}

/** The first of two points if F is more there, which no number is not. */
function better(a: Point, b: Point): Point {
  const choose = (one: Scalar, other: Scalar): Scalar => ifLess(b.value, a.value, one, other);
  return {
    n: a.n.map((entry, k) => choose(entry, b.n[k])),
    images: a.images.map((image, i) => image.map((entry, k) => choose(entry, b.images[i][k]))),
    reaches: a.reaches.map((reach, i) => choose(reach, b.reaches[i])),
    value: choose(a.value, b.value),
  };
}

/** The cofactors of a symmetric matrix. */
function cofactorsOf(m: Matrix): Matrix {
  if (m.length === 2)
    return [
      [m[1][1], neg(m[0][1])],
      [neg(m[0][1]), m[0][0]],
    ];
  return [cross(m[1], m[2]), cross(m[2], m[0]), cross(m[0], m[1])];
}
