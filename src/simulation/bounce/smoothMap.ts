/** A smooth function of several variables (equations/bounce.ts) as numbers: write the inputs by name, run, read the outputs. */
import { type NumericFunction, numericFunction } from "../../coordinates/index.ts";
import { type SmoothFunction, type Variable, variations } from "../../equations/index.ts";
import type { LinearTape } from "../../math/index.ts";
import type { Expr } from "../../symbolic/index.ts";

export class SmoothMap {
  private readonly compiled: NumericFunction;
  private readonly inputs: ReadonlyMap<string, Float64Array>;
  private readonly outputs: ReadonlyMap<string, Float64Array>;
  /** Derivatives, row by row, where they were asked for; columns in the order of the inputs' variations. */
  private readonly matrix: Float64Array;
  private readonly rows: readonly Variable[];
  private readonly columns: readonly Variable[];
  private readonly width: number;
  private readonly froms: Int32Array;

  constructor(name: string, map: SmoothFunction, withDerivatives = false) {
    const symbols = map.inputs.flatMap(({ values }) => values as readonly Expr[]);
    const values = map.outputs.flatMap((output) => output.values);
    const derivatives = withDerivatives ? variations(map).flat() : [];
    this.compiled = numericFunction(name, symbols, [...values, ...derivatives]);
    const { input, output } = this.compiled;
    this.inputs = viewsOf(map.inputs, input);
    this.outputs = viewsOf(map.outputs, output);
    this.matrix = output.subarray(values.length);
    this.rows = map.outputs;
    this.columns = map.inputs;
    this.width = map.inputs.reduce((sum, variable) => sum + sizeOf(variable), 0);
    this.froms = new Int32Array(this.width);
  }

  /** `count` numbers from `from` on. */
  set(name: string, values: ArrayLike<number>, from = 0): void {
    const input = this.inputs.get(name) as Float64Array;
    for (let i = 0; i < input.length; i++) input[i] = values[from + i];
  }

  setNumber(name: string, value: number): void {
    (this.inputs.get(name) as Float64Array)[0] = value;
  }

  run(): void {
    this.compiled.run();
  }

  output(name: string): Float64Array {
    return this.outputs.get(name) as Float64Array;
  }

  number(name: string): number {
    return this.output(name)[0];
  }

  /**
   * Writes its derivatives, as they stand, on a tape: from variations of the inputs to those of the outputs, which have these places. Inputs
   * and outputs that are left out have none.
   */
  record(
    tape: LinearTape,
    outputs: Readonly<Record<string, number | undefined>>,
    inputs: Readonly<Record<string, number | undefined>>,
    scale = 1,
  ): void {
    const { columns, rows, matrix, width, froms } = this;
    // where each column comes from
    let column = 0;
    for (const input of columns) {
      const from = inputs[input.name];
      for (let j = 0; j < sizeOf(input); j++) froms[column++] = from === undefined ? -1 : from + j;
    }
    let row = 0;
    for (const output of rows) {
      const to = outputs[output.name];
      const count = sizeOf(output);
      for (let i = 0; i < count && to !== undefined; i++) {
        const at = (row + i) * width;
        for (let j = 0; j < width; j++) if (froms[j] >= 0) tape.add(to + i, froms[j], scale * matrix[at + j]);
      }
      row += count;
    }
  }
}

/** Numbers in the variation of a variable. */
function sizeOf({ kind, values }: Variable): number {
  return kind === "attitude" ? 3 : values.length;
}

function viewsOf(variables: readonly Variable[], memory: Float64Array): Map<string, Float64Array> {
  let at = 0;
  return new Map(
    variables.map(({ name, values }) => {
      at += values.length;
      return [name, memory.subarray(at - values.length, at)];
    }),
  );
}
