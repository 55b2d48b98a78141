import { expect, test } from "vitest";
import { type Program, webassembly } from "../../codegen/index.ts";
import { CallList } from "./memory.ts";
import { vectorLoop } from "./vectorKernels.ts";

test.each([
  [2, 1],
  [6, 1],
  [7, 1],
  [8, 1],
  [16, 1],
  [21, 2],
])("a loop over %i entries takes %i calls: long trips, and one trip for what is left", (length, calls) => {
  const programs: Program[] = [];
  const list = new CallList();
  vectorLoop(list, (_, make) => programs.push(make()) - 1, "addScaled", [0, 32, 64, 96], length);
  expect(list.entries).toBe(calls);
  const executable = webassembly.load(programs, 1024);
  new Int32Array(executable.memory).set(list.words, 200);
  const f64 = new Float64Array(executable.memory, 0, 100);
  for (let i = 0; i < 32; i++) {
    f64[32 + i] = i;
    f64[64 + i] = 100 + i;
  }
  f64[96] = 0.5;
  executable.run(800, list.entries);
  const even = length + (length % 2);
  for (let i = 0; i < 32; i++) expect(f64[i]).toBe(i < even ? i + 0.5 * (100 + i) : 0);
});
