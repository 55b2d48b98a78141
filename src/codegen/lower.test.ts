import { describe, expect, test } from "vitest";
import { add, type Expr, Graph, mul, neg, type Scalar, sin, sub } from "../symbolic/index.ts";
import { interpreter, kernelProgram, type Place } from "./index.ts";

const graph = new Graph();
const [x, y, z] = graph.symbols("x", 3);

/** One output at operand 1, inputs from operand 0 in the order given. */
function lowered(value: Scalar, inputs: readonly Expr[]) {
  return kernelProgram({
    name: "kernel",
    operands: 2,
    inputs: new Map<Expr, Place>(inputs.map((input, index) => [input, { operand: 0, index }])),
    outputs: [{ operand: 1, index: 0, value }],
    lanes: 1,
  });
}

function operations(value: Scalar, inputs: readonly Expr[]): string[] {
  return lowered(value, inputs).instructions.map((instruction) => instruction.op);
}

/** The output of a kernel for these input values. */
function result(value: Scalar, inputs: readonly Expr[], values: readonly number[]): number {
  const executable = interpreter.load([lowered(value, inputs)], 256);
  const numbers = new Float64Array(executable.memory);
  numbers.set(values);
  new Int32Array(executable.memory, 128).set([0, 5, 1, 0, 64]);
  executable.run(128, 1);
  return numbers[8];
}

describe("lowering", () => {
  test("a shared value is computed once", () => {
    const shared = mul(x, y);
    expect(operations(add(shared, mul(shared, z)), [x, y, z]).filter((op) => op === "mul")).toHaveLength(2);
  });

  test("an interior node among the inputs is loaded, not computed", () => {
    const cut = mul(sin(x), y) as Expr;
    expect(operations(add(cut, z), [cut, z])).toEqual(["load", "load", "add", "store"]);
  });

  test("an input −e serves expressions that hold e", () => {
    const cut = neg(mul(x, y)) as Expr;
    expect(result(add(mul(x, y), z), [cut, z], [-6, 1])).toBe(7);
    expect(result(sub(z, mul(x, y)), [cut, z], [-6, 1])).toBe(-5);
  });

  test("a symbol without a place is named", () => {
    expect(() => lowered(add(x, y), [x])).toThrow(/kernel: the symbol x1/);
  });

  test("−(a − b) is b − a, and −(c x) is (−c) x", () => {
    expect(operations(neg(sub(x, y)), [x, y])).toEqual(["load", "load", "sub", "store"]);
    expect(operations(neg(mul(z, 3)), [z])).toEqual(["load", "const", "mul", "store"]);
    expect(result(neg(sub(x, y)), [x, y], [5, 3])).toBe(-2);
    expect(result(neg(mul(z, 3)), [z], [2])).toBe(-6);
  });

  test("an output may be a constant", () => {
    expect(result(2.5, [], [])).toBe(2.5);
  });

  test("stores come after all else, in the order given", () => {
    const program = kernelProgram({
      name: "stores",
      operands: 1,
      inputs: new Map([[x, { operand: 0, index: 0 }]]),
      outputs: [3, 1, 2].map((index) => ({ operand: 0, index, value: mul(x, index + 1) })),
      lanes: 2,
    });
    const stores = program.instructions.slice(-3);
    expect(stores.map((store) => [store.op, "index" in store && store.index])).toEqual([
      ["storePair", 3],
      ["storePair", 1],
      ["storePair", 2],
    ]);
    expect(program.operandCount).toBe(2);
  });
});
