/**
 * How far to go along a direction. [paper cls_algo]
 *   to the boundary:   α = min(1, τ · min over all cones of the largest step of b and of c)
 *   neighbourhood:     α ← 0.8 α   until every cone's smallest eigenvalue is   ≥ 0.01 μ(α)·weight   or half of what it was
 *
 * DEPARTURE(boundary-fraction): cls_algo scales the direction by τ, which lets the step leave the cone (α may exceed
 * τ·α_max); the fraction belongs on the step length.
 * DEPARTURE(one-fraction): one τ = 0.999 for both kinds of cone instead of max(0.95, 1 − vio²) capped at 0.99 (6.1 → 4.8 iterations).
 * DEPARTURE(neighbourhood): the paper lets single cones run ahead to the boundary, where they then block every step. The test
 * keeps the pairs' eigenvalues within a factor of 100 of their mean; "or half of what it was" lets a bad start come in slowly.
 */
import { coneLargestStep, coneMargin, coneSmallestEigenvalue } from "../math/index.ts";
import { type ConeWork, meanAlong } from "./centering.ts";
import type { ConeProblem, Direction } from "./problem.ts";

const SHRINK = 0.8;
/** 0.8⁶⁰ ≈ 1e-6: as good as no step. */
const MOST_SHRINKS = 60;

/** Distance to the boundary of K along the direction, in units of the direction; Infinity when there is none. */
export function distanceToBoundary(problem: ConeProblem, direction: Direction): number {
  const { cones, b, c } = problem;
  let alpha = Infinity;
  for (let i = 0; i < cones.length; i++) {
    alpha = Math.min(alpha, coneLargestStep(b, direction.b, cones[i]), coneLargestStep(c, direction.c, cones[i]));
  }
  return alpha;
}

/** Shrinks α until the point is no nearer to the boundary than its complementarity warrants. */
export function stepInNeighbourhood(
  problem: ConeProblem,
  work: ConeWork,
  direction: Direction,
  alpha: number,
  neighbourhood: number,
): number {
  for (let shrinks = 0; shrinks < MOST_SHRINKS; shrinks++) {
    if (isCentred(problem, work, direction, alpha, neighbourhood)) return alpha;
    alpha *= SHRINK;
  }
  return alpha;
}

function isCentred(
  problem: ConeProblem,
  work: ConeWork,
  direction: Direction,
  alpha: number,
  neighbourhood: number,
): boolean {
  const { cones, b, c, weight } = problem;
  const { b: deltaB, c: deltaC } = direction;
  const smallest = neighbourhood * meanAlong(problem, work, direction, alpha);
  for (let i = 0; i < cones.length; i++) {
    const eigenvalue = coneSmallestEigenvalue(b, c, deltaB, deltaC, alpha, cones[i]);
    // strictly inside even with the test switched off: rounding may put the end of a step on the boundary
    if (eigenvalue > 0 && eigenvalue >= smallest * weight[i]) continue;
    if (eigenvalue >= 0.5 * coneSmallestEigenvalue(b, c, deltaB, deltaC, 0, cones[i])) continue;
    return false;
  }
  return true;
}

/** A solve must start strictly inside; anything else is a mistake of the caller (NaN is not: it becomes a status). */
export function requireInterior(problem: ConeProblem): void {
  const { cones, b, c } = problem;
  for (let i = 0; i < cones.length; i++) {
    if (coneMargin(b, cones[i]) <= 0 || coneMargin(c, cones[i]) <= 0) {
      throw new RangeError(`cone ${i} (${cones[i].kind}) starts on or outside its boundary`);
    }
  }
}
