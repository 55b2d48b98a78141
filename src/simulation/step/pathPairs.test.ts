import { describe, expect, it } from "vitest";
import { Random } from "../../math/index.ts";
import { type PathPoint, placeFriction, placeOrthant } from "./pathPairs.ts";

/** Of quotients and square roots. */
const rounding = 1e-12;

function point(mu: number): PathPoint {
  const [b, c, beta, gamma] = [0, 1, 2, 3].map(() => new Float64Array(3));
  return { b, c, beta, gamma, mu };
}

describe("pairs on the central path", () => {
  it("of a distance have the product asked for, and keep the difference of the guess in units of the cone", () => {
    const random = new Random(1);
    for (let k = 0; k < 200; k++) {
      const [mu, unit, answer] = [-8, -6, -3].map((least) => 10 ** random.uniform(least, least + 8));
      const [x, y] = [random.normal(), random.normal()];
      const pair = point(mu);
      placeOrthant(pair, 0, unit, answer, x, y);
      const [b, c] = [pair.b[0], pair.c[0]];
      expect(Math.min(b, c)).toBeGreaterThan(0);
      expect(Math.abs((b * c) / (mu * unit) - 1)).toBeLessThan(rounding);
      const scale = b + c / answer;
      expect(Math.abs(b - c / answer - (x - y / answer))).toBeLessThan(rounding * scale);
    }
  });

  it("of friction lie inside both cones, ξ∘η = μe, along the guess", () => {
    const random = new Random(2);
    for (let k = 0; k < 400; k++) {
      const [mu, unit, answer, bound] = [-8, -6, -3, -4].map((least) => 10 ** random.uniform(least, least + 8));
      const [x1, x2, y1, y2] = Array.from({ length: 4 }, () => random.normal());
      const pair = point(mu);
      placeFriction(pair, 0, unit, answer, bound, x1, x2, y1, y2);
      const [b, c] = [pair.b, pair.c];
      expect(b[0]).toBe(bound);
      expect(Math.hypot(b[1], b[2])).toBeLessThanOrEqual(b[0]);
      expect(Math.hypot(c[1], c[2])).toBeLessThanOrEqual(c[0]);
      const product = b[0] * c[0] + b[1] * c[1] + b[2] * c[2];
      // where the impulse is nearly all of its bound, b·c is the difference of two large numbers
      const size = b[0] * c[0];
      expect(Math.abs(product - mu * unit)).toBeLessThan(1e-7 * mu * unit + rounding * size);
      for (const i of [1, 2]) expect(Math.abs(b[0] * c[i] + c[0] * b[i])).toBeLessThan(rounding * size);
      // ξ̄ − (β/γ) η̄ is the guess
      const guess = [x1 - y1 / answer, x2 - y2 / answer];
      for (const i of [0, 1])
        expect(Math.abs(b[1 + i] - c[1 + i] / answer - guess[i])).toBeLessThan(1e-7 * (b[0] + c[0] / answer));
    }
  });

  it("of friction that nobody guesses have none", () => {
    const pair = point(0.01);
    placeFriction(pair, 0, 1, 1, 0.5, 0, 0, 0, 0);
    expect([...pair.b, ...pair.c]).toEqual([0.5, 0, 0, 0.02, -0, -0]);
  });
});
