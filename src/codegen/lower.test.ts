import { describe, expect, test } from "vitest";
import { add, type Expr, Graph, mul, neg, type Scalar, sin, sub } from "../symbolic/index.ts";
import { interpreter, KernelPrograms, kernelProgram, type Place } from "./index.ts";

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

test("whichever of the programs for one node and for two is asked for first, both are those of the expressions", () => {
  const value = add(mul(sin(x), y), neg(sub(mul(z, 3), x)));
  const options = {
    name: "kernel",
    operands: 2,
    inputs: new Map<Expr, Place>([x, y, z].map((input, index) => [input, { operand: index % 2, index }])),
    outputs: [
      { operand: 1, index: 5, value },
      { operand: 0, index: 6, value: mul(value, 2), accumulate: true },
    ],
  };
  const [narrow, wide] = ([1, 2] as const).map((lanes) => kernelProgram({ ...options, lanes }));
  const [narrowFirst, wideFirst] = [new KernelPrograms(options), new KernelPrograms(options)];
  expect([narrowFirst.of(1), narrowFirst.of(2)]).toEqual([narrow, wide]);
  expect([wideFirst.of(2), wideFirst.of(1)]).toEqual([wide, narrow]);
  expect(wideFirst.of(1)).toBe(wideFirst.of(1));
});

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

  /** Stores of 2x, 4x, 3x in this order, to places of an operand of their own or of the one that x comes from. */
  const stores = (operand: number, at: number) =>
    kernelProgram({
      name: "stores",
      operands: 2,
      inputs: new Map([
        [x, { operand: 0, index: 0 }],
        [y, { operand: 0, index: 1 }],
      ]),
      outputs: [mul(x, 2), mul(x, 4), mul(y, 3)].map((value, i) => ({ operand, index: at + i, value })),
      lanes: 2,
    });

  test("stores come as soon as their value is there, in the order given", () => {
    const { instructions, operandCount } = stores(1, 0);
    const places = instructions.flatMap((i) => (i.op === "storePair" ? [i.index] : []));
    expect(places).toEqual([0, 1, 2]);
    const ops = instructions.map(({ op }) => op);
    expect(ops.indexOf("storePair")).toBeLessThan(ops.lastIndexOf("loadPair"));
    expect(operandCount).toBe(4);
  });

  test("stores to a place that is read come after all loads, and so do those after them", () => {
    for (const at of [0, 1]) {
      const ops = stores(0, at).instructions.map(({ op }) => op);
      expect(ops.lastIndexOf("loadPair")).toBeLessThan(ops.indexOf("storePair"));
    }
    // the second place is read: one store may come early
    const ops = stores(0, 2).instructions.map(({ op }) => op);
    expect(ops.indexOf("storePair")).toBeLessThan(ops.lastIndexOf("loadPair"));
  });
});
