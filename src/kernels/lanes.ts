/**
 * Loops over entries that lie at equal distances, two at a time in the two lanes: a run of them becomes at most two calls,
 * one for the pairs and one for the odd one out. What a program does to an entry is written once, for either.
 */
import { type Program, ProgramBuilder, type Value } from "../codegen/index.ts";
import type { Register } from "./elimination.ts";
import { address, type CallList } from "./memory.ts";

/** `count` entries, `stride` f64 apart; the first of operand o is at starts[o] and the next at starts[o] + strides[o]. */
export interface Run {
  readonly starts: readonly number[];
  readonly strides: readonly number[];
  readonly count: number;
}

/** What a body can do. Operands 0 to n − 1 go along with the run; `total` and `given` mean operands that stay. */
export interface Lanes {
  readonly builder: ProgramBuilder;
  load(operand: number, index?: number): Value;
  store(operand: number, index: number, value: Value): void;
  constant(value: number): Value;
  /** The index-th of the given numbers. */
  given(index: number): Value;
  /** Adds to the index-th of the totals, or makes it the larger or smaller. Each lane has its own. */
  total(how: "add" | "max" | "min", index: number, value: Value): void;
}

export type Body = (lanes: Lanes) => void;

/** One call for the pairs of a run and one for what is left. `totals` and `given` are memory indices. */
export function callOnRun(
  list: CallList,
  register: Register,
  name: string,
  body: Body,
  run: Run,
  totals: number,
  given: number,
): void {
  const { starts, strides, count } = run;
  const pairs = count >> 1;
  const isAdjacent = strides.every((stride) => stride === 1);
  if (pairs > 0) {
    const key = isAdjacent ? `${name}.adjacent` : `${name}.${strides.join(".")}`;
    const program = register(key, () =>
      isAdjacent ? adjacentProgram(key, starts.length, body) : pairProgram(key, strides, body),
    );
    const places = isAdjacent ? starts : starts.flatMap((start, o) => [start, start + strides[o]]);
    list.call(program, [...places, totals, given].map(address), pairs);
  }
  if (count % 2 === 1) {
    const program = register(`${name}.single`, () => singleProgram(`${name}.single`, starts.length, body));
    const last = starts.map((start, o) => start + (count - 1) * strides[o]);
    list.call(program, [...last, totals, given].map(address));
  }
}

const bytes = 8;

function adjacentProgram(name: string, operands: number, body: Body): Program {
  const b = new ProgramBuilder(name, operands + 2);
  body({
    ...wide(b, operands),
    load: (operand, index = 0) => b.loadAdjacent(operand, index),
    store: (operand, index, value) => b.storeAdjacent(operand, index, value),
  });
  return b.finish([...new Array<number>(operands).fill(2 * bytes), 0, 0]);
}

function pairProgram(name: string, strides: readonly number[], body: Body): Program {
  const operands = 2 * strides.length;
  const b = new ProgramBuilder(name, operands + 2);
  body({
    ...wide(b, operands),
    load: (operand, index = 0) => b.loadPair(2 * operand, 2 * operand + 1, index),
    store: (operand, index, value) => b.storePair(2 * operand, 2 * operand + 1, index, value),
  });
  return b.finish([...strides.flatMap((stride) => [2 * bytes * stride, 2 * bytes * stride]), 0, 0]);
}

/** What the two wide forms share: totals lie in pairs. */
function wide(b: ProgramBuilder, totals: number): Pick<Lanes, "builder" | "constant" | "given" | "total"> {
  return {
    builder: b,
    constant: (value) => b.constant(value, true),
    given: (index) => b.splat(b.load(totals + 1, index)),
    total: (how, index, value) =>
      b.storeAdjacent(totals, 2 * index, b.binary(how, b.loadAdjacent(totals, 2 * index), value)),
  };
}

function singleProgram(name: string, operands: number, body: Body): Program {
  const b = new ProgramBuilder(name, operands + 2);
  body({
    builder: b,
    load: (operand, index = 0) => b.load(operand, index),
    store: (operand, index, value) => b.store(operand, index, value),
    constant: (value) => b.constant(value),
    given: (index) => b.load(operands + 1, index),
    total: (how, index, value) => b.store(operands, 2 * index, b.binary(how, b.load(operands, 2 * index), value)),
  });
  return b.finish();
}

/** Positions in ascending order as runs of equal distances. */
export function runsOf(positions: readonly (readonly number[])[]): Run[] {
  const runs: Run[] = [];
  let from = 0;
  while (from < positions.length) {
    const starts = positions[from];
    const next = positions[from + 1];
    const strides = starts.map((start, o) => (next ? next[o] - start : 1));
    let count = 1;
    while (positions[from + count]?.every((at, o) => at === starts[o] + count * strides[o])) count++;
    runs.push({ starts, strides: count > 1 ? strides : starts.map(() => 1), count });
    from += count;
  }
  return runs;
}
