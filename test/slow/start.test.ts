/** `npm start`: what it prints, which README.md shows, and the file it writes. */
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { comparable, outputBlocks, readPage } from "../../scripts/outputs.ts";
import { buildCli, workFolder } from "../cli/runCli.ts";

const folder = workFolder();
let program = "";
beforeAll(async () => {
  program = join(dirname(await buildCli()), "start.js");
});
afterAll(() => rmSync(folder, { recursive: true }));

const start = (...args: string[]) => spawnSync(process.execPath, [program, ...args], { cwd: folder, encoding: "utf8" });

test("the Atlas drop is solved, its feet stay above the floor, its gradient can be followed", () => {
  const { status, stdout, stderr } = start();
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  expect(stdout).toContain("all solved");
  const figures = (pattern: RegExp): number[] => (pattern.exec(stdout) ?? []).slice(1).map(Number);
  const [foot, all] = figures(/never lower than (\S+) mm above the floor, all contacts (\S+) mm/);
  expect(Math.min(foot, all)).toBeGreaterThan(0);
  const [linear, angular] = figures(/account for it to (\S+) N·s and (\S+) N·m·s/);
  expect(Math.max(linear, angular)).toBeLessThan(1e-6);
  // the first order holds to a tenth
  for (const torque of [1, 20]) {
    const [simulated, predicted] = figures(new RegExp(`up to ${torque} N·m: (\\S+) mm higher \\(gradient: (\\S+)\\)`));
    expect(Math.abs(simulated - predicted)).toBeLessThan(0.1 * predicted);
  }
  // npx tsx scripts/outputs.ts writes the page anew
  const shown = outputBlocks(readPage("README.md")).filter(({ command }) => command === "npm start");
  expect(shown.map(({ output }) => comparable(output))).toEqual([comparable(stdout.replace(/^replay .*\n/m, ""))]);
  // one whole file and nothing else
  expect(readdirSync(folder)).toEqual(["atlasDrop.html"]);
  const page = readFileSync(join(folder, "atlasDrop.html"), "utf8");
  expect(page.trimEnd().endsWith("</html>")).toBe(true);
  expect(page.length).toBeLessThan(1.5e6);
});

test("a folder that does not exist is named before any work is done", () => {
  const { status, stdout, stderr } = start("--out", "missing/drop.html");
  expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
  expect(stderr).toContain("there is no folder");
});
