/** What every builder and target needs to know about an instruction: its arguments, and the type of what it gives. */
import type { Instruction, Program } from "./program.ts";

/** Words before the operand addresses in an entry of a call list: program, words (these three included), trips. */
export const headerWords = 3;

export type ValueType = "f64" | "f64x2" | "none";

/** The numbers of the values an instruction reads, in the order in which targets evaluate them. */
export function argumentsOf(instruction: Instruction): number[] {
  switch (instruction.op) {
    case "const":
    case "load":
    case "loadAdjacent":
    case "loadPair":
      return [];
    case "splat":
    case "lane":
    case "neg":
    case "sqrt":
    case "abs":
    case "store":
    case "storeAdjacent":
    case "storePair":
      return [instruction.a];
    case "join":
    case "add":
    case "sub":
    case "mul":
    case "div":
    case "min":
    case "max":
      return [instruction.a, instruction.b];
    case "ifLess":
      return [instruction.then, instruction.otherwise, instruction.a, instruction.b];
  }
}

export function isStore(instruction: Instruction): boolean {
  return instruction.op === "store" || instruction.op === "storeAdjacent" || instruction.op === "storePair";
}

/** The type an instruction gives, from the types of the values before it; throws if its arguments do not fit. */
export function typeOf(instruction: Instruction, types: readonly ValueType[]): ValueType {
  switch (instruction.op) {
    case "const":
      return instruction.wide ? "f64x2" : "f64";
    case "load":
      return "f64";
    case "loadAdjacent":
    case "loadPair":
      return "f64x2";
    case "splat":
      expectType(instruction, types, instruction.a, "f64");
      return "f64x2";
    case "lane":
      expectType(instruction, types, instruction.a, "f64x2");
      return "f64";
    case "join":
      expectType(instruction, types, instruction.a, "f64");
      expectType(instruction, types, instruction.b, "f64");
      return "f64x2";
    case "store":
      expectType(instruction, types, instruction.a, "f64");
      return "none";
    case "storeAdjacent":
    case "storePair":
      expectType(instruction, types, instruction.a, "f64x2");
      return "none";
    default: {
      // arithmetic: all arguments of one type, which is that of the result
      const type = types[instruction.a] === "f64" ? "f64" : "f64x2";
      expectType(instruction, types, instruction.a, type);
      if ("b" in instruction) expectType(instruction, types, instruction.b, type);
      if (instruction.op === "ifLess") {
        expectType(instruction, types, instruction.then, type);
        expectType(instruction, types, instruction.otherwise, type);
      }
      return type;
    }
  }
}

function expectType(instruction: Instruction, types: readonly ValueType[], value: number, type: ValueType): void {
  if (types[value] !== type) throw new Error(`${instruction.op} wants ${type}, value ${value} is ${types[value]}`);
}

/** The type of each instruction of a program; throws, naming the program, on the first fault. */
export function checkedTypes(program: Program): ValueType[] {
  const { name, operandCount, instructions, loop } = program;
  if (loop !== undefined && loop.length !== operandCount) {
    throw new Error(`program ${name}: ${loop.length} strides for ${operandCount} operands`);
  }
  const types: ValueType[] = [];
  try {
    for (const instruction of instructions) {
      checkOperands(instruction, operandCount);
      types.push(typeOf(instruction, types));
    }
  } catch (error) {
    throw new Error(`program ${name}, instruction ${types.length}: ${(error as Error).message}`);
  }
  return types;
}

/** Refuses operands the program does not have, and indices that are no whole number from 0 up. */
export function checkOperands(instruction: Instruction, operandCount: number): void {
  if (!("operand" in instruction)) return;
  const { operand, index } = instruction;
  const last = "operand2" in instruction ? Math.max(operand, instruction.operand2) : operand;
  const first = "operand2" in instruction ? Math.min(operand, instruction.operand2) : operand;
  if (!(first >= 0 && last < operandCount)) throw new Error(`no operand ${last} (there are ${operandCount})`);
  if (!(Number.isInteger(index) && index >= 0)) throw new Error(`bad index ${index}`);
}
