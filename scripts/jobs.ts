/**
 * The jobs behind the npm scripts. A job is a list of stages, of which some run side by side; each is printed with its time, all of them
 * run even when one fails, and the last lines say what happened.
 *   tsx scripts/jobs.ts start | dojo | bench | mutate | test | nightly | check | build | types | lint | format | imports | package | python |
 *     python-environment
 */
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { findBrowser } from "./browser.ts";
import { dist, isBuilt, lastBuilt } from "./built.ts";
import { handOver } from "./handOver.mjs";
import { acquire } from "./lock.mjs";
import * as nightly from "./nightly.ts";
import { notTestedText, sayNotTested } from "./notTested.ts";
import { replaceFolder } from "./replaceFolder.ts";
import type { TestReport } from "./testReporter.ts";

type Outcome = "passed" | "failed" | "skipped";
/** Where a stage's output goes: straight to the terminal, or to be shown as a whole when it ends. */
type Print = ((text: string) => void) | undefined;
/** One that `streams` prints as it goes, also while others run beside it, which are shown when they end. */
type Stage = { name: string; run: (print: Print) => Promise<Outcome>; streams?: boolean };

const root = join(import.meta.dirname, "..");
const tools = {
  tsc: "node_modules/typescript/bin/tsc",
  biome: "node_modules/@biomejs/biome/bin/biome",
  vitest: "node_modules/vitest/vitest.mjs",
  vite: "node_modules/vite/bin/vite.js",
};
const write = (text: string): void => {
  process.stdout.write(text);
};
const seconds = (begin: number): string => `${((performance.now() - begin) / 1000).toFixed(1)} s`;

/** A script that has found nothing to do ends with this exit code. */
const skippedCode = 77;

/** Runs Node; what it prints goes to `print`, or straight to the terminal without one. */
function node(
  args: readonly string[],
  print: Print,
  environment: Record<string, string> = {},
  cwd: string = root,
): Promise<Outcome> {
  const plain: Record<string, string> = process.stdout.isTTY && !print ? {} : { NO_COLOR: "1" };
  const env = { ...process.env, ...plain, ...environment };
  const channel = print ? "pipe" : "inherit";
  const child = spawn(process.execPath, args, { cwd, env, stdio: ["ignore", channel, channel] });
  for (const stream of [child.stdout, child.stderr]) stream?.setEncoding("utf8").on("data", (text) => print?.(text));
  return new Promise((resolve) => {
    child.on("close", (code) => resolve(code === 0 ? "passed" : code === skippedCode ? "skipped" : "failed"));
  });
}

const script = (path: string, print: Print, ...args: string[]): Promise<Outcome> =>
  node(["--import", "tsx", path, ...args], print);

/** The first failure, else "passed". Every check runs, one after the other. */
async function every(...checks: (() => Promise<Outcome>)[]): Promise<Outcome> {
  let whole: Outcome = "passed";
  for (const check of checks) if ((await check()) === "failed") whole = "failed";
  return whole;
}

/** Builds dist/ unless it is newer than every source file. One of several that start at the same time builds; the others wait. */
async function build(print: Print): Promise<Outcome> {
  if (isBuilt()) return "passed";
  const wait = (owners: string): void => console.error(`Waiting for ${owners} to build ...`);
  const lock = await acquire(join(root, ".tmp/locks/build"), wait);
  try {
    return isBuilt() ? "passed" : await buildNow(print);
  } finally {
    lock.release();
  }
}

/** A new folder takes the place of dist/ when it is whole: what runs meanwhile, and a build that fails, leave dist/ as it is. */
async function buildNow(print: Print): Promise<Outcome> {
  const begin = new Date();
  let outcome: Outcome = "failed";
  await replaceFolder(dist, async (folder) => {
    const stages = [
      () => node([tools.tsc, "-p", "tsconfig.build.json", "--outDir", folder], print),
      () => script("scripts/buildCommand.ts", print, folder),
      () => script("scripts/buildBrowser.ts", print, join(folder, "browser/index.js")),
      () => script("scripts/buildViewer.ts", print, join(folder, "replay/viewer.js")),
      () => buildPlayground(print, join(folder, "playground")),
    ];
    for (const stage of stages) {
      outcome = await stage();
      if (outcome === "failed") return false;
    }
    // what changed while it was built is not in it
    utimesSync(join(folder, lastBuilt), begin, begin);
    return true;
  });
  return outcome;
}

