/** What the command says of itself: help, version, lists. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { modelNames, environments as namedEnvironments } from "../../src/index.ts";
import { buildCli, dojo, dojoJson, dojoProcess } from "./runCli.ts";

beforeAll(buildCli);
const commands = [
  "list",
  "simulate",
  "plan",
  "train",
  "identify",
  "view",
  "worker",
  "gradients",
  "export",
  "replay-step",
  "serve",
  "bench",
  "experiment",
];

test("help names every command, with examples and exit codes", async () => {
  const { code, stdout } = await dojo(["--help"]);
  expect(code).toBe(0);
  for (const command of commands) expect(stdout).toContain(command);
  expect(stdout).toContain("Examples:");
  expect(stdout).toContain("Exit codes:");
  const bare = await dojo([]);
  expect(bare.code).toBe(0);
});

describe("every command explains itself", () => {
  test.each(commands)("%s", async (command) => {
    const { code, stdout, stderr } = await dojo([command, "--help"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toContain(`Usage: dojo ${command}`);
    expect(stdout).toContain(`  dojo ${command}`);
    // the command is read alone here, and with all others there
    expect((await dojo(["help", command])).stdout).toBe(stdout);
  });
});

test.each([
  ["help", "simualte"],
  ["simualte", "--help"],
  ["simualte", "-h"],
])("dojo %s %s: help of a command that there is not is refused, with the nearest that there is", async (...args) => {
  const { code, stdout, stderr } = await dojo(args);
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toContain("unknown command 'simualte'");
  expect(stderr).toContain("Did you mean simulate?");
});

test("the version is the package's", async () => {
  const manifest = JSON.parse(readFileSync(join(import.meta.dirname, "../../package.json"), "utf8"));
  expect((await dojoProcess(["--version"])).stdout.trim()).toBe(manifest.version);
});

test("the list has every model with its size, and the experiments of a clone", async () => {
  const { models, environments, experiments } = await dojoJson<{
    models: { name: string; summary: string; bodies: number; degreesOfFreedom: number; states: string[] }[];
    environments: { name: string; summary: string }[];
    experiments: { name: string; summary: string }[];
  }>(["list"]);
  expect(models.map(({ name }) => name)).toEqual(modelNames);
  expect(models.find(({ name }) => name === "atlas")).toMatchObject({ bodies: 31, degreesOfFreedom: 36 });
  expect(models.find(({ name }) => name === "pendulum")?.states).toEqual(["raised", "rest", "upright"]);
  expect(environments.map(({ name }) => name)).toEqual(Object.keys(namedEnvironments));
  for (const { summary } of environments) expect(summary).not.toBe("");
  expect(experiments).toContainEqual({ name: "gradient-comparison", summary: "How smooth a gradient is" });
  const { stdout } = await dojo(["list"]);
  for (const name of modelNames) expect(stdout).toMatch(new RegExp(`^${name} +\\d+ +\\d+  \\S`, "m"));
  expect(stdout).toMatch(/^pendulum .* raised, rest, upright +a rod on a hinge$/m);
  // no colour where nobody sees it
  expect(stdout).not.toContain("\u001b");
});
