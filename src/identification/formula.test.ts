import { describe, expect, it } from "vitest";
import { evaluate, Graph } from "../symbolic/index.ts";
import { parseFormula } from "./formula.ts";

const values: Readonly<Record<string, number>> = { a: 2, "left wheel": 3, "b.c": 5 };

function valued(text: string): number {
  const graph = new Graph();
  const symbols = new Map(Object.keys(values).map((name) => [name, graph.symbol(name)]));
  const formula = parseFormula(text, Object.keys(values), (name) => symbols.get(name), "test");
  return evaluate([formula], (symbol) => values[symbol.name])[0];
}

describe("formulas", () => {
  it.each([
    ["1 + 2 * 3 - 4 / 2", 5],
    ["-a^2 + {left wheel}", -1],
    ["(a - b.c) * -1.5e-1", 0.45],
    ["sqrt(a^2 + b.c + 7) / 2 - -1", 3],
    ["cos(0) + sin(0)", 1],
  ])("%s", (text, expected) => {
    expect(valued(text)).toBeCloseTo(expected, 12);
  });

  it.each([
    ["a +", /ends where a number or a name is due/],
    ["a b.c", /"b.c" is not expected there/],
    ["(a", /parenthesis is not closed/],
    ["aa * 2", /unknown-parameter.*did you mean "a"/],
    ["a ^ 0.5", /a power is a whole number/],
    ["a % 2", /"%" cannot be read/],
  ])("refuse %s", (text, message) => {
    expect(() => valued(text)).toThrow(message);
  });
});
