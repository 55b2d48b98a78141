/**
 * Builds a program one instruction at a time, for linear algebra written by hand:
 *   const b = new ProgramBuilder("axpy", 3);
 *   b.storeAdjacent(2, 0, b.add(b.mul(b.splat(b.load(0, 0)), b.loadAdjacent(1, 0)), b.loadAdjacent(2, 0)));
 *   const program = b.finish();
 * Types are checked as it builds: a wrong one throws at the line that asked for it.
 */
import { checkOperands, typeOf, type ValueType } from "./instruction.ts";
import type { Instruction, Program } from "./program.ts";

/** Programs that a builder has finished, which need no second check. */
const built = new WeakSet<Program>();

export function isBuilt(program: Program): boolean {
  return built.has(program);
}

/** A finished program with each instruction replaced by one of the same kind, which needs no second check either. */
export function changedProgram(
  { name, instructions }: Program,
  operandCount: number,
  change: (instruction: Instruction) => Instruction,
): Program {
  const program = { name, operandCount, instructions: instructions.map(change) };
  built.add(program);
  return program;
}

/** A value of a program under construction. */
export interface Value {
  readonly number: number;
  readonly wide: boolean;
}

/** What a store gives. */
const nothing: Value = { number: -1, wide: false };

interface Place {
  readonly operand: number;
  readonly operand2?: number;
  readonly index: number;
}

export class ProgramBuilder {
  readonly name: string;
  readonly operandCount: number;
  private readonly instructions: Instruction[] = [];
  /** The value of each instruction; that of a store is `nothing`. */
  private readonly values: Value[] = [];

  constructor(name: string, operandCount: number) {
    this.name = name;
    this.operandCount = operandCount;
  }

  constant(value: number, wide = false): Value {
    return this.value({ op: "const", value, wide }, wide);
  }

  load(operand: number, index: number): Value {
    return this.access({ op: "load", operand, index }, false);
  }

  /** (index, index + 1) of one operand. */
  loadAdjacent(operand: number, index: number): Value {
    return this.access({ op: "loadAdjacent", operand, index }, true);
  }

  /** Lane 0 from one operand, lane 1 from another. */
  loadPair(operand: number, operand2: number, index: number): Value {
    return this.access({ op: "loadPair", operand, operand2, index }, true);
  }

  splat(a: Value): Value {
    return this.checked({ op: "splat", a: this.numberOf(a) }, !a.wide, true);
  }

  lane(a: Value, lane: 0 | 1): Value {
    return this.checked({ op: "lane", a: this.numberOf(a), lane }, a.wide, false);
  }

  join(a: Value, b: Value): Value {
    return this.checked({ op: "join", a: this.numberOf(a), b: this.numberOf(b) }, !a.wide && !b.wide, true);
  }

  neg(a: Value): Value {
    return this.value({ op: "neg", a: this.numberOf(a) }, a.wide);
  }

  sqrt(a: Value): Value {
    return this.value({ op: "sqrt", a: this.numberOf(a) }, a.wide);
  }

  abs(a: Value): Value {
    return this.value({ op: "abs", a: this.numberOf(a) }, a.wide);
  }

  add(a: Value, b: Value): Value {
    return this.binary("add", a, b);
  }

  sub(a: Value, b: Value): Value {
    return this.binary("sub", a, b);
  }

  mul(a: Value, b: Value): Value {
    return this.binary("mul", a, b);
  }

  div(a: Value, b: Value): Value {
    return this.binary("div", a, b);
  }

  min(a: Value, b: Value): Value {
    return this.binary("min", a, b);
  }

  max(a: Value, b: Value): Value {
    return this.binary("max", a, b);
  }

  binary(op: "add" | "sub" | "mul" | "div" | "min" | "max", a: Value, b: Value): Value {
    return this.checked({ op, a: this.numberOf(a), b: this.numberOf(b) }, a.wide === b.wide, a.wide);
  }

  /** a < b ? then : otherwise, lane by lane. */
  ifLess(a: Value, b: Value, then: Value, otherwise: Value): Value {
    const instruction: Instruction = {
      op: "ifLess",
      a: this.numberOf(a),
      b: this.numberOf(b),
      // biome-ignore lint/suspicious/noThenProperty: the contract's name, and nobody awaits an instruction
      then: this.numberOf(then),
      otherwise: this.numberOf(otherwise),
    };
    const { wide } = a;
    return this.checked(instruction, b.wide === wide && then.wide === wide && otherwise.wide === wide, wide);
  }

  store(operand: number, index: number, a: Value, accumulate = false): void {
    this.put({ op: "store", operand, index, a: this.numberOf(a), accumulate }, !a.wide);
  }

  storeAdjacent(operand: number, index: number, a: Value, accumulate = false): void {
    this.put({ op: "storeAdjacent", operand, index, a: this.numberOf(a), accumulate }, a.wide);
  }

  storePair(operand: number, operand2: number, index: number, a: Value, accumulate = false): void {
    this.put({ op: "storePair", operand, operand2, index, a: this.numberOf(a), accumulate }, a.wide);
  }

  /** The value of this number. */
  valueAt(number: number): Value {
    return this.values[number];
  }

  /** The program. With `loop`, strides in bytes an operand, it runs `trips` times. */
  finish(loop?: readonly number[]): Program {
    if (loop !== undefined && loop.length !== this.operandCount) {
      throw new Error(`${this.name}: ${loop.length} strides for ${this.operandCount} operands`);
    }
    const instructions = this.instructions.slice();
    const { name, operandCount } = this;
    const program =
      loop === undefined ? { name, operandCount, instructions } : { name, operandCount, instructions, loop: [...loop] };
    built.add(program);
    return program;
  }

  private value(instruction: Instruction, wide: boolean): Value {
    const value = { number: this.instructions.push(instruction) - 1, wide };
    this.values.push(value);
    return value;
  }

  /** `fits`: whether the types of its arguments do. */
  private checked(instruction: Instruction, fits: boolean, wide: boolean): Value {
    if (!fits) this.refuse(instruction);
    return this.value(instruction, wide);
  }

  /** A load. */
  private access(instruction: Instruction & Place, wide: boolean): Value {
    if (!this.has(instruction)) this.refuse(instruction);
    return this.value(instruction, wide);
  }

  private put(instruction: Instruction & Place, fits: boolean): void {
    if (!fits || !this.has(instruction)) this.refuse(instruction);
    this.instructions.push(instruction);
    this.values.push(nothing);
  }

  private has({ operand, operand2 = operand, index }: Place): boolean {
    const count = this.operandCount;
    return (
      operand >= 0 && operand < count && operand2 >= 0 && operand2 < count && index >= 0 && Number.isInteger(index)
    );
  }

  /** Says what is wrong. */
  private refuse(instruction: Instruction): never {
    const types = this.values.map((value): ValueType => (value === nothing ? "none" : value.wide ? "f64x2" : "f64"));
    try {
      checkOperands(instruction, this.operandCount);
      typeOf(instruction, types);
    } catch (error) {
      throw new Error(`${this.name}: ${(error as Error).message}`);
    }
    throw new Error(`${this.name}: ${instruction.op} does not fit`);
  }

  /** Refuses a value of another builder. */
  private numberOf(value: Value): number {
    if (this.values[value.number] !== value) throw new Error(`${this.name}: a value of another program`);
    return value.number;
  }
}
