/**
 * All Jacobians of a solved step at once, row by row: with y = Y z + Y' s read off the next state, s the solved velocities and impulses,
 *   μ = R⁻ᵀ Y'ᵀ,      dy/dz = Y − μᵀ D̃                            [solution_sensitivity, transposed]
 * Every row is a vector in panels (panelBuilder.ts). There are fewer rows than columns: positions follow from velocities, so only those
 * need a solve, 6 a body in maximal coordinates or one a coordinate in minimal ones, and inputs add columns for nothing.
 *   matrix       R at the point in memory, and the next poses
 *   blocks       D̃ of every node, and what else the rows are multiplied with
 *   solveMany    μ = R⁻ᵀ μ by the step's own factors, all rows; in minimal coordinates also limbSolve, by limbs (limbs.ts)
 *   data         cotangents of states (or of joint positions and velocities) and of inputs
 */

import type { SystemPlan } from "./blockPlan.ts";
import type { Register } from "./elimination.ts";
import { type JacobianContext, panelAt, type RowPlace } from "./jacobianPanels.ts";
import { findLimbs, type Limb, unitPanels } from "./limbs.ts";
import { matrixList } from "./matrixList.ts";
import { type MaximalPlaces, maximalJacobians, maximalRows } from "./maximalJacobians.ts";
import { address, CallList } from "./memory.ts";
import { minimalRows } from "./minimalBlocks.ts";
import { type MinimalPlaces, minimalJacobians } from "./minimalJacobians.ts";
import { callOverPanels, panelIndex, panelSize } from "./panelBuilder.ts";
import { solveTransposedPanels, subtractTransposedPanels } from "./panelKernels.ts";
import { rowOrder, touchedPanels } from "./panelRows.ts";

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
    | {
        readonly coordinates: "minimal";
        /** `units`: where the unit rows of limbs have a one. */
        readonly places: MinimalPlaces & { readonly units: readonly number[] };
      }
  );

export function stepJacobians(
  plan: SystemPlan,
  register: Register,
  coordinates: "maximal" | "minimal",
): { places: JacobianPlaces; lists: Map<string, CallList> } {
  const { mechanism, memory, unknowns } = plan;
  const isMinimal = coordinates === "minimal";
  const unordered = isMinimal ? minimalRows(mechanism) : maximalRows(mechanism);
  const bodiesOf = (list: readonly RowPlace[]): (readonly number[])[] => list.map(({ bodies }) => bodies);
  const rows = rowOrder(plan, bodiesOf(unordered)).map((row) => unordered[row]);
  const panels = (rows.length + 1) >> 1;
  const touched = touchedPanels(plan, bodiesOf(rows));
  const limbs = isMinimal ? findLimbs(plan, panels, touched) : [];
  const step = memory.reserve((panels + (limbs.length > 0 ? unitPanels : 0)) * panelSize(unknowns));
  const context: JacobianContext = { plan, register, panels, all: [0, panels], step };
  const common: [string, CallList][] = [
    ["matrix", matrixList(plan, register)],
    ["solveMany", solveMany(context, touched, [])],
  ];
  if (!isMinimal) {
    const { places, clearedEnd, lists } = maximalJacobians(context);
    return {
      places: { rows, panels, step, clearedEnd, coordinates, places },
      lists: new Map([...lists, ...common]),
    };
  }
  const { places, clearedEnd, lists } = minimalJacobians(context, rows, limbs);
  const units = [...new Set(limbs.map(({ root }) => root))].flatMap((root) =>
    [0, 1, 2, 3, 4, 5].map((i) => panelIndex(step, unknowns, 6 * root + i, 2 * panels + i)),
  );
  return {
    places: { rows, panels, step, clearedEnd, coordinates, places: { ...places, units } },
    lists: new Map([
      ...lists,
      ...common,
      ...(limbs.length > 0 ? [["limbSolve", solveMany(context, touched, limbs)] as const] : []),
    ]),
  };
}

/** Forwards and backwards through the factors. Limbs have their own rows and the unit rows of their roots. */
function solveMany(
  { plan, register, panels, step, all }: JacobianContext,
  touched: readonly (readonly [number, number])[],
  limbs: readonly Limb[],
): CallList {
  const { sizes, elimination, starts, unknowns } = plan;
  const { diagonal, eliminated, coupling } = plan.factorisation.factors;
  const list = new CallList();
  const vector = (node: number): number => panelAt(step, starts[node]);
  const subtract = (target: number, matrix: number, source: number, range: readonly [number, number]): void => {
    const program = subtractTransposedPanels(sizes[source], sizes[target], unknowns);
    callOverPanels(list, register, program, [vector(target), address(matrix), vector(source)], range);
  };
  for (const i of elimination.order) for (const j of elimination.later[i]) subtract(j, eliminated(i, j), i, touched[i]);
  for (const i of [...elimination.order].reverse()) {
    const later = elimination.later[i];
    const own = [address(diagonal(i)), vector(i)];
    const limb = limbs.find(({ nodes }) => nodes.has(i));
    for (const range of limb ? [limb.own, [panels, panels + unitPanels] as const] : [all]) {
      if (later.length === 1) {
        const [j] = later;
        const at = [...own, address(coupling(j, i)), vector(j)];
        callOverPanels(list, register, solveTransposedPanels(sizes[i], sizes[j], unknowns), at, range);
        continue;
      }
      for (const j of later) subtract(i, coupling(j, i), j, range);
      callOverPanels(list, register, solveTransposedPanels(sizes[i], 0, unknowns), own, range);
    }
  }
  return list;
}
