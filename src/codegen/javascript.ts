/**
 * Programs as JavaScript, one function each, built with `new Function` (a page needs 'unsafe-eval' for it).
 * An f64x2 value k is two constants, v{k} and w{k}. V8 stops optimising functions past about 4,000 operations.
 */
import { argumentsOf, checkedTypes, headerWords, isStore } from "./instruction.ts";
import { loader, type Made } from "./loader.ts";
import type { Instruction, Program, Target } from "./program.ts";

export const javascript: Target = {
  name: "javascript",
  load: loader((program) => new Function("numbers", "words", "entry", javascriptSource(program)) as Made),
};

/** The body of function(numbers, words, entry) for a program. */
function javascriptSource(program: Program): string {
  const isWide = checkedTypes(program).map((type) => type === "f64x2");
  const lines = ['"use strict";'];
  for (let o = 0; o < program.operandCount; o++) {
    lines.push(`let p${o} = words[entry + ${headerWords + o}] >> 3;`);
  }
  if (program.loop !== undefined) lines.push("for (let trips = words[entry + 2]; trips > 0; trips--) {");
  program.instructions.forEach((instruction, k) => {
    lines.push(...statements(instruction, k, isWide, program.instructions));
  });
  if (program.loop !== undefined) {
    program.loop.forEach((stride, o) => {
      if (stride !== 0) lines.push(`p${o} += ${stride / 8};`);
    });
    lines.push("}");
  }
  return lines.join("\n");
}

function statements(
  instruction: Instruction,
  k: number,
  isWide: readonly boolean[],
  instructions: readonly Instruction[],
): string[] {
  const at = (operand: number, index: number) => `numbers[p${operand} + ${index}]`;
  const lane = (prefix: "v" | "w") => (value: number) => {
    const source = instructions[value];
    return source.op === "const" ? literal(source.value) : `${prefix}${value}`;
  };
  const [v, w] = [lane("v"), lane("w")];
  const store = (target: string, value: string, accumulate: boolean) =>
    accumulate ? `${target} = ${target} + ${value};` : `${target} = ${value};`;

  if (isStore(instruction)) return stores();
  if (instruction.op === "const") return [];
  const [first, second] = lanes();
  return isWide[k] ? [`const v${k} = ${first};`, `const w${k} = ${second};`] : [`const v${k} = ${first};`];

  function lanes(): [string, string] {
    switch (instruction.op) {
      case "load":
        return [at(instruction.operand, instruction.index), ""];
      case "loadAdjacent":
        return [at(instruction.operand, instruction.index), at(instruction.operand, instruction.index + 1)];
      case "loadPair":
        return [at(instruction.operand, instruction.index), at(instruction.operand2, instruction.index)];
      case "splat":
        return [v(instruction.a), v(instruction.a)];
      case "lane":
        return [instruction.lane === 0 ? v(instruction.a) : w(instruction.a), ""];
      case "join":
        return [v(instruction.a), v(instruction.b)];
      default: {
        const args = argumentsOf(instruction);
        return [formula(instruction, args.map(v)), formula(instruction, args.map(w))];
      }
    }
  }

  function stores(): string[] {
    switch (instruction.op) {
      case "store":
        return [store(at(instruction.operand, instruction.index), v(instruction.a), instruction.accumulate)];
      case "storeAdjacent":
        return [
          store(at(instruction.operand, instruction.index), v(instruction.a), instruction.accumulate),
          store(at(instruction.operand, instruction.index + 1), w(instruction.a), instruction.accumulate),
        ];
      case "storePair":
        return [
          store(at(instruction.operand, instruction.index), v(instruction.a), instruction.accumulate),
          store(at(instruction.operand2, instruction.index), w(instruction.a), instruction.accumulate),
        ];
      default:
        return [];
    }
  }
}

/** One lane of an operation, given its arguments in the order of `argumentsOf`. */
function formula(instruction: Instruction, [a, b, c, d]: readonly string[]): string {
  switch (instruction.op) {
    case "neg":
      return `-${a}`;
    case "sqrt":
      return `Math.sqrt(${a})`;
    case "abs":
      return `Math.abs(${a})`;
    case "add":
      return `${a} + ${b}`;
    case "sub":
      return `${a} - ${b}`;
    case "mul":
      return `${a} * ${b}`;
    case "div":
      return `${a} / ${b}`;
    case "min":
      return `Math.min(${a}, ${b})`;
    case "max":
      return `Math.max(${a}, ${b})`;
    case "ifLess":
      return `${c} < ${d} ? ${a} : ${b}`;
    default:
      throw new Error(`${instruction.op} is no arithmetic`);
  }
}

/** A number as text that reads back to the same bits, safe after a minus sign. */
function literal(value: number): string {
  if (Object.is(value, -0)) return "(-0)";
  return value < 0 ? `(${value})` : `${value}`;
}