/** The pages that `dojo view` serves. */
function buildPlayground(print: Print, folder: string): Promise<Outcome> {
  const config = ["--config", "apps/playground/vite.config.ts", "--outDir", folder];
  return node([tools.vite, "build", ...config, "--logLevel", "error"], print);
}

/** The examples against the built package: tsconfig.build.json maps no paths, so "dojo-sim" means dist/ by way of package.json, as after an install. */
function runExamples(print: Print): Promise<Outcome> {
  const environment = { TSX_TSCONFIG_PATH: join(root, "tsconfig.build.json") };
  return node(["--import", "tsx", "scripts/runExamples.ts"], print, environment);
}

/** The built command line, as an installed one would run: in the user's folder, with the user's streams and its own exit code. */
function runCommand(args: string[]): Promise<number> {
  const main = join(root, "dist/cli/main.js");
  // npm runs scripts in the package's folder and remembers where it was called
  const cwd = process.env.INIT_CWD ?? process.cwd();
  return handOver(process.execPath, [main, ...args], { cwd });
}

/** What a benchmark says of itself where its file begins. */
function benchmarkHelp(source: string): string {
  const comment = source.slice(source.indexOf("/**") + 3, source.indexOf("*/"));
  return comment.replace(/^ \* ?/gm, "").trim();
}

/** Bundles one of benchmarks/ and runs it: times mean nothing through a loader that compiles on the way. */
async function runBenchmark([name, ...args]: string[]): Promise<number> {
  const names = readdirSync(join(root, "benchmarks"))
    .filter((file) => file.endsWith(".ts") && file !== "scenes.ts" && file !== "loopScenes.ts")
    .map((file) => file.slice(0, -3));
  if (!name || !names.includes(name)) {
    console.error(`${name ? `there is no benchmark "${name}"; ` : ""}say which: npm run bench -- ${names.join(" | ")}`);
    return 2;
  }
  const source = join(root, "benchmarks", `${name}.ts`);
  if (args.includes("--help") || args.includes("-h")) {
    console.log(benchmarkHelp(readFileSync(source, "utf8")));
    return 0;
  }
  // inside the repository, so that it finds its packages
  const outfile = join(root, ".tmp", "benchmarks", `${name}.mjs`);
  const { build: bundle } = await import("esbuild");
  await bundle({
    entryPoints: [source],
    bundle: true,
    platform: "node",
    format: "esm",
    packages: "external",
    alias: {
      "dojo-sim": join(root, "src/index.ts"),
      "dojo-sim/node": join(root, "src/node/index.ts"),
      "dojo-sim/tools": join(root, "src/tools.ts"),
    },
    outfile,
  });
  return spawnSync(process.execPath, [outfile, ...args], { cwd: root, stdio: "inherit" }).status ?? 1;
}

/** Of all runs of tests in this job. */
let testReport: TestReport | undefined;

function addReport({ passed, failed, skipped, files }: TestReport): void {
  const before = testReport ?? { passed: 0, failed: 0, skipped: 0, files: [] };
  testReport = {
    passed: before.passed + passed,
    failed: before.failed + failed,
    skipped: before.skipped + skipped,
    files: [...before.files, ...files].sort((a, b) => b.processorTime - a.processorTime),
  };
}

async function tests(print: Print, args: readonly string[] = [], environment = {}): Promise<Outcome> {
  if (findBrowser() === undefined) sayNotTested("pages (no Chromium)");
  if (spawnSync("redis-server", ["--version"]).status !== 0) sayNotTested("work on many machines (no redis-server)");
  const reportFile = join(root, ".tmp", `tests-${process.pid}.json`);
  mkdirSync(join(root, ".tmp"), { recursive: true });
  const reporters = ["--reporter=default", "--reporter=./scripts/testReporter.ts"];
  const outcome = await node([tools.vitest, "run", ...reporters, ...args], print, {
    ...environment,
    TEST_REPORT: reportFile,
  });
  if (existsSync(reportFile)) {
    addReport(JSON.parse(readFileSync(reportFile, "utf8")));
    rmSync(reportFile);
  }
  return outcome;
}

