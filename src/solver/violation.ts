/**
 * How far the current point is from a solution. [paper eq:r_vio, eq:kappa_vio]
 *   r_vio = max |Eᵢ|/toleranceᵢ          gap_vio = max 2|Eⱼ|/cⱼ over the rows that say slack = distance
 *   κ_vio = max ‖b∘c − κ_c·weight·e‖∞/weight      with κ_c = κ where the point must lie on the central path, 0 where below κ is enough
 *
 * DEPARTURE(scaled-violation): the paper compares every row with one number in SI; here each row and cone brings its unit.
 * DEPARTURE(gap-rows): a positive slack proves a positive distance only when the row joining them is satisfied to less than the slack.
 */
import { productsInto } from "../math/index.ts";
import { type ConeWork, mean } from "./centering.ts";
import type { SolveResult } from "./options.ts";
import type { ConeProblem } from "./problem.ts";

/** Rounding of b∘c: each entry is a sum of a few terms no larger than b₁c₁, and b and c are themselves rounded sums. */
const ROUNDING = 8 * Number.EPSILON;

/** Writes the violations into `out` and b∘c into `work.product`; NaN anywhere becomes NaN in the matching violation. */
export function measureInto(out: SolveResult, problem: ConeProblem, work: ConeWork, centre: number): void {
  measureResidual(out, problem);
  out.gapViolation = gapViolation(problem);
  if (problem.cones.length === 0) {
    out.complementarityViolation = out.mu = 0;
    return;
  }
  productsInto(work.product, problem.b, problem.c, work.table);
  out.complementarityViolation = complementarityViolation(work, centre);
  out.mu = mean(problem, work);
}

function measureResidual(out: SolveResult, problem: ConeProblem): void {
  const { residual, tolerance } = problem;
  let largest = 0;
  let violation = 0;
  for (let i = 0; i < residual.length; i++) {
    const size = Math.abs(residual[i]);
    // few rows get past either comparison; NaN gets past the first
    if (!(size <= largest)) {
      if (!(size < Infinity)) {
        out.residual = out.residualViolation = NaN;
        return;
      }
      largest = size;
    }
    if (size > violation * tolerance[i]) violation = size / tolerance[i];
  }
  out.residual = largest;
  out.residualViolation = violation;
}

function gapViolation(problem: ConeProblem): number {
  const { gapRows, gapSlacks, residual, c } = problem;
  let violation = 0;
  for (let j = 0; j < gapRows.length; j++) {
    const size = 2 * Math.abs(residual[gapRows[j]]);
    const slack = c[gapSlacks[j]];
    if (!(size <= violation * slack)) violation = size / slack;
  }
  return violation;
}

function complementarityViolation(work: ConeWork, centre: number): number {
  const { product, unit, scale } = work;
  let violation = 0;
  for (let k = 0; k < product.length; k++) {
    const size = Math.abs(product[k] - centre * unit[k]) * scale[k];
    if (!(size < Infinity)) return NaN;
    if (size > violation) violation = size;
  }
  return violation;
}

/**
 * Whether every cone is within `radius` (in units of its weight) of the central path at `centre`, give or take the rounding
 * of its product: a sliding contact at κ = 1e-10 has entries of size 1 cancelling to 1e-10.
 */
export function isOnPath(problem: ConeProblem, work: ConeWork, centre: number, radius: number): boolean {
  const { b, c } = problem;
  const { product, unit, scale } = work;
  const { orthants, offsets, sizes } = work.table;
  for (let i = 0; i < orthants.length; i++) {
    const k = orthants[i];
    const allowed = radius + ROUNDING * b[k] * c[k] * scale[k];
    if (!(Math.abs(product[k] - centre * unit[k]) * scale[k] <= allowed)) return false;
  }
  for (let i = 0; i < offsets.length; i++) {
    // the largest term is b₁c₁
    const head = offsets[i];
    const allowed = radius + ROUNDING * b[head] * c[head] * scale[head];
    for (let k = head; k < head + sizes[i]; k++) {
      if (!(Math.abs(product[k] - centre * unit[k]) * scale[head] <= allowed)) return false;
    }
  }
  return true;
}
