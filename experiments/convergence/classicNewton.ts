/**
 * A primal-dual interior point without a predictor, for comparison: one Newton step an iteration, aimed at a tenth of the present μ
 * (and no lower than where the engine's solver aims), without second-order term and without feedback on κ.
 *   Δ ← −R⁻¹ r(κ),   κ = max(κ_tol/5, μ/10)          w ← w + min(1, 0.99 α_max) Δ
 */

import type { Simulation } from "dojo-sim";
import { insidesOf } from "dojo-sim/tools";
import { type Solved, startStep, type Tolerances, violations } from "./solve.ts";
import { spareDirection } from "./spareDirection.ts";

const undershoot = 0.2;
const decrease = 0.1;
const boundaryFraction = 0.99;
const mostHalvings = 30;
const maxIterations = 60;

export function classicSolve(simulation: Simulation, state: Float64Array, to: Tolerances): Solved {
  const { problem } = insidesOf(simulation).stepper;
  const direction = spareDirection(problem);
  startStep(simulation, state, to);
  problem.takeWeights();
  problem.measure(0);
  problem.evaluate();
  let iterations = 0;
  for (;;) {
    const at = violations(problem);
    const solved = at.residual <= to.residual && at.kappa <= to.kappa;
    if (solved || iterations === maxIterations || !Number.isFinite(at.residual)) {
      // what a solve that failed left in the memory
      if (!solved) problem.clean();
      return { iterations, solved, ...at };
    }
    const kappa = Math.max(undershoot * to.kappa, decrease * problem.measures.mu);
    problem.factor();
    problem.solve(kappa, false, direction);
    let alpha = Math.min(1, boundaryFraction * problem.measures.boundary);
    for (let halvings = 0; !problem.advance(alpha, direction) && halvings < mostHalvings; halvings++) alpha /= 2;
    problem.evaluate();
    iterations++;
  }
}
