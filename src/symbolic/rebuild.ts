/**
 * Expressions made anew from other expressions: substitution, and the expansion of sin, cos, atan2 and stopGradient.
 * Shared parts stay shared, and parts that do not change stay the same objects.
 */
import { abs, add, div, ifLess, max, min, mul, neg, sqrt, stopGradient, sub } from "./arithmetic.ts";
import type { Expr, Op, Scalar } from "./expression.ts";
import { reachable } from "./traversal.ts";
import { atan2, cos, expandedAtan2, expandedCos, expandedSin, sin } from "./trigonometry.ts";

/** The outputs with each key of the map, a symbol or any other node, replaced by its value. */
export function substitute(outputs: readonly Scalar[], replacements: ReadonlyMap<Expr, Scalar>): Scalar[] {
  return rebuilt(outputs, (node) => replacements.get(node), applied);
}

/**
 * The outputs with every sin, cos and atan2 written out in basic operations, and without `stopGradient`. Nodes for which `isLeaf` holds are left
 * as they are, with all that is below them.
 */
export function expandTranscendentals(outputs: readonly Scalar[], isLeaf?: (node: Expr) => boolean): Scalar[] {
  const keep = (node: Expr) => (isLeaf?.(node) ? node : undefined);
  return rebuilt(outputs, keep, (op, args) => {
    if (op === "sin") return expandedSin(args[0]);
    if (op === "cos") return expandedCos(args[0]);
    if (op === "atan2") return expandedAtan2(args[0], args[1]);
    if (op === "stopGradient") return args[0];
    return applied(op, args);
  });
}

function rebuilt(
  outputs: readonly Scalar[],
  replacement: (node: Expr) => Scalar | undefined,
  apply: (op: Op, args: readonly Scalar[]) => Scalar,
): Scalar[] {
  const nodes = reachable(outputs, (candidate) => replacement(candidate) !== undefined);
  // of nodes that change alone: the others stay as they are
  const made = new Map<Expr, Scalar>();
  const current = (scalar: Scalar) => (typeof scalar === "number" ? scalar : (made.get(scalar) ?? scalar));
  for (let i = 0; i < nodes.length; i++) {
    const node = nodes[i];
    const known = replacement(node);
    if (known !== undefined) {
      if (known !== node) made.set(node, known);
      continue;
    }
    const { args } = node;
    let changes = expanded.has(node.op);
    for (let k = 0; k < args.length && !changes && made.size > 0; k++) {
      const arg = args[k];
      changes = typeof arg !== "number" && made.has(arg);
    }
    if (!changes) continue;
    const next = apply(node.op, args.map(current));
    if (next !== node) made.set(node, next);
  }
  return outputs.map(current);
}

/** What `expandTranscendentals` replaces even where its arguments stay. */
const expanded: ReadonlySet<Op> = new Set<Op>(["sin", "cos", "atan2", "stopGradient"]);

/** op(args), simplified. */
function applied(op: Op, args: readonly Scalar[]): Scalar {
  const [a, b, c, d] = args;
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
      return ifLess(a, b, c, d);
    case "stopGradient":
      return stopGradient(a);
    case "symbol":
      throw new Error("a symbol has no arguments");
  }
}
