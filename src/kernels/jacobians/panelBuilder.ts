/**
 * Programs over panels. A panel holds two vectors side by side, entry i of both at 2i; many vectors are panels one after another.
 * A program runs over panels in a loop, with matrix entries spread over both lanes. (Two panels a trip are no faster.)
 */
import { type Program, ProgramBuilder, type Value } from "../../codegen/index.ts";
import type { CallList, Register } from "../memory/memory.ts";

export interface PanelProgram {
  readonly name: string;
  /** Rows of each operand's panels, or 0 for what is the same for all panels. */
  readonly rows: readonly number[];
  readonly write: (b: PanelBuilder) => void;
}

/** f64 from one panel of `rows` rows to the next. */
export const panelSize = (rows: number): number => 2 * rows;

/** Entry (row, vector) of panels. */
export function panelIndex(start: number, rows: number, row: number, vector: number): number {
  return start + (vector >> 1) * panelSize(rows) + 2 * row + (vector & 1);
}

export class PanelBuilder extends ProgramBuilder {
  /** Row i of a panel operand. */
  row(operand: number, i: number): Value {
    return this.loadAdjacent(operand, 2 * i);
  }

  setRow(operand: number, i: number, value: Value): void {
    this.storeAdjacent(operand, 2 * i, value);
  }

  /** Both lanes to entry `index` of two rows of a matrix, which are two operands. */
  setLanes(operand: number, index: number, value: Value, accumulate = false): void {
    this.storePair(operand, operand + 1, index, value, accumulate);
  }

  /** A number of an operand that is the same for all panels. */
  number(operand: number, index: number): Value {
    return this.splat(this.load(operand, index));
  }
}

/** Adds a program to a list, for the panels [first, end). Addresses are those of panel 0. */
export function callOverPanels(
  list: CallList,
  register: Register,
  program: PanelProgram,
  addresses: readonly number[],
  [first, end]: readonly [number, number],
): void {
  if (first >= end) return;
  const at = addresses.map((start, operand) => start + 8 * panelSize(program.rows[operand]) * first);
  list.call(registerPanels(register, program), at, end - first);
}

/** Its number: a call has as many trips as there are panels. */
export function registerPanels(register: Register, { name, rows, write }: PanelProgram): number {
  const key = `${name}.${rows.join(".")}`;
  return register(key, (): Program => {
    const builder = new PanelBuilder(key, rows.length);
    write(builder);
    return builder.finish(rows.map((count) => 8 * panelSize(count)));
  });
}
