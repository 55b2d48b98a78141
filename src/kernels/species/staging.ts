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
import { type Program, programMaker } from "../../codegen/index.ts";
import type { Expr, Scalar } from "../../symbolic/index.ts";

export const stages = ["prepare", "evaluate", "linearise", "weigh", "rhs", "recover"] as const;
export type Stage = (typeof stages)[number];

/** Where a number lives: the i-th f64 of a named operand of the node. */
export interface Place {
  readonly operand: string;
  readonly index: number;
}

export interface Output extends Place {
  /** When it is written. */
  readonly stage: Stage;
  readonly value: Scalar;
  readonly accumulate: boolean;
}

export interface StagedInput extends Place {
  readonly stage: Stage;
}

/** A program for two nodes at once. Its entry lists, for each operand name, the address for lane 0 and for lane 1. */
export interface Kernel {
  /** Of its program. */
  readonly name: string;
  /** Made when it is first asked for. */
  readonly program: Program;
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
  const stageOf = stageFinder(inputs);
  const scratch = new Map<Expr, Place>();
  const wanted = new Map<Stage, Output[]>(
    stages.map((stage) => [stage, outputs.filter((output) => output.stage === stage)]),
  );
  const kernels: Partial<Record<Stage, Kernel>> = {};

  // latest stage first: what it needs from earlier ones becomes their output
  for (const stage of [...stages].reverse()) {
    const outputsHere = wanted.get(stage) ?? [];
    if (outputsHere.length === 0) continue;
    const places = new Map<Expr, Place>();
    visit(
      outputsHere.map((output) => output.value),
      (node) => {
        const input = inputs.get(node);
        if (input) places.set(node, input);
        else if (stageOf(node) !== stage) places.set(node, stash(node));
        return places.has(node);
      },
    );
    kernels[stage] = kernel(`${name}.${stage}`, places, outputsHere);
  }
  return { kernels, scratchSize: scratch.size };

  function stash(node: Expr): Place {
    let place = scratch.get(node);
    if (!place) {
      place = { operand: "scratch", index: scratch.size };
      scratch.set(node, place);
      const stage = stageOf(node);
      wanted.get(stage)?.push({ ...place, stage, value: node, accumulate: false });
    }
    return place;
  }
}

/** One kernel from placed inputs, of which it takes those that the outputs need; operand numbers go by first use. */
export function kernel(
  name: string,
  places: ReadonlyMap<Expr, Place>,
  outputs: readonly Omit<Output, "stage">[],
): Kernel {
  const operands: string[] = [];
  const number = (operand: string): number => {
    const known = operands.indexOf(operand);
    return known >= 0 ? known : operands.push(operand) - 1;
  };
  const inputs = new Map<Expr, { operand: number; index: number }>();
  visit(
    outputs.map((output) => output.value),
    (node) => {
      const place = places.get(node);
      if (place) inputs.set(node, { operand: number(place.operand), index: place.index });
      return place !== undefined;
    },
  );
  const stores = outputs.map(({ operand, index, value, accumulate }) => ({
    operand: number(operand),
    index,
    value,
    accumulate,
  }));
  const make = programMaker({ name, operands: operands.length, inputs, outputs: stores, lanes: 2 });
  let made: Program | undefined;
  return {
    name,
    get program() {
      made ??= make();
      return made;
    },
    operands,
    written: new Set(outputs.map((output) => output.operand)),
  };
}

/** Stage of an expression: the latest of its symbols'. */
function stageFinder(inputs: ReadonlyMap<Expr, StagedInput>): (node: Expr) => Stage {
  const known = new Map<Expr, number>();
  for (const [node, { stage }] of inputs) known.set(node, stages.indexOf(stage));
  const stack: Expr[] = [];
  return (root) => {
    const at = known.get(root);
    if (at !== undefined) return stages[at];
    stack.push(root);
    while (stack.length > 0) {
      const node = stack[stack.length - 1];
      const { args } = node;
      const before = stack.length;
      let latest = 0;
      for (let k = 0; k < args.length; k++) {
        const arg = args[k];
        if (typeof arg === "number") continue;
        const own = known.get(arg);
        if (own === undefined) stack.push(arg);
        else if (own > latest) latest = own;
      }
      if (stack.length > before) continue;
      stack.pop();
      known.set(node, latest);
    }
    return stages[known.get(root) ?? 0];
  };
}

/** Walks the graph from the roots; `stop` returns true where the walk goes no deeper. */
function visit(roots: readonly Scalar[], stop: (node: Expr) => boolean): void {
  const seen = new Set<Expr>();
  const stack = roots.filter((root): root is Expr => typeof root !== "number");
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (seen.has(node)) continue;
    seen.add(node);
    if (stop(node)) continue;
    const { args } = node;
    for (let k = 0; k < args.length; k++) {
      const arg = args[k];
      if (typeof arg !== "number") stack.push(arg);
    }
  }
}
