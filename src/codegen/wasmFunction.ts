/**
 * The code of one program as a WebAssembly function (entry: i32) → (). It reads its operand addresses from the call
 * list's entry, then runs the body, in a loop if the program has one.
 *
 * Locals: the entry address, the operand addresses, the trip counter, the f64s, the v128s. Memory offsets are
 * immediates: an f64 at index i of an operand is at its address + 8i.
 * Loads run in the order in which they are written, so the address of an operand is read where the operand is first used.
 */
import { headerWords } from "./instruction.ts";
import type { Instruction, Program } from "./program.ts";
import { type ByteWriter, opcode, simd, simdPrefix, wasmType } from "./wasmEncoder.ts";
import { kinds, type WasmPlan, wasmPlan } from "./wasmPlan.ts";

/** Writes locals and body of the function, as the code section wants it. */
export function wasmFunction(program: Program, code: ByteWriter): void {
  new FunctionEmitter(program, code).emit();
}

/** Instructions that address memory. */
type Access = Extract<Instruction, { readonly operand: number }>;
type StorePair = Extract<Instruction, { readonly op: "storePair" }>;

/** A mark on the stack of what is left to write: join's first argument, to be spread to both lanes. */
const spread = -0x40000000;

class FunctionEmitter {
  private readonly program: Program;
  private readonly plan: WasmPlan;
  private readonly code: ByteWriter;
  /** The local holding the address of an operand, in the order of first use; 0 for operands that are not used. */
  private readonly addressLocal: Int32Array;
  /** 1 for each operand once its local is set. */
  private readonly isSet: Uint8Array;
  private readonly tripsLocal: number;
  private readonly f64Base: number;
  private readonly v128Base: number;
  /** What is left to write of a statement: k to begin and ~k to end. */
  private readonly stack: number[] = [];

  constructor(program: Program, code: ByteWriter) {
    this.program = program;
    this.plan = wasmPlan(program);
    this.code = code;
    this.addressLocal = new Int32Array(program.operandCount);
    this.isSet = new Uint8Array(program.operandCount);
    this.tripsLocal = 1 + numberOperands(this.addressLocal, program, this.plan.kind);
    this.f64Base = this.tripsLocal + 1;
    this.v128Base = this.f64Base + this.plan.f64Locals;
  }

  emit(): void {
    const { code, program, plan } = this;
    code.unsigned(3);
    code.unsigned(this.tripsLocal);
    code.byte(wasmType.i32);
    code.unsigned(plan.f64Locals);
    code.byte(wasmType.f64);
    code.unsigned(plan.v128Locals);
    code.byte(wasmType.v128);

    if (program.loop === undefined) this.body();
    else this.loop(program.loop);
    code.byte(opcode.end);
  }

  /** trips times: the body, then the addresses move on. */
  private loop(strides: readonly number[]): void {
    const { code, addressLocal, isSet, tripsLocal } = this;
    for (let operand = 0; operand < addressLocal.length; operand++) {
      if (addressLocal[operand] === 0) continue;
      this.loadWord(headerWords + operand);
      this.localOp(opcode.localSet, addressLocal[operand]);
      isSet[operand] = 1;
    }
    this.loadWord(2);
    this.localOp(opcode.localSet, tripsLocal);
    code.bytes([opcode.block, wasmType.empty]);
    this.localOp(opcode.localGet, tripsLocal);
    code.byte(opcode.i32Eqz);
    code.bytes([opcode.branchIf, 0]);
    code.bytes([opcode.loop, wasmType.empty]);
    this.body();
    for (let operand = 0; operand < strides.length; operand++) {
      const local = addressLocal[operand];
      if (strides[operand] !== 0 && local > 0) this.advance(local, strides[operand], opcode.localSet);
    }
    this.advance(tripsLocal, -1, opcode.localTee);
    code.bytes([opcode.branchIf, 0]);
    code.bytes([opcode.end, opcode.end]);
  }

