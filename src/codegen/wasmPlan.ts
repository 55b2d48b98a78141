/**
 * Which values of a program stay on WebAssembly's stack, and which local holds each of the others.
 *
 * 1. Backwards: a value nobody needs is dead. A value with one reader is emitted where it is read ("inline"), unless it
 *    is a load and a store stands between. f64 constants are always written where they are read.
 * 2. Forwards (linear scan): every other value gets a local, free again after the statement that reads it last.
 *
 * Every cold start goes through here with every instruction of its kernels, before anything is optimised: so it works on rows of numbers.
 */
import { checkedTypes } from "./instruction.ts";
import type { Instruction, Program } from "./program.ts";
import { isBuilt } from "./programBuilder.ts";

/** Operations as numbers: leaves, then what takes values apart or together, arithmetic, stores. */
export const kinds = {
  const: 0,
  load: 1,
  loadAdjacent: 2,
  loadPair: 3,
  splat: 4,
  lane: 5,
  join: 6,
  neg: 7,
  sqrt: 8,
  abs: 9,
  add: 10,
  sub: 11,
  mul: 12,
  div: 13,
  min: 14,
  max: 15,
  ifLess: 16,
  store: 17,
  storeAdjacent: 18,
  storePair: 19,
} as const satisfies Record<Instruction["op"], number>;

/** The kind of each instruction, whether it gives f64x2, and how many arguments it has, in order of evaluation, four places each. */
export interface Rows {
  readonly kind: Uint8Array;
  readonly isWide: Uint8Array;
  readonly argumentCount: Uint8Array;
  readonly args: Int32Array;
}

export interface WasmPlan extends Rows {
  /** 1 for the instructions that are statements: stores, and values that go to a local. */
  readonly isStatement: Uint8Array;
  /** The local of a value, counted within its type; −1 for values that have none. */
  readonly local: Int32Array;
  readonly f64Locals: number;
  readonly v128Locals: number;
}

export function wasmPlan(program: Program): WasmPlan {
  // a builder has checked what it has built
  if (!isBuilt(program)) checkedTypes(program);
  const rows = rowsOf(program.instructions);
  const { isStatement, lastRead } = statementsOf(rows, storesBefore(rows.kind));
  return { ...rows, isStatement, ...localsOf(isStatement, lastRead, rows.kind, rows.isWide) };
}

/** Stores before each instruction, to see whether one stands between two points. */
function storesBefore(kind: Uint8Array): Int32Array {
  const stores = new Int32Array(kind.length + 1);
  for (let k = 0; k < kind.length; k++) stores[k + 1] = stores[k] + (kind[k] >= kinds.store ? 1 : 0);
  return stores;
}

/** Which instructions are statements, and by which statement each value is read last. */
function statementsOf(
  { kind, isWide, argumentCount, args }: Rows,
  stores: Int32Array,
): { readonly isStatement: Uint8Array; readonly lastRead: Int32Array } {
  const n = kind.length;
  const uses = new Int32Array(n);
  const reader = new Int32Array(n);
  const emittedAt = new Int32Array(n); // the statement in whose code a value is computed
  const lastRead = new Int32Array(n).fill(-1);
  const isStatement = new Uint8Array(n);
  for (let k = n - 1; k >= 0; k--) {
    const own = kind[k];
    const readers = uses[k];
    if (readers === 0 && own < kinds.store) continue;
    const target = readers === 1 ? emittedAt[reader[k]] : k;
    const isLoad = own >= kinds.load && own <= kinds.loadPair;
    const isInline = readers === 1 && (!isLoad || stores[target] === stores[k]);
    const isScalarConstant = own === kinds.const && isWide[k] === 0;
    const at = isInline || isScalarConstant ? target : k;
    if (at === k && !isScalarConstant) isStatement[k] = 1;
    emittedAt[k] = at;
    // storePair takes its lanes apart, so it reads twice
    const reads = own === kinds.storePair ? 2 : 1;
    for (let i = 4 * k; i < 4 * k + argumentCount[k]; i++) {
      const arg = args[i];
      uses[arg] += reads;
      reader[arg] = k;
      if (at > lastRead[arg]) lastRead[arg] = at;
    }
  }
  return { isStatement, lastRead };
}

/** Linear scan. Values that are read last by the same statement are chained: `firstEnding` of the statement, `nextEnding` of a value. */
function localsOf(
  isStatement: Uint8Array,
  lastRead: Int32Array,
  kind: Uint8Array,
  isWide: Uint8Array,
): Pick<WasmPlan, "local" | "f64Locals" | "v128Locals"> {
  const n = kind.length;
  const local = new Int32Array(n).fill(-1);
  const firstEnding = new Int32Array(n).fill(-1);
  const lastEnding = new Int32Array(n);
  const nextEnding = new Int32Array(n).fill(-1);
  const narrow: number[] = [];
  const wide: number[] = [];
  let f64Locals = 0;
  let v128Locals = 0;
  for (let k = 0; k < n; k++) {
    // a statement writes its local after its last read, so it may reuse one that it reads last
    for (let value = firstEnding[k]; value >= 0; value = nextEnding[value]) {
      (isWide[value] === 1 ? wide : narrow).push(local[value]);
    }
    if (isStatement[k] === 0 || kind[k] >= kinds.store) continue;
    local[k] = isWide[k] === 1 ? (wide.pop() ?? v128Locals++) : (narrow.pop() ?? f64Locals++);
    const end = lastRead[k];
    if (firstEnding[end] < 0) firstEnding[end] = k;
    else nextEnding[lastEnding[end]] = k;
    lastEnding[end] = k;
  }
  return { local, f64Locals, v128Locals };
}

function rowsOf(instructions: readonly Instruction[]): Rows {
  const n = instructions.length;
  const kind = new Uint8Array(n);
  const isWide = new Uint8Array(n);
  const argumentCount = new Uint8Array(n);
  const args = new Int32Array(4 * n);
  for (let k = 0; k < n; k++) {
    const instruction = instructions[k];
    kind[k] = kinds[instruction.op];
    const at = 4 * k;
    switch (instruction.op) {
      case "add":
      case "sub":
      case "mul":
      case "div":
      case "min":
      case "max":
      case "join":
        argumentCount[k] = 2;
        args[at] = instruction.a;
        args[at + 1] = instruction.b;
        isWide[k] = instruction.op === "join" ? 1 : isWide[instruction.a];
        break;
      case "load":
        break;
      case "loadPair":
      case "loadAdjacent":
        isWide[k] = 1;
        break;
      case "const":
        isWide[k] = instruction.wide ? 1 : 0;
        break;
      case "ifLess":
        argumentCount[k] = 4;
        args[at] = instruction.then;
        args[at + 1] = instruction.otherwise;
        args[at + 2] = instruction.a;
        args[at + 3] = instruction.b;
        isWide[k] = isWide[instruction.a];
        break;
      default:
        // one argument; stores give nothing
        argumentCount[k] = 1;
        args[at] = instruction.a;
        if (instruction.op === "splat") isWide[k] = 1;
        else if (instruction.op === "neg" || instruction.op === "sqrt" || instruction.op === "abs")
          isWide[k] = isWide[instruction.a];
    }
  }
  return { kind, isWide, argumentCount, args };
}
