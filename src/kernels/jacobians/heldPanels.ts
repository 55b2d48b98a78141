/**
 * Panel programs that take cotangents of the step's rows to those of joint positions, velocities and inputs (panelBuilder.ts), with the
 * answers of heldKernels.ts: μᵀ D̃' of bodies and joints, and Sᵀ, from the far body of a joint to its near one.
 * A result is a row of the Jacobian, so the two vectors of a panel go to two rows of a matrix; `width` is the length of such a row.
 */
import type { Value } from "../../codegen/index.ts";
import type { HeldBodyKernel, HeldForceKernel, HeldJointKernel, TreeJointKernel } from "./heldKernels.ts";
import type { PanelBuilder, PanelProgram } from "./panelBuilder.ts";
import { addEntries } from "./panelKernels.ts";
import { dataLayout } from "./sensitivityKernels.ts";
import type { SparseEntry } from "./sparseOutput.ts";

const six = [0, 1, 2, 3, 4, 5] as const;
const axes = [0, 1, 2] as const;

export interface HeldSizes {
  readonly unknowns: number;
  readonly bodies: number;
  readonly width: number;
}

/** μ of a joint's bodies and of its own rows; ±f on the bodies answer to μ_child − μ_parent. */
class RowWeights {
  private readonly known = new Map<number, Value>();
  private readonly b: PanelBuilder;
  private readonly first: number;
  private readonly parentMoves: boolean;
  /** Differences of the linear rows. */
  readonly difference: readonly Value[];

  /** Operands from `first` on: μ of the parent, of the child, of the node's own rows. */
  constructor(b: PanelBuilder, first: number, parentMoves: boolean) {
    this.b = b;
    this.first = first;
    this.parentMoves = parentMoves;
    this.difference = axes.map((k) => (parentMoves ? b.sub(this.at(6 + k), this.at(k)) : this.at(6 + k)));
  }

  /** The value of a row, by the numbers of `dataLayout`. */
  at(row: number): Value {
    const operand = row >= dataLayout.ownRow ? 2 : row >= dataLayout.rows ? 1 : 0;
    const known = this.known.get(row) ?? this.b.row(this.first + operand, row - dataLayout.rows * operand);
    this.known.set(row, known);
    return known;
  }

  /** total + μᵀ (column of a joint's answers). The linear rows of its bodies are opposite: those of the child stand for both. */
  sum(total: Value | undefined, entries: readonly SparseEntry[], column: number, operand: number): Value | undefined {
    const own = entries.filter((entry) => entry.column === column && !(this.parentMoves && entry.row < 3));
    return addEntries(this.b, total, own, operand, (row) =>
      row >= 6 && row < 9 ? this.difference[row - 6] : this.at(row),
    );
  }
}

/** Sum over the entries of a column. */
function columnSum(
  b: PanelBuilder,
  total: Value | undefined,
  entries: readonly SparseEntry[],
  column: number,
  operand: number,
  x: readonly Value[],
): Value | undefined {
  const own = entries.filter((entry) => entry.column === column);
  return addEntries(b, total, own, operand, (row) => x[row]);
}

export interface JointPanelKernels {
  readonly far: HeldBodyKernel;
  readonly joint: TreeJointKernel;
  readonly parentMoves: boolean;
  readonly reversed: boolean;
  /** Whether something has been written to the cotangents of the far body, and of the near one. Otherwise they are zero. */
  readonly farHas: Filled;
  readonly nearHas: Filled;
}

/** Whether there are cotangents of a body's pose now, and one step earlier. */
export interface Filled {
  readonly pose: boolean;
  readonly before: boolean;
}

/**
 * A joint of the tree and its far body:
 *   z̄ ← z̄ + D̃'ᵀμ of the body,   θ̄ = Bᵀ z̄ + B₋ᵀ z̄₋ + D̃'ᵀμ of the joint,   z̄_near ← z̄_near + Aᵀ z̄ + the turned force, the same for z̄₋
 * Operands: the body's answers, those of the joint; μ of parent, child and joint; z̄ and z̄₋ of the far body, z̄ and z̄₋ of the near
 * one; rows of the matrix from the joint's first position on, velocity, input, two operands each.
 */
