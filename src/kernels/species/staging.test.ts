import { setImmediate } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";
import { webassembly } from "../../codegen/index.ts";
import { add, type Expr, evaluate, Graph, ifLess, max, min, mul, neg, sin, sqrt } from "../../symbolic/index.ts";
import { CallList } from "../memory/memory.ts";
import {
  type Kernel,
  kernel,
  laterKernel,
  type Output,
  type Stage,
  type StagedInput,
  stageKernels,
} from "./staging.ts";

const stages = ["prepare", "evaluate", "rhs", "recover"] as const;

it("stages compute what the whole expression gives, and leave earlier values in scratch", () => {
  const graph = new Graph();
  const [a, b, c, d] = ["a", "b", "c", "d"].map((name) => graph.symbol(name));
  const early = sqrt(add(mul(a, a), 1));
  const later = mul(early, sin(b));
  const last = add(mul(later, c), mul(mul(early, early), d));
  const inputs = new Map<Expr, StagedInput>(
    [a, b, c, d].map((symbol, i) => [symbol, { operand: "in", index: i, stage: stages[i] }]),
  );
  const output: Output = { operand: "out", index: 0, value: last, stage: "recover", accumulate: false };
  const { kernels, scratchSize } = stageKernels("test", inputs, [output]);
  expect(Object.keys(kernels).sort()).toEqual(["evaluate", "prepare", "recover", "rhs"]);

  // in: 0..3, out: 8, scratch: 16..
  const list = new CallList();
  const programs = stages.map((stage: Stage) => (kernels[stage] as NonNullable<(typeof kernels)[Stage]>).program);
  stages.forEach((stage, i) => {
    const places: Record<string, number> = { in: 0, out: 64, scratch: 128 };
    const operands = (kernels[stage] as NonNullable<(typeof kernels)[Stage]>).operands;
    list.call(
      i,
      operands.flatMap((operand) => [places[operand], operand === "in" ? 0 : places[operand] + 512]),
    );
  });
  const bytes = 2048 + 4 * list.words.length;
  const executable = webassembly.load(programs, bytes);
  new Int32Array(executable.memory).set(list.words, 512);
  const f64 = new Float64Array(executable.memory, 0, 256);
  const values = [0.3, 1.2, -0.7, 2.5];
  f64.set(values, 0);
  executable.run(2048, list.entries);
  const expected = evaluate([last], (symbol) => values[[a, b, c, d].indexOf(symbol)])[0];
  expect(f64[8]).toBe(expected);
  expect(scratchSize).toBeGreaterThan(0);
});

it("a kernel's program for one node gives the bits of that for two, at one address per operand", () => {
  const graph = new Graph();
  const [a, b] = ["a", "b"].map((name) => graph.symbol(name));
  const inputs = new Map<Expr, StagedInput>(
    [a, b].map((symbol, index) => [symbol, { operand: "in", index, stage: "prepare" }]),
  );
  const values = [sqrt(add(mul(a, a), sin(b))), ifLess(a, b, min(a, 0), max(neg(b), 0))];
  const outputs = values.map((value, index): Output => {
    return { operand: "out", index, value, stage: "prepare", accumulate: index === 0 };
  });
  const found = stageKernels("alone", inputs, outputs).kernels.prepare as Kernel;
  expect(found.alone.operandCount).toBe(found.operands.length);
  expect(found.program.operandCount).toBe(2 * found.operands.length);

  // two nodes in one call, then each of them by itself; in: 0, 4, out: 8, 12 and 16, 20
  const node = (i: number, out: number) => found.operands.map((name) => 8 * (4 * i + (name === "in" ? 0 : out)));
  const list = new CallList();
  list.call(
    0,
    found.operands.flatMap((_, o) => [node(0, 8)[o], node(1, 8)[o]]),
  );
  for (const i of [0, 1]) list.call(1, node(i, 16));
  const executable = webassembly.load([found.program, found.alone], 1024);
  new Int32Array(executable.memory).set(list.words, 128);
  const f64 = new Float64Array(executable.memory, 0, 64);
  for (const at of [0, 4]) f64.set([0.3 + at, 1.2 - at], at);
  executable.run(512, list.entries);
  expect(f64[8]).toBe(Math.sqrt(0.3 * 0.3 + sinOf(1.2)));
  for (const at of [8, 9, 12, 13]) expect(f64[at + 8]).toBe(f64[at]);
});

it("a kernel with operands that are said beforehand makes its expressions with its first program", () => {
  let count = 0;
  const made = (written: string): Kernel =>
    laterKernel("later", ["out", "in"], new Set([written]), () => {
      count++;
      const graph = new Graph();
      const a = graph.symbol("a");
      const outputs = [{ operand: "out", index: 0, value: mul(a, a), accumulate: false }];
      return kernel("later", new Map([[a, { operand: "in", index: 0 }]]), outputs, ["out", "in"]);
    });
  const later = made("out");
  expect(later.operands).toEqual(["out", "in"]);
  expect(count).toBe(0);
  expect(later.program.operandCount).toBe(4);
  expect(later.alone.instructions[0]).toMatchObject({ op: "load", operand: 1 });
  expect(count).toBe(1);
  expect(() => made("in").program).toThrow("later writes out, not in");
});

function sinOf(x: number): number {
  const symbol = new Graph().symbol("x");
  return evaluate([sin(symbol)], () => x)[0];
}

it("expressions are let go of once a program is written", async () => {
  const made = (): { readonly own: Kernel; readonly graph: WeakRef<Graph> } => {
    const graph = new Graph();
    const [a, b] = graph.symbols("a", 2);
    const places = new Map([a, b].map((symbol, index) => [symbol, { operand: "in", index }]));
    const output = { operand: "out", index: 0, value: add(mul(a, b), 1), accumulate: false };
    return { own: kernel("test", places, [output]), graph: new WeakRef(graph) };
  };
  const [written, waiting] = [made(), made()];
  expect(written.own.program.operandCount).toBe(4);
  // what a reference was made of stays for the rest of its task
  await setImmediate();
  setFlagsFromString("--expose-gc");
  runInNewContext("gc")();
  expect([written, waiting].map(({ graph }) => graph.deref() !== undefined)).toEqual([false, true]);
  expect([written, waiting].map(({ own }) => own.alone.operandCount)).toEqual([2, 2]);
});
