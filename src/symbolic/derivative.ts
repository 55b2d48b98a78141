/**
 * Exact derivatives, as expressions.
 *
 * Forward, one sweep up the graph per variable, ȧ = ∂a/∂x:
 *   (ab)˙ = ȧb + aḃ    (a/b)˙ = (ȧ − (a/b) ḃ) · (1/b)    (√a)˙ = ȧ · (½/√a)
 *   (sin a)˙ = ȧ cos a    (cos a)˙ = −ȧ sin a    atan2(y, x)˙ = ẏ · (x/(x² + y²)) − ẋ · (y/(x² + y²))
 *   |a|, min, max and ifLess take the derivative of the piece they are on; that of stopGradient(a) is zero.
 * Reverse, one sweep down per output, passes ā = ∂output/∂a to the arguments by the same rules, transposed.
 * Quotients are arranged so that the one division a node needs is shared by all variables.
 */
import { add, div, ifLess, mul, neg, square, sub } from "./arithmetic.ts";
import type { Expr, Scalar } from "./expression.ts";
import { operationCount, reachable } from "./traversal.ts";
import { cos, sin } from "./trigonometry.ts";

/** How to differentiate; "smaller" builds both graphs and keeps the one with fewer operations. */
export type JacobianMode = "forward" | "reverse" | "smaller";

/** ∂outputs[i]/∂wrt[j] at [i][j]. `wrt` are symbols. */
export function jacobian(outputs: readonly Scalar[], wrt: readonly Expr[], mode: JacobianMode = "smaller"): Scalar[][] {
  for (const variable of wrt) {
    if (variable.op !== "symbol") throw new Error(`differentiation by a node that is no symbol (${variable.op})`);
  }
  const nodes = reachable(outputs);
  if (mode === "forward") return forward(outputs, wrt, nodes);
  if (mode === "reverse") return reverse(outputs, wrt, nodes);
  const byColumn = forward(outputs, wrt, nodes);
  const byRow = reverse(outputs, wrt, nodes);
  const cost = (rows: Scalar[][]) => operationCount([...outputs, ...rows.flat()]);
  return cost(byRow) < cost(byColumn) ? byRow : byColumn;
}

/** ∂output/∂wrt. */
export function derivative(output: Scalar, wrt: Expr): Scalar {
  return jacobian([output], [wrt], "forward")[0][0];
}

/** Tangents of the outputs for given tangents of some symbols (the others have none): one forward sweep. */
export function directional(outputs: readonly Scalar[], seeds: ReadonlyMap<Expr, Scalar>): Scalar[] {
  const tangents = new Map<Expr, Scalar>(seeds);
  const dot = (scalar: Scalar) => (typeof scalar === "number" ? 0 : (tangents.get(scalar) ?? 0));
  for (const node of dependents([...seeds.keys()], reachable(outputs))) {
    const tangent = tangentOf(node, dot);
    if (tangent !== 0) tangents.set(node, tangent);
  }
  return outputs.map(dot);
}

function forward(outputs: readonly Scalar[], wrt: readonly Expr[], nodes: readonly Expr[]): Scalar[][] {
  const result: Scalar[][] = outputs.map(() => []);
  const dependent = dependents(wrt, nodes);
  for (const variable of wrt) {
    // a node without an entry has derivative 0
    const tangents = new Map<Expr, Scalar>([[variable, 1]]);
    const dot = (scalar: Scalar) => (typeof scalar === "number" ? 0 : (tangents.get(scalar) ?? 0));
    for (const node of dependent) {
      const tangent = tangentOf(node, dot);
      if (tangent !== 0) tangents.set(node, tangent);
    }
    outputs.forEach((output, i) => {
      result[i].push(dot(output));
    });
  }
  return result;
}

/** The operations among the nodes that depend on any of the variables. */
function dependents(wrt: readonly Expr[], nodes: readonly Expr[]): Expr[] {
  const active = new Set<Scalar>(wrt);
  const found: Expr[] = [];
  for (const node of nodes) {
    if (node.op !== "symbol" && node.op !== "stopGradient" && node.args.some((arg) => active.has(arg))) {
      active.add(node);
      found.push(node);
    }
  }
  return found;
}

