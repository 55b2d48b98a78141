/** What is to be known of a kind of cone, for numbers, expressions and values of programs alike. */
import type { Arithmetic, Ring } from "./arithmetic.ts";

export interface ConeFormulas {
  /** bᵀc, the first term apart from the sum of the others. */
  inner<T>(m: Ring<T>, b: ArrayLike<T>, c: ArrayLike<T>): T;
  /** b ∘ c; `sum` is bᵀc as the caller has summed it, term by term otherwise. */
  product<T>(m: Ring<T>, b: ArrayLike<T>, c: ArrayLike<T>, sum?: T): T[];
  /** Entries of the identity e that are 1: these from the first on. The others are 0. */
  ones(size: number): number;
  /** How far inside the cone y is: positive inside, zero on the boundary. */
  margin<T>(m: Arithmetic<T>, y: ArrayLike<T>): T;
  /**
   * Distance to the boundary along Δ, in units of Δ: the largest α with y + αΔ in the cone, Infinity when Δ never leaves it. Not capped at 1:
   * the line search does that after the boundary fraction.
   */
  largestStep<T>(m: Arithmetic<T>, y: ArrayLike<T>, delta: ArrayLike<T>): T;
  /** Smallest eigenvalue of the pair (b, c): κ on the central path, not positive when either is outside. */
  smallestEigenvalue<T>(m: Arithmetic<T>, b: ArrayLike<T>, c: ArrayLike<T>): T;
  /** The pair with   b/β − c/γ = z   and   (b/β) ∘ (c/γ) = μe,   for every z. */
  pairOnPath<T>(m: Arithmetic<T>, z: readonly T[], mu: T, beta: T, gamma: T): readonly [b: T[], c: T[]];
}

/** The larger of two positive numbers whose product is μ and whose difference is ±λ, without subtracting: ½(|λ| + √(λ² + 4μ)). */
export function largerOnPath<T>(m: Arithmetic<T>, lambda: T, mu: T): T {
  const root = m.sqrt(m.add(m.mul(lambda, lambda), m.mul(m.constant(4), mu)));
  return m.mul(m.constant(0.5), m.add(m.abs(lambda), root));
}

/** The same of plain numbers, for loops in which steps place many pairs. */
export function largerOf(lambda: number, mu: number): number {
  return 0.5 * (Math.abs(lambda) + Math.sqrt(lambda * lambda + 4 * mu));
}

/** p and q with   p − q = λ   and   p q = μ. */
export function splitOnPath<T>(m: Arithmetic<T>, lambda: T, mu: T): readonly [p: T, q: T] {
  const larger = largerOnPath(m, lambda, mu);
  const smaller = m.div(mu, larger);
  const zero = m.constant(0);
  return [m.ifLess(lambda, zero, smaller, larger), m.ifLess(lambda, zero, larger, smaller)];
}
