/**
 * Splits one set of expressions into kernels that run at different moments of a step, so that nothing is computed twice:
 *   prepare    once per step        what depends on the state, inputs and parameters only
 *   evaluate   once per iteration   what depends on the iterate as well
 *   linearise  now and then         gradients at the iterate, where they are kept for some iterations (treePlan.ts)
 *   weigh      once per iteration   what depends on the cone variables as well, for the matrix
 *   rhs        once per solve       what depends on the complementarity targets as well
 *   recover    once per solve       what depends on the solved step as well
 * Every symbol belongs to a stage; an expression belongs to the latest stage of its symbols. Where a kernel needs the
 * value of an earlier stage, that stage leaves it in the node's scratch memory.
 */
import { KernelPrograms, type Program } from "../../codegen/index.ts";
import { type Expr, type Graph, graphOf, reachable, type Scalar } from "../../symbolic/index.ts";

export const stages = ["prepare", "evaluate", "linearise", "weigh", "rhs", "recover"] as const;
export type Stage = (typeof stages)[number];

/** Where a number lives: the i-th f64 of a named operand of the node. */
export interface Place {
  readonly operand: string;
  readonly index: number;
}

export interface Output extends Place {
  /** The stage in which it is written. */
  readonly stage: Stage;
  readonly value: Scalar;
  readonly accumulate: boolean;
}

export interface StagedInput extends Place {
  readonly stage: Stage;
}

/** A program for two nodes at once. Its entry lists, for each operand name, the address for lane 0 and for lane 1. */
export interface Kernel {
  /** The name of its program. */
  readonly name: string;
  /** Made when it is first asked for. */
  readonly program: Program;
  /** The same for one node, to the bit: its entry lists one address for each operand name. */
  readonly alone: Program;
  readonly operands: readonly string[];
  /** Operands that the program writes. */
  readonly written: ReadonlySet<string>;
}

export interface StagedKernels {
  readonly kernels: Readonly<Partial<Record<Stage, Kernel>>>;
  readonly scratchSize: number;
}

export function stageKernels(
  name: string,
  inputs: ReadonlyMap<Expr, StagedInput>,
  outputs: readonly Output[],
): StagedKernels {
  const scratch = new Map<Expr, Place>();
  const wanted = stages.map((stage) => outputs.filter((output) => output.stage === stage));
  const kernels: Partial<Record<Stage, Kernel>> = {};
  const graph = graphOf(outputs.map(({ value }) => value));
  const inputAt = placesById(inputs, graph);
  const stageOf = stageNumbers(inputs, outputs);

  // latest stage first: what it needs from earlier ones becomes their output
  for (let number = stages.length - 1; number >= 0; number--) {
    const outputsHere = wanted[number];
    if (outputsHere.length === 0) continue;
    const places = new Map<Expr, Place>();
    visit(outputsHere, graph, (node) => {
      const { id } = node;
      const place = inputAt[id] ?? (stageOf[id] === number ? undefined : stash(node));
      if (place) places.set(node, place);
      return place !== undefined;
    });
    kernels[stages[number]] = kernelOf(`${name}.${stages[number]}`, places, outputsHere);
  }
  return { kernels, scratchSize: scratch.size };

  function stash(node: Expr): Place {
    let place = scratch.get(node);
    if (!place) {
      place = { operand: "scratch", index: scratch.size };
      scratch.set(node, place);
      const number = stageOf[node.id];
      wanted[number].push({ ...place, stage: stages[number], value: node, accumulate: false });
    }
    return place;
  }
}

/** One kernel from placed inputs, of which it takes those that the outputs need; operand numbers go by first use. */
export function kernel(
  name: string,
  places: ReadonlyMap<Expr, Place>,
  outputs: readonly Omit<Output, "stage">[],
  operands?: readonly string[],
): Kernel {
  const graph = graphOf(outputs.map(({ value }) => value));
  const placeAt = placesById(places, graph);
  const used = new Map<Expr, Place>();
  visit(outputs, graph, (node) => {
    const place = placeAt[node.id];
    if (place) used.set(node, place);
    return place !== undefined;
  });
  return kernelOf(name, used, outputs, operands);
}

