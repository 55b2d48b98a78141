/** dojo plan --mpc: what it prints and writes, its exit codes, and what it refuses. */
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { controlTasks } from "../../src/index.ts";
import { buildCli, busy, dojo, dojoJson, dojoProcess, workFolder } from "./runCli.ts";

const folder = workFolder();
beforeAll(buildCli);
afterAll(() => rmSync(folder, { recursive: true }));

interface Row {
  impulse: number;
  seeds: number;
  survived: number;
  lost: { seed: number; reason: string }[];
  plans: number;
  stepsPerPlan: number;
  gradientsPerPlan: number;
  plansPerSecond: number;
}

test("the list with --mpc has the tasks of control in a loop", async () => {
  const tasks = await dojoJson<{ name: string }[]>(["plan", "--mpc", "--list"]);
  expect(tasks.map(({ name }) => name)).toEqual(Object.keys(controlTasks));
});

test("runs by impulse, the largest survived, and a replay", async () => {
  const { code, stdout } = await dojo(
    ["plan", "hopper", "--mpc", "--push", "3,40", "--seeds", "1", "--json", "--out", "push.html"],
    folder,
  );
  // nobody keeps a hopper of 5 kg up that is pushed to 8 m/s
  expect(code).toBe(1);
  const { rows, ...summary } = JSON.parse(stdout) as { rows: Row[] };
  expect(summary).toEqual({
    task: "hopper",
    controller: "mpc",
    latency: 0,
    every: 2,
    goal: [0, 0],
    conditions: null,
    largestSurvived: 3,
    interrupted: false,
    files: ["push.html"],
  });
  expect(rows.map(({ impulse, survived, seeds }) => [impulse, survived, seeds])).toEqual([
    [3, 1, 1],
    [40, 0, 1],
  ]);
  expect(rows[0]).toMatchObject({ plans: 125, lost: [], gradientsPerPlan: 25 });
  expect(rows[0].stepsPerPlan).toBeGreaterThan(25);
  expect(rows[0].plansPerSecond).toBeGreaterThan(0);
  expect(rows[1].lost[0].seed).toBe(1);
  expect(rows[1].lost[0].reason).toMatch(/fell|not come back/);
  expect(readFileSync(join(folder, "push.html"), "utf8")).toContain("control: hopper");
});

test.skipIf(process.platform === "win32")(
  "Ctrl-C ends the run at hand, and the replay shows what there is of it",
  async () => {
    const args = ["plan", "hopper", "--mpc", "--push", "3,3", "--seeds", "1", "--out", "cut.html"];
    const { code, stdout, stderr } = await dojoProcess(args, folder, (child) => {
      // the first run has been told of: the second is on its way
      child.stdout?.once("data", async () => {
        await busy(child, 100);
        child.kill("SIGINT");
      });
    });
    expect(code).toBe(130);
    expect(stderr).toMatch(/interrupted at 3 N·s, seed 1: it was stopped at \d\.\d\d s; the files show it/);
    expect(stdout.match(/survived;/g)).toHaveLength(1);
    expect(readFileSync(join(folder, "cut.html"), "utf8")).toContain("control: hopper");
  },
);

test("goes where it is told, also backwards", async () => {
  const args = ["plan", "cartpole", "--mpc", "--goal", "-2,0", "--seeds", "1", "--push", "0"];
  const { goal, rows } = await dojoJson<{ goal: number[]; rows: Row[] }>(args);
  expect(goal).toEqual([-2, 0]);
  expect(rows[0].survived).toBe(1);
});

describe("bad input", () => {
  const cases: [string[], RegExp][] = [
    [["hopper", "--push", "3"], /--push belongs to control in a loop; add --mpc/],
    [["hoper", "--mpc"], /"hoper" is no task of control in a loop.*hopper/],
    [["hopper", "--mpc", "--tolerance", "1"], /--tolerance/],
    [["hopper", "--mpc", "--push", "3,x"], /--push/],
    [["hopper", "--mpc", "--seeds", "0"], /--seeds/],
    [["hopper", "--mpc", "--latency", "1"], /error: --latency: 1 s is longer than the 0.02 s/],
    [["box-right", "--mpc"], /"box-right" is a task to be planned once; leave --mpc out/],
    [["a1-stand"], /"a1-stand" is a task of control in a loop; add --mpc/],
    [["nosuch", "--mpc"], /"nosuch" is no task of control in a loop \(have: .*hopper/],
    [["hopper", "--mpc", "--iterations", "0"], /--iterations: 0 must be 1 or more/],
    [["hopper", "--mpc", "--servos"], /error: --servos: .* no servos/],
    [["hopper", "--goal", "1,0"], /--goal belongs to control in a loop; add --mpc/],
    [["hopper", "--mpc", "--goal", "1"], /--goal: "1" has 1 part; give two/],
    [["a1-stand", "--mpc", "--goal", "1,0"], /error: --goal: a1-stand stays where it is/],
    [["hopper", "--mpc", "--out", "plan.json"], /plan\.json/],
  ];
  test.each(cases)("%j", async (args, message) => {
    const { code, stderr } = await dojo(["plan", ...args], folder);
    expect(code).toBe(2);
    expect(stderr).toMatch(message);
  });
});
