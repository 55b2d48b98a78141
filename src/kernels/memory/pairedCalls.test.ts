import { expect, it } from "vitest";
import type { Program } from "../../codegen/index.ts";
import type { Kernel } from "../species/staging.ts";
import type { CallList } from "./memory.ts";
import { type KernelCall, pairedCalls } from "./pairedCalls.ts";

const kernel = {
  name: "kernel",
  program: {} as Program,
  alone: {} as Program,
  operands: ["in", "out"],
  written: new Set(["out"]),
} satisfies Kernel;
const sink = 800;
const callAt = (start: number, slot?: number): KernelCall => ({
  kernel,
  addresses: new Map([
    ["in", start],
    ["out", start + 8],
  ]),
  slot,
});

/** Programs and addresses of the calls. */
function callsOf(calls: readonly KernelCall[]): [string, ...number[]][] {
  const names: string[] = [];
  const list: CallList = pairedCalls(calls, (name) => names.push(name) - 1, sink);
  const found: [string, ...number[]][] = [];
  for (let at = 0; at < list.words.length; at += list.words[at + 1])
    found.push([names[list.words[at]], ...list.words.slice(at + 3, at + list.words[at + 1])]);
  return found;
}

it("the only node of its species runs by itself, without a second lane", () => {
  expect(callsOf([callAt(0)])).toEqual([["kernel.alone", 0, 8]]);
});

it("two nodes share a call, and the odd one out of three runs beside itself", () => {
  expect(callsOf([callAt(0), callAt(16), callAt(32)])).toEqual([
    ["kernel", 0, 16, 8, 24],
    ["kernel", 32, 32, 40, sink],
  ]);
});

it("a node that comes and goes keeps the program for two, which serves whichever are there", () => {
  expect(callsOf([callAt(0, 0)])).toEqual([["kernel", 0, 0, 8, sink]]);
});
