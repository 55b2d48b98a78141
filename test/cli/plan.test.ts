/** dojo plan: what it prints and writes, its exit codes, and `simulate --plan`, which replays what it wrote. */
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { InputError } from "../../src/cli/inputError.ts";
import { setUpPlan } from "../../src/cli/planSetup.ts";
import { planningTasks } from "../../src/index.ts";
import { buildCli, dojo, dojoJson, dojoProcess, workFolder } from "./runCli.ts";

const folder = workFolder();
afterAll(() => rmSync(folder, { recursive: true }));

interface Result {
  task: string;
  cost: number;
  violation: number;
  iterations: number;
  rounds: number;
  seconds: number;
  solved: boolean;
  end: string;
  reason?: string;
  files: string[];
}

let result: Result;
beforeAll(async () => {
  await buildCli();
  result = await dojoJson(["plan", "box-right", "--out", "right.json", "right.html"], folder);
});

test("the list has every task in a line", async () => {
  const tasks = await dojoJson<{ name: string; summary: string }[]>(["plan", "--list"]);
  expect(tasks.map(({ name }) => name)).toEqual(Object.keys(planningTasks));
  const { code, stdout } = await dojo(["plan", "--list"]);
  expect(code).toBe(0);
  for (const { name, summary } of tasks) expect(stdout).toMatch(new RegExp(`^${name} +${summary}$`, "m"));
});

test("a plan says what it cost and how it was found", () => {
  expect(result).toMatchObject({ task: "box-right", solved: true, end: "solved", files: ["right.json", "right.html"] });
  expect(result.cost).toBeLessThan(14.7);
  expect(result.violation).toBeLessThan(1e-6);
  expect(result.iterations).toBeLessThanOrEqual(12);
  expect(result.rounds).toBeGreaterThan(0);
  expect(result.seconds).toBeGreaterThan(0);
  const page = readFileSync(join(folder, "right.html"), "utf8");
  expect(page).toContain("plan: box-right");
  // earlier iterations, of nine
  for (const iteration of [1, 3, 5, 7]) expect(page).toContain(`"iteration ${iteration}"`);
});

test("simulate --plan replays the file: the cube ends where the plan said", async () => {
  const summary = await dojoJson<Record<string, unknown>>(
    ["simulate", "--plan", "right.json", "--out", "run.json"],
    folder,
  );
  expect(summary).toMatchObject({ model: "plan of box-right", timestep: 0.1, steps: 10, solvedSteps: 10, notes: [] });
  const run = JSON.parse(readFileSync(join(folder, "run.json"), "utf8"));
  const [x, y, z] = run.coordinates.at(-1);
  // as near as the plan's violation
  for (const error of [x - 1, y, z - 0.25]) expect(Math.abs(error)).toBeLessThan(1e-6);
});

test("a plan that is cut short is written, says so, and is exit code 1; its replay says so too", async () => {
  const { code, stdout, stderr } = await dojo(["plan", "box-right", "--iterations", "2", "--out", "cut.json"], folder);
  expect(code).toBe(1);
  expect(stdout).toMatch(/^result +not solved$/m);
  expect(stderr).toMatch(/limit of iterations was reached; the constraints are off by 4\.3e-1, more than 1\.0e-6/);
  const replay = await dojo(["simulate", "--plan", "cut.json"], folder);
  expect(replay).toMatchObject({ code: 0 });
  expect(replay.stderr).toContain("note: the plan was not solved: the limit of iterations was reached");
});

test.skipIf(process.platform === "win32")("Ctrl-C keeps what it has, with exit code 130", async () => {
  // at the second line it is on its way
  const { code, stderr } = await dojoProcess(["plan", "acrobot", "--out", "stopped.json"], folder, (child) => {
    // once: a second Ctrl-C would end it without a plan
    let isSent = false;
    child.stdout?.on("data", (text: string) => {
      if (isSent || !/^ +\d+ +optimize/m.test(text)) return;
      isSent = child.kill("SIGINT");
    });
  });
  expect(code).toBe(130);
  expect(stderr).toContain("it was stopped; the constraints are off by");
  const { solved, end, inputs } = JSON.parse(readFileSync(join(folder, "stopped.json"), "utf8"));
  expect({ solved, end, steps: inputs.length }).toEqual({ solved: false, end: "stopped", steps: 60 });
});

