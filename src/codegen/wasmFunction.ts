/**
 * The code of one program as a WebAssembly function (entry: i32) → (). It reads its operand addresses from the call
 * list's entry, then runs the body, in a loop if the program has one.
 *
 * Locals: the entry address, the operand addresses, the trip counter, the f64s, the v128s. Memory offsets are
 * immediates: an f64 at index i of an operand is at its address + 8i.
 */
import { headerWords, isStore, operandsOf } from "./instruction.ts";
import type { Instruction, Program } from "./program.ts";
import { ByteWriter, opcode, simd, simdPrefix, wasmType } from "./wasmEncoder.ts";
import { type WasmPlan, wasmPlan } from "./wasmPlan.ts";

/** Locals and body of the function, as the code section wants it. */
export function wasmFunction(program: Program): ByteWriter {
  return new FunctionEmitter(program).emit();
}

class FunctionEmitter {
  readonly #program: Program;
  readonly #plan: WasmPlan;
  readonly #code = new ByteWriter();
  /** The local holding the address of an operand; only operands in use have one. */
  readonly #addressLocal = new Map<number, number>();
  readonly #tripsLocal: number;
  readonly #f64Base: number;
  readonly #v128Base: number;

  constructor(program: Program) {
    this.#program = program;
    this.#plan = wasmPlan(program);
    for (const operand of program.instructions.flatMap(operandsOf)) {
      if (!this.#addressLocal.has(operand)) this.#addressLocal.set(operand, 1 + this.#addressLocal.size);
    }
    this.#tripsLocal = 1 + this.#addressLocal.size;
    this.#f64Base = this.#tripsLocal + 1;
    this.#v128Base = this.#f64Base + this.#plan.f64Locals;
  }

  emit(): ByteWriter {
    const code = this.#code;
    code.unsigned(3);
    code.unsigned(this.#addressLocal.size + 1);
    code.byte(wasmType.i32);
    code.unsigned(this.#plan.f64Locals);
    code.byte(wasmType.f64);
    code.unsigned(this.#plan.v128Locals);
    code.byte(wasmType.v128);

    for (const [operand, local] of this.#addressLocal) {
      this.#loadWord(headerWords + operand);
      this.#localOp(opcode.localSet, local);
    }
    if (this.#program.loop === undefined) this.#body();
    else this.#loop(this.#program.loop);
    code.byte(opcode.end);
    return code;
  }

  /** trips times: the body, then the addresses move on. */
  #loop(strides: readonly number[]): void {
    const code = this.#code;
    this.#loadWord(2);
    this.#localOp(opcode.localSet, this.#tripsLocal);
    code.bytes([opcode.block, wasmType.empty]);
    this.#localOp(opcode.localGet, this.#tripsLocal);
    code.byte(opcode.i32Eqz);
    code.bytes([opcode.branchIf, 0]);
    code.bytes([opcode.loop, wasmType.empty]);
    this.#body();
    strides.forEach((stride, operand) => {
      const local = this.#addressLocal.get(operand);
      if (stride !== 0 && local !== undefined) this.#advance(local, stride, opcode.localSet);
    });
    this.#advance(this.#tripsLocal, -1, opcode.localTee);
    code.bytes([opcode.branchIf, 0]);
    code.bytes([opcode.end, opcode.end]);
  }

  #advance(local: number, by: number, write: number): void {
    this.#localOp(opcode.localGet, local);
    this.#code.byte(opcode.i32Const);
    this.#code.signed(by);
    this.#code.byte(opcode.i32Add);
    this.#localOp(write, local);
  }

  #body(): void {
    this.#program.instructions.forEach((instruction, k) => {
      if (!this.#plan.isStatement[k]) return;
      this.#tree(k);
      if (!isStore(instruction)) this.#localOp(opcode.localSet, this.#localOf(k));
    });
  }

  /** The code of statement k with all that is inline in it: an explicit stack of k to begin and ~k to end. */
  #tree(root: number): void {
    const { instructions } = this.#program;
    const stack: (number | "spread")[] = [root];
    while (stack.length > 0) {
      const top = stack.pop()!;
      if (top === "spread") {
        this.#simd(simd.f64x2Splat);
      } else if (top < 0) {
        this.#end(instructions[~top]);
      } else if (top !== root && this.#plan.local[top] >= 0) {
        this.#localOp(opcode.localGet, this.#localOf(top));
      } else if (this.#begin(instructions[top])) {
        const args = this.#plan.args[top];
        stack.push(~top);
        for (let i = args.length - 1; i > 0; i--) stack.push(args[i]);
        // join(a, b) is a, spread to both lanes, then b put into lane 1
        if (instructions[top].op === "join") stack.push("spread");
        stack.push(args[0]);
      }
    }
  }

