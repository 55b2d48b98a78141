/** What stands in lists for calls that are written at run time (segments.ts), and leads from one list to another. */
import { ProgramBuilder } from "../../codegen/index.ts";
import type { Register } from "./memory.ts";
import { registerShared } from "./sharedPrograms.ts";

export function registerNothing(register: Register): number {
  return registerShared(register, "nothing", () => new ProgramBuilder("nothing", 0).finish());
}
