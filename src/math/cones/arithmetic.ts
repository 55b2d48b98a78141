/**
 * What the formulas of cones are computed with. They are written once, for plain numbers (the solver), values of a program that is being
 * built (kernels), and, as far as they are differentiated, expressions (condensation).
 */
export interface Arithmetic<T> {
  constant(value: number): T;
  neg(a: T): T;
  abs(a: T): T;
  sqrt(a: T): T;
  add(a: T, b: T): T;
  sub(a: T, b: T): T;
  mul(a: T, b: T): T;
  div(a: T, b: T): T;
  min(a: T, b: T): T;
  max(a: T, b: T): T;
  /** a < b ? then : otherwise. */
  ifLess(a: T, b: T, then: T, otherwise: T): T;
}

/** Sums and products alone. */
export type Ring<T> = Pick<Arithmetic<T>, "add" | "mul">;

export const numbers: Arithmetic<number> = {
  constant: (value) => value,
  neg: (a) => -a,
  abs: Math.abs,
  sqrt: Math.sqrt,
  add: (a, b) => a + b,
  sub: (a, b) => a - b,
  mul: (a, b) => a * b,
  div: (a, b) => a / b,
  min: Math.min,
  max: Math.max,
  ifLess: (a, b, then, otherwise) => (a < b ? then : otherwise),
};

/** Σ aₖbₖ from entry `from` on. */
export function dotProduct<T>(m: Ring<T>, a: ArrayLike<T>, b: ArrayLike<T>, from = 0): T {
  let sum = m.mul(a[from], b[from]);
  for (let k = from + 1; k < a.length; k++) sum = m.add(sum, m.mul(a[k], b[k]));
  return sum;
}

/** The largest |aₖ|. */
export function largestAbsolute<T>(m: Pick<Arithmetic<T>, "abs" | "max">, a: ArrayLike<T>): T {
  let most = m.abs(a[0]);
  for (let k = 1; k < a.length; k++) most = m.max(most, m.abs(a[k]));
  return most;
}
