/**
 * Programs as functions of WebAssembly modules with f64x2 SIMD, on one memory. They stand in a table by their numbers, and the driver is
 *   run(list, entries): while (entries-- > 0) { table[list[0]](list); list += 4 · list[1] }
 * A program is compiled once, however many memories it runs on: a second system of a mechanism, one with room for more contacts and that of
 * its gradients go on with code that V8 has optimised already.
 */
import { cached } from "../math/index.ts";
import { OutOfMemory } from "./outOfMemory.ts";
import type { Executable, NumberedPrograms, Program, Target } from "./program.ts";
import { ByteWriter, opcode, preamble, sectionId, simd, simdPrefix, wasmType } from "./wasmEncoder.ts";
import { wasmFunction } from "./wasmFunction.ts";

export const webassembly: Target = {
  name: "webassembly",
  load(programs, bytes) {
    const memory = reserved(bytes);
    if (memory) return loadedInto(memory, programs);
    throw new OutOfMemory(noAddresses);
  },
};

/**
 * The programs on a memory of their own.
 * @internal
 */
export function loadedInto(memory: WebAssembly.Memory, programs: NumberedPrograms): Executable {
  const imports = { env: { memory } };
  const { run, table: exported } = new WebAssembly.Instance(driverFor(programs.length), imports).exports;
  const table = exported as WebAssembly.Table;
  const add = (more: NumberedPrograms): void => {
    for (const [module, numbers] of placed(more)) {
      const { exports } = new WebAssembly.Instance(module, imports);
      for (const number of numbers) table.set(number, exports[nameOf(more[number] as Program)] as () => void);
    }
  };
  add(programs);
  return { memory: memory.buffer as ArrayBuffer, run: run as Executable["run"], add };
}

const noAddresses =
  "no addresses are left for a memory of WebAssembly, for which engines reserve up to 10 GB (ulimit -v); leave `target` out, or start Node with --disable-wasm-trap-handler";

const pageBytes = 65536;

/**
 * A memory of so many bytes; undefined where a limit on addresses leaves no room for it.
 * @internal
 */
export function reserved(bytes: number): WebAssembly.Memory | undefined {
  const pages = Math.max(1, Math.ceil(bytes / pageBytes));
  try {
    return new WebAssembly.Memory({ initial: pages, maximum: pages });
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Drivers by how many programs their tables are for: a table of known size is quicker to call from. */
const drivers = new Map<number, WebAssembly.Module>();

function driverFor(programs: number): WebAssembly.Module {
  return cached(drivers, programs, () => new WebAssembly.Module(driverBytes(programs)));
}

/** The module that each program was compiled in, and the name of its function there: a cache of a pure function. */
const homes = new WeakMap<Program, { readonly module: WebAssembly.Module; readonly name: string }>();

const nameOf = (program: Program): string => homes.get(program)?.name as string;

/** The modules that hold these programs, with their numbers; those that have not been compiled yet are put into one of their own. */
function placed(programs: NumberedPrograms): Map<WebAssembly.Module, number[]> {
  const unknown = new Set<Program>();
  for (const program of programs) if (program && !homes.has(program)) unknown.add(program);
  if (unknown.size > 0) {
    const own = [...unknown];
    const module = new WebAssembly.Module(compileWasm(own));
    own.forEach((program, k) => {
      homes.set(program, { module, name: functionName(k) });
    });
  }
  const modules = new Map<WebAssembly.Module, number[]>();
  programs.forEach((program, number) => {
    if (!program) return;
    const { module } = homes.get(program) as { module: WebAssembly.Module };
    const numbers = modules.get(module);
    if (numbers) numbers.push(number);
    else modules.set(module, [number]);
  });
  return modules;
}

const functionName = (k: number): string => k.toString(36);

/** The bytes of a module with a function for each of these programs. */
export function compileWasm(programs: readonly Program[]): Uint8Array<ArrayBuffer> {
  const module = new ByteWriter();
  module.bytes(preamble);
  module.section(sectionId.type, (s) => {
    s.unsigned(1);
    s.bytes([wasmType.func, 1, wasmType.i32, 0]);
  });
  module.section(sectionId.import, (s) => {
    s.unsigned(1);
    importMemory(s);
  });
  module.section(sectionId.function, (s) => {
    s.unsigned(programs.length);
    for (let k = 0; k < programs.length; k++) s.unsigned(0);
  });
  module.section(sectionId.export, (s) => {
    s.unsigned(programs.length);
    for (let k = 0; k < programs.length; k++) {
      s.name(functionName(k));
      s.byte(0x00); // a function
      s.unsigned(k);
    }
  });
  module.section(sectionId.code, (s) => {
    s.unsigned(programs.length);
    const scratch = new ByteWriter();
    for (const program of programs) {
      scratch.clear();
      wasmFunction(program, scratch);
      s.sized(scratch.finish());
    }
  });
  return module.finish();
}

/** The bytes of the module with the driver, and with a table for so many programs. */
function driverBytes(programs: number): Uint8Array<ArrayBuffer> {
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
    importMemory(s);
  });
  module.section(sectionId.function, (s) => s.bytes([1, 1]));
  module.section(sectionId.table, (s) => {
    s.unsigned(1);
    s.bytes([wasmType.funcref, 0x01]); // minimum and maximum
    s.unsigned(programs);
    s.unsigned(programs);
  });
  module.section(sectionId.export, (s) => {
    s.unsigned(2);
    s.name("run");
    s.bytes([0x00, 0]); // function 0
    s.name("table");
    s.bytes([0x01, 0]); // table 0
  });
  module.section(sectionId.code, (s) => {
    s.unsigned(1);
    s.sized(driver().finish());
  });
  return module.finish();
}

function importMemory(s: ByteWriter): void {
  s.name("env");
  s.name("memory");
  s.bytes([0x02, 0x00]); // a memory with a minimum size
  s.unsigned(0);
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
