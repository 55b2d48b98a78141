/** Exponential, logarithm and hyperbolic tangent against those of the machine, with their derivatives. */
import { expect, test } from "vitest";
import { derivative } from "./derivative.ts";
import { exp, log, tanh } from "./exponential.ts";
import { Graph, type Scalar } from "./expression.ts";
import { evaluate } from "./traversal.ts";

let drawn = 0;
/** Numbers that fill the interval evenly. */
const between = (low: number, high: number): number => {
  drawn = (drawn + 0.618033988749895) % 1;
  return low + (high - low) * drawn;
};
const error = (ours: number, theirs: number): number => Math.abs(ours - theirs) / Math.max(Math.abs(theirs), 1e-300);

test("values are those of the machine", () => {
  for (let k = 0; k < 2000; k++) {
    const x = between(-1, 1) * 10 ** between(-12, 2.8);
    expect(error(exp(x) as number, Math.exp(x))).toBeLessThan(1e-12);
    expect(error(tanh(x) as number, Math.tanh(x))).toBeLessThan(1e-12);
    const y = 10 ** between(-300, 300);
    expect(error(log(y) as number, Math.log(y))).toBeLessThan(1e-14);
    const z = 1 + between(-1, 1) * 10 ** between(-12, -1);
    expect(error(log(z) as number, Math.log(z))).toBeLessThan(1e-14);
  }
  expect([exp(0), tanh(0), log(1)]).toEqual([1, 0, 0]);
});

test("what is out of range stays finite", () => {
  const values = [exp(1e9), exp(-1e9), tanh(1e9), tanh(-1e9), log(0), log(-1), log(Number.MAX_VALUE)];
  expect(values.every((value) => Number.isFinite(value))).toBe(true);
  expect(tanh(50)).toBe(1);
});

test("derivatives are those of the functions", () => {
  const slopes: [(x: Scalar) => Scalar, (x: number) => number][] = [
    [exp, Math.exp],
    [tanh, (x) => 1 / Math.cosh(x) ** 2],
    [(x) => log(exp(x)), () => 1],
  ];
  for (const [f, slope] of slopes) {
    const graph = new Graph();
    const x = graph.symbol("x");
    const d = derivative(f(x), x);
    for (let k = 0; k < 200; k++) {
      const at = between(-6, 6);
      const [value] = evaluate([d], () => at);
      expect(error(value, slope(at))).toBeLessThan(1e-10);
    }
  }
});
