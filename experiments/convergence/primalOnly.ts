/**
 * A primal-only interior-point method on the same equations, for comparison: the log barrier −κ Σ log det c. Its multipliers are
 * no unknowns but functions of the slacks,
 *   b = κ c⁻¹        1/c in R₊,  (c₁, −c₂)/(c₁² − c₂ᵀc₂) in the second-order cone,
 * so that E(a, κc⁻¹, c) = 0 is solved for a and c by Newton's method, for a falling sequence of κ. On b = κc⁻¹ the linearised
 * b∘c = κe has the same solution Δb(Δc) as the linearised b = κc⁻¹; the engine's kernels therefore give this method's matrix and
 * direction when b is set so before each evaluation.
 */

import type { Simulation } from "dojo-sim";
import { insidesOf } from "dojo-sim/tools";
import { type Problem, type Solved, startStep, type Tolerances, type Violations, violations } from "./solve.ts";
import { spareDirection } from "./spareDirection.ts";

/** How κ falls, and how well each κ but the last is solved: residual in units of the step. */
const decrease = 0.1;
const loose = 0.1;
const boundaryFraction = 0.99;
const sufficient = 1e-4;
const mostHalvings = 25;
const maxIterations = 200;

/** The last κ is a fifth of κ_tol, where the primal-dual solver aims too. [pc_algo] */
const undershoot = 0.2;

export function primalOnlySolve(
  simulation: Simulation,
  state: Float64Array,
  to: Tolerances,
  { visit = () => {} }: { readonly visit?: (at: Violations) => void } = {},
): Solved {
  const { problem } = insidesOf(simulation).stepper;
  const direction = spareDirection(problem);
  const units = rowUnits(simulation, state);
  startStep(simulation, state, to);
  problem.takeWeights();
  const last = undershoot * to.kappa;
  let kappa = Math.max(last, largestProduct(problem));
  const evaluate = (): number => {
    setMultipliers(problem, kappa);
    problem.measure(kappa);
    problem.evaluate();
    return problem.residual.reduce((largest, value, i) => Math.max(largest, Math.abs(value) / units[i]), 0);
  };
  let size = evaluate();
  let iterations = 0;
  while (!(kappa === last && violations(problem).residual <= to.residual)) {
    if (iterations === maxIterations) {
      const end = violations(problem);
      // what a solve that failed left in the memory
      problem.clean();
      return { iterations, solved: false, ...end };
    }
    iterations++;
    problem.factor();
    visit(violations(problem));
    problem.solve(kappa, false, direction);
    const before = size;
    let alpha = Math.min(1, boundaryFraction * distanceToBoundary(problem, direction));
    for (let halvings = 0; halvings < mostHalvings; halvings++, alpha /= 2) {
      if (!problem.advance(alpha, direction)) continue;
      size = evaluate();
      if (size <= (1 - sufficient * alpha) * before) break;
    }
    if (kappa > last && size <= loose) {
      kappa = Math.max(last, decrease * kappa);
      size = evaluate();
    }
  }
  return { iterations, solved: true, ...violations(problem) };
}

/** Units of the rows of E in this step: the engine's tolerances at a relative tolerance of 1. */
function rowUnits(simulation: Simulation, state: Float64Array): Float64Array {
  const { system, stepper } = insidesOf(simulation);
  const { problem } = stepper;
  system.f64.set(state, system.places.state);
  problem.prepare(1);
  const rows = system.solver.perTolerance;
  return system.f64.slice(rows, rows + problem.residual.length).map((reciprocal) => 1 / reciprocal);
}

/** κ at the start, where every cone pair is a multiple of the identity. */
function largestProduct({ cones, b, c, weight }: Problem): number {
  return Math.max(...cones.map(({ offset }) => (b[offset] * c[offset]) / weight[offset]));
}

function setMultipliers({ cones, b, c, weight }: Problem, kappa: number): void {
  cones.forEach(({ offset, size }) => {
    let determinant = c[offset] * c[offset];
    for (let k = offset + 1; k < offset + size; k++) determinant -= c[k] * c[k];
    const scale = (kappa * weight[offset]) / determinant;
    b[offset] = scale * c[offset];
    for (let k = offset + 1; k < offset + size; k++) b[k] = -scale * c[k];
  });
}

/** Largest α for which c + αΔc stays in its cones: the smallest positive root of det(c + αΔc). */
function distanceToBoundary({ cones, c }: Problem, { c: delta }: { readonly c: Float64Array }): number {
  let alpha = Number.POSITIVE_INFINITY;
  for (const { offset, size } of cones) {
    let [square, product, determinant] = [delta[offset] ** 2, c[offset] * delta[offset], c[offset] ** 2];
    for (let k = offset + 1; k < offset + size; k++) {
      square -= delta[k] ** 2;
      product -= c[k] * delta[k];
      determinant -= c[k] ** 2;
    }
    const root = Math.sqrt(Math.max(0, product * product - square * determinant));
    if (product < 0) alpha = Math.min(alpha, determinant / (root - product));
    else if (square < 0) alpha = Math.min(alpha, (product + root) / -square);
  }
  return alpha;
}
