/**
 * Expressions to a program: sin, cos and atan2 written out, each shared value computed once, in an order that keeps
 * few values alive.
 *
 * Order: depth first from the outputs, and at each operation the argument that needs more registers first
 * [Sethi and Ullman: r = max(r₁, r₂), or r + 1 if equal]. Loads come where they are first used, and stores as soon as their value is there, in
 * the order given, but none before a load from its place: every load sees the memory as it was, as long as no operand that is written overlaps
 * another one that is read. Compilers of WebAssembly keep loads and stores in the order in which they are written and little else, so that
 * stores at the end would make them load everything first and put it on the stack, for a twentieth of the time of all steps.
 * Negations that nothing swallowed are folded: −(a − b) → b − a and −(c x) → (−c) x, if the inner value serves no one else.
 */
import { cached } from "../math/index.ts";
import { type Expr, expandTranscendentals, graphOf, reachable, type Scalar } from "../symbolic/index.ts";
import type { Instruction, Program } from "./program.ts";
import { changedProgram, ProgramBuilder, type Value } from "./programBuilder.ts";

/** A place in memory: the index-th f64 of an operand. */
export interface Place {
  readonly operand: number;
  readonly index: number;
}

export interface KernelOutput extends Place {
  readonly value: Scalar;
  /** Add to what is there, instead of replacing it. */
  readonly accumulate?: boolean;
}

export interface KernelOptions {
  readonly name: string;
  readonly operands: number;
  /** Where values come from: symbols, or interior nodes, which are then loaded instead of computed. */
  readonly inputs: ReadonlyMap<Expr, Place>;
  readonly outputs: readonly KernelOutput[];
}

/** With 2, two nodes run at once: operand o of lane 0 is operand 2o of the program, that of lane 1 is 2o + 1. */
export type LaneCount = 1 | 2;

export function kernelProgram({ lanes, ...options }: KernelOptions & { readonly lanes: LaneCount }): Program {
  return new KernelPrograms(options).of(lanes);
}

/**
 * The programs of a kernel, for one node and for two. They are written when they are asked for, since ordering and writing take most of the
 * time: expressions are expanded at once, so that it does not matter when, nor what becomes of their graph meanwhile. They are let go of once
 * one program is written: the other follows from that, instruction by instruction. Of all that a process keeps they would be the most.
 */
export class KernelPrograms {
  private source: { readonly options: KernelOptions; readonly expanded: readonly Scalar[] } | undefined;
  private readonly made: Partial<Record<LaneCount, Program>> = {};

  constructor(options: KernelOptions) {
    const { inputs, outputs } = options;
    const values = outputs.map((output) => output.value);
    this.source = { options, expanded: expandTranscendentals(values, sourceKinds(inputs, values)) };
  }

  of(lanes: LaneCount): Program {
    const { made } = this;
    made[lanes] ??= this.written(lanes) ?? withLanes(made[lanes === 1 ? 2 : 1] as Program, lanes);
    return made[lanes];
  }

  /** The first of them. */
  private written(lanes: LaneCount): Program | undefined {
    const { source } = this;
    this.source = undefined;
    return source && written(source.options, lanes, source.expanded);
  }
}

/** The program of one node for two, and the other way round. */
function withLanes(program: Program, lanes: LaneCount): Program {
  const operandCount = lanes === 2 ? 2 * program.operandCount : program.operandCount / 2;
  return changedProgram(program, operandCount, (instruction): Instruction => {
    switch (instruction.op) {
      case "const":
        return { ...instruction, wide: lanes === 2 };
      case "load": {
        const { operand, index } = instruction;
        return { op: "loadPair", operand: 2 * operand, operand2: 2 * operand + 1, index };
      }
      case "loadPair":
        return { op: "load", operand: instruction.operand / 2, index: instruction.index };
      case "store": {
        const { operand, index, a, accumulate } = instruction;
        return { op: "storePair", operand: 2 * operand, operand2: 2 * operand + 1, index, a, accumulate };
      }
      case "storePair": {
        const { operand, index, a, accumulate } = instruction;
        return { op: "store", operand: operand / 2, index, a, accumulate };
      }
      default:
        return instruction;
    }
  });
}

