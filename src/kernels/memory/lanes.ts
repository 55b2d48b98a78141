/**
 * Loops over entries that lie at equal distances, two at a time in the two lanes: a run of them becomes at most two calls,
 * one for the pairs and one for the odd one out. What a program does to an entry is written once, for either.
 */

import { type Program, ProgramBuilder, type Value } from "../../codegen/index.ts";
import { type Arithmetic, cached } from "../../math/index.ts";
import { address, type CallList, type Members, type Register } from "./memory.ts";
import { registerShared } from "./sharedPrograms.ts";

/** `count` entries, `stride` f64 apart; the first of operand o is at starts[o] and the next at starts[o] + strides[o]. */
export interface Run {
  readonly starts: readonly number[];
  readonly strides: readonly number[];
  readonly count: number;
}

/** What a body can do. Operands 0 to n − 1 go along with the run; `total` and `given` mean operands that stay. */
export interface Lanes {
  readonly arithmetic: Arithmetic<Value>;
  load(operand: number, index?: number): Value;
  store(operand: number, index: number, value: Value): void;
  /** The index-th of the given numbers. */
  given(index: number): Value;
  /** Adds to the index-th of the totals, or makes it the larger or smaller. Each lane has its own. */
  total(how: "add" | "max" | "min", index: number, value: Value): void;
}

export type Body = (lanes: Lanes) => void;

/** Pairs that one trip of a long run handles: totals then wait for each other a quarter as often. */
const pairsATrip = 4;
export const entriesATrip = 2 * pairsATrip;

/** Calls for the pairs of a run, several per trip and one per trip, and one for what is left. `totals` and `given` are memory indices. */
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
  const isAdjacent = strides.every((stride) => stride === 1);
  const pairs = count >> 1;
  const long = Math.floor(pairs / pairsATrip);
  const call = (width: number, trips: number, from: number): void => {
    if (trips === 0) return;
    const key = `${name}.${isAdjacent ? "adjacent" : strides.join(".")}${width > 1 ? `.${width}` : ""}`;
    const program = registerShared(register, key, () =>
      (isAdjacent ? adjacentProgram : pairProgram)(key, strides, body, width),
    );
    const first = starts.map((start, o) => start + 2 * from * strides[o]);
    const places = isAdjacent ? first : first.flatMap((start, o) => [start, start + strides[o]]);
    list.call(program, [...places, totals, given].map(address), trips);
  };
  call(pairsATrip, long, 0);
  call(1, pairs - pairsATrip * long, pairsATrip * long);
  if (count % 2 === 1) {
    const program = registerShared(register, `${name}.single`, () =>
      singleProgram(`${name}.single`, starts.length, body),
    );
    const last = starts.map((start, o) => start + (count - 1) * strides[o]);
    list.call(program, [...last, totals, given].map(address));
  }
}

/** An entry that comes and goes. */
export interface SlotEntry {
  readonly slot: number;
  readonly places: readonly number[];
}

/** Calls for entries that come and go, each with its slot and the places of its operands: in the full list, by runs or two to a call. */
export function callOnSlots(
  list: CallList,
  register: Register,
  name: string,
  body: Body,
  entries: readonly SlotEntry[],
  totals: number,
  given: number,
  inRuns = true,
): void {
  if (entries.length === 0) return;
  const members: Members = {
    slots: entries.map(({ slot }) => slot),
    operands: entries.map(({ places }) => places.map(address)),
    ...slotPrograms(register, name, body, entries[0].places.length),
    shared: [totals, given].map(address),
  };
  const places = entries.map((entry) => entry.places);
  list.group(members, () => {
    if (!inRuns) callOnPairs(list, register, name, body, places, totals, given);
    else for (const run of runsOf(places)) callOnRun(list, register, name, body, run, totals, given);
  });
}

/** Calls for entries that lie anywhere, two to a call. */
export function callOnPairs(
  list: CallList,
  register: Register,
  name: string,
  body: Body,
  entries: readonly (readonly number[])[],
  totals: number,
  given: number,
): void {
  if (entries.length === 0) return;
  const { pair, single } = slotPrograms(register, name, body, entries[0].length);
  const shared = [totals, given].map(address);
  for (let i = 0; i < entries.length; i += 2) {
    const [one, other] = [entries[i], entries[i + 1]];
    const places = other ? one.flatMap((place, o) => [place, other[o]]) : one;
    list.call(other ? pair : single, [...places.map(address), ...shared]);
  }
}