  /** What comes before the arguments. False if that was all: a leaf. */
  #begin(instruction: Instruction): boolean {
    const code = this.#code;
    switch (instruction.op) {
      case "const":
        if (instruction.wide) this.#simd(simd.const);
        else code.byte(opcode.f64Const);
        code.float64(instruction.value);
        if (instruction.wide) code.float64(instruction.value);
        return false;
      case "load":
        this.#address(instruction.operand);
        code.byte(opcode.f64Load);
        this.#memory(instruction.index);
        return false;
      case "loadAdjacent":
        this.#address(instruction.operand);
        this.#simd(simd.load);
        this.#memory(instruction.index);
        return false;
      case "loadPair":
        this.#address(instruction.operand2);
        this.#address(instruction.operand);
        this.#simd(simd.load64Zero);
        this.#memory(instruction.index);
        this.#simd(simd.load64Lane);
        this.#memory(instruction.index);
        code.byte(1);
        return false;
      case "splat": {
        // a load that nobody else reads is spread as it is loaded
        const source = this.#program.instructions[instruction.a];
        if (source.op !== "load" || this.#plan.local[instruction.a] >= 0) return true;
        this.#address(source.operand);
        this.#simd(simd.load64Splat);
        this.#memory(source.index);
        return false;
      }
      case "store":
        this.#address(instruction.operand);
        if (instruction.accumulate) this.#loadFrom(instruction.operand, instruction.index);
        return true;
      case "storeAdjacent":
        this.#address(instruction.operand);
        if (instruction.accumulate) {
          this.#address(instruction.operand);
          this.#simd(simd.load);
          this.#memory(instruction.index);
        }
        return true;
      case "storePair":
        this.#storeLane(instruction, 0);
        this.#storeLane(instruction, 1);
        return false;
      default:
        return true;
    }
  }

  /** What comes after the arguments. */
  #end(instruction: Instruction): void {
    const code = this.#code;
    switch (instruction.op) {
      case "splat":
        this.#simd(simd.f64x2Splat);
        break;
      case "lane":
        this.#simd(simd.extractLane);
        code.byte(instruction.lane);
        break;
      case "join":
        this.#simd(simd.replaceLane);
        code.byte(1);
        break;
      case "ifLess": {
        const isWide = this.#plan.types[instruction.a] === "f64x2";
        if (isWide) {
          this.#simd(simd.f64x2Lt);
          this.#simd(simd.bitselect);
        } else {
          code.bytes([opcode.f64Lt, opcode.select]);
        }
        break;
      }
      case "store":
        if (instruction.accumulate) code.byte(opcode.f64.add);
        code.byte(opcode.f64Store);
        this.#memory(instruction.index);
        break;
      case "storeAdjacent":
        if (instruction.accumulate) this.#simd(simd.f64x2.add);
        this.#simd(simd.store);
        this.#memory(instruction.index);
        break;
      case "const":
      case "load":
      case "loadAdjacent":
      case "loadPair":
      case "storePair":
        break;
      default:
        if (this.#plan.types[instruction.a] === "f64x2") this.#simd(simd.f64x2[instruction.op]);
        else code.byte(opcode.f64[instruction.op]);
    }
  }

  #storeLane(instruction: Extract<Instruction, { op: "storePair" }>, lane: 0 | 1): void {
    const operand = lane === 0 ? instruction.operand : instruction.operand2;
    this.#address(operand);
    if (instruction.accumulate) {
      this.#loadFrom(operand, instruction.index);
      this.#localOp(opcode.localGet, this.#localOf(instruction.a));
      this.#simd(simd.extractLane);
      this.#code.byte(lane);
      this.#code.bytes([opcode.f64.add, opcode.f64Store]);
      this.#memory(instruction.index);
    } else {
      this.#localOp(opcode.localGet, this.#localOf(instruction.a));
      this.#simd(simd.store64Lane);
      this.#memory(instruction.index);
      this.#code.byte(lane);
    }
  }

  #loadFrom(operand: number, index: number): void {
    this.#address(operand);
    this.#code.byte(opcode.f64Load);
    this.#memory(index);
  }

  /** The i-th word of the call list's entry. */
  #loadWord(i: number): void {
    this.#localOp(opcode.localGet, 0);
    this.#code.byte(opcode.i32Load);
    this.#code.unsigned(2);
    this.#code.unsigned(4 * i);
  }

  #address(operand: number): void {
    this.#localOp(opcode.localGet, this.#addressLocal.get(operand)!);
  }

  #localOf(value: number): number {
    const base = this.#plan.types[value] === "f64x2" ? this.#v128Base : this.#f64Base;
    return base + this.#plan.local[value];
  }

  #localOp(op: number, local: number): void {
    this.#code.byte(op);
    this.#code.unsigned(local);
  }

  #simd(op: number): void {
    this.#code.byte(simdPrefix);
    this.#code.unsigned(op);
  }

  /** Alignment 2³ and the byte offset of an index. */
  #memory(index: number): void {
    this.#code.unsigned(3);
    this.#code.unsigned(8 * index);
  }
}
