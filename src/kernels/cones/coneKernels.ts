/**
 * What the solver does to the cone variables of a mechanism, as kernels: the same as solver/plainProblem.ts, in f64x2.
 * Cones are R₊ and Q³ to Q⁶; formulas as in math/cones. Bodies of loops over cones (lanes.ts):
 *   state     μ, distances from the central path, smallest eigenvalue; writes b∘c
 *   search    distance to the boundary, slope and curvature of μ; writes Δb∘Δc where asked
 *   aim       κ·weight·e − b∘c (− Δb∘Δc)
 *   smooth    b and c from their difference, on the central path; writes b∘c
 *   settle    b and c of any cone after a Newton step, on the central path where that has left the cone
 *   residual, gap, turn     violations of the equations, and the fastest rotation
 */
import type { Value } from "../../codegen/index.ts";
import { ROUNDING } from "../../solver/index.ts";
import type { Body, Lanes } from "../memory/lanes.ts";

/** Places among the totals, in pairs of lanes, and what they start from. */
export const totals = {
  mu: 0,
  violation: 1,
  path: 2,
  eigenvalue: 3,
  boundary: 4,
  slope: 5,
  curvature: 6,
  second: 7,
  residual: 8,
  residualViolation: 9,
  gap: 10,
  turn: 11,
} as const;
const most = Number.MAX_VALUE;
export const totalStarts: readonly number[] = [0, 0, 0, most, most, 0, 0, 0, 0, 0, 0, 0];
/** Products up to this many μ are left as they are. */
const mostKept = 10;
const tiny = 1e-300;
/** What the kernels are given. */
export const given = { kappa: 0, centre: 1, mu: 2 } as const;

/** Operands: b, c, unit, scale, product. */
const orthantState: Body = (lanes) => {
  const { builder: m } = lanes;
  const [b, c, unit, scale] = [0, 1, 2, 3].map((operand) => lanes.load(operand));
  const product = m.mul(b, c);
  lanes.store(4, 0, product);
  const scaled = m.mul(product, scale);
  const distance = m.mul(m.abs(m.sub(product, m.mul(lanes.given(given.centre), unit))), scale);
  lanes.total("add", totals.mu, scaled);
  lanes.total("max", totals.violation, distance);
  lanes.total("max", totals.path, m.sub(distance, m.mul(lanes.constant(ROUNDING), scaled)));
  // bc inside, the smaller of the two outside
  const smaller = m.min(b, c);
  const eigenvalue = m.ifLess(lanes.constant(0), smaller, product, smaller);
  lanes.total("min", totals.eigenvalue, m.mul(eigenvalue, scale));
};

/** Of cones of one size. Operands: b, c, unit, scale, product. */
const coneState =
  (size: number): Body =>
  (lanes) => {
    const { builder: m } = lanes;
    const [b1, ...b] = vector(lanes, 0, size);
    const [c1, ...c] = vector(lanes, 1, size);
    const [unit, scale] = [lanes.load(2), lanes.load(3)];
    const head = m.mul(b1, c1);
    const tail = dot(lanes, b, c);
    const product = [m.add(head, tail), ...b.map((entry, k) => m.add(m.mul(b1, c[k]), m.mul(c1, entry)))];
    product.forEach((entry, k) => {
      lanes.store(4, k, entry);
    });
    lanes.total("add", totals.mu, m.mul(product[0], scale));
    const deviation = m.max(
      m.abs(m.sub(product[0], m.mul(lanes.given(given.centre), unit))),
      largestOf(lanes, product.slice(1)),
    );
    const distance = m.mul(deviation, scale);
    lanes.total("max", totals.violation, distance);
    // the largest term of the product is b₁c₁
    lanes.total("max", totals.path, m.sub(distance, m.mul(lanes.constant(ROUNDING), m.mul(head, scale))));

    // λ₋ = det b · det c / (bᵀc + √((bᵀc)² − det b · det c)) inside, the smaller margin outside
    const bNorm = m.sqrt(dot(lanes, b, b));
    const cNorm = m.sqrt(dot(lanes, c, c));
    const [bMargin, cMargin] = [m.sub(b1, bNorm), m.sub(c1, cNorm)];
    const determinants = m.mul(m.mul(bMargin, m.add(b1, bNorm)), m.mul(cMargin, m.add(c1, cNorm)));
    const zero = lanes.constant(0);
    const root = m.sqrt(m.max(zero, m.sub(m.mul(product[0], product[0]), determinants)));
    const margin = m.min(bMargin, cMargin);
    const eigenvalue = m.ifLess(zero, margin, m.div(determinants, m.add(product[0], root)), margin);
    lanes.total("min", totals.eigenvalue, m.mul(eigenvalue, scale));
  };

