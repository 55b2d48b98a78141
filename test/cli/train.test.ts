/** dojo train, on trainings small enough for a test. */
import { mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { augmentedRandomSearch, Environment, environments, policyFromJson } from "../../src/index.ts";
import { dojo, dojoJson } from "./runCli.ts";

interface Result {
  readonly environment: string;
  readonly seeds: readonly { seed: number; reward: number; evaluations: number; seconds: number }[];
  readonly mean: number;
  readonly deviation: number;
  readonly files: readonly string[];
}

test("trains a policy per seed, scores it and writes it: the one that the library trains, to the bit", async () => {
  const folder = join(mkdtempSync(join(tmpdir(), "dojo-train-")), "policies");
  const options = ["--method", "ars", "--policy", "linear", "--updates", "2", "--seeds", "2", "--starts", "3"];
  const result = await dojoJson<Result>(["train", "cartpole", ...options, "--out", folder]);
  expect(result.seeds.map(({ seed }) => seed)).toEqual([1, 2]);
  const [first, second] = result.seeds;
  expect(result.mean).toBeCloseTo((first.reward + second.reward) / 2, 12);
  expect(result.deviation).toBeCloseTo(Math.abs(first.reward - second.reward) / Math.SQRT2, 12);
  for (const { seconds } of result.seeds) expect(seconds).toBeGreaterThan(0);
  expect(readdirSync(folder).sort()).toEqual(["cartpole-ars-linear-1.json", "cartpole-ars-linear-2.json"]);
  const written = policyFromJson(readFileSync(join(folder, "cartpole-ars-linear-2.json"), "utf8"));
  const expected = augmentedRandomSearch(new Environment(environments.cartpole()), { seed: 2, updates: 2 });
  expect(written).toEqual(expected.policy);
  expect(second.evaluations).toBe(expected.evaluations);
});

test("shows its updates and a table", async () => {
  const { code, stdout } = await dojo(["train", "cartpole", "--updates", "2", "--starts", "2"]);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^ +2 of 2 +[\d.]+ +\d+$/m);
  expect(stdout).toMatch(/^ +1 +[\d.]+ +\d+ +\S/m);
  expect(stdout).toContain("mean of 2 starts each");
});

test.each([
  ["an unknown environment", ["cartpol"], 'did you mean "cartpole"'],
  ["an unknown method", ["cartpole", "--method", "sac"], "--method"],
  ["an unknown policy", ["cartpole", "--policy", "deep"], "--policy"],
  ["no seeds", ["cartpole", "--seeds", "0"], "--seeds"],
  ["half a start", ["cartpole", "--starts", "0.5"], "--starts"],
  ["updates that are no number", ["cartpole", "--updates", "many"], "--updates"],
  ["a folder that is nowhere", ["cartpole", "--out", "/nowhere/at/all"], "there is no folder"],
])("%s is bad input", async (_, words, message) => {
  const { code, stderr } = await dojo(["train", ...words]);
  expect(code).toBe(2);
  expect(stderr).toContain(message);
});
