/**
 * Expressions made anew from other expressions: substitution, and the expansion of sin, cos, atan2 and stopGradient.
 * Shared parts stay shared, and parts that do not change stay the same objects.
 */
import { abs, add, div, ifLess, max, min, mul, neg, sqrt, stopGradient, sub } from "./arithmetic.ts";
import type { Expr, Op, Scalar } from "./expression.ts";
import { graphOf, reachable } from "./traversal.ts";
import { atan2, cos, expandedAtan2, expandedCos, expandedSin, sin } from "./trigonometry.ts";

/** The outputs with each key of the map, a symbol or any other node, replaced by its value. */
export function substitute(outputs: readonly Scalar[], replacements: ReadonlyMap<Expr, Scalar>): Scalar[] {
  const graph = graphOf(outputs);
  if (graph === undefined) return [...outputs];
  const isLeaf = new Uint8Array(graph.size);
  const made = new Array<Scalar | undefined>(graph.size).fill(undefined);
  replacements.forEach((value, node) => {
    if (node.graph !== graph) return;
    isLeaf[node.id] = 1;
    if (value !== node) made[node.id] = value;
  });
  rebuild(reachable(outputs, isLeaf), isLeaf, made, false);
  return outputs.map((output) => current(output, made));
}

/**
 * The outputs with every sin, cos and atan2 written out in basic operations, and without `stopGradient`. Nodes whose entry of `isLeaf`, by
 * id, is not zero are left as they are, with all that is below them.
 */
export function expandTranscendentals(outputs: readonly Scalar[], isLeaf?: Uint8Array): Scalar[] {
  const graph = graphOf(outputs);
  if (graph === undefined) return [...outputs];
  const leaves = isLeaf ?? new Uint8Array(graph.size);
  const nodes = reachable(outputs, leaves);
  if (!nodes.some(({ op, id }) => isExpanded(op) && leaves[id] === 0)) return [...outputs];
  const made = new Array<Scalar | undefined>(graph.size).fill(undefined);
  rebuild(nodes, leaves, made, true);
  return outputs.map((output) => current(output, made));
}

/** `made`: by id, what becomes of a node, undefined where it stays as it is; known of leaves. `expands`: what is written out always changes. */
function rebuild(nodes: readonly Expr[], isLeaf: Uint8Array, made: (Scalar | undefined)[], expands: boolean): void {
  for (let i = 0; i < nodes.length; i++) {
    const node = nodes[i];
    const { id } = node;
    if (isLeaf[id] !== 0) continue;
    if (expands && isExpanded(node.op)) made[id] = expanded(node, made);
    else if (changes(node.args, made)) {
      const next = applied(node, made);
      if (next !== node) made[id] = next;
    }
  }
}

function current(scalar: Scalar, made: readonly (Scalar | undefined)[]): Scalar {
  return typeof scalar === "number" ? scalar : (made[scalar.id] ?? scalar);
}

function changes(args: readonly Scalar[], made: readonly (Scalar | undefined)[]): boolean {
  for (let k = 0; k < args.length; k++) {
    const arg = args[k];
    if (typeof arg !== "number" && made[arg.id] !== undefined) return true;
  }
  return false;
}

/** What `expandTranscendentals` replaces even where its arguments stay. */
function isExpanded(op: Op): boolean {
  return op === "sin" || op === "cos" || op === "atan2" || op === "stopGradient";
}

function expanded(node: Expr, made: readonly (Scalar | undefined)[]): Scalar {
  const { op, args } = node;
  const a = current(args[0], made);
  if (op === "sin") return expandedSin(a);
  if (op === "cos") return expandedCos(a);
  if (op === "atan2") return expandedAtan2(a, current(args[1], made));
  return a;
}

/** The node's operation on what has become of its arguments, simplified. */
function applied({ op, args }: Expr, made: readonly (Scalar | undefined)[]): Scalar {
  const a = current(args[0], made);
  const b = args.length > 1 ? current(args[1], made) : a;
  switch (op) {
    case "add":
      return add(a, b);
    case "sub":
      return sub(a, b);
    case "mul":
      return mul(a, b);
    case "div":
      return div(a, b);
    case "neg":
      return neg(a);
    case "sqrt":
      return sqrt(a);
    case "abs":
      return abs(a);
    case "min":
      return min(a, b);
    case "max":
      return max(a, b);
    case "sin":
      return sin(a);
    case "cos":
      return cos(a);
    case "atan2":
      return atan2(a, b);
    case "ifLess":
      return ifLess(a, b, current(args[2], made), current(args[3], made));
    case "stopGradient":
      return stopGradient(a);
    case "symbol":
      throw new Error("a symbol has no arguments");
  }
}