/** Operands: b, c, Δb, Δc, scale, and where Δb∘Δc goes if it is wanted. */
const orthantSearch =
  (withSecond: boolean): Body =>
  (lanes) => {
    const { builder: m } = lanes;
    const [b, c, deltaB, deltaC, scale] = [0, 1, 2, 3, 4].map((operand) => lanes.load(operand));
    const [zero, never] = [lanes.constant(0), lanes.constant(Infinity)];
    const step = (y: Value, delta: Value): Value => m.ifLess(delta, zero, m.div(y, m.neg(delta)), never);
    lanes.total("min", totals.boundary, m.min(step(b, deltaB), step(c, deltaC)));
    const second = m.mul(deltaB, deltaC);
    const scaled = m.mul(second, scale);
    lanes.total("add", totals.slope, m.mul(m.add(m.mul(b, deltaC), m.mul(c, deltaB)), scale));
    lanes.total("add", totals.curvature, scaled);
    if (!withSecond) return;
    lanes.store(5, 0, second);
    lanes.total("max", totals.second, m.abs(scaled));
  };

/** Of cones of one size. Operands as for orthants. */
const coneSearch =
  (withSecond: boolean, size: number): Body =>
  (lanes) => {
    const { builder: m } = lanes;
    const [b, c, deltaB, deltaC] = [0, 1, 2, 3].map((operand) => vector(lanes, operand, size));
    const scale = lanes.load(4);
    lanes.total("min", totals.boundary, m.min(firstRoot(lanes, b, deltaB), firstRoot(lanes, c, deltaC)));
    const second = dot(lanes, deltaB, deltaC);
    lanes.total("add", totals.slope, m.mul(m.add(dot(lanes, b, deltaC), dot(lanes, c, deltaB)), scale));
    lanes.total("add", totals.curvature, m.mul(second, scale));
    if (!withSecond) return;
    const crossed = (k: number): Value => m.add(m.mul(deltaB[0], deltaC[k]), m.mul(deltaC[0], deltaB[k]));
    const product = [second, ...deltaB.slice(1).map((_, k) => crossed(k + 1))];
    product.forEach((entry, k) => {
      lanes.store(5, k, entry);
    });
    const largest = m.max(m.abs(product[0]), largestOf(lanes, product.slice(1)));
    lanes.total("max", totals.second, m.mul(largest, scale));
  };

/** What is done to cones of one size, 1 for the orthant, and what their kernels are called. */
export function coneBodies(size: number): {
  readonly name: string;
  readonly state: Body;
  readonly search: (withSecond: boolean) => Body;
} {
  if (size === 1) return { name: "orthants", state: orthantState, search: orthantSearch };
  const name = size === 3 ? "cones" : `cones${size}`;
  return { name, state: coneState(size), search: (withSecond) => coneSearch(withSecond, size) };
}

