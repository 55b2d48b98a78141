/**
 * The basic operations on scalars, simplified as they are built.
 *
 * Every rewrite gives the same bits as the plain operation for finite values, up to the sign of a zero:
 *   x + 0 = x    x · 0 = 0    x · 1 = x    x − x = 0    x + x = 2x    x / 2ᵏ = x · 2⁻ᵏ    0 / x = 0
 * Nothing is reassociated: (x + C) − C stays, because rounding tricks rely on it. Negations move outwards, where the
 * next sum swallows them (a + −b = a − b), and products keep positive constants, so that ±e share one node:
 *   (−x) · y = −(x · y)    x · (−c) = −(x · c)    −x − y = −(x + y)    b − a = −(a − b) if a − b exists
 * Commutative arguments are sorted (exact in floating point): older node first, constant last.
 */
import type { Expr, Op, Scalar } from "./expression.ts";

export function add(a: Scalar, b: Scalar): Scalar {
  if (typeof a === "number") return typeof b === "number" ? a + b : addConstant(b, a);
  if (typeof b === "number") return addConstant(a, b);
  if (a === b) return mul(a, 2);
  const minusA = negated(a);
  const minusB = negated(b);
  if (minusA !== undefined) return minusB !== undefined ? neg(add(minusA, minusB)) : sub(b, minusA);
  if (minusB !== undefined) return sub(a, minusB);
  return commutative("add", a, b);
}

function addConstant(x: Expr, c: number): Scalar {
  if (c === 0) return x;
  if (c < 0) return sub(x, -c);
  const minusX = negated(x);
  return minusX !== undefined ? sub(c, minusX) : x.graph.intern("add", [x, c]);
}

export function sub(a: Scalar, b: Scalar): Scalar {
  if (typeof a === "number") {
    if (typeof b === "number") return a - b;
    if (a === 0) return neg(b);
    if (a < 0) return neg(add(b, -a));
    const minusB = negated(b);
    return minusB !== undefined ? add(a, minusB) : difference(b, a, b);
  }
  const minusA = negated(a);
  if (typeof b === "number") {
    if (b === 0) return a;
    if (b < 0) return add(a, -b);
    return minusA !== undefined ? neg(add(minusA, b)) : difference(a, a, b);
  }
  if (a === b) return 0;
  const minusB = negated(b);
  if (minusB !== undefined) return add(a, minusB);
  if (minusA !== undefined) return neg(add(minusA, b));
  return difference(a, a, b);
}

/** a − b, or −(b − a) where b − a is known already. */
function difference(owner: Expr, a: Scalar, b: Scalar): Expr {
  const reverse = owner.graph.find("sub", [b, a]);
  return reverse !== undefined ? owner.graph.intern("neg", [reverse]) : owner.graph.intern("sub", [a, b]);
}

export function neg(a: Scalar): Scalar {
  if (typeof a === "number") return a === 0 ? 0 : -a;
  return negated(a) ?? a.graph.intern("neg", [a]);
}

export function mul(a: Scalar, b: Scalar): Scalar {
  if (typeof a === "number") return typeof b === "number" ? a * b : mulConstant(b, a);
  if (typeof b === "number") return mulConstant(a, b);
  const minusA = negated(a);
  const minusB = negated(b);
  if (minusA !== undefined) return minusB !== undefined ? mul(minusA, minusB) : neg(mul(minusA, b));
  if (minusB !== undefined) return neg(mul(a, minusB));
  return commutative("mul", a, b);
}

function mulConstant(x: Expr, c: number): Scalar {
  if (c === 0) return 0;
  if (c === 1) return x;
  if (c < 0) return neg(mulConstant(x, -c));
  const minusX = negated(x);
  return minusX !== undefined ? neg(mul(minusX, c)) : x.graph.intern("mul", [x, c]);
}

export function div(a: Scalar, b: Scalar): Scalar {
  if (typeof b === "number") {
    if (typeof a === "number") return a / b;
    if (b < 0) return neg(div(a, -b));
    if (isPowerOfTwo(b)) return mul(a, 1 / b);
    const minusA = negated(a);
    return minusA !== undefined ? neg(div(minusA, b)) : a.graph.intern("div", [a, b]);
  }
  if (a === 0) return 0;
  const minusB = negated(b);
  if (minusB !== undefined) return neg(div(a, minusB));
  if (typeof a === "number") return a < 0 ? neg(div(-a, b)) : b.graph.intern("div", [a, b]);
  const minusA = negated(a);
  return minusA !== undefined ? neg(div(minusA, b)) : b.graph.intern("div", [a, b]);
}

export function sqrt(a: Scalar): Scalar {
  return typeof a === "number" ? Math.sqrt(a) : a.graph.intern("sqrt", [a]);
}

export function abs(a: Scalar): Scalar {
  if (typeof a === "number") return Math.abs(a);
  if (a.op === "abs" || a.op === "sqrt") return a;
  return a.graph.intern("abs", [negated(a) ?? a]);
}

export function min(a: Scalar, b: Scalar): Scalar {
  if (typeof a === "number" && typeof b === "number") return Math.min(a, b);
  return a === b ? a : commutative("min", a, b);
}

export function max(a: Scalar, b: Scalar): Scalar {
  if (typeof a === "number" && typeof b === "number") return Math.max(a, b);
  return a === b ? a : commutative("max", a, b);
}

/** a < b ? then : otherwise */
export function ifLess(a: Scalar, b: Scalar, then: Scalar, otherwise: Scalar): Scalar {
  if (typeof a === "number" && typeof b === "number") return a < b ? then : otherwise;
  if (then === otherwise) return then;
  if (a === b) return otherwise;
  const owner = typeof a === "number" ? (b as Expr) : a;
  return owner.graph.intern("ifLess", [a, b, then, otherwise]);
}

/** The value of a, which counts as a constant in derivatives: where something iterated has come to, say. */
export function stopGradient(a: Scalar): Scalar {
  if (typeof a === "number" || a.op === "stopGradient") return a;
  return a.graph.intern("stopGradient", [a]);
}

export function square(a: Scalar): Scalar {
  return mul(a, a);
}

/** The sum from left to right, so that the order of rounding is the order of the list. */
export function sum(list: readonly Scalar[]): Scalar {
  let total: Scalar = 0;
  for (let i = 0; i < list.length; i++) total = add(total, list[i]);
  return total;
}

/** x where a = −x. */
function negated(a: Expr): Expr | undefined {
  return a.op === "neg" ? (a.args[0] as Expr) : undefined;
}

function commutative(op: Op, a: Scalar, b: Scalar): Expr {
  if (typeof a === "number") return (b as Expr).graph.intern(op, [b, a]);
  if (typeof b === "number" || a.id <= b.id) return a.graph.intern(op, [a, b]);
  return a.graph.intern(op, [b, a]);
}

/** True for 2ᵏ whose reciprocal is finite and normal, so that dividing by it is multiplying by the reciprocal. */
function isPowerOfTwo(c: number): boolean {
  return c >= 2 ** -1000 && c <= 2 ** 1000 && Math.log2(c) % 1 === 0 && 2 ** Math.log2(c) === c;
}
