import { expect, test } from "vitest";
import { hyperbolicTangent } from "./hyperbolicTangent.ts";

test("agrees with the platform's to a few units in the last place, over all sizes and signs", () => {
  for (let x = -25; x <= 25; x += 0.00317) {
    const expected = Math.tanh(x);
    // both are within 2 units in the last place, which are 2.2e-16 of the value at most
    expect(Math.abs(hyperbolicTangent(x) - expected)).toBeLessThanOrEqual(4 * 2.3e-16 * Math.abs(expected));
  }
});

test("has its limits, its zero, its symmetry, and no number of no number", () => {
  expect(hyperbolicTangent(0)).toBe(0);
  expect(hyperbolicTangent(1000)).toBe(1);
  expect(hyperbolicTangent(Number.NEGATIVE_INFINITY)).toBe(-1);
  expect(hyperbolicTangent(Number.NaN)).toBeNaN();
  expect(hyperbolicTangent(1e-300)).toBe(1e-300);
  for (const x of [0.3, 0.624, 0.626, 3, 21.9]) expect(hyperbolicTangent(-x)).toBe(-hyperbolicTangent(x));
});

test("has the bits that it had when it was written", () => {
  expect([0.1, 0.7, 1, 2.5].map(hyperbolicTangent)).toEqual([
    0.09966799462495582, 0.6043677771171635, 0.7615941559557649, 0.9866142981514303,
  ]);
});