/** First root of   ν + 2ζα + ϖα²,   the determinant of y + αΔ, or Infinity. [paper eq:alpha_soc, DEPARTURE(quadratic-root)] */
function firstRoot(lanes: Lanes, y: readonly Value[], delta: readonly Value[]): Value {
  const { builder: m } = lanes;
  const determinant = ([head, ...tail]: readonly Value[]): Value => {
    const norm = m.sqrt(dot(lanes, tail, tail));
    return m.mul(m.sub(head, norm), m.add(head, norm));
  };
  const nu = determinant(y);
  const varpi = determinant(delta);
  const zeta = m.sub(m.mul(y[0], delta[0]), dot(lanes, y.slice(1), delta.slice(1)));
  const zero = lanes.constant(0);
  const root = m.sqrt(m.max(zero, m.sub(m.mul(zeta, zeta), m.mul(nu, varpi))));
  const leaving = m.ifLess(varpi, zero, m.div(m.add(root, zeta), m.neg(varpi)), lanes.constant(Infinity));
  return m.ifLess(zeta, zero, m.div(nu, m.sub(root, zeta)), leaving);
}

/** Operands: right-hand side, unit, product, and Δb∘Δc for the corrector. */
export const aim =
  (corrected: boolean): Body =>
  (lanes) => {
    const { builder: m } = lanes;
    const plain = m.sub(m.mul(lanes.given(given.kappa), lanes.load(1)), lanes.load(2));
    lanes.store(0, 0, corrected ? m.sub(plain, lanes.load(3)) : plain);
  };

/**
 * After a Newton step, back to the central path (simulation/step/smoothingNewton.ts): with z = (b + Δb)/β − (c + Δc)/γ, the pair with
 *   b/β − c/γ = z   and   (b/β)(c/γ) = μ.
 * Operands: b, c, Δb, Δc, β, γ, product.
 */
export const smooth: Body = (lanes) => {
  const { builder: m } = lanes;
  const [b, c, deltaB, deltaC, beta, gamma] = [0, 1, 2, 3, 4, 5].map((operand) => lanes.load(operand));
  const mu = lanes.given(given.mu);
  const z = m.sub(m.div(m.add(b, deltaB), beta), m.div(m.add(c, deltaC), gamma));
  // the larger of the two without subtracting, and the smaller from their product
  const root = m.sqrt(m.add(m.mul(z, z), m.mul(lanes.constant(4), mu)));
  const larger = m.mul(lanes.constant(0.5), m.add(m.abs(z), root));
  const smaller = m.div(mu, larger);
  const zero = lanes.constant(0);
  const newB = m.mul(beta, m.ifLess(z, zero, smaller, larger));
  const newC = m.mul(gamma, m.ifLess(z, zero, larger, smaller));
  lanes.store(0, 0, newB);
  lanes.store(1, 0, newC);
  lanes.store(6, 0, m.mul(newB, newC));
};

/**
 * After a Newton step of cones of any size (simulation/step/pathNewton.ts): a pair that is still inside, with a product of no more than ten
 * times μ, stays where the step has brought it. Others go to the central path: with z = (b + Δb)/β − (c + Δc)/γ, whose eigenvalues are
 * λ± = z₁ ± |z̄|, to the pair
 *   b/β = ½(p₊ + p₋, (p₊ − p₋) z̄/|z̄|),   c/γ = ½(q₊ + q₋, (q₊ − q₋) z̄/|z̄|),        p − q = λ,   p q = μ.
 * Operands: b, c, Δb, Δc, β, γ.
 */
