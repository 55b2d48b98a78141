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

test("points are numbers where a polytope has slivers: a small can that is turned by 0.2 mrad, just in the side of a long one", () => {
  const search = new ConvexDistance();
  const [radius, length] = [2.399221990590573, 86.46804391843452];
  const small = 0.023992219905905728;
  const [cosine, sine] = [0.9999999800000002, 0.00019999999800000002];
  const placement = Float64Array.of(2.4232141836723615, 0, 0, 1, 0, 0, 0, cosine, -sine, 0, sine, cosine);
  const depth = search.between(cylinderCore(radius, length / 2), cylinderCore(small, small / 2), placement);
  expect(depth).toBeCloseTo(2.4232141836723615 - radius - small, 12);
  expect([...search.normal, ...search.pointOfA, ...search.pointOfB].every(Number.isFinite)).toBe(true);
});
