/**
 * The positive orthant R₊ⁿ = {y : y₍ₖ₎ ≥ 0}. [paper section "Cones"]
 *   product    b ∘ c = (b₁c₁, …, bₙcₙ)
 *   identity   e = (1, …, 1)
 *   step       largest α with y + αΔ in the cone:  α = min over Δ₍ₖ₎ < 0 of −y₍ₖ₎/Δ₍ₖ₎   [paper eq:alpha_ort]
 * A pair (b, c) has the eigenvalues bₖcₖ; on the central path all of them are κ. Outside, the smaller of bₖ and cₖ takes their place.
 */
import { type Arithmetic, dotProduct, type Ring } from "./arithmetic.ts";
import { splitOnPath } from "./formulas.ts";

export const inner = dotProduct;

export function product<T>(m: Ring<T>, b: ArrayLike<T>, c: ArrayLike<T>): T[] {
  return Array.from(b, (entry, k) => m.mul(entry, c[k]));
}

export function ones(size: number): number {
  return size;
}

export function margin<T>(m: Arithmetic<T>, y: ArrayLike<T>): T {
  let least = y[0];
  for (let k = 1; k < y.length; k++) least = m.min(least, y[k]);
  return least;
}

// DEPARTURE(orthant-min): eq:alpha_ort prints the max of the ratios; the first variable to reach zero decides, so it is the min.
export function largestStep<T>(m: Arithmetic<T>, y: ArrayLike<T>, delta: ArrayLike<T>): T {
  let least = stepOf(m, y[0], delta[0]);
  for (let k = 1; k < y.length; k++) least = m.min(least, stepOf(m, y[k], delta[k]));
  return least;
}

export function smallestEigenvalue<T>(m: Arithmetic<T>, b: ArrayLike<T>, c: ArrayLike<T>): T {
  let least = eigenvalueOf(m, b[0], c[0]);
  for (let k = 1; k < b.length; k++) least = m.min(least, eigenvalueOf(m, b[k], c[k]));
  return least;
}

export function pairOnPath<T>(m: Arithmetic<T>, z: readonly T[], mu: T, beta: T, gamma: T): readonly [b: T[], c: T[]] {
  const pairs = z.map((lambda) => splitOnPath(m, lambda, mu));
  return [pairs.map(([p]) => m.mul(beta, p)), pairs.map(([, q]) => m.mul(gamma, q))];
}

function stepOf<T>(m: Arithmetic<T>, y: T, delta: T): T {
  return m.ifLess(delta, m.constant(0), m.div(y, m.neg(delta)), m.constant(Infinity));
}

function eigenvalueOf<T>(m: Arithmetic<T>, b: T, c: T): T {
  const smaller = m.min(b, c);
  return m.ifLess(m.constant(0), smaller, m.mul(b, c), smaller);
}
