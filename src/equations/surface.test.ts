import { expect, test } from "vitest";
import { combinedFriction, frictionSlopes } from "./surface.ts";

test("friction of two surfaces", () => {
  expect(combinedFriction("geometricMean", 0.5, 0.5)).toBe(0.5);
  expect(combinedFriction("geometricMean", 0.2, 0.8)).toBeCloseTo(0.4, 15);
  expect(combinedFriction("max", 0.2, 0.8)).toBe(0.8);
  expect(combinedFriction("min", 0.2, 0.8)).toBe(0.2);
  expect(combinedFriction("product", 0.2, 0.8)).toBeCloseTo(0.16, 15);
});

test("slopes are those of the rule, and of the surface with priority alone", () => {
  const { value, slopes } = frictionSlopes("geometricMean", 0.2, 0.8);
  expect(value).toBeCloseTo(0.4, 15);
  // d√(ab)/da = √(b/a)/2
  expect(slopes[0]).toBeCloseTo(1, 15);
  expect(slopes[1]).toBeCloseTo(0.25, 15);
  expect(frictionSlopes("geometricMean", 0.2, 0.8, -1)).toEqual({ value: 0.8, slopes: [0, 1] });
});