  private advance(local: number, by: number, write: number): void {
    this.localOp(opcode.localGet, local);
    this.code.byte(opcode.i32Const);
    this.code.signed(by);
    this.code.byte(opcode.i32Add);
    this.localOp(write, local);
  }

  private body(): void {
    const { isStatement, kind } = this.plan;
    for (let k = 0; k < kind.length; k++) {
      if (isStatement[k] === 0) continue;
      this.tree(k);
      if (kind[k] < kinds.store) this.localOp(opcode.localSet, this.localOf(k));
    }
  }

  /** The code of statement k with all that is inline in it, without recursion. */
  private tree(root: number): void {
    const { stack } = this;
    const { kind, local, args, argumentCount } = this.plan;
    let top = root;
    for (;;) {
      if (top === spread) {
        this.simd(simd.f64x2Splat);
      } else if (top < 0) {
        this.end(~top);
      } else if (top !== root && local[top] >= 0) {
        this.localOp(opcode.localGet, this.localOf(top));
      } else if (this.begin(top)) {
        const first = 4 * top;
        stack.push(~top);
        for (let i = first + argumentCount[top] - 1; i > first; i--) stack.push(args[i]);
        // join(a, b) is a, spread to both lanes, then b put into lane 1
        if (kind[top] === kinds.join) stack.push(spread);
        top = args[first];
        continue;
      }
      if (stack.length === 0) return;
      top = stack.pop() as number;
    }
  }

  /** What comes before the arguments. False if that was all: a leaf. */
  private begin(k: number): boolean {
    const own = this.plan.kind[k];
    // arithmetic, and what takes lanes apart
    if (own > kinds.splat && own < kinds.store) return true;
    const { code } = this;
    const instruction = this.program.instructions[k];
    switch (instruction.op) {
      case "const":
        if (instruction.wide) this.simd(simd.const);
        else code.byte(opcode.f64Const);
        code.float64(instruction.value);
        if (instruction.wide) code.float64(instruction.value);
        return false;
      case "load":
        this.address(instruction.operand);
        code.byte(opcode.f64Load);
        this.memory(instruction.index);
        return false;
      case "loadAdjacent":
        this.address(instruction.operand);
        this.simd(simd.load);
        this.memory(instruction.index);
        return false;
      case "loadPair":
        this.address(instruction.operand2);
        this.address(instruction.operand);
        this.simd(simd.load64Zero);
        this.memory(instruction.index);
        this.simd(simd.load64Lane);
        this.memory(instruction.index);
        code.byte(1);
        return false;
      case "splat": {
        // a load that nobody else reads is spread as it is loaded
        const source = this.program.instructions[instruction.a];
        if (source.op !== "load" || this.plan.local[instruction.a] >= 0) return true;
        this.address(source.operand);
        this.simd(simd.load64Splat);
        this.memory(source.index);
        return false;
      }
      case "store":
        this.address(instruction.operand);
        if (instruction.accumulate) this.loadFrom(instruction.operand, instruction.index);
        return true;
      case "storeAdjacent":
        this.address(instruction.operand);
        if (instruction.accumulate) {
          this.address(instruction.operand);
          this.simd(simd.load);
          this.memory(instruction.index);
        }
        return true;
      case "storePair":
        this.storeLane(instruction, 0);
        this.storeLane(instruction, 1);
        return false;
      default:
        return true;
    }
  }

