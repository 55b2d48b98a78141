/**
 * The second-order cone Qⁿ = {(y₁, y_v) : ‖y_v‖ ≤ y₁}. [paper section "Cones"]
 *   product    b ∘ c = (bᵀc, b₁c_v + c₁b_v)                                   [paper soc_product]
 *   identity   e = (1, 0, …, 0)
 *   step       first root of   ν + 2ζα + ϖα² = 0,   the determinant of y + αΔ   [paper eq:alpha_soc]
 *                ν = (y₁ − ‖y_v‖)(y₁ + ‖y_v‖)    ζ = y₁Δ₁ − y_vᵀΔ_v    ϖ = (Δ₁ − ‖Δ_v‖)(Δ₁ + ‖Δ_v‖)
 *
 * Which eigenvalue measures nearness to the boundary. For b, c inside, b ∘ c itself may lie outside Qⁿ, so its smallest
 * eigenvalue says nothing about b or c. P(b^½)c is the cone's own notion of "b times c": it is inside when b and c are, is
 * symmetric in them, does not change when b is stretched and c shrunk by the same automorphism, and is κe exactly when
 * b ∘ c = κe. Its eigenvalues λ± have the sum 2bᵀc and the product det b · det c, so
 *   λ₋ = det b · det c / (bᵀc + √((bᵀc)² − det b · det c)),    det y = y₁² − ‖y_v‖²,
 * which for size 1 is the orthant's bₖcₖ. DEPARTURE(neighbourhood) in solver/neighbourhood.ts uses it.
 *
 * The pair on the central path whose difference is z. z has the eigenvalues λ± = z₁ ± |z_v|, and b and c have its eigenvectors:
 *   b/β = ½(p₊ + p₋, (p₊ − p₋) z_v/|z_v|),   c/γ = ½(q₊ + q₋, (q₊ − q₋) z_v/|z_v|),        p − q = λ,   p q = μ.
 */
import { type Arithmetic, dotProduct, type Ring } from "./arithmetic.ts";
import { splitOnPath } from "./formulas.ts";

/** So that a pair on the axis has a direction, whichever. */
const tiny = 1e-300;

export function inner<T>(m: Ring<T>, b: ArrayLike<T>, c: ArrayLike<T>): T {
  return m.add(m.mul(b[0], c[0]), dotProduct(m, b, c, 1));
}

// DEPARTURE(soc-product): the section "Cones" prints a₁b_v + a₁b_v; the appendix's a₁b_v + b₁a_v is meant.
export function product<T>(m: Ring<T>, b: ArrayLike<T>, c: ArrayLike<T>, sum = dotProduct(m, b, c)): T[] {
  return Array.from(b, (entry, k) => (k === 0 ? sum : m.add(m.mul(b[0], c[k]), m.mul(c[0], entry))));
}

export function ones(): number {
  return 1;
}

/** y₁ − ‖y_v‖. */
export function margin<T>(m: Arithmetic<T>, y: ArrayLike<T>): T {
  return m.sub(y[0], norm(m, y));
}

// DEPARTURE(quadratic-root): the printed ρ formula subtracts nearly equal numbers close to the boundary; this one does not.
export function largestStep<T>(m: Arithmetic<T>, y: ArrayLike<T>, delta: ArrayLike<T>): T {
  const nu = determinant(m, y);
  const varpi = determinant(m, delta);
  const zeta = m.sub(m.mul(y[0], delta[0]), dotProduct(m, y, delta, 1));
  const zero = m.constant(0);
  // negative only by rounding: inside a cone ζ² ≥ νϖ (the reversed Cauchy-Schwarz inequality)
  const root = m.sqrt(m.max(zero, m.sub(m.mul(zeta, zeta), m.mul(nu, varpi))));
  const leaving = m.ifLess(varpi, zero, m.div(m.add(root, zeta), m.neg(varpi)), m.constant(Infinity));
  return m.ifLess(zeta, zero, m.div(nu, m.sub(root, zeta)), leaving);
}

export function smallestEigenvalue<T>(m: Arithmetic<T>, b: ArrayLike<T>, c: ArrayLike<T>): T {
  const sum = inner(m, b, c);
  const least = m.min(margin(m, b), margin(m, c));
  const determinants = m.mul(determinant(m, b), determinant(m, c));
  const zero = m.constant(0);
  // the smaller of two numbers with this half sum and product, without subtracting
  const root = m.sqrt(m.max(zero, m.sub(m.mul(sum, sum), determinants)));
  return m.ifLess(zero, least, m.div(determinants, m.add(sum, root)), least);
}

export function pairOnPath<T>(m: Arithmetic<T>, z: readonly T[], mu: T, beta: T, gamma: T): readonly [b: T[], c: T[]] {
  const half = m.constant(0.5);
  const size = norm(m, z);
  const [p, q] = splitOnPath(m, m.add(z[0], size), mu);
  const [pLess, qLess] = splitOnPath(m, m.sub(z[0], size), mu);
  const perSize = m.div(half, m.max(size, m.constant(tiny)));
  const combined = (unit: T, more: T, less: T): T[] => {
    const along = m.mul(m.mul(unit, m.sub(more, less)), perSize);
    return [m.mul(m.mul(half, unit), m.add(more, less)), ...z.slice(1).map((entry) => m.mul(along, entry))];
  };
  return [combined(beta, p, pLess), combined(gamma, q, qLess)];
}

/** ‖y_v‖. */
function norm<T>(m: Arithmetic<T>, y: ArrayLike<T>): T {
  return m.sqrt(dotProduct(m, y, y, 1));
}

/** (y₁ − ‖y_v‖)(y₁ + ‖y_v‖). */
function determinant<T>(m: Arithmetic<T>, y: ArrayLike<T>): T {
  const size = norm(m, y);
  return m.mul(m.sub(y[0], size), m.add(y[0], size));
}
