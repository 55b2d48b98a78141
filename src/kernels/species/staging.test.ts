import { expect, it } from "vitest";
import { webassembly } from "../../codegen/index.ts";
import { add, type Expr, evaluate, Graph, mul, sin, sqrt } from "../../symbolic/index.ts";
import { CallList } from "../memory/memory.ts";
import { type Output, type Stage, type StagedInput, stageKernels } from "./staging.ts";

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
