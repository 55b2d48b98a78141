/**
 * How far to go along a direction. [paper cls_algo]
 *   to the boundary:   α = min(1, τ · min over all cones of the largest step of b and of c)
 *   neighbourhood:     α ← 0.95 α   until every cone's smallest eigenvalue is   ≥ 0.01 μ(α)·weight   or half of what it was
 *
 * DEPARTURE(boundary-fraction): cls_algo scales the direction by τ, which lets the step leave the cone (α may exceed
 * τ·α_max); the fraction belongs on the step length.
 * DEPARTURE(one-fraction): one τ for both kinds of cone, 0.999 instead of max(0.95, 1 − vio²) capped at 0.99 (6.1 → 4.8 iterations),
 * and closer to 1 as μ falls: at 0.999 the last iterations gain three digits each, whatever the direction is worth (0.3 iterations).
 * DEPARTURE(neighbourhood): the paper lets single cones run ahead to the boundary, where they then block every step. The test
 * keeps the pairs' eigenvalues within a factor of 100 of their mean; "or half of what it was" lets a bad start come in slowly.
 */
import { coneMargin, coneSmallestEigenvalue, largestStep, smallestScaledEigenvalue } from "../math/index.ts";
import { type ConeWork, meanAlong } from "./centering.ts";
import type { ConeProblem, Direction } from "./problem.ts";

/** A step shortened by a fifth leaves a fifth of the residual and costs an iteration: with 0.8, 0.4 iterations more. */
const SHRINK = 0.95;
/** 0.95²⁷⁰ ≈ 1e-6: as good as no step. */
const MOST_SHRINKS = 270;

/** Distance to the boundary of K along the direction, in units of the direction; Infinity when there is none. */
export function distanceToBoundary(problem: ConeProblem, work: ConeWork, direction: Direction): number {
  const ofB = largestStep(problem.b, direction.b, work.table);
  const ofC = largestStep(problem.c, direction.c, work.table);
  return ofB < ofC ? ofB : ofC;
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
  // strictly inside even with the test switched off: rounding may put the end of a step on the boundary
  const smallest = neighbourhood * meanAlong(problem, work, direction, alpha);
  const found = smallestScaledEigenvalue(b, c, deltaB, deltaC, alpha, work.scale, work.table);
  if (found > 0 && found >= smallest) return true;

  // some cone is too close to its boundary: those that come in slowly are let through
  for (let i = 0; i < cones.length; i++) {
    const eigenvalue = coneSmallestEigenvalue(b, c, deltaB, deltaC, alpha, cones[i]);
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
