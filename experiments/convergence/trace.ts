/** How a solve converges: its violations at every iteration, and the condition of the matrices it factors. */

import type { Simulation } from "dojo-sim";
import { insidesOf } from "dojo-sim/tools";
import { type Condition, conditionOf } from "./condition.ts";
import { primalOnlySolve } from "./primalOnly.ts";
import { solveStep, type Tolerances, type Violations } from "./solve.ts";

export interface Trace {
  readonly iterations: number;
  readonly solved: boolean;
  /** r_vio and κ_vio at the start, after each iteration, and so at the end. */
  readonly points: readonly Violations[];
  /** Conditions of matrices factored, at the point of their number: the last is among them, if any is. */
  readonly conditions: readonly (Condition & { readonly iteration: number })[];
}

export function lastCondition({ conditions }: Pick<Trace, "conditions">): Condition {
  const { scaleFree, inUnits } = conditions[conditions.length - 1];
  return { scaleFree, inUnits };
}

export type Method = "primalDual" | "primalOnly";

/** To the digits that a figure shows. */
function rounded({ residual, kappa }: Violations): Violations {
  return { residual: Number(residual.toPrecision(4)), kappa: Number(kappa.toPrecision(4)) };
}

/** The matrices whose conditions are taken: none, the last, or every so-many-th counted from the last. */
export type Wanted = "none" | "last" | number;

export function trace(
  method: Method,
  simulation: Simulation,
  state: Float64Array,
  to: Tolerances,
  wanted: Wanted,
): Trace {
  const solve = method === "primalDual" ? solveStep : primalOnlySolve;
  const points: Violations[] = [];
  const { iterations, solved, residual, kappa } = solve(simulation, state, to, { visit: (at) => points.push(at) });
  if (points.length === 0) throw new Error("the solver factored nothing that could be observed");
  const conditions = wanted === "none" ? [] : conditionsOf(points.length - 1);
  return { iterations, solved, points: [...points, { residual, kappa }].map(rounded), conditions };

  /** Solves again, knowing now which matrix is the last. */
  function conditionsOf(last: number): Trace["conditions"] {
    const found: (Condition & { iteration: number })[] = [];
    const stride = wanted === "last" ? last + 1 : Number(wanted);
    let iteration = 0;
    const visit = (): void => {
      if ((last - iteration) % stride === 0) found.push({ iteration, ...conditionOf(insidesOf(simulation)) });
      iteration++;
    };
    solve(simulation, state, to, { visit });
    return found;
  }
}