const types: Stage = {
  name: "types",
  run: (print) =>
    every(
      () => node([tools.tsc, "-p", "tsconfig.json"], print),
      // the library again without Node's types: it must run in a browser
      () => node([tools.tsc, "-p", "tsconfig.src.json"], print),
    ),
};
const lint: Stage = {
  name: "lint and format",
  run: (print) => node([tools.biome, "check", "--error-on-warnings", "."], print),
};
const format: Stage = { name: "format and fix", run: (print) => node([tools.biome, "check", "--write", "."], print) };
const imports: Stage = { name: "import directions", run: (print) => script("scripts/checkImports.ts", print) };
const buildStage: Stage = { name: "build", run: build };
const fastTests: Stage = {
  name: "fast tests",
  run: (print) =>
    tests(
      print,
      ["slow", "browser", "experiments"].map((folder) => `--exclude=test/${folder}/**`),
    ),
};
/** The short form of the experiments among them. */
const allTests: Stage = { name: "tests", run: (print) => tests(print), streams: true };
const examples: Stage = { name: "examples", run: runExamples };
/** The job of `npm start`, with its replay kept out of the way. */
const mainJob: Stage = {
  name: "npm start",
  run: (print) => node([join(root, "dist/cli/start.js"), "--out", join(root, ".tmp/atlasDrop.html")], print),
};
const packageCheck: Stage = { name: "package", run: (print) => script("scripts/checkPackage.ts", print) };
const pythonTests: Stage = { name: "python", run: (print) => script("scripts/pythonTests.ts", print) };
const pythonEnvironment: Stage = {
  name: "python environment",
  run: (print) => script("scripts/pythonEnvironment.ts", print),
};

/** Stages one after the other; a list among them runs side by side. Tests of pages leave the processor time for others. */
const jobs: Record<string, readonly (Stage | readonly Stage[])[]> = {
  test: [
    // as long as each other, and tests need the second
    [types, buildStage],
    // packing takes dist/ as it is: it runs no script that would build again what tests use
    [allTests, pythonTests, examples, mainJob, packageCheck, lint, imports],
  ],
  check: [[types, lint, imports], fastTests],
  build: [buildStage],
  types: [types],
  lint: [lint],
  format: [format],
  imports: [imports],
  package: [buildStage, packageCheck],
  python: [buildStage, pythonTests],
  "python-environment": [pythonEnvironment],
};
/** All cases instead of few. */
const full = { DOJO_TESTS: "nightly" };

/** Long tests of TypeScript or of Python. */
const longTests = (print: Print, paths: readonly string[]): Promise<Outcome> =>
  paths.every((path) => path.startsWith("python/"))
    ? node(["--import", "tsx", "scripts/pythonTests.ts", ...paths], print, full)
    : tests(print, paths, full);

/** False when there was no time for all that `npm run nightly` was to do. */
let nightlyIsComplete = true;

/** The stages of `npm run nightly`; a text says what is wrong with its arguments. */
function nightlySteps(args: readonly string[]): (typeof jobs)[string] | string {
  const given = nightly.readNightlyArguments(args);
  if (typeof given === "string") return given;
  if (!given.changed) {
    const all: Stage = { name: "all cases", run: (print) => tests(print, [], full), streams: true };
    const python: Stage = { name: "all of python", run: (print) => longTests(print, ["python/tests"]) };
    return [buildStage, all, python];
  }
  const changed = nightly.changedFiles(root);
  if (typeof changed === "string") {
    const stage = async (): Promise<Outcome> => {
      sayNotTested(`nightly tests (${changed})`);
      nightlyIsComplete = false;
      return "skipped";
    };
    return [{ name: "changes", run: stage }];
  }
  const begin = performance.now();
  const stages = nightly.calledFor(nightly.subjects, changed).map((subject): Stage => {
    const run = async (print: Print): Promise<Outcome> => {
      if (performance.now() - begin < 60_000 * given.minutes) return longTests(print, subject.tests);
      sayNotTested(`nightly tests of ${subject.name} (no time left)`);
      nightlyIsComplete = false;
      return "skipped";
    };
    return { name: `nightly ${subject.name}`, run };
  });
  return stages.length === 0 ? [] : [buildStage, ...stages];
}
/** As many as the tests have workers. */
const sideBySide = 2;

