/**
 * Makes the Jacobians' rows of the rows G of all joint velocities: copied to the velocity's row, and times dθ₊/dθ̇₊ to the position's.
 * That is h, but for the entries of rotation vectors, which mix. A row has entries by the state, then by the inputs.
 */
import { type Program, ProgramBuilder, type Value } from "../../codegen/index.ts";

export interface RowSizes {
  readonly columns: number;
  readonly inputs: number;
}

/** Goes through a row, its part by the state (0) and by the inputs (1), two entries at a time; the last one may be alone. */
function alongRow({ columns, inputs }: RowSizes, visit: (part: 0 | 1, index: number, isPair: boolean) => void): void {
  for (const [part, count] of [
    [0, columns],
    [1, inputs],
  ] as const)
    for (let i = 0; i < count; i += 2) visit(part, i, i + 1 < count);
}

function loadFrom(b: ProgramBuilder, operand: number, index: number, isPair: boolean): Value {
  return isPair ? b.loadAdjacent(operand, index) : b.splat(b.load(operand, index));
}

function storeTo(b: ProgramBuilder, operand: number, index: number, value: Value, isPair: boolean): void {
  if (isPair) b.storeAdjacent(operand, index, value);
  else b.store(operand, index, b.lane(value, 0));
}

/**
 * Operands: the row, h, the velocity's row by state and by input, the position's (where `follows`), and two numbers that become
 * infinite or NaN with an entry.
 */
export function finishRowProgram(name: string, sizes: RowSizes, follows: boolean): Program {
  const b = new ProgramBuilder(name, 7);
  const h = b.splat(b.load(1, 0));
  // a few sums at once: one alone would wait for itself
  const sums: Value[] = [];
  let turn = 0;
  alongRow(sizes, (part, index, isPair) => {
    const value = loadFrom(b, 0, part * sizes.columns + index, isPair);
    storeTo(b, 2 + part, index, value, isPair);
    if (follows) storeTo(b, 4 + part, index, b.mul(h, value), isPair);
    const slot = turn++ & 3;
    sums[slot] = sums[slot] === undefined ? value : b.add(sums[slot], value);
  });
  b.storeAdjacent(
    6,
    0,
    sums.reduce((total, value) => b.add(total, value)),
    true,
  );
  return b.finish();
}

/** Rows of positions = W × rows. Operands: W (n × n); the n rows; the n positions' rows by state; the same by input. */
export function mixRowsProgram(name: string, sizes: RowSizes, n: number): Program {
  const b = new ProgramBuilder(name, 1 + 3 * n);
  const numbers = Array.from({ length: n }, (_, i) => i);
  const weight = numbers.map((i) => numbers.map((j) => b.splat(b.load(0, n * i + j))));
  alongRow(sizes, (part, index, isPair) => {
    const values = numbers.map((j) => loadFrom(b, 1 + j, part * sizes.columns + index, isPair));
    for (const i of numbers) {
      const sum = numbers.map((j) => b.mul(weight[i][j], values[j])).reduce((total, term) => b.add(total, term));
      storeTo(b, 1 + n + n * part + i, index, sum, isPair);
    }
  });
  return b.finish();
}
