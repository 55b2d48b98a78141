/**
 * Builds a program one instruction at a time, for linear algebra written by hand:
 *   const b = new ProgramBuilder("axpy", 3);
 *   b.storeAdjacent(2, 0, b.add(b.mul(b.splat(b.load(0, 0)), b.loadAdjacent(1, 0)), b.loadAdjacent(2, 0)));
 *   const program = b.finish();
 * Types are checked as it builds: a wrong one throws at the line that asked for it.
 */
import { checkOperands, typeOf, type ValueType } from "./instruction.ts";
import type { Instruction, Program } from "./program.ts";

/** A value of a program under construction. */
export interface Value {
  readonly number: number;
  readonly wide: boolean;
}

export class ProgramBuilder {
  readonly name: string;
  readonly operandCount: number;
  readonly #instructions: Instruction[] = [];
  readonly #types: ValueType[] = [];
  readonly #values: Value[] = [];

  constructor(name: string, operandCount: number) {
    this.name = name;
    this.operandCount = operandCount;
  }

  constant(value: number, wide = false): Value {
    return this.#value({ op: "const", value, wide });
  }

  load(operand: number, index: number): Value {
    return this.#value({ op: "load", operand, index });
  }

  /** (index, index + 1) of one operand. */
  loadAdjacent(operand: number, index: number): Value {
    return this.#value({ op: "loadAdjacent", operand, index });
  }

  /** Lane 0 from one operand, lane 1 from another. */
  loadPair(operand: number, operand2: number, index: number): Value {
    return this.#value({ op: "loadPair", operand, operand2, index });
  }

  splat(a: Value): Value {
    return this.#value({ op: "splat", a: this.#number(a) });
  }

  lane(a: Value, lane: 0 | 1): Value {
    return this.#value({ op: "lane", a: this.#number(a), lane });
  }

  join(a: Value, b: Value): Value {
    return this.#value({ op: "join", a: this.#number(a), b: this.#number(b) });
  }

  neg(a: Value): Value {
    return this.#value({ op: "neg", a: this.#number(a) });
  }

  sqrt(a: Value): Value {
    return this.#value({ op: "sqrt", a: this.#number(a) });
  }

  abs(a: Value): Value {
    return this.#value({ op: "abs", a: this.#number(a) });
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
    return this.#value({ op, a: this.#number(a), b: this.#number(b) });
  }

  /** a < b ? then : otherwise, lane by lane. */
  ifLess(a: Value, b: Value, then: Value, otherwise: Value): Value {
    return this.#value({
      op: "ifLess",
      a: this.#number(a),
      b: this.#number(b),
      // biome-ignore lint/suspicious/noThenProperty: the contract's name, and nobody awaits an instruction
      then: this.#number(then),
      otherwise: this.#number(otherwise),
    });
  }

  store(operand: number, index: number, a: Value, accumulate = false): void {
    this.#push({ op: "store", operand, index, a: this.#number(a), accumulate });
  }

  storeAdjacent(operand: number, index: number, a: Value, accumulate = false): void {
    this.#push({ op: "storeAdjacent", operand, index, a: this.#number(a), accumulate });
  }

  storePair(operand: number, operand2: number, index: number, a: Value, accumulate = false): void {
    this.#push({ op: "storePair", operand, operand2, index, a: this.#number(a), accumulate });
  }

  /** The program. With `loop`, strides in bytes an operand, it runs `trips` times. */
  finish(loop?: readonly number[]): Program {
    if (loop !== undefined && loop.length !== this.operandCount) {
      throw new Error(`${this.name}: ${loop.length} strides for ${this.operandCount} operands`);
    }
    const program = { name: this.name, operandCount: this.operandCount, instructions: [...this.#instructions] };
    return loop === undefined ? program : { ...program, loop: [...loop] };
  }

  #value(instruction: Instruction): Value {
    const number = this.#push(instruction);
    const value = { number, wide: this.#types[number] === "f64x2" };
    this.#values[number] = value;
    return value;
  }

  #push(instruction: Instruction): number {
    try {
      checkOperands(instruction, this.operandCount);
      this.#types.push(typeOf(instruction, this.#types));
    } catch (error) {
      throw new Error(`${this.name}: ${(error as Error).message}`);
    }
    return this.#instructions.push(instruction) - 1;
  }

  /** Refuses a value of another builder. */
  #number(value: Value): number {
    if (this.#values[value.number] !== value) throw new Error(`${this.name}: a value of another program`);
    return value.number;
  }
}
