/**
 * Expressions to a program: sin, cos and atan2 written out, each shared value computed once, in an order that keeps
 * few values alive.
 *
 * Order: depth first from the outputs, and at each operation the argument that needs more registers first
 * [Sethi and Ullman: r = max(r₁, r₂), or r + 1 if equal]. Loads come where they are first used; stores come last, in the
 * order given, so that every load sees the memory as it was.
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
  const { name, operands, inputs, outputs, lanes } = options;
  const sources = withNegations(inputs);
  const isLeaf = (node: Expr) => sources.has(node);
  const values = expandTranscendentals(
    outputs.map((output) => output.value),
    isLeaf,
  );
  const schedule = scheduled(values, isLeaf);

  const builder = new ProgramBuilder(name, operands * lanes);
  const emitter = new Emitter(builder, lanes, sources, schedule.uses);
  for (const node of schedule.order) emitter.compute(node);
  outputs.forEach(({ operand, index, accumulate }, i) => {
    const value = emitter.value(values[i]);
    if (lanes === 1) builder.store(operand, index, value, accumulate);
    else builder.storePair(2 * operand, 2 * operand + 1, index, value, accumulate);
  });
  return builder.finish();
}

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
  /** How many operations and outputs read a node. */
  readonly uses: ReadonlyMap<Expr, number>;
}

function scheduled(values: readonly Scalar[], isLeaf: (node: Expr) => boolean): Schedule {
  const uses = new Map<Expr, number>();
  const count = (scalar: Scalar) => {
    if (typeof scalar !== "number") uses.set(scalar, (uses.get(scalar) ?? 0) + 1);
  };
  values.forEach(count);
  const registers = new Map<Scalar, number>();
  for (const node of reachable(values, isLeaf)) {
    if (isLeaf(node) || node.args.length === 0) {
      registers.set(node, 1);
      continue;
    }
    node.args.forEach(count);
    // a further argument as needy as the neediest so far costs one register to hold the other meanwhile
    let most = 1;
    for (const arg of node.args) {
      const need = registers.get(arg) ?? 0;
      most = need === most && arg !== node.args[0] ? most + 1 : Math.max(most, need);
    }
    registers.set(node, most);
  }

  // depth first with an explicit stack: a node is met twice, before its arguments and after
  const order: Expr[] = [];
  const opened = new Set<Expr>();
  const done = new Set<Expr>();
  const stack: Expr[] = [];
  for (const value of values) {
    if (typeof value !== "number") stack.push(value);
    while (stack.length > 0) {
      const node = stack[stack.length - 1];
      if (opened.has(node) || isLeaf(node)) {
        stack.pop();
        if (!done.has(node)) order.push(node);
        done.add(node);
        continue;
      }
      opened.add(node);
      const pending = node.args.filter((arg): arg is Expr => typeof arg !== "number" && !done.has(arg));
      // the neediest ends on top of the stack, to be computed first
      pending.sort((a, b) => registers.get(a)! - registers.get(b)!);
      stack.push(...pending);
    }
  }
  return { order, uses };
}

/** Emits nodes in order, remembering the value of each. */
class Emitter {
  readonly #builder: ProgramBuilder;
  readonly #lanes: 1 | 2;
  readonly #sources: ReadonlyMap<Expr, Source>;
  readonly #uses: ReadonlyMap<Expr, number>;
  readonly #values = new Map<Scalar, Value>();
  readonly #loaded: Map<number, Value>[] = [];
  /** Operations left out, to be merged into the negation that alone reads them. */
  readonly #postponed = new Set<Expr>();

  constructor(
    builder: ProgramBuilder,
    lanes: 1 | 2,
    sources: ReadonlyMap<Expr, Source>,
    uses: ReadonlyMap<Expr, number>,
  ) {
    this.#builder = builder;
    this.#lanes = lanes;
    this.#sources = sources;
    this.#uses = uses;
    // a node is postponed if its one reader is a negation that can swallow it
    for (const node of uses.keys()) {
      if (node.op !== "neg" || sources.has(node)) continue;
      const inner = node.args[0] as Expr;
      const swallows = inner.op === "sub" || (inner.op === "mul" && typeof inner.args[1] === "number");
      if (swallows && this.#uses.get(inner) === 1 && !sources.has(inner)) this.#postponed.add(inner);
    }
  }

  compute(node: Expr): void {
    if (this.#postponed.has(node)) return;
    const source = this.#sources.get(node);
    if (source !== undefined) this.#values.set(node, this.#load(source));
    else this.#values.set(node, this.#operation(node));
  }

  value(scalar: Scalar): Value {
    const known = this.#values.get(scalar);
    if (known !== undefined) return known;
    if (typeof scalar !== "number") throw new Error(`${this.#builder.name}: ${scalar.op} was not scheduled`);
    const constant = this.#builder.constant(scalar, this.#lanes === 2);
    this.#values.set(scalar, constant);
    return constant;
  }

  #load({ operand, index, negate }: Source): Value {
    this.#loaded[operand] ??= new Map();
    let value = this.#loaded[operand].get(index);
    if (value === undefined) {
      value =
        this.#lanes === 1
          ? this.#builder.load(operand, index)
          : this.#builder.loadPair(2 * operand, 2 * operand + 1, index);
      this.#loaded[operand].set(index, value);
    }
    return negate ? this.#builder.neg(value) : value;
  }

  #operation(node: Expr): Value {
    const b = this.#builder;
    const [x, y, then, otherwise] = node.args;
    switch (node.op) {
      case "add":
      case "sub":
      case "mul":
      case "div":
      case "min":
      case "max":
        return b.binary(node.op, this.value(x), this.value(y));
      case "neg": {
        const inner = x as Expr;
        if (!this.#postponed.has(inner)) return b.neg(this.value(inner));
        const [p, q] = inner.args;
        if (inner.op === "sub") return b.sub(this.value(q), this.value(p));
        return b.mul(this.value(p), this.value(-(q as number)));
      }
      case "sqrt":
      case "abs":
        return b[node.op](this.value(x));
      case "ifLess":
        return b.ifLess(this.value(x), this.value(y), this.value(then), this.value(otherwise));
      case "symbol":
        throw new Error(`kernel ${b.name}: the symbol ${node.name} is used but not among the inputs`);
      default:
        throw new Error(`kernel ${b.name}: ${node.op} was not expanded`);
    }
  }
}
