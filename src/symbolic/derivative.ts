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
    const { args, op } = node;
    const from = op === "ifLess" ? 2 : 0;
    const [da, db] = [dot(args[from]), args.length > from + 1 ? dot(args[from + 1]) : 0];
    const tangent = da === 0 && db === 0 ? 0 : tangentOf(node, da, db);
    if (tangent !== 0) tangents.set(node, tangent);
  }
  return outputs.map(dot);
}

function forward(outputs: readonly Scalar[], wrt: readonly Expr[], nodes: readonly Expr[]): Scalar[][] {
  const result: Scalar[][] = outputs.map(() => []);
  const dependent = dependents(wrt, nodes);
  const slots = slotsOf(wrt, dependent);
  const slot = (scalar: Scalar): number => (typeof scalar === "number" ? 0 : (slots[scalar.id] ?? 0));
  // slots of the two arguments whose tangents count
  const first = new Int32Array(dependent.length);
  const second = new Int32Array(dependent.length);
  for (let k = 0; k < dependent.length; k++) {
    const { args, op } = dependent[k];
    const from = op === "ifLess" ? 2 : 0;
    first[k] = slot(args[from]);
    if (args.length > from + 1) second[k] = slot(args[from + 1]);
  }
  const from = 1 + wrt.length;
  const tangents = new Array<Scalar>(from + dependent.length);
  for (const variable of wrt) {
    tangents.fill(0);
    tangents[slots[variable.id]] = 1;
    for (let k = 0; k < dependent.length; k++) {
      const da = tangents[first[k]];
      const db = tangents[second[k]];
      if (da !== 0 || db !== 0) tangents[from + k] = tangentOf(dependent[k], da, db);
    }
    for (let i = 0; i < outputs.length; i++) result[i].push(tangents[slot(outputs[i])]);
  }
  return result;
}

/** Where the variables and then the operations have their numbers, by id, from 1 on; what depends on nothing shares slot 0. */
function slotsOf(wrt: readonly Expr[], dependent: readonly Expr[]): Int32Array {
  let top = dependent.length === 0 ? -1 : dependent[dependent.length - 1].id;
  for (const { id } of wrt) top = Math.max(top, id);
  const slots = new Int32Array(top + 1);
  for (let i = 0; i < wrt.length; i++) slots[wrt[i].id] = 1 + i;
  for (let k = 0; k < dependent.length; k++) slots[dependent[k].id] = 1 + wrt.length + k;
  return slots;
}

/** The operations among the nodes that depend on any of the variables. */
function dependents(wrt: readonly Expr[], nodes: readonly Expr[]): Expr[] {
  const isActive = new Uint8Array(nodes.length === 0 ? 0 : nodes[nodes.length - 1].id + 1);
  for (const { id } of wrt) if (id < isActive.length) isActive[id] = 1;
  const found: Expr[] = [];
  for (let i = 0; i < nodes.length; i++) {
    const node = nodes[i];
    const { args, op } = node;
    if (op === "symbol" || op === "stopGradient") continue;
    for (let k = 0; k < args.length; k++) {
      const arg = args[k];
      if (typeof arg === "number" || isActive[arg.id] === 0) continue;
      isActive[node.id] = 1;
      found.push(node);
      break;
    }
  }
  return found;
}

/** The tangent of an operation from those of its two arguments, or of the two values that `ifLess` chooses from, not both of them zero. */
function tangentOf(node: Expr, da: Scalar, db: Scalar): Scalar {
  const { args } = node;
  const a = args[0];
  const b = args[1];
  switch (node.op) {
    case "ifLess":
      return ifLess(a, b, da, db);
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
  const slots = slotsOf(wrt, dependent);
  const from = 1 + wrt.length;
  const adjoints = new Array<Scalar>(from + dependent.length);
  const give = (arg: Scalar, adjoint: Scalar): void => {
    const slot = typeof arg === "number" ? 0 : (slots[arg.id] ?? 0);
    if (slot > 0) adjoints[slot] = add(adjoints[slot], adjoint);
  };
  return outputs.map((output) => {
    adjoints.fill(0);
    give(output, 1);
    for (let k = dependent.length - 1; k >= 0; k--) {
      const adjoint = adjoints[from + k];
      if (adjoint !== 0) passBack(dependent[k], adjoint, give);
    }
    return wrt.map(({ id }) => adjoints[slots[id]]);
  });
}

function passBack(node: Expr, adjoint: Scalar, give: (arg: Scalar, adjoint: Scalar) => void): void {
  const { args } = node;
  const a = args[0];
  const b = args[1];
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
