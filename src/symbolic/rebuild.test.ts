import { expect, test } from "vitest";
import { add, type Expr, evaluate, Graph, mul, operationCount, sin, sub, substitute, symbolsOf } from "./index.ts";

const graph = new Graph();
const [x, y, z] = graph.symbols("x", 3);

test("substitution replaces symbols and simplifies", () => {
  expect(substitute([add(mul(x, y), z)], new Map([[x, 0]]))).toEqual([z]);
  expect(substitute([sin(sub(x, y))], new Map([[x, y]]))).toEqual([0]);
});

test("substitution replaces interior nodes", () => {
  const product = mul(x, y) as Expr;
  expect(substitute([add(product, z)], new Map([[product, z]]))).toEqual([mul(z, 2)]);
});

test("substitution is simultaneous", () => {
  const swap = new Map([
    [x, y],
    [y, x],
  ]);
  expect(substitute([sub(x, mul(y, z))], swap)).toEqual([sub(y, mul(x, z))]);
});

test("what does not change stays the same object", () => {
  const kept = mul(sin(x), y);
  expect(substitute([kept], new Map([[z, 1]]))[0]).toBe(kept);
});

test("symbols and operations are counted once each", () => {
  const shared = mul(x, y);
  const outputs = [add(shared, 1), sub(shared, z)];
  expect(symbolsOf(outputs)).toEqual([x, y, z]);
  expect(operationCount(outputs)).toBe(3);
  expect(evaluate(outputs, (symbol) => (symbol === z ? 5 : 3))).toEqual([10, 4]);
});