export function jointPanels(kernels: JointPanelKernels, sizes: HeldSizes): PanelProgram {
  const { far, joint, parentMoves, reversed, farHas, nearHas } = kernels;
  const [states, { unknowns, width }] = [6 * sizes.bodies, sizes];
  const filled = [farHas, nearHas].flatMap(({ pose, before }) => [pose, before].map(Number)).join("");
  return {
    name: `heldPanels.${joint.kernel.name}.${far.kernel.name}.${filled}`,
    rows: [0, 0, unknowns, unknowns, unknowns, states, states, states, states, ...new Array<number>(6).fill(width)],
    write: (b) => {
      const mu = new RowWeights(b, 2, parentMoves);
      const ofFar = six.map((i) => mu.at((reversed ? 0 : 6) + i));
      const zero = b.constant(0, true);
      const start = (has: boolean, operand: number, i: number) => (has ? b.row(operand, i) : undefined);
      const now = six.map((i) => columnSum(b, start(farHas.pose, 5, i), far.byPose, i, 0, ofFar) ?? zero);
      const before = six.map((i) => columnSum(b, start(farHas.before, 6, i), far.byBefore, i, 0, ofFar) ?? zero);
      for (let k = 0; k < joint.coordinates; k++) {
        const moved = columnSum(b, undefined, joint.values, k, 1, now);
        const earlier = columnSum(b, undefined, joint.beforeByValues, k, 1, before) ?? zero;
        const both = moved ? b.add(moved, earlier) : earlier;
        b.setLanes(9, k, mu.sum(both, joint.byValues, k, 1) as Value);
        const rate = joint.turning.includes(k)
          ? columnSum(b, undefined, joint.beforeByRates, k, 1, before)
          : columnSum(b, undefined, joint.minusStep, 0, 1, [earlier]);
        b.setLanes(11, k, mu.sum(rate, joint.byRates, k, 1) ?? zero);
      }
      for (let k = 0; k < joint.inputs; k++) b.setLanes(13, k, mu.sum(undefined, joint.byInputs, k, 1) ?? zero);
      if (joint.near.length === 0) return;
      for (const k of six) {
        const carried = columnSum(b, start(nearHas.pose, 7, k), joint.near, k, 1, now) ?? zero;
        b.setRow(7, k, k < 3 ? carried : plusTurnedForce(b, carried, joint, k - 3, 1, mu));
        b.setRow(8, k, columnSum(b, start(nearHas.before, 8, k), joint.nearBefore, k, 1, before) ?? zero);
      }
    },
  };
}

/** total + row k of the turned force times μ_child − μ_parent. */
function plusTurnedForce(
  b: PanelBuilder,
  total: Value,
  { turnedForce }: HeldJointKernel,
  k: number,
  operand: number,
  mu: RowWeights,
): Value {
  const transposed = turnedForce
    .filter(({ row }) => row === k)
    .map(({ column, value }) => ({ row: column, column: k, value }));
  return addEntries(b, total, transposed, operand, (row) => mu.difference[row]) as Value;
}

/** A gear's term adds to what its joint has written. Operands: its answers; μ of parent, child and gear; z̄ of the near body; rows as above. */
export function gearPanels(
  held: HeldJointKernel,
  coordinates: number,
  parentMoves: boolean,
  sizes: HeldSizes,
): PanelProgram {
  const { unknowns, width, bodies } = sizes;
  return {
    name: `heldPanels.${held.kernel.name}`,
    rows: [0, unknowns, unknowns, unknowns, 6 * bodies, width, width, width, width],
    write: (b) => {
      const mu = new RowWeights(b, 1, parentMoves);
      for (let k = 0; k < coordinates; k++) {
        const [value, rate] = [held.byValues, held.byRates].map((entries) => mu.sum(undefined, entries, k, 0));
        if (value) b.setLanes(5, k, value, true);
        if (rate) b.setLanes(7, k, rate, true);
      }
      if (held.turnedForce.length === 0) return;
      for (const k of axes) b.setRow(4, 3 + k, plusTurnedForce(b, b.row(4, 3 + k), held, k, 0, mu));
    },
  };
}

/** A force between two moving bodies. Operands: its answers, μ of both, z̄ of both; `has` says which of these are not zero. */
export function pairPanels(
  name: string,
  { entries }: HeldForceKernel,
  has: readonly boolean[],
  { unknowns, bodies }: HeldSizes,
): PanelProgram {
  const states = 6 * bodies;
  return {
    name: `pairPanels.${name}.${has.map(Number).join("")}`,
    rows: [0, unknowns, unknowns, states, states],
    write: (b) => {
      const mu = [1, 2].flatMap((operand) => six.map((i) => b.row(operand, i)));
      for (const body of [0, 1]) {
        for (const i of six) {
          const start = has[body] ? b.row(3 + body, i) : undefined;
          b.setRow(3 + body, i, columnSum(b, start, entries, 6 * body + i, 0, mu) ?? b.constant(0, true));
        }
      }
    },
  };
}

/** What a thruster's inputs do. Operands: its answers, μ of its body, rows of the matrix from its first input on. */
export function inputPanels(
  name: string,
  { byInputs }: HeldForceKernel,
  inputs: number,
  { unknowns, width }: HeldSizes,
): PanelProgram {
  return {
    name: `inputPanels.${name}`,
    rows: [0, unknowns, width, width],
    write: (b) => {
      for (let k = 0; k < inputs; k++) {
        const own = byInputs.filter((entry) => entry.column === k);
        b.setLanes(2, k, addEntries(b, undefined, own, 0, (row) => b.row(1, row - 6)) ?? b.constant(0, true));
      }
    },
  };
}
