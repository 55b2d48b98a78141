/**
 * Questions about expressions, answered without recursion: arguments have smaller ids than their node, so one sweep
 * down the ids finds all that is reachable, and one sweep up evaluates it.
 */
import type { Expr, Graph, Scalar } from "./expression.ts";
import { arctangent2, cosine, sine } from "./trigonometry.ts";

/** All nodes the outputs need, by ascending id (arguments first). A node whose entry of `isLeaf`, by id, is not zero is not looked into. */
export function reachable(outputs: readonly Scalar[], isLeaf?: Uint8Array): Expr[] {
  const graph = graphOf(outputs);
  return graph === undefined ? [] : neededNodes(graph, marked(outputs, 1 + largestId(outputs)), isLeaf ?? noLeaves);
}

const noLeaves = new Uint8Array(0);

// a function per loop: V8 compiles a function anew for each of its loops that it enters while it is slow

/** The graph that they belong to; undefined where all are numbers. */
export function graphOf(outputs: readonly Scalar[]): Graph | undefined {
  let graph: Graph | undefined;
  for (let i = 0; i < outputs.length; i++) {
    const output = outputs[i];
    if (typeof output === "number") continue;
    graph ??= output.graph;
    if (output.graph !== graph) throw new Error("the outputs belong to two graphs");
  }
  return graph;
}

/** −1 where all are numbers. */
function largestId(outputs: readonly Scalar[]): number {
  let top = -1;
  for (let i = 0; i < outputs.length; i++) {
    const output = outputs[i];
    if (typeof output !== "number" && output.id > top) top = output.id;
  }
  return top;
}

function marked(outputs: readonly Scalar[], size: number): Uint8Array {
  const needed = new Uint8Array(size);
  for (let i = 0; i < outputs.length; i++) {
    const output = outputs[i];
    if (typeof output !== "number") needed[output.id] = 1;
  }
  return needed;
}

function neededNodes(graph: Graph, needed: Uint8Array, isLeaf: Uint8Array): Expr[] {
  const found = new Array<Expr>(markNeeded(graph, needed, isLeaf));
  for (let i = 0, id = 0; i < found.length; i++, id++) {
    if (needed[id] === 0) id = needed.indexOf(1, id);
    found[i] = graph.node(id);
  }
  return found;
}

/** Marks what the marked ones need, and returns how many there are then. */
function markNeeded(graph: Graph, needed: Uint8Array, isLeaf: Uint8Array): number {
  let count = 0;
  for (let id = needed.length - 1; id >= 0; id--) {
    // most of a graph may be of others: the search for the next needed one is native
    if (needed[id] === 0) id = needed.lastIndexOf(1, id);
    if (id < 0) break;
    count++;
    if (id < isLeaf.length && isLeaf[id] !== 0) continue;
    const { args } = graph.node(id);
    for (let k = 0; k < args.length; k++) {
      const arg = args[k];
      if (typeof arg !== "number") needed[arg.id] = 1;
    }
  }
  return count;
}

/** The symbols the outputs depend on, by ascending id. */
export function symbolsOf(outputs: readonly Scalar[]): Expr[] {
  return reachable(outputs).filter((node) => node.op === "symbol");
}

/** How many operations computing all outputs takes, each shared one counted once. */
export function operationCount(outputs: readonly Scalar[]): number {
  let count = 0;
  for (const node of reachable(outputs)) if (node.op !== "symbol" && node.op !== "stopGradient") count++;
  return count;
}

/** The values of the outputs: the reference that every code-generation target must reproduce. */
export function evaluate(outputs: readonly Scalar[], symbolValue: (symbol: Expr) => number): number[] {
  const values = new Map<Expr, number>();
  const value = (scalar: Scalar) => (typeof scalar === "number" ? scalar : values.get(scalar)!);
  for (const node of reachable(outputs)) {
    values.set(node, node.op === "symbol" ? symbolValue(node) : operate(node, value));
  }
  return outputs.map(value);
}

function operate(node: Expr, value: (scalar: Scalar) => number): number {
  const [a, b, c, d] = node.args;
  switch (node.op) {
    case "add":
      return value(a) + value(b);
    case "sub":
      return value(a) - value(b);
    case "mul":
      return value(a) * value(b);
    case "div":
      return value(a) / value(b);
    case "neg":
      return -value(a);
    case "sqrt":
      return Math.sqrt(value(a));
    case "abs":
      return Math.abs(value(a));
    case "min":
      return Math.min(value(a), value(b));
    case "max":
      return Math.max(value(a), value(b));
    case "sin":
      return sine(value(a));
    case "cos":
      return cosine(value(a));
    case "atan2":
      return arctangent2(value(a), value(b));
    case "ifLess":
      return value(a) < value(b) ? value(c) : value(d);
    case "stopGradient":
      return value(a);
    case "symbol":
      throw new Error(`symbol ${node.name} is not an operation`);
  }
}
