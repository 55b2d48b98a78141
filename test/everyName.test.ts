/** Codes of faults and warnings, and names of options, by the code's own lists: each of them is provoked by some test. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ArgumentError, compile, models, parseRecording, planningTasks, planTrajectory, toMjcf } from "../src/index.ts";

const root = join(import.meta.dirname, "..");
const filesOf = (folder: string): readonly string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .map((name) => join(root, folder, name));
const isTest = (path: string): boolean => path.endsWith(".test.ts");
const sources = filesOf("src")
  .filter((path) => !isTest(path))
  .map((path) => readFileSync(path, "utf8"));
const tests = [...filesOf("src").filter(isTest), ...filesOf("test").filter((path) => path !== import.meta.filename)]
  .map((path) => readFileSync(path, "utf8"))
  .join("\n");

describe("every code", () => {
  const unions = /(?:readonly code:|type \w*(?:Fault|Warning)Code =)((?:\s*(?:\/\*\*[^*]*\*\/\s*)?\| "[a-z-]+")+)/g;
  const codes = new Set(
    sources.flatMap((text) => [
      ...[...text.matchAll(/\bcode: "([a-z-]+)"/g)].map(([, code]) => code),
      ...[...text.matchAll(unions)].flatMap(([, list]) => [...list.matchAll(/"([a-z-]+)"/g)].map(([, code]) => code)),
    ]),
  );

  test("is found", () => {
    expect(codes.size).toBeGreaterThan(60);
    for (const code of ["not-expressible", "at-bound", "flat-hull", "too-fast"]) expect(codes).toContain(code);
  });

  test.each([...codes].sort())("%s is in a test", (code) => {
    expect(tests.includes(`"${code}"`) || tests.includes(`${code} at `)).toBe(true);
  });
});

describe("every option", () => {
  /** The names that `optionNamesOf` and `moreOptionNamesOf` were given. */
  const lists = sources.flatMap((text) =>
    [...text.matchAll(/ptionNamesOf<(\w+)>\(\)\(([^;]*?)\)\s*;/g)].map(([, type, list]) => ({
      type,
      names: [...list.matchAll(/"([^"]*)"/g)].flatMap(([, names]) => names.split(" ")).filter((name) => name !== ""),
    })),
  );
  /** Those that are provoked below. */
  const here: readonly string[] = ["pointRadius", "usualRate", "maxRounds", "projectionPath"];
  /** Those of long computations that no test has a value for yet. */
  const without: readonly string[] = ["stalledPath", "keepWeight", "allowTooFast", "criticStep", "criticFits"];
  const inTests = (name: string): boolean => new RegExp(`\\b${name}\\b\\s*[:,}]`).test(tests);

  test("is found", () => {
    expect(lists.length).toBeGreaterThan(25);
    expect(lists.flatMap(({ names }) => names).length).toBeGreaterThan(150);
  });

  test.each(lists)("of $type is in a test", ({ names }) => {
    expect(names.filter((name) => !inTests(name) && !here.includes(name) && !without.includes(name))).toEqual([]);
  });

  test("that is said to be in no test is in none", () => {
    expect([...here, ...without].filter(inTests)).toEqual([]);
  });

  test("pointRadius is the size of points in MJCF", () => {
    const description = models.block();
    const sizes = (options?: { pointRadius: number }): readonly string[] =>
      [
        ...toMjcf(description, options).xml.matchAll(
          /type="sphere"[^>]*size="([^"]*)"|size="([^"]*)"[^>]*type="sphere"/g,
        ),
      ]
        .map(([, first, second]) => first ?? second)
        .filter((size) => !size.includes(" "));
    expect(new Set(sizes())).toEqual(new Set(["0.00001"]));
    expect(new Set(sizes({ pointRadius: 0.002 }))).toEqual(new Set(["0.002"]));
  });

  test("usualRate is the rate of a recording that says none", () => {
    const mechanism = compile(models.sphere());
    const body = Object.keys(models.sphere().bodies)[0];
    const text = ["x,y,z,qw,qx,qy,qz", ...[1, 1.1, 1.2].map((z) => `0,0,${z},1,0,0,0`)].join("\n");
    expect(parseRecording(text, mechanism, { body, usualRate: 50 }).interval).toBeCloseTo(0.02, 12);
    expect(parseRecording(text, mechanism, { body, usualRate: 50, rate: 100 }).interval).toBeCloseTo(0.01, 12);
    expect(() => parseRecording(text, mechanism, { body })).toThrow(/rate/);
  });

  test("maxRounds and projectionPath of a plan are checked, and one round is one", () => {
    const task = planningTasks["box-right"].make();
    expect(() => planTrajectory(task, { maxRounds: 0.5 })).toThrow(ArgumentError);
    const plan = planTrajectory(task, { maxRounds: 1, maxIterations: 3, projectionPath: { relativeKappa: 1e-5 } });
    expect(plan.rounds).toBeLessThanOrEqual(1);
  });
});