async function runJob(name: string, steps: (typeof jobs)[string]): Promise<Outcome> {
  const jobBegin = performance.now();
  const notTested = join(root, ".tmp", `notTested-${process.pid}.txt`);
  mkdirSync(join(root, ".tmp"), { recursive: true });
  process.env.NOT_TESTED = notTested;
  const summary: string[] = [];
  const failures: string[] = [];
  const run = async (stage: Stage, streams: boolean): Promise<void> => {
    let output = "";
    const keep = (text: string): void => {
      output += text;
    };
    if (streams) console.log(`\n=== ${stage.name}`);
    const begin = performance.now();
    const outcome = await stage.run(streams ? undefined : keep);
    const line = `${outcome.padEnd(7)}  ${stage.name.padEnd(18)} ${seconds(begin).padStart(8)}`;
    if (!streams) write(`\n=== ${stage.name}\n${output}`);
    console.log(`--- ${line}`);
    summary.push(line);
    if (outcome === "failed") failures.push(stage.name);
  };
  for (const step of steps) {
    const waiting = "run" in step ? [step] : [...step];
    const isAlone = waiting.length === 1;
    const lane = async (): Promise<void> => {
      for (let stage = waiting.shift(); stage; stage = waiting.shift())
        await run(stage, isAlone || stage.streams === true);
    };
    await Promise.all(Array.from({ length: sideBySide }, lane));
  }
  if (testReport) console.log(`\n${dearestFiles(testReport)}`);
  console.log(`\n${summary.join("\n")}\n`);
  if (testReport) {
    const { passed, failed, skipped } = testReport;
    console.log(`tests: ${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`);
  }
  const spent = `${seconds(jobBegin)}${processorTime()}`;
  const left = notTestedText(notTested);
  rmSync(notTested, { force: true });
  const passed = left === "" ? "everything passed" : "what was tested passed";
  if (failures.length === 0) console.log(`${name}: ${passed} in ${spent}.${left}`);
  else console.log(`${name}: FAILED in ${failures.join(", ")} (after ${spent}).${left}`);
  return failures.length === 0 ? "passed" : "failed";
}

/** Processor time of all stages, where the system says: unlike the time it hardly depends on what else the machine does. */
function processorTime(): string {
  if (!existsSync("/proc/self/stat")) return "";
  // hundredths of a second of children that have ended, the user's and the system's
  const [user, system] = readFileSync("/proc/self/stat", "utf8").split(") ")[1].split(" ").slice(13, 15).map(Number);
  return `, ${Math.round((user + system) / 100)} s of processor time`;
}

function dearestFiles({ files }: TestReport): string {
  const rows = files
    .slice(0, 10)
    .map((entry) => `${entry.processorTime.toFixed(1).padStart(8)} s  ${entry.file} (${entry.seconds.toFixed(1)} s)`);
  return ["the ten test files with the most processor time, and how long they took:", ...rows].join("\n");
}

const [job = "", ...rest] = process.argv.slice(2);
let outcome: Outcome = "passed";
let exitCode = 0;
if (job === "dojo") {
  outcome = await build(undefined);
  if (outcome !== "failed") exitCode = await runCommand(rest);
} else if (job === "bench") {
  exitCode = await runBenchmark(rest);
} else if (job === "start") {
  // files go where npm was called
  const folder = process.env.INIT_CWD ?? root;
  outcome = await build(undefined);
  if (outcome !== "failed") outcome = await node([join(root, "dist/cli/start.js"), ...rest], undefined, {}, folder);
} else if (job === "mutate") {
  outcome = await build(undefined);
  if (outcome !== "failed")
    exitCode = await handOver(process.execPath, ["--import", "tsx", "scripts/mutate.ts", ...rest], { cwd: root });
} else if (job === "nightly") {
  const steps = nightlySteps(rest);
  if (typeof steps === "string") console.error(steps);
  outcome = typeof steps === "string" ? "failed" : await runJob(job, steps);
  if (outcome === "passed" && nightlyIsComplete) nightly.markPassed(root);
} else if (jobs[job]) {
  outcome = await runJob(job, jobs[job]);
} else {
  console.error(`Unknown job "${job}" (have: start, dojo, bench, mutate, nightly, ${Object.keys(jobs).join(", ")}).`);
  outcome = "failed";
}
process.exitCode = outcome === "failed" ? 1 : exitCode;