  /** What comes after the arguments. */
  private end(k: number): void {
    const { code } = this;
    const { kind, isWide, args } = this.plan;
    const own = kind[k];
    if (own >= kinds.neg && own <= kinds.max) {
      if (isWide[k] === 1) this.simd(wideOpcodes[own - kinds.neg]);
      else code.byte(narrowOpcodes[own - kinds.neg]);
      return;
    }
    const instruction = this.program.instructions[k];
    switch (instruction.op) {
      case "splat":
        this.simd(simd.f64x2Splat);
        break;
      case "lane":
        this.simd(simd.extractLane);
        code.byte(instruction.lane);
        break;
      case "join":
        this.simd(simd.replaceLane);
        code.byte(1);
        break;
      case "ifLess":
        if (isWide[args[4 * k + 2]] === 1) {
          this.simd(simd.f64x2Lt);
          this.simd(simd.bitselect);
        } else {
          code.byte(opcode.f64Lt);
          code.byte(opcode.select);
        }
        break;
      case "store":
        if (instruction.accumulate) code.byte(opcode.f64.add);
        code.byte(opcode.f64Store);
        this.memory(instruction.index);
        break;
      case "storeAdjacent":
        if (instruction.accumulate) this.simd(simd.f64x2.add);
        this.simd(simd.store);
        this.memory(instruction.index);
        break;
      default:
        throw new Error(`${instruction.op} has no code after its arguments`);
    }
  }

  private storeLane(instruction: StorePair, lane: 0 | 1): void {
    const { code } = this;
    const operand = lane === 0 ? instruction.operand : instruction.operand2;
    this.address(operand);
    if (instruction.accumulate) {
      this.loadFrom(operand, instruction.index);
      this.localOp(opcode.localGet, this.localOf(instruction.a));
      this.simd(simd.extractLane);
      code.byte(lane);
      code.byte(opcode.f64.add);
      code.byte(opcode.f64Store);
      this.memory(instruction.index);
    } else {
      this.localOp(opcode.localGet, this.localOf(instruction.a));
      this.simd(simd.store64Lane);
      this.memory(instruction.index);
      code.byte(lane);
    }
  }

  private loadFrom(operand: number, index: number): void {
    this.address(operand);
    this.code.byte(opcode.f64Load);
    this.memory(index);
  }

  /** The i-th word of the call list's entry. */
  private loadWord(i: number): void {
    this.localOp(opcode.localGet, 0);
    this.code.byte(opcode.i32Load);
    this.code.unsigned(2);
    this.code.unsigned(4 * i);
  }

  private address(operand: number): void {
    const { isSet } = this;
    if (isSet[operand] === 0) this.loadWord(headerWords + operand);
    this.localOp(isSet[operand] === 0 ? opcode.localTee : opcode.localGet, this.addressLocal[operand]);
    isSet[operand] = 1;
  }

  private localOf(value: number): number {
    return (this.plan.isWide[value] === 1 ? this.v128Base : this.f64Base) + this.plan.local[value];
  }

  private localOp(op: number, local: number): void {
    this.code.pair(op, local);
  }

  private simd(op: number): void {
    this.code.pair(simdPrefix, op);
  }

  /** Alignment 2³ and the byte offset of an index. */
  private memory(index: number): void {
    this.code.pair(3, 8 * index);
  }
}

/** Gives operands their locals in the order of first use, and returns how many are used. */
function numberOperands(local: Int32Array, { instructions }: Program, kind: Uint8Array): number {
  let used = 0;
  for (let k = 0; k < instructions.length; k++) {
    const own = kind[k];
    if (!((own >= kinds.load && own <= kinds.loadPair) || own >= kinds.store)) continue;
    const instruction = instructions[k] as Access;
    if (local[instruction.operand] === 0) local[instruction.operand] = ++used;
    if (own === kinds.loadPair || own === kinds.storePair) {
      const { operand2 } = instruction as StorePair;
      if (local[operand2] === 0) local[operand2] = ++used;
    }
  }
  return used;
}

/** Operations from `neg` to `max`, in the order of their kinds. */
const arithmetic = ["neg", "sqrt", "abs", "add", "sub", "mul", "div", "min", "max"] as const;
const narrowOpcodes = arithmetic.map((op) => opcode.f64[op]);
const wideOpcodes = arithmetic.map((op) => simd.f64x2[op]);
