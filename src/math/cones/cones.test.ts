import { expect, test } from "vitest";
import { Random } from "../index.ts";
import { largerOnPath } from "./formulas.ts";
import {
  type ConeSlice,
  coneDegree,
  coneFormulas,
  coneIdentityInto,
  coneLargestStep,
  coneMargin,
  coneProductInto,
  coneSmallestEigenvalue,
  largerOf,
  numbers,
} from "./index.ts";

const cones: ConeSlice[] = [
  { kind: "orthant", offset: 2, size: 1 },
  { kind: "orthant", offset: 1, size: 4 },
  { kind: "secondOrder", offset: 2, size: 2 },
  { kind: "secondOrder", offset: 2, size: 3 },
  { kind: "secondOrder", offset: 1, size: 4 },
  { kind: "secondOrder", offset: 0, size: 6 },
];
const LENGTH = 8;
const SAMPLES = 300;

function normals(random: Random): Float64Array {
  return new Float64Array(LENGTH).map(() => random.normal());
}

/** A point whose margin lies between 1e-8 and 1. */
function inside(random: Random, cone: ConeSlice): Float64Array {
  const y = normals(random);
  const margin = 10 ** random.uniform(-8, 0);
  if (cone.kind === "orthant") return y.map((v, i) => (i === cone.offset ? margin : Math.abs(v) + margin));
  y[cone.offset] += margin - coneMargin(y, cone);
  return y;
}

function along(y: Float64Array, alpha: number, delta: Float64Array): Float64Array {
  return y.map((v, k) => v + alpha * delta[k]);
}

test.each(cones)("the product of $kind $size with the identity is the other factor", (cone) => {
  const y = inside(new Random(1), cone);
  const e = new Float64Array(LENGTH);
  const out = new Float64Array(LENGTH).fill(NaN);
  coneIdentityInto(e, 1, cone);
  coneProductInto(out, e, y, cone);
  for (let k = 0; k < LENGTH; k++) {
    const isOurs = k >= cone.offset && k < cone.offset + cone.size;
    if (isOurs) expect(out[k]).toBe(y[k]);
    else expect(out[k]).toBeNaN();
  }
  expect(e.reduce((sum, v) => sum + v * v, 0)).toBe(coneDegree(cone));
});

test("the second-order product is (bᵀc, b₁c_v + c₁b_v)", () => {
  const out = new Float64Array(3);
  coneProductInto(out, Float64Array.of(3, 1, 2), Float64Array.of(5, -1, 4), {
    kind: "secondOrder",
    offset: 0,
    size: 3,
  });
  expect([...out]).toEqual([22, 2, 22]);
});

test.each(cones)("the largest step in $kind $size ends on the boundary and not before", (cone) => {
  const random = new Random(2);
  // the margin is a difference of numbers of size 1 to 1e2, so its zero is only that sharp
  const rounding = 1e-13;
  let bounded = 0;
  for (let sample = 0; sample < SAMPLES; sample++) {
    const y = inside(random, cone);
    const delta = normals(random);
    const alpha = coneLargestStep(y, delta, cone);
    if (alpha === Infinity) {
      for (const far of [1, 1e3, 1e6]) expect(coneMargin(along(y, far, delta), cone)).toBeGreaterThan(0);
      continue;
    }
    bounded++;
    expect(alpha).toBeGreaterThan(0);
    expect(Math.abs(coneMargin(along(y, alpha, delta), cone))).toBeLessThan(rounding * (1 + alpha) * 10);
    expect(coneMargin(along(y, 0.999 * alpha, delta), cone)).toBeGreaterThan(0);
  }
  expect(bounded).toBeGreaterThan(SAMPLES / 4);
});

test("the orthant stops at the first variable to reach zero, not at the last", () => {
  expect(coneLargestStep(Float64Array.of(1, 1), Float64Array.of(-2, -4), { kind: "orthant", offset: 0, size: 2 })).toBe(
    0.25,
  );
});