export const settle =
  (size: number): Body =>
  (lanes) => {
    const { builder: m } = lanes;
    const [beta, gamma, mu] = [lanes.load(4), lanes.load(5), lanes.given(given.mu)];
    const [zero, half, one, four] = [0, 0.5, 1, 4].map((value) => lanes.constant(value));
    const moved = (operand: number): Value[] =>
      vector(lanes, operand, size).map((entry, k) => m.add(entry, lanes.load(operand + 2, k)));
    const [b, c] = [moved(0), moved(1)];
    const [perBeta, perGamma] = [beta, gamma].map((unit) => m.div(one, unit));
    const z = b.map((entry, k) => m.sub(m.mul(entry, perBeta), m.mul(c[k], perGamma)));
    /** p and q of an eigenvalue: the larger without subtracting, the smaller from their product. */
    const split = (lambda: Value): readonly [Value, Value] => {
      const root = m.sqrt(m.add(m.mul(lambda, lambda), m.mul(four, mu)));
      const larger = m.mul(half, m.add(m.abs(lambda), root));
      const smaller = m.div(mu, larger);
      return [m.ifLess(lambda, zero, smaller, larger), m.ifLess(lambda, zero, larger, smaller)];
    };
    const most = m.mul(m.mul(lanes.constant(mostKept), mu), m.mul(beta, gamma));
    const place = (operand: number, inside: readonly Value[], margin: Value, onPath: readonly Value[]): void =>
      onPath.forEach((entry, k) => {
        lanes.store(operand, k, m.ifLess(zero, margin, inside[k], entry));
      });
    if (size === 1) {
      const [p, q] = split(z[0]);
      const margin = m.min(m.min(b[0], c[0]), m.sub(most, m.mul(b[0], c[0])));
      place(0, b, margin, [m.mul(beta, p)]);
      place(1, c, margin, [m.mul(gamma, q)]);
      return;
    }
    const norm = m.sqrt(dot(lanes, z.slice(1), z.slice(1)));
    const [p, q] = split(m.add(z[0], norm));
    const [pLess, qLess] = split(m.sub(z[0], norm));
    const perNorm = m.div(half, m.max(norm, lanes.constant(tiny)));
    const combined = (unit: Value, more: Value, less: Value): Value[] => {
      const along = m.mul(m.mul(unit, m.sub(more, less)), perNorm);
      return [m.mul(m.mul(half, unit), m.add(more, less)), ...z.slice(1).map((entry) => m.mul(along, entry))];
    };
    const inside = ([head, ...tail]: readonly Value[]): Value => m.sub(head, m.sqrt(dot(lanes, tail, tail)));
    const crossed = b.slice(1).map((entry, k) => m.add(m.mul(b[0], c[k + 1]), m.mul(c[0], entry)));
    const product = m.max(m.abs(dot(lanes, b, c)), largestOf(lanes, crossed));
    const margin = m.min(m.min(inside(b), inside(c)), m.sub(most, product));
    place(0, b, margin, combined(beta, p, pLess));
    place(1, c, margin, combined(gamma, q, qLess));
  };

/** Operands: E, 1/tolerance. */
export const residual: Body = (lanes) => {
  const { builder: m } = lanes;
  const size = m.abs(lanes.load(0));
  lanes.total("max", totals.residual, size);
  lanes.total("max", totals.residualViolation, m.mul(size, lanes.load(1)));
};

/** Operands: the row of E that says slack = distance, the slack. */
export const gap: Body = (lanes) => {
  const { builder: m } = lanes;
  const size = m.abs(lanes.load(0));
  lanes.total("max", totals.gap, m.div(m.add(size, size), lanes.load(1)));
};

/** |ω₊|². Operands: a body's unknowns. */
export const turn: Body = (lanes) => {
  const omega = [3, 4, 5].map((index) => lanes.load(0, index));
  lanes.total("max", totals.turn, dot(lanes, omega, omega));
};

function vector(lanes: Lanes, operand: number, size: number): Value[] {
  return Array.from({ length: size }, (_, index) => lanes.load(operand, index));
}

/** Of absolute values. */
function largestOf({ builder: m }: Lanes, values: readonly Value[]): Value {
  return values.map((value) => m.abs(value)).reduce((most, value) => m.max(most, value));
}

function dot({ builder: m }: Lanes, a: readonly Value[], b: readonly Value[]): Value {
  return a.map((entry, k) => m.mul(entry, b[k])).reduce((sum, term) => m.add(sum, term));
}
