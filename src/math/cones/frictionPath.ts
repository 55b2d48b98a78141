/**
 * Friction on the central path. With β and γ the units of impulse and slip and r β the bound, the pair of ξ = β (r, t z/|z|) and
 *   η = γ μ (r, −t z/|z|)/(r² − t²)
 * has ξ∘η = βγμ e for every t in [0, r). That with ξ̄/β − η̄/γ = z has
 *   t + μ t/(r² − t²) = |z|,   or with d = r − t and p = d (2r − d):   (r − d)(p + μ) = |z| p.
 */
import { type Arithmetic, dotProduct } from "./arithmetic.ts";

/** Steps of Newton's method for d: from the guess, 1e-11 of d for r, |z| and μ over five orders of magnitude each. */
const iterations = 4;
/** An iteration leaves at least this part of d. */
const leastPart = 0.1;

/** ξ̄ and η. */
export function frictionOnPath<T>(
  m: Arithmetic<T>,
  bound: T,
  z: readonly T[],
  mu: T,
  beta: T,
  gamma: T,
): readonly [xi: T[], eta: T[]] {
  const r = m.div(bound, beta);
  const size = m.sqrt(dotProduct(m, z, z));
  const d = distanceToBound(m, r, size, mu);
  const zero = m.constant(0);
  const along = m.ifLess(zero, size, m.div(m.sub(r, d), size), zero);
  const direction = z.map((entry) => m.mul(along, entry));
  const perSquare = m.div(m.mul(gamma, mu), m.mul(d, m.sub(m.add(r, r), d)));
  return [
    direction.map((entry) => m.mul(beta, entry)),
    [m.mul(perSquare, r), ...direction.map((entry) => m.neg(m.mul(perSquare, entry)))],
  ];
}

/** d, from (|z| − t)(r − t) = μ s with s = l/(r + l), l = min(|z|, r), which is right near t = l (kernels/cones/portVisits.ts). */
function distanceToBound<T>(m: Arithmetic<T>, r: T, size: T, mu: T): T {
  const over = m.sub(size, r);
  const least = m.min(size, r);
  const softness = m.div(m.mul(mu, least), m.add(r, least));
  const root = m.sqrt(m.add(m.mul(over, over), m.mul(m.constant(4), softness)));
  const beyond = m.div(m.add(softness, softness), m.add(over, root));
  const within = m.mul(m.constant(0.5), m.sub(root, over));
  let d = m.min(r, m.ifLess(m.constant(0), over, beyond, within));
  for (let k = 0; k < iterations; k++) {
    const t = m.sub(r, d);
    const p = m.mul(d, m.add(r, t));
    const value = m.sub(m.mul(t, m.add(p, mu)), m.mul(size, p));
    const slope = m.sub(m.sub(m.mul(m.add(t, t), m.sub(t, size)), p), mu);
    d = m.min(r, m.max(m.sub(d, m.div(value, slope)), m.mul(m.constant(leastPart), d)));
  }
  return d;
}
