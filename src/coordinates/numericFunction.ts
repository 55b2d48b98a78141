/**
 * Expressions as a function of plain numbers: compiled when it is made, for set-up code and conversions that lie outside the
 * step's own memory. Write `input`, `run`, read `output`.
 */
import { chooseTarget, headerWords, kernelProgram } from "../codegen/index.ts";
import type { Expr, Scalar } from "../symbolic/index.ts";

export interface NumericFunction {
  readonly input: Float64Array;
  readonly output: Float64Array;
  run(): void;
}

export function numericFunction(name: string, inputs: readonly Expr[], outputs: readonly Scalar[]): NumericFunction {
  const program = kernelProgram({
    name,
    operands: 2,
    inputs: new Map(inputs.map((symbol, index) => [symbol, { operand: 0, index }])),
    outputs: outputs.map((value, index) => ({ operand: 1, index, value })),
    lanes: 1,
  });
  const outputAt = 8 * inputs.length;
  const listAt = outputAt + 8 * outputs.length;
  const words = [0, headerWords + 2, 1, 0, outputAt];
  const executable = chooseTarget().load([program], listAt + 4 * words.length + 4);
  new Int32Array(executable.memory).set(words, listAt / 4);
  return {
    input: new Float64Array(executable.memory, 0, inputs.length),
    output: new Float64Array(executable.memory, outputAt, outputs.length),
    run: () => executable.run(listAt, 1),
  };
}
