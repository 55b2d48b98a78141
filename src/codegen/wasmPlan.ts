/**
 * Which values of a program stay on WebAssembly's stack, and which local holds each of the others.
 *
 * 1. Backwards: a value nobody needs is dead. A value with one reader is emitted where it is read ("inline"), unless it
 *    is a load and a store stands between. f64 constants are always written where they are read.
 * 2. Forwards (linear scan): every other value gets a local, free again after the statement that reads it last.
 */
import { argumentsOf, checkedTypes, isStore, type ValueType } from "./instruction.ts";
import type { Program } from "./program.ts";

export interface WasmPlan {
  readonly types: readonly ValueType[];
  /** The arguments of each instruction, in order of evaluation. */
  readonly args: readonly (readonly number[])[];
  /** True for the instructions that are statements: stores, and values that go to a local. */
  readonly isStatement: readonly boolean[];
  /** The local of a value, counted within its type; −1 for values that have none. */
  readonly local: Int32Array;
  readonly f64Locals: number;
  readonly v128Locals: number;
}

export function wasmPlan(program: Program): WasmPlan {
  const { instructions } = program;
  const n = instructions.length;
  const types = checkedTypes(program);
  const args = instructions.map(argumentsOf);

  // stores before each instruction, to see whether one stands between two points
  const storesBefore = new Int32Array(n + 1);
  for (let k = 0; k < n; k++) storesBefore[k + 1] = storesBefore[k] + (isStore(instructions[k]) ? 1 : 0);

  const uses = new Int32Array(n);
  const reader = new Int32Array(n);
  const emittedAt = new Int32Array(n); // the statement in whose code a value is computed
  const lastRead = new Int32Array(n).fill(-1);
  const isStatement = new Array<boolean>(n).fill(false);
  for (let k = n - 1; k >= 0; k--) {
    const instruction = instructions[k];
    if (uses[k] === 0 && !isStore(instruction)) continue;
    const isLoad = "operand" in instruction && !isStore(instruction);
    const isScalarConstant = instruction.op === "const" && !instruction.wide;
    const target = uses[k] === 1 ? emittedAt[reader[k]] : k;
    const mayMove = !isLoad || storesBefore[target] === storesBefore[k];
    isStatement[k] = !isScalarConstant && !(uses[k] === 1 && mayMove);
    emittedAt[k] = isStatement[k] ? k : target;
    for (const arg of args[k]) {
      // storePair takes its lanes apart, so it reads twice
      uses[arg] += instruction.op === "storePair" ? 2 : 1;
      reader[arg] = k;
      lastRead[arg] = Math.max(lastRead[arg], emittedAt[k]);
    }
  }

  const local = new Int32Array(n).fill(-1);
  const free = { f64: [] as number[], f64x2: [] as number[] };
  const count = { f64: 0, f64x2: 0 };
  const expiring = new Map<number, number[]>();
  for (let k = 0; k < n; k++) {
    // a statement writes its local after its last read, so it may reuse one that it reads last
    for (const value of expiring.get(k) ?? []) free[types[value] as "f64" | "f64x2"].push(local[value]);
    const type = types[k];
    if (!isStatement[k] || type === "none") continue;
    local[k] = free[type].pop() ?? count[type]++;
    const others = expiring.get(lastRead[k]);
    if (others === undefined) expiring.set(lastRead[k], [k]);
    else others.push(k);
  }
  return { types, args, isStatement, local, f64Locals: count.f64, v128Locals: count.f64x2 };
}