/** Programs for two entries that lie anywhere, and for one. */
export function slotPrograms(
  register: Register,
  name: string,
  body: Body,
  operands: number,
): { readonly pair: number; readonly single: number } {
  const strides = new Array<number>(operands).fill(1);
  return {
    pair: registerShared(register, `${name}.two`, () => pairProgram(`${name}.two`, strides, body, 1)),
    single: registerShared(register, `${name}.single`, () => singleProgram(`${name}.single`, operands, body)),
  };
}

/** A call on adjacent entries, `entriesATrip` to a trip; how many trips it makes is written later. */
export function callOnAdjacent(
  list: CallList,
  register: Register,
  name: string,
  body: Body,
  starts: readonly number[],
  totals: number,
  given: number,
): void {
  const key = `${name}.adjacent.${pairsATrip}`;
  const strides = starts.map(() => 1);
  const program = registerShared(register, key, () => adjacentProgram(key, strides, body, pairsATrip));
  list.call(program, [...starts, totals, given].map(address), 0);
}

const bytes = 8;

function adjacentProgram(name: string, strides: readonly number[], body: Body, width: number): Program {
  const operands = strides.length;
  const b = new ProgramBuilder(name, operands + 2);
  inTrip(b, operands, width, body, (pair) => ({
    load: (operand, index = 0) => b.loadAdjacent(operand, index + 2 * pair),
    store: (operand, index, value) => b.storeAdjacent(operand, index + 2 * pair, value),
  }));
  return b.finish([...new Array<number>(operands).fill(2 * bytes * width), 0, 0]);
}

function pairProgram(name: string, strides: readonly number[], body: Body, width: number): Program {
  const operands = 2 * strides.length;
  const b = new ProgramBuilder(name, operands + 2);
  inTrip(b, operands, width, body, (pair) => {
    const at = (operand: number, index: number): [number, number, number] => [
      2 * operand,
      2 * operand + 1,
      index + 2 * pair * strides[operand],
    ];
    return {
      load: (operand, index = 0) => b.loadPair(...at(operand, index)),
      store: (operand, index, value) => b.storePair(...at(operand, index), value),
    };
  });
  return b.finish([...strides.flatMap((stride) => [2 * bytes * stride * width, 2 * bytes * stride * width]), 0, 0]);
}

/** The body on every pair of a trip; each total, which lies in a pair, is read and written once. */
function inTrip(
  b: ProgramBuilder,
  totals: number,
  width: number,
  body: Body,
  access: (pair: number) => Pick<Lanes, "load" | "store">,
): void {
  const found = new Map<number, { how: "add" | "max" | "min"; value: Value }>();
  for (let pair = 0; pair < width; pair++) {
    body({
      arithmetic: arithmeticOf(b, true),
      given: (index) => b.splat(b.load(totals + 1, index)),
      total: (how, index, value) => {
        const before = found.get(index);
        found.set(index, { how, value: before ? b.binary(how, before.value, value) : value });
      },
      ...access(pair),
    });
  }
  for (const [index, { how, value }] of found) {
    b.storeAdjacent(totals, 2 * index, b.binary(how, b.loadAdjacent(totals, 2 * index), value));
  }
}

/** A program for one entry. */
export function singleProgram(name: string, operands: number, body: Body): Program {
  const b = new ProgramBuilder(name, operands + 2);
  body({
    arithmetic: arithmeticOf(b, false),
    load: (operand, index = 0) => b.load(operand, index),
    store: (operand, index, value) => b.store(operand, index, value),
    given: (index) => b.load(operands + 1, index),
    total: (how, index, value) => b.store(operands, 2 * index, b.binary(how, b.load(operands, 2 * index), value)),
  });
  return b.finish();
}

/** Instructions of a program, each once: formulas may ask for the same number again. */
function arithmeticOf(b: ProgramBuilder, wide: boolean): Arithmetic<Value> {
  const known = new Map<string, Value>();
  const once = (key: string, make: () => Value): Value => cached(known, key, make);
  const unary = (op: "neg" | "abs" | "sqrt") => (x: Value) => once(`${op} ${x.number}`, () => b[op](x));
  const binary = (op: "add" | "sub" | "mul" | "div" | "min" | "max") => (x: Value, y: Value) =>
    once(`${op} ${x.number} ${y.number}`, () => b.binary(op, x, y));
  return {
    constant: (value) => once(`constant ${value}`, () => b.constant(value, wide)),
    ...{ neg: unary("neg"), abs: unary("abs"), sqrt: unary("sqrt") },
    ...{ add: binary("add"), sub: binary("sub"), mul: binary("mul") },
    ...{ div: binary("div"), min: binary("min"), max: binary("max") },
    ifLess: (x, y, then, otherwise) =>
      once(`ifLess ${[x, y, then, otherwise].map(({ number }) => number)}`, () => b.ifLess(x, y, then, otherwise)),
  };
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
