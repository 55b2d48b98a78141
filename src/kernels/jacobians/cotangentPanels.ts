/** Panel programs that take cotangents through D̃, for Jacobians in maximal coordinates (panelBuilder.ts). */
import type { Value } from "../../codegen/index.ts";
import type { PanelProgram } from "./panelBuilder.ts";
import { addEntries } from "./panelKernels.ts";
import { dataLayout } from "./sensitivityKernels.ts";
import type { SparseEntry } from "./sparseOutput.ts";

const six = [0, 1, 2, 3, 4, 5] as const;

export interface PanelSizes {
  readonly unknowns: number;
  readonly bodies: number;
  readonly inputs: number;
}

/** v̄ ← −(d balance/d(v, ω))ᵀ μ. Operands: the block, μ of the body, v̄. */
export function velocityPanels(entries: readonly SparseEntry[], sizes: PanelSizes): PanelProgram {
  return {
    name: "velocityPanels",
    rows: [0, sizes.unknowns, 6 * sizes.bodies],
    write: (b) => {
      const mu = six.map((i) => b.row(1, i));
      const zero = b.constant(0, true);
      for (const j of six) {
        const column = entries.filter((entry) => entry.column === j);
        b.setRow(2, j, addEntries(b, undefined, column, 0, (row) => mu[row], -1) ?? zero);
      }
    },
  };
}

/**
 * z̄ ← z̄ − D̃ᵀ μ of a node. Operands: D̃, μ of both bodies and of its multipliers, cotangents of both bodies' poses, of both bodies'
 * velocities, of its inputs.
 */
export function dataPanels(name: string, entries: readonly SparseEntry[], sizes: PanelSizes): PanelProgram {
  const { unknowns, bodies, inputs } = sizes;
  const states = 6 * bodies;
  return {
    name: `dataPanels.${name}`,
    rows: [0, unknowns, unknowns, unknowns, states, states, states, states, inputs],
    write: (b) => {
      const mu = new Map<number, Value>();
      const muAt = (row: number): Value => {
        const operand = row >= dataLayout.ownRow ? 3 : row >= dataLayout.rows ? 2 : 1;
        const known = mu.get(row) ?? b.row(operand, row - dataLayout.rows * (operand - 1));
        mu.set(row, known);
        return known;
      };
      for (const { row } of entries) muAt(row);
      for (const column of new Set(entries.map((entry) => entry.column))) {
        const [operand, row] = targetOf(column);
        const own = entries.filter((entry) => entry.column === column);
        b.setRow(operand, row, addEntries(b, b.row(operand, row), own, 0, muAt, -1) as Value);
      }
    },
  };
}

/** Operand and row that a column of D̃ goes to. */
function targetOf(column: number): [operand: number, row: number] {
  if (column >= dataLayout.inputColumn) return [8, column - dataLayout.inputColumn];
  const body = column >= dataLayout.columns ? 1 : 0;
  const own = column - dataLayout.columns * body;
  return own < 6 ? [4 + body, own] : [6 + body, own - 6];
}