function written(
  { name, operands, inputs, outputs }: KernelOptions,
  lanes: LaneCount,
  values: readonly Scalar[],
): Program {
  const kind = sourceKinds(inputs, values);
  const nodes = reachable(values, kind);
  const { uses, registers } = needsOf(values, nodes, kind);
  const builder = new ProgramBuilder(name, operands * lanes);
  const emitter = new Emitter(builder, lanes, inputs, kind, postponedOf(nodes, uses, kind));
  const store = (i: number): void => {
    const { operand, index, accumulate } = outputs[i];
    const value = emitter.value(values[i]);
    if (lanes === 1) builder.store(operand, index, value, accumulate);
    else builder.storePair(2 * operand, 2 * operand + 1, index, value, accumulate);
  };
  // the first store to a place that is read waits for all loads, and so do those after it
  const early = firstOverRead(inputs, outputs);
  const progress = new Uint8Array(kind.length);
  for (let i = 0; i < outputs.length; i++) {
    const value = values[i];
    if (typeof value !== "number") emitter.compute(ordered(value, registers, kind, progress));
    if (i < early) store(i);
  }
  for (let i = early; i < outputs.length; i++) store(i);
  return builder.finish();
}

/** The first output to a place that is read as well; their number where there is none. */
function firstOverRead(inputs: ReadonlyMap<Expr, Place>, outputs: readonly KernelOutput[]): number {
  const isRead = new Set<number>();
  for (const { operand, index } of inputs.values()) isRead.add(placeNumber(operand, index));
  const first = outputs.findIndex(({ operand, index }) => isRead.has(placeNumber(operand, index)));
  return first < 0 ? outputs.length : first;
}

/** Places as numbers: kernels have fewer than a million of each operand. */
const placeNumber = (operand: number, index: number): number => 1e6 * operand + index;

// whether a node's value comes from memory, as it is or to be negated
const plain = 1;
const negated = 2;

/** Kinds by id. An input −x also tells x: simplification may have left only x in the outputs. */
function sourceKinds(inputs: ReadonlyMap<Expr, Place>, values: readonly Scalar[]): Uint8Array {
  const kind = new Uint8Array(graphOf(values)?.size ?? 0);
  inputs.forEach((_, { id }) => {
    kind[id] = plain;
  });
  inputs.forEach((_, node) => {
    if (node.op !== "neg") return;
    const { id } = node.args[0] as Expr;
    if (kind[id] === 0) kind[id] = negated;
  });
  return kind;
}

// a function per loop: V8 compiles a function anew for each of its loops that it enters while it is slow

interface Needs {
  /** How many operations and outputs read each node, by its id. */
  readonly uses: Int32Array;
  readonly registers: Int32Array;
}

/** `nodes`: all of them, arguments first. */
function needsOf(values: readonly Scalar[], nodes: readonly Expr[], kind: Uint8Array): Needs {
  const uses = new Int32Array(kind.length);
  const registers = new Int32Array(kind.length);
  for (const value of values) if (typeof value !== "number") uses[value.id]++;
  for (let i = 0; i < nodes.length; i++) {
    const { id, args } = nodes[i];
    registers[id] = kind[id] !== 0 ? 1 : registersFor(args, uses, registers);
  }
  return { uses, registers };
}

function registersFor(args: readonly Scalar[], uses: Int32Array, registers: Int32Array): number {
  // a further argument as needy as the neediest so far costs one register to hold the other meanwhile
  let most = 1;
  for (let k = 0; k < args.length; k++) {
    const arg = args[k];
    let need = 0;
    if (typeof arg !== "number") {
      uses[arg.id]++;
      need = registers[arg.id];
    }
    most = need === most && arg !== args[0] ? most + 1 : Math.max(most, need);
  }
  return most;
}

/** Whether each node is left out, by its id, since its one reader is a negation that can swallow it. */
function postponedOf(nodes: readonly Expr[], uses: Int32Array, kind: Uint8Array): Uint8Array {
  const postponed = new Uint8Array(kind.length);
  for (let i = 0; i < nodes.length; i++) {
    const node = nodes[i];
    if (node.op !== "neg" || kind[node.id] !== 0) continue;
    const inner = node.args[0] as Expr;
    const swallows = inner.op === "sub" || (inner.op === "mul" && typeof inner.args[1] === "number");
    if (swallows && uses[inner.id] === 1 && kind[inner.id] === 0) postponed[inner.id] = 1;
  }
  return postponed;
}

/** How far a node has come: its arguments are under way, or it has its place in the order. */
const opened = 1;
const done = 2;

