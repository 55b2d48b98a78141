import { expect, test } from "vitest";
import { matchingNames, matchingNamesWithDots } from "./matchingNames.ts";

const names = [
  "contacts.a.friction",
  "contacts.b.friction",
  "contacts.b.offset",
  "bodies.left.arm.mass",
  "ab",
  "aab",
  "abb",
];

test.each([
  ["ab", ["ab"]],
  ["contacts.*.friction", ["contacts.a.friction", "contacts.b.friction"]],
  ["contacts.b.*", ["contacts.b.friction", "contacts.b.offset"]],
  ["contacts.*f*", []],
  ["a*b", ["aab", "abb"]],
  ["*ab", ["aab"]],
  ["**b", ["aab", "abb"]],
  ["*.*.mass", []],
  ["*", ["ab", "aab", "abb"]],
  ["****", []],
  ["contacts.[ab].friction", []],
])("%s means its names", (pattern, expected) => {
  expect(matchingNames(pattern, names)).toEqual(expected);
});

test("* stands for dots where nothing else fits", () => {
  expect(matchingNamesWithDots("bodies.*.mass", names)).toEqual(["bodies.left.arm.mass"]);
  expect(matchingNamesWithDots("contacts.*", names)).toEqual(names.slice(0, 3));
  expect(matchingNamesWithDots("a*b", names)).toEqual(["aab", "abb"]);
  expect(matchingNamesWithDots("nothing", names)).toEqual([]);
});

test("agrees with regular expressions on every short pattern", () => {
  const texts = ["", "a", ".", "a.", "aa", "a.a", "aba", "ab.a", "a..b", "b.ab"];
  const letters = ["a", "b", ".", "*"];
  let patterns = [""];
  for (let length = 1; length <= 4; length++) {
    patterns = patterns.flatMap((pattern) => letters.map((letter) => pattern + letter));
    for (const pattern of patterns) {
      const expression = new RegExp(`^${pattern.replaceAll(".", "\\.").replaceAll("*", "[^.]+")}$`);
      expect(matchingNames(pattern, texts), pattern).toEqual(texts.filter((text) => expression.test(text)));
    }
  }
});

test("many * take no longer than few", () => {
  const long = ["x".repeat(200), `${"x".repeat(199)}y`];
  const begin = process.cpuUsage().user;
  expect(matchingNamesWithDots(`${"*".repeat(100)}y`, long)).toEqual([long[1]]);
  expect(matchingNamesWithDots(`${"*x".repeat(60)}z`, long)).toEqual([]);
  expect(matchingNamesWithDots("*".repeat(1e6), long)).toEqual([]);
  // a regular expression would not end; this takes a few milliseconds of processor time
  expect(process.cpuUsage().user - begin).toBeLessThan(5e6);
});
