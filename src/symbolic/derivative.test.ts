import { describe, expect, test } from "vitest";
import {
  abs,
  add,
  atan2,
  cos,
  derivative,
  div,
  type Expr,
  evaluate,
  expandTranscendentals,
  Graph,
  ifLess,
  jacobian,
  max,
  min,
  mul,
  neg,
  operationCount,
  rotate,
  type Scalar,
  sin,
  sqrt,
  square,
  stopGradient,
  sub,
  substitute,
} from "./index.ts";

/** Central differences at step 1e-5 of functions of size 1: truncation 1e-10, rounding 1e-11, with room. */
const differenceTolerance = 1e-8;

const graph = new Graph();
const [x, y, z] = graph.symbols("x", 3);
const point = new Map<Expr, number>([
  [x, 0.7],
  [y, -1.3],
  [z, 0.4],
]);

function centralDifference(output: Scalar, variable: Expr): number {
  const step = 1e-5;
  const at = (shift: number) =>
    evaluate([output], (symbol) => point.get(symbol)! + (symbol === variable ? shift : 0))[0];
  return (at(step) - at(-step)) / (2 * step);
}

const functions: [string, Scalar][] = [
  ["a sum of products", sub(add(mul(x, y), mul(y, z)), mul(x, 3))],
  ["a square", mul(square(x), z)],
  ["a quotient", div(add(x, y), add(square(z), 1))],
  ["a quotient by a constant", div(mul(x, y), 3)],
  ["a reciprocal", div(2, y)],
  ["a root", sqrt(add(square(x), square(y)))],
  ["an absolute value", mul(abs(y), x)],
  ["a minimum", add(min(x, y), min(y, x))],
  ["a maximum", mul(max(mul(x, x), z), y)],
  ["a sine of a product", sin(mul(x, y))],
  ["a cosine", cos(sub(x, square(z)))],
  ["an angle", atan2(mul(x, y), add(z, x))],
  ["a choice", ifLess(x, y, mul(x, z), mul(y, square(z)))],
  ["a negation", neg(div(x, neg(y)))],
];

describe("derivatives", () => {
  for (const mode of ["forward", "reverse", "smaller"] as const) {
    test(`${mode} derivatives equal central differences`, () => {
      for (const [name, output] of functions) {
        const [row] = jacobian([output], [x, y, z], mode);
        const values = evaluate(row, (symbol) => point.get(symbol)!);
        [x, y, z].forEach((variable, j) => {
          const error = Math.abs(values[j] - centralDifference(output, variable));
          expect(error, `${name} by ${variable.name}`).toBeLessThan(differenceTolerance);
        });
      }
    });
  }

  test("the derivative by an absent variable is the number 0", () => {
    expect(derivative(mul(x, y), z)).toBe(0);
    expect(jacobian([3, x], [x, y])).toEqual([
      [0, 0],
      [1, 0],
    ]);
  });

  test("a stopped gradient leaves a value and no derivative", () => {
    const root = stopGradient(sqrt(y));
    const product = mul(root, x);
    for (const mode of ["forward", "reverse"] as const) expect(jacobian([product], [x, y], mode)).toEqual([[root, 0]]);
    expect(evaluate([product], (symbol) => (symbol === x ? 3 : 4))).toEqual([6]);
    // it follows its argument where that is replaced, and nothing is left of it in code
    expect(substitute([product], new Map([[y, 9]]))).toEqual([mul(3, x)]);
    expect(expandTranscendentals([product])).toEqual([mul(sqrt(y), x)]);
  });

  test("an interior node is refused as a variable", () => {
    const product = mul(x, y);
    if (typeof product === "number") throw new Error("folded");
    expect(() => jacobian([square(product)], [product])).toThrow(/symbol/);
  });

  test("the smaller mode is no larger than the others", () => {
    const q = graph.symbols("q", 4);
    const output = rotate(q, rotate(q, [x, y, z]));
    const wrt = [...q, x, y, z];
    const size = (mode: "forward" | "reverse" | "smaller") =>
      operationCount([...output, ...jacobian(output, wrt, mode).flat()]);
    expect(size("smaller")).toBe(Math.min(size("forward"), size("reverse")));
  });

  test("a chain of a hundred thousand operations needs no recursion", () => {
    let chain: Scalar = x;
    for (let i = 0; i < 100000; i++) chain = add(mul(chain, y), i % 2 === 0 ? x : z);
    // ∂/∂z = 1 + y² + y⁴ + … = 1/(1 − y²)
    const [value] = evaluate([derivative(chain, z)], () => 0.5);
    expect(value).toBeCloseTo(4 / 3, 12);
  });

  test("thousands of nodes by twenty variables take milliseconds", () => {
    const large = new Graph();
    const symbols = large.symbols("s", 20);
    const nodes: Scalar[] = [...symbols];
    for (let i = 0; i < 4000; i++) {
      const [a, b] = [nodes[(i * 7919) % nodes.length], nodes[nodes.length - 1 - (i % 40)]];
      nodes.push(i % 3 === 0 ? mul(a, b) : add(a, b));
    }
    // processor time: others may be using the machine
    const start = process.cpuUsage().user;
    jacobian(nodes.slice(-10), symbols);
    // about 60 ms; far more would mean work per variable on nodes that do not depend on it
    expect(process.cpuUsage().user - start).toBeLessThan(2e6);
  });
});