describe("bad input is exit code 2, a message, and nothing written:", () => {
  const bad: [string, string[], RegExp][] = [
    ["a task with a name that all objects know", ["constructor"], /"constructor" is no task \(have: /],
    ["the same in a loop", ["constructor", "--mpc"], /"constructor" is no task of control in a loop \(have: /],
    ["a task that is misspelt", ["box-rigt"], /"box-rigt" is no task; did you mean "box-right"\?/],
    [
      "a task that is none",
      ["nosuch"],
      /"nosuch" is no task \(have: box-right, .*hopper.*; dojo plan --list says more\)/,
    ],
    ["no iterations", ["box-right", "--iterations", "0"], /^error: --iterations: 0 must be 1 or more$/m],
    ["no task", [], /which task\? Give one of box-right, /],
    ["--kappa 0", ["box-right", "--kappa", "0"], /--kappa: 0 must be above 0/],
    ["--tolerance -1", ["box-right", "--tolerance", "-1"], /--tolerance: -1 must be above 0/],
    ["half an iteration", ["box-right", "--iterations", "0.5"], /--iterations: 0\.5 is no whole number/],
    ["a seed below zero", ["box-right", "--seed", "-1"], /--seed: -1 is no whole number, 0 or more/],
    ["a folder that is not there", ["box-right", "--out", "none/x.json"], /--out none\/x\.json: there is no folder/],
    ["an ending that is not written", ["box-right", "--out", "x.csv"], /x\.csv.*\.json, \.html/],
  ];
  test.each(bad)("%s", async (_, args, message) => {
    const { code, stdout, stderr } = await dojo(["plan", ...args], folder);
    expect(stderr).toMatch(message);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(["x.csv", "x.json"].some((name) => existsSync(join(folder, name)))).toBe(false);
  });
});

describe("a plan file that cannot be replayed is named with the entry:", () => {
  interface File {
    [entry: string]: unknown;
    start: number[];
    inputs: unknown[][];
    gains: number[][];
    states: number[][];
  }
  const malformed: [string, (plan: File) => unknown, RegExp][] = [
    ["cut text", (plan) => JSON.stringify(plan).slice(0, 100), /no-json at plan: /],
    ["another format", (plan) => ({ ...plan, format: "notes" }), /wrong-format at format: "notes"/],
    ["a later version", (plan) => ({ ...plan, version: 9 }), /wrong-version at version: 9/],
    ["a reason that is no text", (plan) => ({ ...plan, solved: false, reason: [[]] }), /wrong-type at reason: /],
    ["no task", ({ task, ...plan }) => plan, /wrong-type at task: /],
    ["no gains", ({ gains, ...plan }) => plan, /wrong-type at gains: /],
    ["no number", (plan) => withEntry(plan, "inputs", 3, [0, null, 0]), /wrong-type at inputs\[3\]\[1\]: null/],
    ["few inputs", (plan) => withEntry(plan, "inputs", 3, [0]), /wrong-size at inputs\[3\]: has 1 entries; .* 3/],
    ["a gain too few", (plan) => ({ ...plan, gains: plan.gains.slice(1) }), /wrong-size at gains: has 9 .* 10/],
    ["a short last state", (plan) => withEntry(plan, "states", 10, [1, 2]), /wrong-size at states\[10\]: has 2 .* 13/],
    ["a short start", (plan) => ({ ...plan, start: [1, 2] }), /wrong-size at start: has 2 entries; .* 13/],
    [
      "a start below the floor",
      (plan) => ({ ...plan, start: replaced(plan.start, 2, -1) }),
      /the plan's start is not valid/,
    ],
    ["a time step below zero", (plan) => ({ ...plan, timestep: -1 }), /non-positive at timestep: -1/],
    ["no mechanism", ({ description, ...plan }) => plan, /missing-field at bodies/],
  ];
  const replaced = <T>(list: readonly T[], index: number, value: T): T[] =>
    list.map((entry, i) => (i === index ? value : entry));
  const withEntry = (plan: File, list: "inputs" | "states", index: number, row: unknown[]): unknown => ({
    ...plan,
    [list]: replaced<unknown>(plan[list], index, row),
  });
  test.each(malformed)("%s", (_, change, message) => {
    const changed = change(JSON.parse(readFileSync(join(folder, "right.json"), "utf8")));
    const file = join(folder, "malformed.json");
    writeFileSync(file, typeof changed === "string" ? changed : JSON.stringify(changed));
    const replay = (): unknown => setUpPlan(file, {});
    expect(replay).toThrow(message);
    expect(replay).toThrow(InputError);
    expect(replay).toThrow(`${file}: `);
  });

  test("exit code 2", async () => {
    writeFileSync(join(folder, "malformed.json"), "{}");
    const { code, stdout, stderr } = await dojo(["simulate", "--plan", "malformed.json"], folder);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toBe('error: malformed.json: wrong-format at format: is missing; a plan says "dojo-sim plan"\n');
  });
});

test("a plan and a model exclude each other", async () => {
  const { code, stderr } = await dojo(["simulate", "block", "--plan", "right.json"], folder);
  expect(code).toBe(2);
  expect(stderr).toContain('--plan right.json brings its own mechanism; leave "block" out');
});

test.each([
  ["--precision", { precision: "fast" }],
  ["--timestep", { timestep: "0.001" }],
  ["--friction", { friction: "0" }],
  ["--set", { set: ["gravity.z=0"] }],
  ["--tolerance", { errorTolerance: "1e-3" }],
])("a plan is run as it was made: %s is refused", (option, flags) => {
  const file = join(folder, "right.json");
  expect(() => setUpPlan(file, flags)).toThrow(`${option}: a plan is run in its mechanism`);
  expect(() => setUpPlan(file, { set: [] })).not.toThrow();
});
