/** dojo experiment, in a small clone whose experiments take no time: what it writes, prints and says when something goes wrong. */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { buildCli, copyBuild, dojo, dojoProcess, type Outcome, workFolder } from "./runCli.ts";

const root = join(import.meta.dirname, "../..");
const clone = workFolder();
const experiments = join(clone, "experiments");

const experimentCode = (name: string, run: string): string => `
import { version } from "dojo-sim";
import { type Experiment, type RunOptions } from "../experiment.ts";
import { Plot } from "../report.ts";

async function run({ quick, progress }: RunOptions) {
  progress(0.5, "half");
  ${run}
  return { quick, engine: version, values: [1, 2, 4] };
}

const experiment: Experiment<Awaited<ReturnType<typeof run>>> = {
  name: "${name}",
  title: "The ${name} one",
  claim: "[label] <claims>",
  seconds: { full: 2, quick: 1 },
  run,
  present: ({ values }) => ({
    tables: [{ caption: "values", rows: [["", "paper", "ours"], ["first", 1, values[0]], ["tiny", 1e-7, 1.25e-7]] }],
    figures: [{ name: "curve", caption: "a curve", panels: [[{ heading: "a < b", marks: [Plot.lineY(values)] }]] }],
    remarks: ["A remark.", "Miss: half of it."],
  }),
};
export default experiment;
`;

function addExperiment(name: string, code: string): void {
  mkdirSync(join(experiments, name), { recursive: true });
  writeFileSync(join(experiments, name, "run.ts"), experimentCode(name, code));
  writeFileSync(join(experiments, name, "README.md"), `# The ${name} one\n`);
}

let main: string;
beforeAll(async () => {
  main = join(clone, "dist/cli/main.js");
  copyBuild(dirname(dirname(await buildCli())), join(clone, "dist"));
  cpSync(join(root, "package.json"), join(clone, "package.json"));
  symlinkSync(join(root, "node_modules"), join(clone, "node_modules"));
  mkdirSync(experiments);
  for (const file of readdirSync(join(root, "experiments")).filter((name) => name.endsWith(".ts"))) {
    cpSync(join(root, "experiments", file), join(experiments, file));
  }
  addExperiment("ant", "");
  addExperiment("bee", 'if (!quick) throw new Error("stung");');
  // it waits until it is ended
  addExperiment("cicada", "if (!quick) await new Promise((resolve) => setTimeout(resolve, 60_000));");
});
afterAll(() => rmSync(clone, { recursive: true }));

const inClone = (args: string[], signal?: Parameters<typeof dojoProcess>[2]): Promise<Outcome> =>
  dojoProcess(["experiment", ...args], clone, signal, main);

