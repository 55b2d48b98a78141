/** The plainest target: walks the instructions. It is slow, and the measure of the others. */
import { checkedTypes, headerWords } from "./instruction.ts";
import { loader } from "./loader.ts";
import type { Instruction, Program, Target } from "./program.ts";

export const interpreter: Target = {
  name: "interpreter",
  load: loader((program) => {
    checkedTypes(program);
    return (numbers, words, entry) => interpret(program, numbers, words, entry);
  }),
};

function interpret(program: Program, numbers: Float64Array, words: Int32Array, entry: number): void {
  // addresses in f64s; lane 0 and lane 1 of every value
  const bases = Array.from({ length: program.operandCount }, (_, o) => words[entry + headerWords + o] / 8);
  const low = new Float64Array(program.instructions.length);
  const high = new Float64Array(program.instructions.length);
  const trips = program.loop === undefined ? 1 : words[entry + 2];
  for (let trip = 0; trip < trips; trip++) {
    program.instructions.forEach((instruction, k) => {
      execute(instruction, k, bases, numbers, low, high);
    });
    program.loop?.forEach((stride, o) => {
      bases[o] += stride / 8;
    });
  }
}

function execute(
  instruction: Instruction,
  k: number,
  bases: readonly number[],
  numbers: Float64Array,
  low: Float64Array,
  high: Float64Array,
): void {
  switch (instruction.op) {
    case "load":
      low[k] = numbers[bases[instruction.operand] + instruction.index];
      break;
    case "loadAdjacent":
      low[k] = numbers[bases[instruction.operand] + instruction.index];
      high[k] = numbers[bases[instruction.operand] + instruction.index + 1];
      break;
    case "loadPair":
      low[k] = numbers[bases[instruction.operand] + instruction.index];
      high[k] = numbers[bases[instruction.operand2] + instruction.index];
      break;
    case "splat":
      low[k] = low[instruction.a];
      high[k] = low[instruction.a];
      break;
    case "lane":
      low[k] = instruction.lane === 0 ? low[instruction.a] : high[instruction.a];
      break;
    case "join":
      low[k] = low[instruction.a];
      high[k] = low[instruction.b];
      break;
    case "store":
      store(numbers, bases[instruction.operand] + instruction.index, low[instruction.a], instruction.accumulate);
      break;
    case "storeAdjacent":
      store(numbers, bases[instruction.operand] + instruction.index, low[instruction.a], instruction.accumulate);
      store(numbers, bases[instruction.operand] + instruction.index + 1, high[instruction.a], instruction.accumulate);
      break;
    case "storePair":
      store(numbers, bases[instruction.operand] + instruction.index, low[instruction.a], instruction.accumulate);
      store(numbers, bases[instruction.operand2] + instruction.index, high[instruction.a], instruction.accumulate);
      break;
    default:
      low[k] = arithmetic(instruction, low);
      high[k] = arithmetic(instruction, high);
  }
}

function store(numbers: Float64Array, place: number, value: number, accumulate: boolean): void {
  numbers[place] = accumulate ? numbers[place] + value : value;
}

/** One lane of an operation on the values of that lane. */
function arithmetic(instruction: Instruction, v: Float64Array): number {
  switch (instruction.op) {
    case "const":
      return instruction.value;
    case "neg":
      return -v[instruction.a];
    case "sqrt":
      return Math.sqrt(v[instruction.a]);
    case "abs":
      return Math.abs(v[instruction.a]);
    case "add":
      return v[instruction.a] + v[instruction.b];
    case "sub":
      return v[instruction.a] - v[instruction.b];
    case "mul":
      return v[instruction.a] * v[instruction.b];
    case "div":
      return v[instruction.a] / v[instruction.b];
    case "min":
      return Math.min(v[instruction.a], v[instruction.b]);
    case "max":
      return Math.max(v[instruction.a], v[instruction.b]);
    case "ifLess":
      return v[instruction.a] < v[instruction.b] ? v[instruction.then] : v[instruction.otherwise];
    default:
      throw new Error(`${instruction.op} is no arithmetic`);
  }
}
