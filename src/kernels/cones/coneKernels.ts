/**
 * What the solver does to the cone variables of a mechanism, as kernels: the same as solver/plainProblem.ts, in f64x2.
 * Cones are R₊ and Q³ to Q⁶; their formulas are those of math/cones. Bodies of loops over cones (lanes.ts):
 *   state     μ, distances from the central path, smallest eigenvalues; writes b∘c
 *   search    distance to the boundary, slope and curvature of μ; writes Δb∘Δc where asked
 *   aim       κ·weight·e − b∘c (− Δb∘Δc)
 *   smooth    b and c from their difference, on the central path; writes b∘c
 *   settle    b and c of any cone after a Newton step, on the central path where that has left the cone
 *   residual, gap, turn     violations of the equations, and the fastest rotation
 */
import type { Value } from "../../codegen/index.ts";
import { type ConeFormulas, coneFormulas, coneKind, dotProduct, largestAbsolute } from "../../math/index.ts";
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
  fastest: 12,
  farthest: 13,
  changed: 14,
  change: 15,
  near: 16,
  distance: 17,
} as const;
const most = Number.MAX_VALUE;
/** Two more than there are totals: copied eight at a time, they take one call. */
export const totalStarts: readonly number[] = [0, 0, 0, most, most, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, most, 0, 0];
/** Products up to this many μ are left as they are. */
const mostKept = 10;
/** What the kernels are given. */
export const given = { kappa: 0, centre: 1, mu: 2 } as const;

/** Operands: b, c, unit, scale, product, smallest eigenvalue. */
const state =
  (cone: ConeFormulas, size: number): Body =>
  (lanes) => {
    const { arithmetic: m } = lanes;
    const [b, c] = [vector(lanes, 0, size), vector(lanes, 1, size)];
    const [unit, scale] = [lanes.load(2), lanes.load(3)];
    const inner = cone.inner(m, b, c);
    const product = cone.product(m, b, c, inner);
    product.forEach((entry, k) => {
      lanes.store(4, k, entry);
    });
    lanes.total("add", totals.mu, m.mul(inner, scale));
    const deviation = [m.sub(inner, m.mul(lanes.given(given.centre), unit)), ...product.slice(1)];
    const distance = m.mul(largestAbsolute(m, deviation), scale);
    lanes.total("max", totals.violation, distance);
    // the largest term of the product is b₁c₁
    const rounding = m.mul(m.constant(ROUNDING), m.mul(m.mul(b[0], c[0]), scale));
    lanes.total("max", totals.path, m.sub(distance, rounding));
    const eigenvalue = m.mul(cone.smallestEigenvalue(m, b, c), scale);
    lanes.store(5, 0, eigenvalue);
    lanes.total("min", totals.eigenvalue, eigenvalue);
  };

/** Operands: b, c, Δb, Δc, scale, and where Δb∘Δc goes if it is wanted. */
const search =
  (cone: ConeFormulas, size: number, withSecond: boolean): Body =>
  (lanes) => {
    const { arithmetic: m } = lanes;
    const [b, c, deltaB, deltaC] = [0, 1, 2, 3].map((operand) => vector(lanes, operand, size));
    const scale = lanes.load(4);
    lanes.total("min", totals.boundary, m.min(cone.largestStep(m, b, deltaB), cone.largestStep(m, c, deltaC)));
    const slope = m.add(dotProduct(m, b, deltaC), dotProduct(m, c, deltaB));
    lanes.total("add", totals.slope, m.mul(slope, scale));
    const curvature = m.mul(dotProduct(m, deltaB, deltaC), scale);
    lanes.total("add", totals.curvature, curvature);
    if (!withSecond) return;
    const second = cone.product(m, deltaB, deltaC);
    second.forEach((entry, k) => {
      lanes.store(5, k, entry);
    });
    lanes.total("max", totals.second, size === 1 ? m.abs(curvature) : m.mul(largestAbsolute(m, second), scale));
  };

