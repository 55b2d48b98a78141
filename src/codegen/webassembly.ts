/**
 * Programs as one WebAssembly module with f64x2 SIMD. The module imports its memory and exports the driver
 *   run(list, entries): while (entries-- > 0) { table[list[0]](list); list += 4 · list[1] }
 * Program k is function k and entry k of the table.
 */
import type { Executable, Program, Target } from "./program.ts";
import { ByteWriter, opcode, preamble, sectionId, simd, simdPrefix, wasmType } from "./wasmEncoder.ts";
import { wasmFunction } from "./wasmFunction.ts";

export const webassembly: Target = {
  name: "webassembly",
  load: (programs, bytes) => instantiateWasm(new WebAssembly.Module(compileWasm(programs)), bytes),
};

const pageBytes = 65536;

/** A module of `compileWasm` on a fresh, zeroed memory. One compiled module can serve many memories. */
export function instantiateWasm(module: WebAssembly.Module, bytes: number): Executable {
  const pages = Math.max(1, Math.ceil(bytes / pageBytes));
  const memory = new WebAssembly.Memory({ initial: pages, maximum: pages });
  const { exports } = new WebAssembly.Instance(module, { env: { memory } });
  return { memory: memory.buffer as ArrayBuffer, run: exports.run as Executable["run"] };
}

/** The bytes of a module holding these programs and the driver. */
export function compileWasm(programs: readonly Program[]): Uint8Array<ArrayBuffer> {
  const module = new ByteWriter();
  module.bytes(preamble);
  // type 0: a program; type 1: the driver
  module.section(sectionId.type, (s) => {
    s.unsigned(2);
    s.bytes([wasmType.func, 1, wasmType.i32, 0]);
    s.bytes([wasmType.func, 2, wasmType.i32, wasmType.i32, 0]);
  });
  module.section(sectionId.import, (s) => {
    s.unsigned(1);
    s.name("env");
    s.name("memory");
    s.bytes([0x02, 0x00]); // a memory with a minimum size
    s.unsigned(0);
  });
  module.section(sectionId.function, (s) => {
    s.unsigned(programs.length + 1);
    for (let k = 0; k < programs.length; k++) s.unsigned(0);
    s.unsigned(1);
  });
  module.section(sectionId.table, (s) => {
    s.unsigned(1);
    s.bytes([wasmType.funcref, 0x01]); // minimum and maximum
    s.unsigned(programs.length);
    s.unsigned(programs.length);
  });
  module.section(sectionId.export, (s) => {
    s.unsigned(1);
    s.name("run");
    s.byte(0x00); // a function
    s.unsigned(programs.length);
  });
  module.section(sectionId.element, (s) => {
    s.unsigned(1);
    s.bytes([0x00, opcode.i32Const, 0, opcode.end]); // table 0 from entry 0
    s.unsigned(programs.length);
    for (let k = 0; k < programs.length; k++) s.unsigned(k);
  });
  module.section(sectionId.code, (s) => {
    s.unsigned(programs.length + 1);
    for (const program of programs) s.sized(codeOf(program));
    s.sized(driver().finish());
  });
  return module.finish();
}

/** Code by program, a cache of a pure function: mechanisms share programs, and so do the steps and the gradients of one. */
const codes = new WeakMap<Program, Uint8Array>();

function codeOf(program: Program): Uint8Array {
  const known = codes.get(program);
  if (known) return known;
  const code = wasmFunction(program).finish();
  codes.set(program, code);
  return code;
}

function driver(): ByteWriter {
  const [list, entries] = [0, 1];
  const code = new ByteWriter();
  const load = (offset: number) => code.bytes([opcode.localGet, list, opcode.i32Load, 2, offset]);
  code.unsigned(0); // no further locals
  code.bytes([opcode.block, wasmType.empty, opcode.loop, wasmType.empty]);
  // while (entries > 0), in the form: leave if entries = 0
  code.bytes([opcode.localGet, entries, opcode.i32Eqz, opcode.branchIf, 1]);
  // table[list[0]](list)
  code.bytes([opcode.localGet, list]);
  load(0);
  code.bytes([opcode.callIndirect, 0, 0]);
  // list += list[1] << 2
  code.bytes([opcode.localGet, list]);
  load(4);
  code.bytes([opcode.i32Const, 2, opcode.i32Shl, opcode.i32Add, opcode.localSet, list]);
  code.bytes([opcode.localGet, entries, opcode.i32Const, 1, opcode.i32Sub, opcode.localSet, entries]);
  code.bytes([opcode.branch, 0, opcode.end, opcode.end, opcode.end]);
  return code;
}

/** Whether modules with SIMD may be compiled here. */
export function supportsWasmSimd(): boolean {
  if (typeof WebAssembly === "undefined") return false;
  const module = new ByteWriter();
  module.bytes(preamble);
  module.section(sectionId.type, (s) => s.bytes([1, wasmType.func, 0, 1, wasmType.v128]));
  module.section(sectionId.function, (s) => s.bytes([1, 0]));
  module.section(sectionId.code, (s) => {
    const body = new ByteWriter();
    body.bytes([0, opcode.f64Const, 0, 0, 0, 0, 0, 0, 0, 0, simdPrefix, simd.f64x2Splat, opcode.end]);
    s.unsigned(1);
    s.sized(body.finish());
  });
  // compiling, and not only validating, also notices a page whose policy forbids it
  try {
    return new WebAssembly.Module(module.finish()) instanceof WebAssembly.Module;
  } catch {
    return false;
  }
}
