/**
 * Programs of vectors, cones and blocks by name, shared by all mechanisms: a cache of a pure function, since the name says all that such a
 * program depends on, lengths and strides among it. It begins anew when it is full: there are as many of those as mechanisms.
 */
import type { Program } from "../../codegen/index.ts";
import type { Register } from "./memory.ts";

const known = new Map<string, Program>();
const mostKnown = 2000;

/** So that every program is made anew, by which a test sees that names are enough. */
export function forgetPrograms(): void {
  known.clear();
}

/** Registers the program of this name, which is made where no mechanism has had it before. */
export function registerShared(register: Register, name: string, make: () => Program): number {
  return register(name, () => {
    const before = known.get(name);
    if (before) return before;
    const program = make();
    if (known.size >= mostKnown) known.clear();
    known.set(name, program);
    return program;
  });
}
