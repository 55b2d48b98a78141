import { expect, test } from "vitest";
import { ConvexDistance } from "./convexDistance.ts";
import { boxCore, cylinderCore } from "./supportCore.ts";

const finger = boxCore(0.01, 0.025, 0.05);
const can = cylinderCore(0.03, 0.05);

test.each([
  [1, 0.02],
  [1, -0.02],
  [-1, 0.02],
  [-1, -0.02],
])(
  "the side of a can is proved to touch a face that one of its ends is beyond: side %d, shifted by %d",
  (side, shift) => {
    const search = new ConvexDistance();
    const gap = 1e-12;
    const placement = Float64Array.of(side * (0.04 + gap), 0, shift, 1, 0, 0, 0, 1, 0, 0, 0, 1);
    expect(search.between(finger, can, placement)).toBeCloseTo(gap, 16);
    // by the parts that are nearest, without growing a polytope first
    expect(search.isProved).toBe(true);
    expect(search.iterations).toBeLessThan(7);
    expect(Math.abs(search.pointOfB[2])).toBeLessThanOrEqual(0.05);
    expect(search.normal[0]).toBe(side);
  },
);
