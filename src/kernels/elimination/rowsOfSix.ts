/** Programs on rows of six numbers, each in three f64x2: motions and forces of a body, and rows of 6 × 6 matrices. */
import { ProgramBuilder, type Value } from "../../codegen/index.ts";

export const six = [0, 1, 2, 3, 4, 5] as const;
const pairs = [0, 1, 2] as const;

export type Row = readonly Value[];

/** A builder whose operands have names. */
export class RowBuilder<Name extends string> {
  readonly b: ProgramBuilder;
  private readonly numbers: ReadonlyMap<string, number>;

  constructor(name: string, operands: readonly Name[]) {
    this.b = new ProgramBuilder(name, operands.length);
    this.numbers = new Map(operands.map((operand, i) => [operand, i]));
  }

  load(operand: Name, index: number): Value {
    return this.b.load(this.number(operand), index);
  }

  row(operand: Name, start = 0): Row {
    return pairs.map((p) => this.b.loadAdjacent(this.number(operand), start + 2 * p));
  }

  /** Three numbers. */
  three(operand: Name): Value[] {
    return [0, 1, 2].map((i) => this.load(operand, i));
  }

  rows(operand: Name, count = 6): Row[] {
    return Array.from({ length: count }, (_, i) => this.row(operand, 6 * i));
  }

  pair(operand: Name, index: number): Value {
    return this.b.loadAdjacent(this.number(operand), index);
  }

  /** Six numbers as a row. */
  joined(values: readonly Value[]): Row {
    return pairs.map((p) => this.b.join(values[2 * p], values[2 * p + 1]));
  }

  entry(row: Row, j: number): Value {
    return this.b.lane(row[j >> 1], (j & 1) as 0 | 1);
  }

  dot(a: Row, c: Row): Value {
    const total = a.map((pair, p) => this.b.mul(pair, c[p])).reduce((sum, term) => this.b.add(sum, term));
    return this.b.add(this.b.lane(total, 0), this.b.lane(total, 1));
  }

  add(a: Row, c: Row): Row {
    return a.map((pair, p) => this.b.add(pair, c[p]));
  }

  sub(a: Row, c: Row): Row {
    return a.map((pair, p) => this.b.sub(pair, c[p]));
  }

  scaled(factor: Value, row: Row): Row {
    const wide = this.b.splat(factor);
    return row.map((pair) => this.b.mul(wide, pair));
  }

  /** Σ factorᵢ rowᵢ. */
  combined(factors: readonly Value[], rows: readonly Row[]): Row {
    return factors.map((factor, i) => this.scaled(factor, rows[i])).reduce((total, row) => this.add(total, row));
  }

  store(operand: Name, index: number, value: Value): void {
    this.b.store(this.number(operand), index, value);
  }

  storePair(operand: Name, index: number, pair: Value, accumulate = false): void {
    this.b.storeAdjacent(this.number(operand), index, pair, accumulate);
  }

  write(operand: Name, start: number, row: Row, accumulate = false): void {
    row.forEach((pair, p) => {
      this.b.storeAdjacent(this.number(operand), start + 2 * p, pair, accumulate);
    });
  }

  private number(operand: Name): number {
    return this.numbers.get(operand) as number;
  }
}
