/** The fastest way of running programs that this place allows: WebAssembly with SIMD, JavaScript, the interpreter. */
import { interpreter } from "./interpreter.ts";
import { javascript } from "./javascript.ts";
import type { Target } from "./program.ts";
import { supportsWasmSimd, webassembly } from "./webassembly.ts";

export function chooseTarget(): Target {
  if (supportsWasmSimd()) return webassembly;
  return allowsNewFunction() ? javascript : interpreter;
}

/** False on a page whose policy lacks 'unsafe-eval'. */
function allowsNewFunction(): boolean {
  try {
    return new Function("return true")() === true;
  } catch {
    return false;
  }
}
