import { describe, expect, it } from "vitest";
import { Random } from "../random.ts";
import { frictionOnPath, numbers } from "./index.ts";

/** Rounding of quotients and square roots. */
const rounding = 1e-12;

describe("pairs of friction on the central path", () => {
  it("lie inside both cones, ξ∘η = μe, along the guess", () => {
    const random = new Random(2);
    for (let k = 0; k < 400; k++) {
      const [mu, beta, gamma, bound] = [-8, -5, -5, -4].map((least) => 10 ** random.uniform(least, least + 8));
      const z = [random.normal() / beta, random.normal() / gamma];
      const [xi, c] = frictionOnPath(numbers, bound, z, mu, beta, gamma);
      const b = [bound, ...xi];
      expect(Math.hypot(b[1], b[2])).toBeLessThanOrEqual(b[0]);
      expect(Math.hypot(c[1], c[2])).toBeLessThanOrEqual(c[0]);
      const product = b[0] * c[0] + b[1] * c[1] + b[2] * c[2];
      // where the impulse is nearly all of its bound, b·c is the difference of two large numbers
      const size = b[0] * c[0];
      expect(Math.abs(product - mu * beta * gamma)).toBeLessThan(1e-7 * mu * beta * gamma + rounding * size);
      for (const i of [1, 2]) expect(Math.abs(b[0] * c[i] + c[0] * b[i])).toBeLessThan(rounding * size);
      for (const i of [0, 1])
        expect(Math.abs(b[1 + i] / beta - c[1 + i] / gamma - z[i])).toBeLessThan(1e-7 * (b[0] / beta + c[0] / gamma));
    }
  });

  it("that nobody guesses have none", () => {
    const [xi, eta] = frictionOnPath(numbers, 0.5, [0, 0], 0.01, 1, 1);
    expect([...xi, ...eta]).toEqual([0, 0, 0.02, -0, -0]);
  });
});
