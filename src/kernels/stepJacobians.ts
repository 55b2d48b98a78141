/**
 * All Jacobians of a solved step at once, row by row: with y = Y z + Y' s read off the next state, s the solved velocities and impulses,
 *   μ = R⁻ᵀ Y'ᵀ,      dy/dz = Y − μᵀ D̃                            [solution_sensitivity, transposed]
 * Every row is a vector in panels (panelBuilder.ts). There are fewer rows than columns: positions follow from velocities, so only those
 * need a solve, 6 a body in maximal coordinates or one a coordinate in minimal ones, and inputs add columns for nothing.
 *   blocks       D̃ of every node, and what else the rows are multiplied with
 *   solveMany    μ = R⁻ᵀ μ by the step's own factors, all rows
 *   data         cotangents of states (or of joint positions and velocities) and of inputs
 */
import type { Register } from "./elimination.ts";
import { type JacobianContext, panelAt, type RowPlace } from "./jacobianPanels.ts";
import { type MaximalPlaces, maximalJacobians, maximalRows } from "./maximalJacobians.ts";
import { address, CallList } from "./memory.ts";
import { type MinimalPlaces, minimalJacobians, minimalRows } from "./minimalJacobians.ts";
import { callOverPanels, panelSize } from "./panelBuilder.ts";
import { solveTransposedPanels, subtractTransposedPanels } from "./panelKernels.ts";
import { rowOrder, touchedPanels } from "./panelRows.ts";
import type { SystemPlan } from "./plan.ts";

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
  plan: SystemPlan,
  register: Register,
  coordinates: "maximal" | "minimal",
): { places: JacobianPlaces; lists: Map<string, CallList> } {
  const unordered = coordinates === "minimal" ? minimalRows(plan.mechanism) : maximalRows(plan.mechanism);
  const bodiesOf = (list: readonly RowPlace[]): (readonly number[])[] => list.map(({ bodies }) => bodies);
  const rows = rowOrder(plan, bodiesOf(unordered)).map((row) => unordered[row]);
  const panels = (rows.length + 1) >> 1;
  const step = plan.memory.reserve(panels * panelSize(plan.unknowns));
  const context: JacobianContext = { plan, register, panels, all: [0, panels], step };
  const solve = solveMany(context, touchedPanels(plan, bodiesOf(rows)));
  const withRest = (lists: ReadonlyMap<string, CallList>): Map<string, CallList> =>
    new Map([...lists, ["solveMany", solve]]);
  if (coordinates === "minimal") {
    const { places, clearedEnd, lists } = minimalJacobians(context, rows);
    return { places: { rows, panels, step, clearedEnd, coordinates, places }, lists: withRest(lists) };
  }
  const { places, clearedEnd, lists } = maximalJacobians(context);
  return { places: { rows, panels, step, clearedEnd, coordinates, places }, lists: withRest(lists) };
}

function solveMany(
  { plan, register, step, all }: JacobianContext,
  touched: readonly (readonly [number, number])[],
): CallList {
  const { sizes, elimination, starts, unknowns } = plan;
  const { diagonal, eliminated, coupling } = plan.factorisation.factors;
  const list = new CallList();
  const vector = (node: number): number => panelAt(step, starts[node]);
  const subtract = (target: number, matrix: number, source: number, panels: readonly [number, number]): void => {
    const program = subtractTransposedPanels(sizes[source], sizes[target], unknowns);
    callOverPanels(list, register, program, [vector(target), address(matrix), vector(source)], panels);
  };
  for (const i of elimination.order) for (const j of elimination.later[i]) subtract(j, eliminated(i, j), i, touched[i]);
  for (const i of [...elimination.order].reverse()) {
    const later = elimination.later[i];
    const own = [address(diagonal(i)), vector(i)];
    if (later.length === 1) {
      const [j] = later;
      const at = [...own, address(coupling(j, i)), vector(j)];
      callOverPanels(list, register, solveTransposedPanels(sizes[i], sizes[j], unknowns), at, all);
      continue;
    }
    for (const j of later) subtract(i, coupling(j, i), j, all);
    callOverPanels(list, register, solveTransposedPanels(sizes[i], 0, unknowns), own, all);
  }
  return list;
}
