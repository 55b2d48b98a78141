/**
 * How near the boundary a step may end. [paper cls_algo]
 *   to the boundary:   α = min(1, τ · min over all cones of the largest step of b and of c)
 *   neighbourhood:     α shrinks   until every cone's smallest eigenvalue is   ≥ 0.01 μ(α)·weight   or half of what it was
 *
 * DEPARTURE(boundary-fraction): cls_algo scales the direction by τ, which lets the step leave the cone (α may exceed
 * τ·α_max); the fraction belongs on the step length.
 * DEPARTURE(one-fraction): one τ for both kinds of cone, 0.999 instead of max(0.95, 1 − vio²) capped at 0.99 (6.1 → 4.8 iterations),
 * and closer to 1 as μ falls: at 0.999 the last iterations gain three digits each, whatever the direction is worth (0.3 iterations).
 * DEPARTURE(neighbourhood): the paper lets single cones run ahead to the boundary, where they then block every step. The test
 * keeps the pairs' eigenvalues within a factor of 100 of their mean; "or half of what it was" lets a bad start come in slowly.
 */
import { coneMargin } from "../math/index.ts";
import type { ConeProblem } from "./problem.ts";

/**
 * A step shortened by a fifth leaves a fifth of the residual and costs an iteration, so the first cut is small and the next ones
 * double: half an iteration less on falling robots than cuts of a twentieth, and 0.9 less than cuts of a fifth.
 */
export const FIRST_CUT = 0.005;
export const LARGEST_CUT = 0.2;
/** 0.8⁶⁰ ≈ 1e-6: as good as no step. */
export const MOST_SHRINKS = 66;

/**
 * A cone that is nearer to its boundary than its complementarity warrants at the point that was last measured, or −1 where there is none.
 * `from`: the cone to look at first, which is likely to be it.
 */
export function offCentre(problem: ConeProblem, neighbourhood: number, from = 0): number {
  const { cones, eigenvalues, eigenvaluesBefore } = problem;
  const { mu, smallestEigenvalue } = problem.measures;
  const smallest = neighbourhood * mu;
  // strictly inside even with the test switched off: rounding may put the end of a step on the boundary
  if (smallestEigenvalue > 0 && smallestEigenvalue >= smallest) return -1;

  // some cone is too close to its boundary: those that come in slowly are let through
  for (let count = 0, i = from; count < cones.length; count++, i = i + 1 < cones.length ? i + 1 : 0) {
    if (problem.isOut?.(i)) continue;
    const eigenvalue = eigenvalues[cones[i].offset];
    if (eigenvalue > 0 && eigenvalue >= smallest) continue;
    if (eigenvalue >= 0.5 * eigenvaluesBefore[cones[i].offset]) continue;
    return i;
  }
  return -1;
}

/** Whether some cone variable lies on or outside its boundary: a start must not, and does where sizes are too small or large for numbers. */
export function isOnBoundary({ cones, b, c }: ConeProblem): boolean {
  return cones.some((cone) => coneMargin(b, cone) <= 0 || coneMargin(c, cone) <= 0);
}