/** What is done to cones of one size, 1 for the orthant, and what their kernels are called. */
export function coneBodies(size: number): {
  readonly name: string;
  readonly state: Body;
  readonly search: (withSecond: boolean) => Body;
  readonly settle: Body;
} {
  const cone = coneFormulas[coneKind(size)];
  return {
    name: size === 1 ? "orthants" : size === 3 ? "cones" : `cones${size}`,
    state: state(cone, size),
    search: (withSecond) => search(cone, size, withSecond),
    settle: settle(cone, size),
  };
}

/** Operands: right-hand side, unit, product, and Δb∘Δc for the corrector. */
export const aim =
  (corrected: boolean): Body =>
  (lanes) => {
    const { arithmetic: m } = lanes;
    const plain = m.sub(m.mul(lanes.given(given.kappa), lanes.load(1)), lanes.load(2));
    lanes.store(0, 0, corrected ? m.sub(plain, lanes.load(3)) : plain);
  };

/**
 * Goes back to the central path after a Newton step (simulation/step/smoothingNewton.ts): the pair whose difference b/β − c/γ is that of
 * (b + Δb, c + Δc). Operands: b, c, Δb, Δc, β, γ, product.
 */
export const smooth: Body = (lanes) => {
  const { arithmetic: m } = lanes;
  const [b, c, deltaB, deltaC, beta, gamma] = [0, 1, 2, 3, 4, 5].map((operand) => lanes.load(operand));
  const z = m.sub(m.div(m.add(b, deltaB), beta), m.div(m.add(c, deltaC), gamma));
  const [[newB], [newC]] = coneFormulas.orthant.pairOnPath(m, [z], lanes.given(given.mu), beta, gamma);
  lanes.store(0, 0, newB);
  lanes.store(1, 0, newC);
  lanes.store(6, 0, m.mul(newB, newC));
};

/**
 * Settles pairs after a Newton step of cones of any size (simulation/step/pathNewton.ts): a pair that is still inside, with a product of no more than ten
 * times μ, stays where the step has brought it. Others go to the pair on the central path that has the same difference b/β − c/γ.
 * Operands: b, c, Δb, Δc, β, γ.
 */
const settle =
  (cone: ConeFormulas, size: number): Body =>
  (lanes) => {
    const { arithmetic: m } = lanes;
    const [beta, gamma, mu] = [lanes.load(4), lanes.load(5), lanes.given(given.mu)];
    const moved = (operand: number): Value[] =>
      vector(lanes, operand, size).map((entry, k) => m.add(entry, lanes.load(operand + 2, k)));
    const [b, c] = [moved(0), moved(1)];
    const [perBeta, perGamma] = [beta, gamma].map((unit) => m.div(m.constant(1), unit));
    const z = b.map((entry, k) => m.sub(m.mul(entry, perBeta), m.mul(c[k], perGamma)));
    const onPath = cone.pairOnPath(m, z, mu, beta, gamma);
    const most = m.mul(m.mul(m.constant(mostKept), mu), m.mul(beta, gamma));
    const room = m.sub(most, largestAbsolute(m, cone.product(m, b, c)));
    const margin = m.min(m.min(cone.margin(m, b), cone.margin(m, c)), room);
    [b, c].forEach((inside, operand) => {
      inside.forEach((entry, k) => {
        lanes.store(operand, k, m.ifLess(m.constant(0), margin, entry, onPath[operand][k]));
      });
    });
  };

/** Operands: E, 1/tolerance. */
export const residual: Body = (lanes) => {
  const { arithmetic: m } = lanes;
  const size = m.abs(lanes.load(0));
  lanes.total("max", totals.residual, size);
  lanes.total("max", totals.residualViolation, m.mul(size, lanes.load(1)));
};

/** Operands: the row of E that says slack = distance, the slack. */
export const gap: Body = (lanes) => {
  const { arithmetic: m } = lanes;
  const size = m.abs(lanes.load(0));
  lanes.total("max", totals.gap, m.div(m.add(size, size), lanes.load(1)));
};

/** |ω₊|². Operands: a body's unknowns. */
export const turn: Body = (lanes) => {
  const omega = [3, 4, 5].map((index) => lanes.load(0, index));
  lanes.total("max", totals.turn, dotProduct(lanes.arithmetic, omega, omega));
};

function vector(lanes: Lanes, operand: number, size: number): Value[] {
  return Array.from({ length: size }, (_, index) => lanes.load(operand, index));
}
