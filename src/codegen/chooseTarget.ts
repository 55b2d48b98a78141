/** The fastest way of running programs that this place allows: WebAssembly with SIMD, JavaScript, the interpreter. */
import { interpreter } from "./interpreter.ts";
import { javascript } from "./javascript.ts";
import type { Target } from "./program.ts";
import { loadedInto, reserved, supportsWasmSimd, webassembly } from "./webassembly.ts";

/** Whether there was room for every memory so far; unknown before the first. */
let hasRoom: boolean | undefined;

/** Where addresses run out (`ulimit -v`), what is loaded from then on is JavaScript, with the same bits. */
export function chooseTarget(): Target {
  if (supportsWasmSimd()) {
    hasRoom ??= reserved(1) !== undefined;
    if (hasRoom) return whileRoom;
  }
  return allowsNewFunction() ? javascript : interpreter;
}

const whileRoom: Target = {
  name: webassembly.name,
  load(programs, bytes) {
    const memory = reserved(bytes);
    if (memory) return loadedInto(memory, programs);
    hasRoom = false;
    return chooseTarget().load(programs, bytes);
  },
};

/** False on a page whose policy lacks 'unsafe-eval'. */
function allowsNewFunction(): boolean {
  try {
    return new Function("return true")() === true;
  } catch {
    return false;
  }
}