test("a direction into the cone is never stopped", () => {
  const cone: ConeSlice = { kind: "secondOrder", offset: 0, size: 3 };
  expect(coneLargestStep(Float64Array.of(1, 0.5, 0), Float64Array.of(1, 0, 0.5), cone)).toBe(Infinity);
  expect(coneLargestStep(Float64Array.of(1, 0.5, 0), Float64Array.of(0, 0, 0), cone)).toBe(Infinity);
});

test.each(cones)("the smallest eigenvalue of a pair in $kind $size is κ on the central path", (cone) => {
  const random = new Random(4);
  for (let sample = 0; sample < SAMPLES; sample++) {
    const kappa = 10 ** random.uniform(-6, 2);
    const b = normals(random);
    if (cone.kind === "orthant") b.set(b.map((v) => 0.1 + Math.abs(v)));
    else b[cone.offset] += 0.1 - coneMargin(b, cone);
    // c = κ b⁻¹: reciprocals in the orthant, the reflected point over the determinant in a second-order cone
    const norm = b[cone.offset] - coneMargin(b, cone);
    const det = 0.1 * (b[cone.offset] + norm);
    const c = b.map((v, k) => (cone.kind === "orthant" ? kappa / v : ((k === cone.offset ? kappa : -kappa) * v) / det));
    const eigenvalue = coneSmallestEigenvalue(b, c, cone);
    // equal eigenvalues: their difference is the root of a rounding error
    expect(Math.abs(eigenvalue / kappa - 1)).toBeLessThan(1e-6);
  }
});

test.each(cones)("the smallest eigenvalue of a pair in $kind $size is positive inside and not outside", (cone) => {
  const random = new Random(5);
  let bounded = 0;
  for (let sample = 0; sample < SAMPLES; sample++) {
    const b = inside(random, cone);
    const c = inside(random, cone);
    const deltaB = normals(random);
    const deltaC = normals(random);
    const boundary = Math.min(coneLargestStep(b, deltaB, cone), coneLargestStep(c, deltaC, cone));
    if (boundary === Infinity) continue;
    bounded++;
    const at = (alpha: number): number =>
      coneSmallestEigenvalue(along(b, alpha, deltaB), along(c, alpha, deltaC), cone);
    expect(at(0.99 * boundary)).toBeGreaterThan(0);
    expect(at(1.01 * boundary)).toBeLessThanOrEqual(0);
  }
  expect(bounded).toBeGreaterThan(SAMPLES / 4);
});

test.each(cones)(
  "a pair on the path in $kind $size has the difference that is asked for, and the product μe",
  ({ kind, size }) => {
    const random = new Random(6);
    const { pairOnPath, product, ones } = coneFormulas[kind];
    for (let sample = 0; sample < SAMPLES; sample++) {
      const [mu, beta, gamma] = [-6, -2, -2].map((least) => 10 ** random.uniform(least, 2));
      const z = Array.from({ length: size }, () => random.normal());
      const [b, c] = pairOnPath(numbers, z, mu, beta, gamma);
      const [p, q] = [b.map((entry) => entry / beta), c.map((entry) => entry / gamma)];
      // sums of numbers of the size of the largest
      const rounding = 1e-14 * Math.max(...p.map(Math.abs), ...q.map(Math.abs)) ** 2 + 1e-14;
      product(numbers, p, q).forEach((entry, k) => {
        expect(Math.abs(p[k] - q[k] - z[k])).toBeLessThan(rounding);
        expect(Math.abs(entry - (k < ones(size) ? mu : 0))).toBeLessThan(rounding);
      });
    }
  },
);

test("what loops compute on plain numbers is the formula to the bit", () => {
  const random = new Random(7);
  for (let sample = 0; sample < SAMPLES; sample++) {
    const [lambda, mu] = [random.normal(), random.uniform(0, 1)];
    expect(largerOf(lambda, mu)).toBe(largerOnPath(numbers, lambda, mu));
  }
});
