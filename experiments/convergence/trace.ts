/** How a solve converges: its violations at every iteration, and the condition of the matrices it factors. */
import type { Simulation } from "dojo-sim";
import { type Condition, conditionOf } from "./condition.ts";
import { primalOnlySolve } from "./primalOnly.ts";
import { solveStep, type Tolerances, type Violations } from "./solve.ts";

export interface Trace {
  readonly iterations: number;
  readonly solved: boolean;
  /** r_vio and κ_vio at the start, after each iteration, and so at the end. */
  readonly points: readonly Violations[];
  /** Of matrices factored: at which point, and their condition. The last is always among them. */
  readonly conditions: readonly (Condition & { readonly iteration: number })[];
}

export function lastCondition({ conditions }: Trace): Condition {
  const { scaleFree, inUnits } = conditions[conditions.length - 1];
  return { scaleFree, inUnits };
}

export type Method = "primalDual" | "primalOnly";

/** Conditions are taken of every so-many-th matrix, counted from the last; 0 for the last alone. */
export function trace(
  method: Method,
  simulation: Simulation,
  state: Float64Array,
  to: Tolerances,
  conditionEvery: number,
): Trace {
  const solve = method === "primalDual" ? solveStep : primalOnlySolve;
  // once to learn how many matrices there are, and again to look at some of them
  const points: Violations[] = [];
  const { iterations, solved, residual, kappa } = solve(simulation, state, to, { visit: (at) => points.push(at) });
  if (points.length === 0) throw new Error("the solver factored nothing that could be observed");
  const last = points.length - 1;
  const conditions: (Condition & { iteration: number })[] = [];
  let iteration = 0;
  const look = (): void => {
    const isWanted = conditionEvery > 0 ? (last - iteration) % conditionEvery === 0 : iteration === last;
    if (isWanted) conditions.push({ iteration, ...conditionOf(simulation) });
    iteration++;
  };
  solve(simulation, state, to, { visit: look });
  return { iterations, solved, points: [...points, { residual, kappa }], conditions };
}
