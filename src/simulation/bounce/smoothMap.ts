/** A smooth function of several variables (equations/bounce.ts) as numbers: write the inputs by name, run, read the outputs. */
import { type NumericFunction, numericFunction } from "../../coordinates/index.ts";
import { type SmoothFunction, type Variable, variations } from "../../equations/index.ts";
import type { Expr } from "../../symbolic/index.ts";

export class SmoothMap {
  private readonly compiled: NumericFunction;
  private readonly inputs: ReadonlyMap<string, Float64Array>;
  private readonly outputs: ReadonlyMap<string, Float64Array>;
  /** Derivatives, row by row, where they were asked for; columns in the order of the inputs' variations. */
  private readonly matrix: Float64Array;
  private readonly rows: readonly Variable[];
  private readonly columns: readonly Variable[];

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

  /** Takes cotangents of the outputs' variations, by name, back to those of the inputs' variations. */
  pull(cotangents: Readonly<Record<string, ArrayLike<number>>>): Record<string, Float64Array> {
    const { columns, rows, matrix } = this;
    const width = columns.reduce((sum, variable) => sum + sizeOf(variable), 0);
    const total = new Float64Array(width);
    let row = 0;
    for (const variable of rows) {
      const bar = cotangents[variable.name];
      for (let i = 0; i < sizeOf(variable); i++, row++) {
        if (!bar || bar[i] === 0) continue;
        for (let j = 0; j < width; j++) total[j] += bar[i] * matrix[row * width + j];
      }
    }
    let at = 0;
    return Object.fromEntries(
      columns.map((variable) => {
        at += sizeOf(variable);
        return [variable.name, total.subarray(at - sizeOf(variable), at)];
      }),
    );
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
