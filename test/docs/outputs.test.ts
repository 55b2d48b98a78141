/** What README.md and docs/ show of the command line is what it prints. `npx tsx scripts/outputs.ts` writes it anew. */
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { comparable, outputBlocks, outputOf, pagesWithOutputs, readPage } from "../../scripts/outputs.ts";
import { importUrdf } from "../../src/index.ts";
import { buildCli, dojoJson } from "../cli/runCli.ts";

const root = join(import.meta.dirname, "../..");
let build: string;
beforeAll(async () => {
  build = dirname(dirname(await buildCli()));
});

const shown = pagesWithOutputs.flatMap((page) => outputBlocks(readPage(page)).map((block) => ({ page, ...block })));

// what `npm start` prints is compared where it is run, in test/slow/start.test.ts
test.each(shown.filter(({ command }) => command !== "npm start"))("$page: $command", ({ command, output }) => {
  expect(comparable(output)).toBe(comparable(outputOf(command, build)));
});

test("README.md and docs/cli.md show outputs", () => {
  expect(shown.map(({ page }) => page)).toEqual(expect.arrayContaining(["README.md", "docs/cli.md"]));
});

test("times and rounding are left out of the comparison, and nothing else", () => {
  const line = "speed         117 ms, 17.08 times real time; compiled in 1.2 s";
  expect(comparable(line)).toBe("speed         # s, # times real time; compiled in # s");
  expect(comparable("steps  200 of 0.01 s")).toBe("steps  200 of 0.01 s");
  expect(comparable("gap  3.13e-13 m, 2e-9, 1.5e-8")).toBe("gap  tiny m, tiny, 1.5e-8");
});

describe("docs/cli.md has every field of", () => {
  const page = readFileSync(join(root, "docs/cli.md"), "utf8");
  test.each([
    [["simulate", "hopper", "--time", "0.05"]],
    [["simulate", "pendulum", "--time", "0.05"]],
    [["plan", "box-right", "--iterations", "1"]],
    [["gradients", "pendulum"]],
    [["list"]],
  ])("dojo %j --json", async (args) => {
    const fields = Object.keys(await dojoJson<Record<string, unknown>>(args));
    expect(fields.filter((field) => !page.includes(`\`${field}\``))).toEqual([]);
  });
});

test("the warning that docs/urdf.md shows is the one that its robot gets", () => {
  const page = readFileSync(join(root, "docs/urdf.md"), "utf8");
  const robot = /const text = `([\s\S]*?)`;/.exec(page)?.[1] ?? "";
  const { warnings } = importUrdf(robot, { fileName: "cart.urdf", timestep: 0.01 });
  expect(warnings.map(({ message }) => message)).toEqual([
    /console\.log\(warning\.message\); \/\/ (.*)/.exec(page)?.[1],
  ]);
});