/** A kernel whose operands are known beforehand: `make` makes its expressions when one of its programs is first asked for. */
export function laterKernel(
  name: string,
  operands: readonly string[],
  written: ReadonlySet<string>,
  make: () => Kernel,
): Kernel {
  let made: Kernel | undefined;
  const found = (): Kernel => {
    made ??= make();
    if (made.written.size !== written.size || [...written].some((operand) => !made?.written.has(operand)))
      throw new Error(`${name} writes ${[...made.written]}, not ${[...written]}`);
    return made;
  };
  return {
    name,
    get program() {
      return found().program;
    },
    get alone() {
      return found().alone;
    },
    operands,
    written,
  };
}

/** A kernel over the places that the outputs need, in the order of their first use unless the operands are given. */
function kernelOf(
  name: string,
  places: ReadonlyMap<Expr, Place>,
  outputs: readonly Omit<Output, "stage">[],
  given?: readonly string[],
): Kernel {
  const operands: string[] = [...(given ?? [])];
  const number = (operand: string): number => {
    const known = operands.indexOf(operand);
    if (known < 0 && given) throw new Error(`${name} has an operand ${operand} besides ${given}`);
    return known >= 0 ? known : operands.push(operand) - 1;
  };
  const inputs = new Map<Expr, { operand: number; index: number }>();
  places.forEach(({ operand, index }, node) => {
    inputs.set(node, { operand: number(operand), index });
  });
  const stores = outputs.map(({ operand, index, value, accumulate }) => ({
    operand: number(operand),
    index,
    value,
    accumulate,
  }));
  const programs = new KernelPrograms({ name, operands: operands.length, inputs, outputs: stores });
  return new WrittenKernel(name, programs, operands, new Set(outputs.map((output) => output.operand)));
}

/** An object of a class, not of a function: whatever a function has at hand it keeps, expressions among it. */
class WrittenKernel implements Kernel {
  readonly name: string;
  readonly operands: readonly string[];
  readonly written: ReadonlySet<string>;
  private readonly programs: KernelPrograms;

  constructor(name: string, programs: KernelPrograms, operands: readonly string[], written: ReadonlySet<string>) {
    this.name = name;
    this.programs = programs;
    this.operands = operands;
    this.written = written;
  }

  get program(): Program {
    return this.programs.of(2);
  }

  get alone(): Program {
    return this.programs.of(1);
  }
}

function placesById<T>(places: ReadonlyMap<Expr, T>, graph: Graph | undefined): readonly (T | undefined)[] {
  const byId = new Array<T | undefined>(graph?.size ?? 0).fill(undefined);
  places.forEach((place, node) => {
    if (node.graph === graph) byId[node.id] = place;
  });
  return byId;
}

/** Stages of the outputs' expressions, by id: the latest of their symbols'. */
function stageNumbers(inputs: ReadonlyMap<Expr, StagedInput>, outputs: readonly Output[]): Uint8Array {
  const values = outputs.map(({ value }) => value);
  const graph = graphOf(values);
  const numbers = new Uint8Array(graph?.size ?? 0);
  const isInput = new Uint8Array(numbers.length);
  inputs.forEach(({ stage }, node) => {
    if (node.graph !== graph) return;
    isInput[node.id] = 1;
    numbers[node.id] = stages.indexOf(stage);
  });
  spreadStages(numbers, isInput, reachable(values, isInput));
  return numbers;
}

/** Spreads stages from the inputs to all nodes, arguments first. */
function spreadStages(numbers: Uint8Array, isInput: Uint8Array, nodes: readonly Expr[]): void {
  for (let i = 0; i < nodes.length; i++) {
    const { id, args } = nodes[i];
    if (isInput[id] === 0) numbers[id] = latestOf(args, numbers);
  }
}

function latestOf(args: readonly Scalar[], numbers: Uint8Array): number {
  let latest = 0;
  for (let k = 0; k < args.length; k++) {
    const arg = args[k];
    if (typeof arg !== "number" && numbers[arg.id] > latest) latest = numbers[arg.id];
  }
  return latest;
}

/** Walks the graph from the outputs; `stop` returns true where the walk goes no deeper. */
function visit(
  outputs: readonly { readonly value: Scalar }[],
  graph: Graph | undefined,
  stop: (node: Expr) => boolean,
): void {
  const seen = new Uint8Array(graph?.size ?? 0);
  const stack: Expr[] = [];
  for (const { value } of outputs) if (typeof value !== "number") stack.push(value);
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (seen[node.id] === 1) continue;
    seen[node.id] = 1;
    if (stop(node)) continue;
    const { args } = node;
    for (let k = 0; k < args.length; k++) {
      const arg = args[k];
      if (typeof arg !== "number") stack.push(arg);
    }
  }
}
