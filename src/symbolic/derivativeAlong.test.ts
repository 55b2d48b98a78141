import { expect, it } from "vitest";
import { add, derivativeAlong, div, evaluate, Graph, mul, type Scalar, sqrt, square } from "./index.ts";

/** x/|x|, whose derivative is (v − (x·v/|x|²) x)/|x|. */
const unitOf = ([x, y]: readonly Scalar[]): Scalar[] => {
  const length = sqrt(add(square(x), square(y)));
  return [div(x, length), div(y, length)];
};

it("differentiates at numbers and at expressions", () => {
  expect(derivativeAlong(unitOf, [3, 4], [1, 2]).map((entry) => (entry as number).toFixed(12))).toEqual([
    "-0.064000000000",
    "0.048000000000",
  ]);
  const graph = new Graph();
  const [a, b] = graph.symbols("a", 2);
  const value = { a0: 1.5, a1: 2 } as Record<string, number>;
  const found = evaluate(derivativeAlong(unitOf, [mul(2, a), square(b)], [1, b]), ({ name }) => value[name]);
  expect(found[0]).toBeCloseTo(-0.064, 12);
  expect(found[1]).toBeCloseTo(0.048, 12);
});

it("holds what a function takes besides, and may stand within itself", () => {
  const graph = new Graph();
  const a = graph.symbol("a");
  const cubed = ([x]: readonly Scalar[]): Scalar[] => [mul(a, mul(x, square(x)))];
  const slope = ([x]: readonly Scalar[]): Scalar[] => derivativeAlong(cubed, [x], [1]);
  // (a x³)'' = 6 a x at x = a
  expect(evaluate(derivativeAlong(slope, [a], [1]), () => 2)).toEqual([24]);
});
