/** Panel programs that take cotangents through D̃ and along the tree of joints (panelBuilder.ts). */
import type { Value } from "../codegen/index.ts";
import type { ToMaximalKernel } from "./coordinateKernels.ts";
import type { PanelBuilder, PanelProgram } from "./panelBuilder.ts";
import { addEntries } from "./panelKernels.ts";
import { dataLayout } from "./sensitivityKernels.ts";
import type { SparseEntry } from "./sparseOutput.ts";

const six = [0, 1, 2, 3, 4, 5] as const;
const axes = [0, 1, 2] as const;

export interface PanelSizes {
  readonly unknowns: number;
  readonly bodies: number;
  readonly inputs: number;
  readonly coordinates: number;
}

/** v̄ ← −(d balance/d(v, ω))ᵀ μ, and z̄₋ ← 0 where it is asked for. Operands: the block, μ of the body, v̄, z̄₋. */
export function velocityPanels(
  entries: readonly SparseEntry[],
  sizes: PanelSizes,
  clearsBefore: boolean,
): PanelProgram {
  const states = 6 * sizes.bodies;
  return {
    name: `velocityPanels.${clearsBefore}`,
    rows: [0, sizes.unknowns, states, states],
    write: (b) => {
      const mu = six.map((i) => b.row(1, i));
      const zero = b.constant(0, true);
      for (const j of six) {
        const column = entries.filter((entry) => entry.column === j);
        b.setRow(2, j, addEntries(b, undefined, column, 0, (row) => mu[row], -1) ?? zero);
        if (clearsBefore) b.setRow(3, j, zero);
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

/**
 * From the cotangents of the far body of a joint to those of the near one and of the joint's coordinates: the transpose of
 *   v = (x − x₋)/h,  ω = Ω δθ + Ω₋ δθ₋;      far = A near + B θ,   far₋ = A₋ near₋ + B₋ θ + B₋' θ̇.
 * Operands: the blocks, Ω, Ω₋, globals; pose, velocity and earlier pose of the far body; pose and earlier pose of the near one; the
 * joint's positions and its velocities.
 */
export function jointPanels(name: string, blocks: ToMaximalKernel, size: number, sizes: PanelSizes): PanelProgram {
  const states = 6 * sizes.bodies;
  const coordinates = 2 * sizes.coordinates;
  return {
    name: `jointPanels.${name}`,
    rows: [0, 0, 0, 0, states, states, states, states, states, coordinates, coordinates],
    write: (b) => {
      const inverse = b.div(b.constant(1, true), b.number(3, 0));
      const velocity = six.map((i) => b.row(5, i));
      const now = six.map((i) => b.row(4, i));
      const before = six.map((i) => b.row(6, i));
      for (const k of axes) {
        const linear = b.mul(inverse, velocity[k]);
        now[k] = b.add(now[k], linear);
        before[k] = b.sub(before[k], linear);
        now[3 + k] = plusTurnedBack(b, now[3 + k], 1, k, velocity);
        before[3 + k] = plusTurnedBack(b, before[3 + k], 2, k, velocity);
      }
      const sum = (start: Value | undefined, entries: readonly SparseEntry[], column: number, x: Value[]) =>
        addEntries(
          b,
          start,
          entries.filter((entry) => entry.column === column),
          0,
          (row) => x[row],
        );
      const set = (operand: number, row: number, value: Value | undefined): void =>
        b.setRow(operand, row, value ?? b.constant(0, true));
      for (let k = 0; k < size; k++) {
        set(9, k, sum(sum(undefined, blocks.values, k, now), blocks.beforeByValues, k, before));
        set(10, k, sum(undefined, blocks.beforeByRates, k, before));
      }
      if (blocks.near.length === 0) return;
      for (const k of six) {
        b.setRow(7, k, sum(b.row(7, k), blocks.near, k, now) as Value);
        b.setRow(8, k, sum(b.row(8, k), blocks.nearBefore, k, before) as Value);
      }
    },
  };
}

/** start + (column k of the 3 × 3 at an operand)ᵀ ω̄. */
function plusTurnedBack(b: PanelBuilder, start: Value, operand: number, k: number, velocity: readonly Value[]): Value {
  const entry = (row: number): Value => b.number(operand, 3 * row + k);
  return axes.reduce((sum, row) => b.add(sum, b.mul(entry(row), velocity[3 + row])), start);
}
