/**
 * Kernels of joints and bodies over one small memory of their own: calls that do not depend on each other go in pairs, one in each lane.
 * The program of a species is made once, whatever the mechanism.
 */
import { type Executable, headerWords, kernelProgram, type Program, type Target } from "../codegen/index.ts";
import type { JointType } from "../equations/index.ts";
import { type Expr, Graph, type Scalar } from "../symbolic/index.ts";

/** What a kernel computes: symbols in operands, and values in the operands that follow. */
export interface Kernel {
  readonly operands: number;
  readonly inputs: ReadonlyMap<Expr, { readonly operand: number; readonly index: number }>;
  readonly outputs: readonly { readonly operand: number; readonly index: number; readonly value: Scalar }[];
}

/** What a kernel computes, as a function of symbols and of numbers alike: values in operands that follow those it is given. */
export interface Formula {
  /** Numbers in each operand that it is given. */
  readonly sizes: readonly number[];
  readonly values: (given: readonly (readonly Scalar[])[]) => readonly (readonly Scalar[])[];
}

/** One call of a kernel: its species, and the place of each operand. */
export interface Call {
  readonly species: string;
  /** A kernel is made of symbols; a formula may also be evaluated at numbers. */
  readonly make: Formula | (() => Kernel);
  /** First f64 of each operand; those that are written come last. */
  readonly operands: readonly number[];
  /** How many of the operands are written. Nothing else writes there, so constants among the outputs are written once. */
  readonly outputs: number;
}

interface Species {
  readonly program: Program;
  /** Outputs that the program leaves out. */
  readonly constants: Kernel["outputs"];
}

const made = new Map<string, Species>();

function speciesOf({ species, make }: Call): Species {
  const known = made.get(species);
  if (known) return known;
  const { outputs, ...kernel } = typeof make === "function" ? make() : kernelOfFormula(make);
  const isConstant = ({ value }: { readonly value: Scalar }): boolean => typeof value === "number";
  const program = kernelProgram({
    ...kernel,
    outputs: outputs.filter((output) => !isConstant(output)),
    name: species,
    lanes: 2,
  });
  const entry = { program, constants: outputs.filter(isConstant) };
  made.set(species, entry);
  return entry;
}

/** A list of calls, in levels that follow each other, over a memory of `size` numbers. */
export class CallList {
  readonly f64: Float64Array;
  private readonly executable: Executable;
  private readonly address: number;
  private readonly entries: number;

  /** What an odd one out computes a second time goes to `sink`, which has room for the largest output. */
  constructor(target: Target, size: number, sink: number, levels: readonly (readonly Call[])[]) {
    const programs: Program[] = [];
    const numbers = new Map<Species, number>();
    const numberOf = (species: Species): number => {
      const known = numbers.get(species) ?? programs.push(species.program) - 1;
      numbers.set(species, known);
      return known;
    };
    const entries = levels.flatMap((level) =>
      paired(level).map(([first, second]) => entryWords(numberOf(speciesOf(first)), first, second, sink)),
    );
    const words = entries.flat();
    // addresses of call lists are multiples of 8
    this.address = 16 * Math.ceil(size / 2);
    this.entries = entries.length;
    this.executable = target.load(programs, this.address + 4 * words.length);
    new Int32Array(this.executable.memory).set(words, this.address / 4);
    this.f64 = new Float64Array(this.executable.memory, 0, size);
    for (const call of levels.flat()) {
      for (const { operand, index, value } of speciesOf(call).constants)
        this.f64[call.operands[operand] + index] = value as number;
    }
  }

  run(): void {
    this.executable.run(this.address, this.entries);
  }
}

/** Calls of a species by twos. */
function paired(calls: readonly Call[]): (readonly [Call, Call | undefined])[] {
  const bySpecies = new Map<string, Call[]>();
  for (const call of calls) bySpecies.set(call.species, [...(bySpecies.get(call.species) ?? []), call]);
  return [...bySpecies.values()].flatMap((group) =>
    group.flatMap((call, i) => (i % 2 === 0 ? [[call, group[i + 1]] as const] : [])),
  );
}

/** An odd one out runs beside itself, and its second lane writes into the sink. */
function entryWords(program: number, first: Call, second: Call | undefined, sink: number): number[] {
  const firstOutput = first.operands.length - first.outputs;
  const addresses = first.operands.flatMap((place, o) => {
    const beside = second ? second.operands[o] : o >= firstOutput ? sink : place;
    return [8 * place, 8 * beside];
  });
  return [program, headerWords + addresses.length, 1, ...addresses];
}

export const keyOf = ({ translation, rotation, serial, mirrored }: JointType): string =>
  `t${translation}r${rotation}${serial ? "s" : ""}${mirrored ? "m" : ""}`;

export function kernelOfFormula({ sizes, values }: Formula): Kernel {
  const graph = new Graph();
  const symbols = sizes.map((size, operand) => graph.symbols(`operand${operand}`, size));
  return kernelOf(symbols, values(symbols));
}

/** What a call list of formulas does, at plain numbers: slow, but there is nothing to compile. False where one of them is no formula. */
export function evaluateCalls(f64: Float64Array, levels: readonly (readonly Call[])[]): boolean {
  for (const { make, operands } of levels.flat()) {
    if (typeof make === "function") return false;
    const given = make.sizes.map((size, o) => Array.from(f64.subarray(operands[o], operands[o] + size)));
    make.values(given).forEach((values, o) => {
      f64.set(values as readonly number[], operands[given.length + o]);
    });
  }
  return true;
}

/** The kernel of values over symbols, each list of symbols and of values being an operand. */
export function kernelOf(symbols: readonly (readonly Expr[])[], outputs: readonly (readonly Scalar[])[]): Kernel {
  return {
    operands: symbols.length + outputs.length,
    inputs: new Map(
      symbols.flatMap((own, operand) => own.map((symbol, index) => [symbol, { operand, index }] as const)),
    ),
    outputs: outputs.flatMap((values, o) =>
      values.map((value, index) => ({ operand: symbols.length + o, index, value })),
    ),
  };
}