test("one experiment: tables on standard output, result and figure in its folder", async () => {
  const { code, stdout, stderr } = await inClone(["ant"]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toContain("The ant one");
  expect(stdout).toMatch(/^first +1 +1$/m);
  expect(stdout).toMatch(/^tiny +1e-7 +1\.25e-7$/m);
  expect(stdout).toContain("- Miss: half of it.");
  const result = JSON.parse(readFileSync(join(experiments, "ant/result.json"), "utf8"));
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  expect(result).toEqual({ quick: false, engine: version, values: [1, 2, 4] });
  expect(readFileSync(join(experiments, "ant/curve.svg"), "utf8")).toMatch(/^<svg [^>]*>[\s\S]*a &lt; b[\s\S]*<path/);
  // nothing is left of the bundle
  expect(readdirSync(join(clone, ".tmp"))).toEqual([]);
});

test("a short run leaves the full result alone, and --json prints what its file holds", async () => {
  const { code, stdout } = await inClone(["ant", "--quick", "--json"]);
  expect(code).toBe(0);
  expect(stdout).toBe(readFileSync(join(experiments, "ant/quick/result.json"), "utf8"));
  expect(JSON.parse(stdout)).toMatchObject({ quick: true });
});

test("all of them: an object by name, and a page that shows claims, misses and figures and needs no other file", async () => {
  const out = join(clone, "results");
  const { code, stdout, stderr } = await inClone(["all", "--quick", "--json", "--out", out]);
  expect(code).toBe(0);
  const names = ["ant", "bee", "cicada"];
  const all = JSON.parse(stdout);
  expect(Object.keys(all)).toEqual(names);
  for (const name of names) {
    expect(all[name]).toEqual(JSON.parse(readFileSync(join(out, name, "result.json"), "utf8")));
    expect(stderr).toMatch(new RegExp(`^${name}: [\\d.]+ m?s$`, "m"));
  }
  const page = readFileSync(join(out, "report.html"), "utf8");
  for (const name of names) expect(page).toContain(`<h2>The ${name} one</h2>`);
  expect(page).toContain("[label] &lt;claims&gt;");
  expect(page).toContain('<li class="miss">Miss: half of it.</li>');
  expect(page.match(/<figure><svg /g)).toHaveLength(3);
  expect(page).not.toMatch(/<script|<link|src=|@import|url\(/);
});

test("an experiment that fails does not keep the others from being written", async () => {
  rmSync(join(experiments, "cicada"), { recursive: true });
  const { code, stdout, stderr } = await inClone(["all"]);
  addExperiment("cicada", "if (!quick) await new Promise((resolve) => setTimeout(resolve, 60_000));");
  expect(code).toBe(1);
  expect(stderr).toMatch(/stung[\s\S]*bee failed/);
  expect(stdout).toMatch(/^ant +[\d.]+ +written$/m);
  expect(stdout).toMatch(/^bee +[\d.]+ +failed$/m);
  expect(existsSync(join(experiments, "bee/result.json"))).toBe(false);
  expect(readFileSync(join(experiments, "report.html"), "utf8")).toContain("did not come to an end");
});

test("Ctrl-C leaves what is finished", async () => {
  const out = join(clone, "interrupted");
  rmSync(join(experiments, "bee"), { recursive: true });
  const { code, stderr } = await inClone(["all", "--out", out], (child) => {
    // the first is finished when its name is printed, and the second waits
    child.stdout?.on("data", (text: string) => {
      if (text.includes("The ant one")) child.kill("SIGINT");
    });
  });
  expect(code).toBe(130);
  expect(stderr).toContain("interrupted; written before: ant");
  expect(readdirSync(out)).toEqual(["ant"]);
  expect(readdirSync(join(out, "ant")).sort()).toEqual(["curve.svg", "result.json"]);
});

describe("bad input ends with code 2", () => {
  // of the repository itself, since nothing is run
  const cases: [string, string[], RegExp][] = [
    ["a name that is nearly one", ["timng"], /no experiment "timng"; did you mean "timing"\?/],
    ["a name like no other", ["zeppelin"], /no experiment "zeppelin"; have: all, arm/],
    ["no name", [], /which experiment\? all, or one of arm/],
    ["a file as folder", ["arm", "--out", join(clone, "package.json")], /that is no folder/],
    ["a folder in no folder", ["arm", "--out", "no/such"], /there is no folder .*make it first/],
    ["a folder that cannot be made", ["arm", "--out", "/proc/results"], /cannot write in \/proc|no folder/],
  ];
  test.each(cases)("%s", async (_, args, message) => {
    const { code, stdout, stderr } = await dojo(["experiment", ...args]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(message);
  });

  test("an installed package says where experiments are", async () => {
    const installed = workFolder();
    copyBuild(join(clone, "dist"), join(installed, "dist"));
    cpSync(join(clone, "package.json"), join(installed, "package.json"));
    symlinkSync(join(root, "node_modules"), join(installed, "node_modules"));
    const { code, stdout, stderr } = await dojoProcess(
      ["experiment", "all"],
      installed,
      undefined,
      join(installed, "dist/cli/main.js"),
    );
    rmSync(installed, { recursive: true });
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(/not part of the package: clone the repository/);
  });
});
