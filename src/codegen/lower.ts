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
import { type Expr, expandTranscendentals, reachable, type Scalar } from "../symbolic/index.ts";
import type { Program } from "./program.ts";
import { ProgramBuilder, type Value } from "./programBuilder.ts";

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
  /** With 2, two nodes run at once: operand o of lane 0 is operand 2o of the program, that of lane 1 is 2o + 1. */
  readonly lanes: 1 | 2;
}

export function kernelProgram(options: KernelOptions): Program {
  return programMaker(options)();
}

/**
 * The same for later, since ordering and writing take most of the time: expressions are expanded at once, so that it does not matter when,
 * nor what becomes of their graph meanwhile.
 */
export function programMaker(options: KernelOptions): () => Program {
  const { inputs, outputs } = options;
  const sources = withNegations(inputs);
  const values = expandTranscendentals(
    outputs.map((output) => output.value),
    (node) => sources.has(node),
  );
  return () => written(options, sources, values);
}

function written(
  { name, operands, outputs, lanes }: KernelOptions,
  sources: ReadonlyMap<Expr, Source>,
  values: readonly Scalar[],
): Program {
  const schedule = scheduled(values, sources);
  const builder = new ProgramBuilder(name, operands * lanes);
  const emitter = new Emitter(builder, lanes, sources, schedule);
  const { order, readyAt } = schedule;
  const isRead = new Set<number>();
  for (const { operand, index } of sources.values()) isRead.add(placeNumber(operand, index));
  // the first store to a place that is read waits for all loads, and so do those after it
  const waiting = outputs.findIndex(({ operand, index }) => isRead.has(placeNumber(operand, index)));
  const early = waiting < 0 ? outputs.length : waiting;
  let stored = 0;
  const store = (): void => {
    const { operand, index, accumulate } = outputs[stored];
    const value = emitter.value(values[stored]);
    if (lanes === 1) builder.store(operand, index, value, accumulate);
    else builder.storePair(2 * operand, 2 * operand + 1, index, value, accumulate);
    stored++;
  };
  for (let i = 0; i < order.length; i++) {
    emitter.compute(order[i]);
    while (stored < early && readyAt[stored] <= i) store();
  }
  while (stored < outputs.length) store();
  return builder.finish();
}

/** Places as numbers: kernels have fewer than a million of each operand. */
const placeNumber = (operand: number, index: number): number => 1e6 * operand + index;

interface Source extends Place {
  readonly negate: boolean;
}

/** An input −x also tells x: simplification may have left only x in the outputs. */
function withNegations(inputs: ReadonlyMap<Expr, Place>): Map<Expr, Source> {
  const sources = new Map<Expr, Source>();
  for (const [node, place] of inputs) sources.set(node, { ...place, negate: false });
  for (const [node, place] of inputs) {
    const inner = node.op === "neg" ? (node.args[0] as Expr) : node;
    if (!sources.has(inner)) sources.set(inner, { ...place, negate: true });
  }
  return sources;
}

interface Schedule {
  readonly order: readonly Expr[];
  /** All nodes, arguments first. */
  readonly nodes: readonly Expr[];
  /** By id: how many operations and outputs read a node. */
  readonly uses: Int32Array;
  /** By output: after which place of the order its value is there. */
  readonly readyAt: Int32Array;
}

/** How far a node has come: its arguments are under way, or it has its place in the order. */
const opened = 1;
const done = 2;

function scheduled(values: readonly Scalar[], sources: ReadonlyMap<Expr, Source>): Schedule {
  const nodes = reachable(values, (node) => sources.has(node));
  const ids = nodes.length === 0 ? 0 : nodes[nodes.length - 1].id + 1;
  const uses = new Int32Array(ids);
  const registers = new Int32Array(ids);
  for (let i = 0; i < values.length; i++) {
    const value = values[i];
    if (typeof value !== "number") uses[value.id]++;
  }
  for (let i = 0; i < nodes.length; i++) {
    const node = nodes[i];
    const { args, id } = node;
    if (args.length === 0 || sources.has(node)) {
      registers[id] = 1;
      continue;
    }
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
    registers[id] = most;
  }

  // depth first with an explicit stack: a node is met twice, before its arguments and after
  const order: Expr[] = [];
  const progress = new Uint8Array(ids);
  const stack: Expr[] = [];
  const readyAt = new Int32Array(values.length);
  for (let i = 0; i < values.length; i++) {
    const value = values[i];
    if (typeof value !== "number") stack.push(value);
    while (stack.length > 0) {
      const node = stack[stack.length - 1];
      if (progress[node.id] > 0 || sources.has(node)) {
        stack.pop();
        if (progress[node.id] !== done) order.push(node);
        progress[node.id] = done;
        continue;
      }
      progress[node.id] = opened;
      // the neediest ends on top of the stack, to be computed first
      const { args } = node;
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
    readyAt[i] = order.length - 1;
  }
  return { order, nodes, uses, readyAt };
}

/** Emits nodes in order, remembering the value of each. */
class Emitter {
  private readonly builder: ProgramBuilder;
  private readonly lanes: 1 | 2;
  private readonly sources: ReadonlyMap<Expr, Source>;
  private readonly values = new Map<Scalar, Value>();
  private readonly loaded: Map<number, Value>[] = [];
  /** Operations left out, to be merged into the negation that alone reads them. */
  private readonly postponed = new Set<Expr>();

  constructor(builder: ProgramBuilder, lanes: 1 | 2, sources: ReadonlyMap<Expr, Source>, { nodes, uses }: Schedule) {
    this.builder = builder;
    this.lanes = lanes;
    this.sources = sources;
    // a node is postponed if its one reader is a negation that can swallow it
    for (let i = 0; i < nodes.length; i++) {
      const node = nodes[i];
      if (node.op !== "neg" || sources.has(node)) continue;
      const inner = node.args[0] as Expr;
      const swallows = inner.op === "sub" || (inner.op === "mul" && typeof inner.args[1] === "number");
      if (swallows && uses[inner.id] === 1 && !sources.has(inner)) this.postponed.add(inner);
    }
  }

  compute(node: Expr): void {
    if (this.postponed.has(node)) return;
    const source = this.sources.get(node);
    this.values.set(node, source !== undefined ? this.load(source) : this.operation(node));
  }

  value(scalar: Scalar): Value {
    const known = this.values.get(scalar);
    if (known !== undefined) return known;
    if (typeof scalar !== "number") throw new Error(`${this.builder.name}: ${scalar.op} was not scheduled`);
    const constant = this.builder.constant(scalar, this.lanes === 2);
    this.values.set(scalar, constant);
    return constant;
  }

  private load({ operand, index, negate }: Source): Value {
    this.loaded[operand] ??= new Map();
    let value = this.loaded[operand].get(index);
    if (value === undefined) {
      value =
        this.lanes === 1
          ? this.builder.load(operand, index)
          : this.builder.loadPair(2 * operand, 2 * operand + 1, index);
      this.loaded[operand].set(index, value);
    }
    return negate ? this.builder.neg(value) : value;
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
        if (!this.postponed.has(inner)) return b.neg(this.value(inner));
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