/** What a value still needs, in order: depth first with an explicit stack, on which a node is met twice, before its arguments and after. */
function ordered(value: Expr, registers: Int32Array, kind: Uint8Array, progress: Uint8Array): Expr[] {
  const order: Expr[] = [];
  const stack = [value];
  while (stack.length > 0) {
    const node = stack[stack.length - 1];
    const { id } = node;
    if (progress[id] === 0 && kind[id] === 0) {
      progress[id] = opened;
      pushArguments(stack, node.args, progress, registers);
      continue;
    }
    stack.pop();
    if (progress[id] !== done) order.push(node);
    progress[id] = done;
  }
  return order;
}

/** The neediest ends on top of the stack, to be computed first. */
function pushArguments(stack: Expr[], args: readonly Scalar[], progress: Uint8Array, registers: Int32Array): void {
  const from = stack.length;
  for (let k = 0; k < args.length; k++) {
    const arg = args[k];
    if (typeof arg === "number" || progress[arg.id] === done) continue;
    const need = registers[arg.id];
    let at = stack.push(arg) - 1;
    for (; at > from && registers[stack[at - 1].id] > need; at--) stack[at] = stack[at - 1];
    stack[at] = arg;
  }
}

/** Emits nodes in order, remembering the value of each. */
class Emitter {
  private readonly builder: ProgramBuilder;
  private readonly lanes: 1 | 2;
  private readonly inputs: ReadonlyMap<Expr, Place>;
  private readonly kind: Uint8Array;
  /** One more than the number of each node's value, by its id; 0 where it has none. */
  private readonly values: Int32Array;
  private readonly constants = new Map<number, Value>();
  private readonly loaded: Value[][] = [];
  /** Operations left out, to be merged into the negation that alone reads them, by id. */
  private readonly postponed: Uint8Array;

  constructor(
    builder: ProgramBuilder,
    lanes: 1 | 2,
    inputs: ReadonlyMap<Expr, Place>,
    kind: Uint8Array,
    postponed: Uint8Array,
  ) {
    this.builder = builder;
    this.lanes = lanes;
    this.inputs = inputs;
    this.kind = kind;
    this.postponed = postponed;
    this.values = new Int32Array(postponed.length);
  }

  compute(order: readonly Expr[]): void {
    const { postponed, values, kind } = this;
    for (let i = 0; i < order.length; i++) {
      const node = order[i];
      const { id } = node;
      if (postponed[id] === 0) values[id] = 1 + (kind[id] === 0 ? this.operation(node) : this.source(node)).number;
    }
  }

  value(scalar: Scalar): Value {
    if (typeof scalar === "number") return this.constant(scalar);
    const known = this.values[scalar.id];
    if (known === 0) throw new Error(`${this.builder.name}: ${scalar.op} was not scheduled`);
    return this.builder.valueAt(known - 1);
  }

  private constant(value: number): Value {
    return cached(this.constants, value, () => this.builder.constant(value, this.lanes === 2));
  }

  private source(node: Expr): Value {
    if (this.kind[node.id] === plain) return this.load(this.inputs.get(node) as Place);
    const negation = node.graph.find("neg", [node]) as Expr;
    return this.builder.neg(this.load(this.inputs.get(negation) as Place));
  }

  private load({ operand, index }: Place): Value {
    this.loaded[operand] ??= [];
    let value = this.loaded[operand][index];
    if (value === undefined) {
      value =
        this.lanes === 1
          ? this.builder.load(operand, index)
          : this.builder.loadPair(2 * operand, 2 * operand + 1, index);
      this.loaded[operand][index] = value;
    }
    return value;
  }

  private operation(node: Expr): Value {
    const b = this.builder;
    const { args } = node;
    switch (node.op) {
      case "add":
      case "sub":
      case "mul":
      case "div":
      case "min":
      case "max":
        return b.binary(node.op, this.value(args[0]), this.value(args[1]));
      case "neg": {
        const inner = args[0] as Expr;
        if (this.postponed[inner.id] === 0) return b.neg(this.value(inner));
        const [p, q] = inner.args;
        if (inner.op === "sub") return b.sub(this.value(q), this.value(p));
        return b.mul(this.value(p), this.value(-(q as number)));
      }
      case "sqrt":
      case "abs":
        return b[node.op](this.value(args[0]));
      case "ifLess":
        return b.ifLess(this.value(args[0]), this.value(args[1]), this.value(args[2]), this.value(args[3]));
      case "symbol":
        throw new Error(`kernel ${b.name}: the symbol ${node.name} is used but not among the inputs`);
      default:
        throw new Error(`kernel ${b.name}: ${node.op} was not expanded`);
    }
  }
}
