/** Call lists that the plans of a tree and of its ties share. */

import { CallList, type Register } from "../memory/memory.ts";
import { vectorLoop } from "../memory/vectorKernels.ts";
import { sweepOf } from "../species/library.ts";
import type { Sweep } from "./treeSweeps.ts";

export function copyList(register: Register, target: number, source: number, length: number): CallList {
  const list = new CallList();
  vectorLoop(list, register, "copy", [target, source], length);
  return list;
}

/** Adds a sweep, whose operands go by the names of what is known. */
export function sweepCall(
  list: CallList,
  register: Register,
  key: string,
  make: () => Sweep,
  known: ReadonlyMap<string, number>,
): void {
  const { operands, program } = sweepOf(key, make);
  list.call(
    register(key, () => program),
    operands.map((operand) => known.get(operand) as number),
  );
}
