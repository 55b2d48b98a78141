/**
 * All Jacobians of a solved step at once, row by row: with y = Y z + Y' s read off the next state, s the solved velocities and impulses,
 *   μ = R⁻ᵀ Y'ᵀ,      dy/dz = Y − μᵀ D̃                            [solution_sensitivity, transposed]
 * Every row is a vector in panels (panelBuilder.ts). There are fewer rows than columns: positions follow from velocities, so only those
 * need a solve, 6 per body in maximal coordinates or one per coordinate in minimal ones, and inputs add columns for nothing.
 * After the lists matrix and factor (treePlan.ts) come
 *   blocks       D̃ of every node, and what else the rows are multiplied with
 *   solveMany    μ = R⁻ᵀ μ by the step's own factors, all rows
 *   solveFull    the same over twists and wrenches (equations/twist.ts), for right-hand sides that have something everywhere, as those of a
 *                refinement do; `enter` and `leave` lead there and back
 *   data         cotangents of states (or of joint positions and velocities) and of inputs
 *   all          matrix, factor, blocks, solveMany and data in one go, where rows start from what blocks leave: in minimal coordinates
 */

import { transposedSolve } from "../elimination/transposedSolve.ts";
import type { LimbPlan } from "../elimination/treePlan.ts";
import { CallList, joined, type Register } from "../memory/memory.ts";
import type { JacobianContext, RowPlace } from "./jacobianPanels.ts";
import { type MaximalPlaces, maximalJacobians, maximalRows } from "./maximalJacobians.ts";
import { minimalRows } from "./minimalBlocks.ts";
import { type MinimalPlaces, minimalJacobians } from "./minimalJacobians.ts";
import { panelSize } from "./panelBuilder.ts";
import { eliminationTree, rowOrder, seededPanels, touchedPanels } from "./panelRows.ts";

/** Rows in their order in the panels, the panels of μ, and what the coordinates have besides. */
export interface StepJacobianPlaces {
  readonly rows: readonly RowPlace[];
  readonly panels: number;
  readonly step: number;
  /** Memory from `step` up to here starts from zero. */
  readonly clearedEnd: number;
}

export type JacobianPlaces = StepJacobianPlaces &
  (
    | { readonly coordinates: "maximal"; readonly places: MaximalPlaces }
    | { readonly coordinates: "minimal"; readonly places: MinimalPlaces }
  );

export function stepJacobians(
  plan: LimbPlan,
  register: Register,
  coordinates: "maximal" | "minimal",
  factoring: ReadonlyMap<string, CallList>,
): { places: JacobianPlaces; lists: Map<string, CallList> } {
  const { mechanism, memory, unknowns } = plan;
  const isMinimal = coordinates === "minimal";
  const unordered = isMinimal ? minimalRows(mechanism) : maximalRows(mechanism);
  const bodiesOf = (list: readonly RowPlace[]): (readonly number[])[] => list.map(({ bodies }) => bodies);
  const elimination = eliminationTree(plan);
  // an elimination that is arranged while it runs knows no order yet
  const rows = plan.arranged ? unordered : rowOrder(elimination, bodiesOf(unordered)).map((row) => unordered[row]);
  const panels = (rows.length + 1) >> 1;
  const touched = touchedPanels(elimination, bodiesOf(rows));
  const step = memory.reserve(panels * panelSize(unknowns));
  const context: JacobianContext = { plan, register, panels, all: [0, panels], step };
  const { all } = context;
  const constraints = !isMinimal;
  const seeded = seededPanels(plan.sizes.length, bodiesOf(rows));
  const { enter, solve, leave } = transposedSolve(plan, register, { step, all, touched, seeded, constraints });
  const every = touched.map(() => all);
  const full = transposedSolve(plan, register, { step, all, touched: every, seeded: every, constraints });
  // in minimal coordinates rows start from twists, and blocks take wrenches
  const conversion = (list: CallList): CallList => (isMinimal ? new CallList() : list);
  const solves = [
    ["solveMany", joined(conversion(enter), solve, conversion(leave))],
    ["enter", conversion(full.enter)],
    ["solveFull", full.solve],
    ["leave", conversion(full.leave)],
  ] as const;
  const common = { rows, panels, step };
  if (isMinimal) {
    const { lists, ...found } = minimalJacobians(context, rows);
    const own = new Map([...lists, ...solves]);
    const parts = ["matrix", "factor", "blocks", "solveMany", "data"];
    const whole = joined(...parts.map((name) => (factoring.get(name) ?? own.get(name)) as CallList));
    return { places: { ...common, ...found, coordinates }, lists: own.set("all", whole) };
  }
  const { lists, ...found } = maximalJacobians(context);
  return { places: { ...common, ...found, coordinates }, lists: new Map([...lists, ...solves]) };
}
