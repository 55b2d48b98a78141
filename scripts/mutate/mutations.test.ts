import { expect, test } from "vitest";
import { mutated, mutationsOf } from "./mutations.ts";

const mutants = (source: string): string[] => mutationsOf(source).map((mutation) => mutated(source, mutation));

test.each([
  ["a < b;", ["a <= b;"]],
  ["a === b;", ["a !== b;"]],
  ["a && b;", ["a || b;"]],
  ["a + b;", ["a - b;"]],
  ["a /* + */ * b;", ["a /* + */ / b;"]],
  ["a += b;", ["a -= b;"]],
  ["!a;", ["a;"]],
  ["-a;", ["a;"]],
  ["x = 0;", ["x = 1;"]],
  ["x = 0.5;", ["x = 1;"]],
  ["x = -3;", ["x = -6;"]],
  ["x = true;", ["x = false;"]],
  ["if (a) b();", ["if (true) b();", "if (false) b();", "if (a) ;"]],
  ["x = a ? b : c;", ["x = true ? b : c;", "x = false ? b : c;"]],
  ["x = Math.min(a, b);", ["x = Math.max(a, b);"]],
  ["x = range.min;", []],
])("%s has its mutants", (source, expected) => {
  expect(mutants(source)).toEqual(expected);
});

test("types, imports, texts and errors have none", () => {
  const source = [
    'import { a } from "./a.ts";',
    "type Three = 3;",
    "const x: 1 | 2 = y as 1;",
    'const text = "1 + 2";',
    "throw new Error(`$" + "{1 + 2}`);",
  ].join("\n");
  expect(mutants(source)).toEqual([]);
});

test("values behind assertions of types have theirs, with their lines", () => {
  const source = "f(\n  (a as number) + b,\n  c!);";
  expect(mutationsOf(source)).toEqual([
    { start: 0, end: source.length, replacement: ";", line: 1 },
    { start: source.indexOf("+"), end: source.indexOf("+") + 1, replacement: "-", line: 2 },
  ]);
});