function tangentOf(node: Expr, dot: (scalar: Scalar) => Scalar): Scalar {
  const [a, b] = node.args;
  if (node.op === "ifLess") {
    return ifLess(a, b, dot(node.args[2]), dot(node.args[3]));
  }
  const da = dot(a);
  const db = node.args.length > 1 ? dot(b) : 0;
  if (da === 0 && db === 0) return 0;
  switch (node.op) {
    case "add":
      return add(da, db);
    case "sub":
      return sub(da, db);
    case "mul":
      return a === b ? mul(mul(a, 2), da) : add(mul(da, b), mul(a, db));
    case "div":
      return mul(sub(da, mul(node, db)), div(1, b));
    case "neg":
      return neg(da);
    case "sqrt":
      return mul(da, div(0.5, node));
    case "abs":
      return ifLess(a, 0, neg(da), da);
    case "min":
      return ifLess(a, b, da, db);
    case "max":
      return ifLess(b, a, da, db);
    case "sin":
      return mul(da, cos(a));
    case "cos":
      return neg(mul(da, sin(a)));
    case "atan2": {
      const { byY, byX } = atan2Partials(a, b);
      return add(mul(da, byY), mul(db, byX));
    }
    case "stopGradient":
    case "symbol":
      return 0;
  }
}

function reverse(outputs: readonly Scalar[], wrt: readonly Expr[], nodes: readonly Expr[]): Scalar[][] {
  const dependent = dependents(wrt, nodes);
  const isActive = new Set<Scalar>([...wrt, ...dependent]);
  return outputs.map((output) => {
    const adjoints = new Map<Scalar, Scalar>([[output, 1]]);
    const give = (arg: Scalar, adjoint: Scalar) => {
      if (isActive.has(arg)) adjoints.set(arg, add(adjoints.get(arg) ?? 0, adjoint));
    };
    for (let k = dependent.length - 1; k >= 0; k--) {
      const adjoint = adjoints.get(dependent[k]);
      if (adjoint !== undefined && adjoint !== 0) passBack(dependent[k], adjoint, give);
    }
    return wrt.map((variable) => adjoints.get(variable) ?? 0);
  });
}

function passBack(node: Expr, adjoint: Scalar, give: (arg: Scalar, adjoint: Scalar) => void): void {
  const [a, b] = node.args;
  switch (node.op) {
    case "add":
      give(a, adjoint);
      give(b, adjoint);
      break;
    case "sub":
      give(a, adjoint);
      give(b, neg(adjoint));
      break;
    case "mul":
      if (a === b) {
        give(a, mul(mul(a, 2), adjoint));
      } else {
        give(a, mul(adjoint, b));
        give(b, mul(adjoint, a));
      }
      break;
    case "div": {
      const scaled = mul(adjoint, div(1, b));
      give(a, scaled);
      give(b, neg(mul(scaled, node)));
      break;
    }
    case "neg":
      give(a, neg(adjoint));
      break;
    case "sqrt":
      give(a, mul(adjoint, div(0.5, node)));
      break;
    case "abs":
      give(a, ifLess(a, 0, neg(adjoint), adjoint));
      break;
    case "min":
      give(a, ifLess(a, b, adjoint, 0));
      give(b, ifLess(a, b, 0, adjoint));
      break;
    case "max":
      give(a, ifLess(b, a, adjoint, 0));
      give(b, ifLess(b, a, 0, adjoint));
      break;
    case "sin":
      give(a, mul(adjoint, cos(a)));
      break;
    case "cos":
      give(a, neg(mul(adjoint, sin(a))));
      break;
    case "atan2": {
      const { byY, byX } = atan2Partials(a, b);
      give(a, mul(adjoint, byY));
      give(b, mul(adjoint, byX));
      break;
    }
    case "ifLess":
      give(node.args[2], ifLess(a, b, adjoint, 0));
      give(node.args[3], ifLess(a, b, 0, adjoint));
      break;
    case "stopGradient":
    case "symbol":
      break;
  }
}

/** ∂atan2(y, x)/∂y = x/(x² + y²) and ∂/∂x = −y/(x² + y²). */
function atan2Partials(y: Scalar, x: Scalar): { byY: Scalar; byX: Scalar } {
  const reciprocal = div(1, add(square(x), square(y)));
  return { byY: mul(x, reciprocal), byX: neg(mul(y, reciprocal)) };
}
