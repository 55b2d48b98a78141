/** Call lists that the plans of a tree and of its gears share. */
import type { Register } from "./elimination.ts";
import { sweepOf } from "./library.ts";
import { CallList } from "./memory.ts";
import { constraintsOf, isGrounded, type Limb, pushedOf } from "./treeLimbs.ts";
import type { Sweep } from "./treeSweeps.ts";
import { vectorLoop } from "./vectorKernels.ts";

export function copyList(register: Register, target: number, source: number, length: number): CallList {
  const list = new CallList();
  vectorLoop(list, register, "copy", [target, source], length);
  return list;
}

/** One sweep over the tree: leaves first, or roots first. */
export function sweepList(
  register: Register,
  limbs: readonly Limb[],
  upwards: boolean,
  name: string,
  make: (limb: Limb) => Sweep,
  places: (limb: Limb) => ReadonlyMap<string, number>,
): CallList {
  const list = new CallList();
  for (const limb of upwards ? [...limbs].reverse() : limbs) {
    const key = `${name}.${constraintsOf(limb)}.${isGrounded(limb)}.${pushedOf(limb).join("")}`;
    const { operands, program } = sweepOf(key, () => make(limb));
    const known = places(limb);
    list.call(
      register(key, () => program),
      operands.map((operand) => known.get(operand) as number),
    );
  }
  return list;
}
