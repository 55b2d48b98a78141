/**
 * One step solved to the paper's tolerances [eq:r_vio, eq:kappa_vio], in SI:
 *   r_vio = max |E| ≤ r_tol          κ_vio = max |b∘c| ≤ κ_tol
 * by the engine's solver from the engine's start, without its retries. The cones' weights are the engine's natural ones over their
 * largest: the start is central in them, and what is small enough in them is small enough in SI.
 */

import type { Simulation } from "dojo-sim";
import { type Insides, insidesOf } from "dojo-sim/tools";

export type Problem = Insides["stepper"]["problem"];

export interface Tolerances {
  readonly kappa: number;
  readonly residual: number;
}

/** A point of a solve, in SI. */
export interface Violations {
  readonly residual: number;
  readonly kappa: number;
}

export interface Solved extends Violations {
  readonly iterations: number;
  readonly solved: boolean;
}

/** As the engine's first attempt starts. */
const startFactors = { impulse: 0.3, length: 1, change: 1 };
const maxIterations = 60;

/** Puts the problem of the step from `state` at its start. */
export function startStep(simulation: Simulation, state: Float64Array, to: Tolerances): void {
  const { system, stepper } = insidesOf(simulation);
  const { problem } = stepper;
  system.f64.set(state, system.places.state);
  problem.prepare(to.residual);
  const rows = system.solver.perTolerance;
  system.f64.fill(1 / to.residual, rows, rows + problem.residual.length);
  const { natural } = problem.units;
  const largest = Math.max(...natural);
  problem.setWeights((at) => natural[at] / largest);
  problem.start(startFactors, to.kappa);
}

/** `visit` is called with the point at which each matrix is factored. */
export function solveStep(
  simulation: Simulation,
  state: Float64Array,
  to: Tolerances,
  options: { readonly correction?: boolean; readonly visit?: (at: Violations) => void } = {},
): Solved {
  const { problem, solver } = insidesOf(simulation).stepper;
  const { correction = true, visit } = options;
  startStep(simulation, state, to);
  const solve = () => solver.solve({ kappa: to.kappa, correction, maxIterations });
  const { status, iterations } = visit ? observed(problem, () => visit(violations(problem)), solve) : solve();
  const solved = status === "solved";
  const end = violations(problem);
  // what a solve that failed left in the memory
  if (!solved) problem.clean();
  return { iterations, solved, ...end };
}

/** Calls `visit` after each factorisation while `work` runs. */
function observed<T>(problem: Problem, visit: () => void, work: () => T): T {
  const { factor } = problem;
  problem.factor = () => {
    const factored = factor.call(problem);
    visit();
    return factored;
  };
  try {
    return work();
  } finally {
    problem.factor = factor;
  }
}

export function violations({ residual, cones, b, c }: Problem): Violations {
  let kappa = 0;
  for (const { offset, size } of cones) {
    let head = 0;
    for (let i = offset; i < offset + size; i++) head += b[i] * c[i];
    kappa = Math.max(kappa, Math.abs(head));
    for (let i = offset + 1; i < offset + size; i++)
      kappa = Math.max(kappa, Math.abs(b[offset] * c[i] + c[offset] * b[i]));
  }
  return { residual: residual.reduce((largest, value) => Math.max(largest, Math.abs(value)), 0), kappa };
}
