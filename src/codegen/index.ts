/** Programs: built from expressions or by hand, run by one of three targets with the same bits. */
export { chooseTarget } from "./chooseTarget.ts";
export { headerWords } from "./instruction.ts";
export { interpreter } from "./interpreter.ts";
export { javascript } from "./javascript.ts";
export { KernelPrograms, kernelProgram, type Place } from "./lower.ts";
export { OutOfMemory } from "./outOfMemory.ts";
export type { Executable, NumberedPrograms, Program, Target } from "./program.ts";
export { ProgramBuilder, type Value } from "./programBuilder.ts";
export { webassembly } from "./webassembly.ts";
