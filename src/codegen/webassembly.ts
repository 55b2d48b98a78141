/**
 * Programs as a WebAssembly module with f64x2 SIMD. The module imports its memory and exports a table and the driver
 *   run(list, entries): while (entries-- > 0) { table[list[0]](list); list += 4 · list[1] }
 * Program k is entry k of the table. Programs that are added later are modules of their own, which import the table.
 */
import type { Executable, NumberedPrograms, Program, Target } from "./program.ts";
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
  const { run, table } = new WebAssembly.Instance(module, { env: { memory } }).exports;
  return {
    memory: memory.buffer as ArrayBuffer,
    run: run as Executable["run"],
    add(programs) {
      new WebAssembly.Instance(new WebAssembly.Module(compileWasm(programs, true)), {
        env: { memory, table: table as WebAssembly.Table },
      });
    },
  };
}

/** The bytes of a module holding these programs, with the table and the driver unless it adds to another one's. */
export function compileWasm(programs: NumberedPrograms, adds = false): Uint8Array<ArrayBuffer> {
  const runs = runsOf(programs);
  const present = runs.flatMap((run) => run.programs);
  const module = new ByteWriter();
  module.bytes(preamble);
  // type 0: a program; type 1: the driver
  module.section(sectionId.type, (s) => {
    s.unsigned(2);
    s.bytes([wasmType.func, 1, wasmType.i32, 0]);
    s.bytes([wasmType.func, 2, wasmType.i32, wasmType.i32, 0]);
  });
  module.section(sectionId.import, (s) => {
    s.unsigned(adds ? 2 : 1);
    s.name("env");
    s.name("memory");
    s.bytes([0x02, 0x00]); // a memory with a minimum size
    s.unsigned(0);
    if (!adds) return;
    s.name("env");
    s.name("table");
    s.bytes([0x01, wasmType.funcref, 0x00]); // a table with a minimum size
    s.unsigned(0);
  });
  module.section(sectionId.function, (s) => {
    s.unsigned(present.length + (adds ? 0 : 1));
    for (let k = 0; k < present.length; k++) s.unsigned(0);
    if (!adds) s.unsigned(1);
  });
  if (!adds) {
    module.section(sectionId.table, (s) => {
      s.unsigned(1);
      s.bytes([wasmType.funcref, 0x01]); // minimum and maximum
      s.unsigned(programs.length);
      s.unsigned(programs.length);
    });
    module.section(sectionId.export, (s) => {
      s.unsigned(2);
      s.name("run");
      s.byte(0x00); // a function
      s.unsigned(present.length);
      s.name("table");
      s.bytes([0x01, 0x00]); // table 0
    });
  }
  module.section(sectionId.element, (s) => {
    s.unsigned(runs.length);
    let next = 0;
    for (const { start, programs: own } of runs) {
      s.bytes([0x00, opcode.i32Const]); // table 0 from this entry on
      s.signed(start);
      s.byte(opcode.end);
      s.unsigned(own.length);
      for (let k = 0; k < own.length; k++) s.unsigned(next++);
    }
  });
  module.section(sectionId.code, (s) => {
    s.unsigned(present.length + (adds ? 0 : 1));
    const scratch = new ByteWriter();
    for (const program of present) s.sized(codeOf(program, scratch));
    if (!adds) s.sized(driver().finish());
  });
  return module.finish();
}

/** Programs whose numbers follow each other. */
function runsOf(programs: NumberedPrograms): { readonly start: number; readonly programs: Program[] }[] {
  const runs: { readonly start: number; readonly programs: Program[] }[] = [];
  programs.forEach((program, number) => {
    if (!program) return;
    const last = runs.at(-1);
    if (last && last.start + last.programs.length === number) last.programs.push(program);
    else runs.push({ start: number, programs: [program] });
  });
  return runs;
}

/** Code by program, a cache of a pure function: mechanisms share programs, and so do the steps and the gradients of one. */
const codes = new WeakMap<Program, Uint8Array>();

function codeOf(program: Program, scratch: ByteWriter): Uint8Array {
  const known = codes.get(program);
  if (known) return known;
  scratch.clear();
  wasmFunction(program, scratch);
  const code = scratch.finish();
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
