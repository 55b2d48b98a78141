/**
 * The jobs behind the npm scripts. A job is a list of stages; each is printed with its time, all of them run
 * even when one fails, and the last lines say what happened.
 *   tsx scripts/jobs.ts start | dojo | bench | test | check | build | types | lint | format | imports | package
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";

type Outcome = "passed" | "failed" | "skipped";
type Stage = { name: string; run: () => Outcome };

const root = join(import.meta.dirname, "..");
const tools = {
  tsc: "node_modules/typescript/bin/tsc",
  biome: "node_modules/@biomejs/biome/bin/biome",
  vitest: "node_modules/vitest/vitest.mjs",
  vite: "node_modules/vite/bin/vite.js",
};
const seconds = (begin: number): string => `${((performance.now() - begin) / 1000).toFixed(1)} s`;

function node(args: string[], environment: Record<string, string> = {}, cwd: string = root): Outcome {
  const plain: Record<string, string> = process.stdout.isTTY ? {} : { NO_COLOR: "1" };
  const env = { ...process.env, ...plain, ...environment };
  const { status } = spawnSync(process.execPath, args, { cwd, env, stdio: ["ignore", "inherit", "inherit"] });
  return status === 0 ? "passed" : "failed";
}

const script = (path: string, ...args: string[]): Outcome => node(["--import", "tsx", path, ...args]);

/** The first failure, else "passed". Every check runs. */
function every(...checks: (() => Outcome)[]): Outcome {
  return checks.map((check) => check()).includes("failed") ? "failed" : "passed";
}

function newestChange(folder: string): number {
  return Math.max(
    0,
    ...["", ...readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })].map(
      (name) => statSync(join(root, folder, name)).mtimeMs,
    ),
  );
}

/** Builds dist/ unless it is newer than every source file. */
function build(): Outcome {
  // the last to be built
  const built = join(root, "dist/playground/replayViewer.js");
  const settings = ["tsconfig.json", "tsconfig.build.json"].map((name) => statSync(join(root, name)).mtimeMs);
  const sources = Math.max(newestChange("src"), newestChange("apps"), ...settings);
  if (existsSync(built) && statSync(built).mtimeMs > sources) return "passed";
  // a file removed from src must not live on in dist
  rmSync(join(root, "dist"), { recursive: true, force: true });
  let outcome = node([tools.tsc, "-p", "tsconfig.build.json"]);
  if (outcome === "passed") outcome = script("scripts/buildViewer.ts");
  if (outcome === "passed") outcome = buildPlayground();
  // a build with faults is no build
  if (outcome === "failed") rmSync(join(root, "dist"), { recursive: true, force: true });
  return outcome;
}

/** The pages that `dojo view` serves: dist/playground. */
function buildPlayground(): Outcome {
  return node([tools.vite, "build", "--config", "apps/playground/vite.config.ts", "--logLevel", "error"]);
}

/** Every file of `folder` called like `pattern`, run against the built package as a user would run it. */
function runAll(folder: string, pattern: RegExp): Outcome {
  const all = existsSync(join(root, folder))
    ? readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    : [];
  const files = all.filter((name) => pattern.test(name.replaceAll("\\", "/"))).sort();
  if (files.length === 0) return "skipped";
  return every(
    ...files.map((name) => () => {
      const begin = performance.now();
      const outcome = runAgainstBuild(join(folder, name));
      console.log(`${outcome === "passed" ? "ran" : "FAILED"} ${folder}/${name} (${seconds(begin)})`);
      return outcome;
    }),
  );
}

/** tsconfig.build.json maps no paths, so "dojo-sim" means dist/ by way of package.json, as after an install. */
function runAgainstBuild(file: string): Outcome {
  return node(["--import", "tsx", file], { TSX_TSCONFIG_PATH: join(root, "tsconfig.build.json") });
}

/** The built command line, as an installed one would run: in the user's folder, with the user's streams and its own exit code. */
function runCommand(args: string[]): number {
  // Ctrl-C is the command's to answer; we wait for it
  process.on("SIGINT", () => {});
  const main = join(root, "dist/cli/main.js");
  // npm runs scripts in the package's folder and remembers where it was called
  const cwd = process.env.INIT_CWD ?? process.cwd();
  return spawnSync(process.execPath, [main, ...args], { cwd, stdio: "inherit" }).status ?? 1;
}

/** Bundles one of benchmarks/ and runs it: times mean nothing through a loader that compiles on the way. */
async function runBenchmark([name, ...args]: string[]): Promise<number> {
  const names = readdirSync(join(root, "benchmarks"))
    .filter((file) => file.endsWith(".ts") && file !== "scenes.ts")
    .map((file) => file.slice(0, -3));
  if (!name || !names.includes(name)) {
    console.error(`${name ? `there is no benchmark "${name}"; ` : ""}say which: npm run bench -- ${names.join(" | ")}`);
    return 2;
  }
  // inside the repository, so that it finds its packages
  const outfile = join(root, ".tmp", "benchmarks", `${name}.mjs`);
  const { build: bundle } = await import("esbuild");
  await bundle({
    entryPoints: [join(root, "benchmarks", `${name}.ts`)],
    bundle: true,
    platform: "node",
    format: "esm",
    packages: "external",
    alias: { "dojo-sim": join(root, "src/index.ts") },
    outfile,
  });
  return spawnSync(process.execPath, [outfile, ...args], { cwd: root, stdio: "inherit" }).status ?? 1;
}

let testCounts: { passed: number; failed: number; skipped: number } | undefined;

function tests(...args: string[]): Outcome {
  const resultFile = join(root, ".tmp", `vitest-${process.pid}.json`);
  mkdirSync(join(root, ".tmp"), { recursive: true });
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${resultFile}`];
  const outcome = node([tools.vitest, "run", ...reporters, ...args]);
  if (existsSync(resultFile)) {
    const result = JSON.parse(readFileSync(resultFile, "utf8"));
    testCounts = {
      passed: result.numPassedTests,
      failed: result.numFailedTests,
      skipped: result.numPendingTests + result.numTodoTests,
    };
    rmSync(resultFile);
  }
  return outcome;
}

const types: Stage = {
  name: "types",
  run: () =>
    every(
      () => node([tools.tsc, "-p", "tsconfig.json"]),
      // the library again without Node's types: it must run in a browser
      () => node([tools.tsc, "-p", "tsconfig.src.json"]),
    ),
};
const lint: Stage = { name: "lint and format", run: () => node([tools.biome, "check", "--error-on-warnings", "."]) };
const format: Stage = { name: "format and fix", run: () => node([tools.biome, "check", "--write", "."]) };
const imports: Stage = { name: "import directions", run: () => script("scripts/checkImports.ts") };
const buildStage: Stage = { name: "build", run: build };
const fastTests: Stage = {
  name: "fast tests",
  run: () => tests("--exclude=test/slow/**", "--exclude=test/browser/**"),
};
const allTests: Stage = { name: "tests", run: () => tests() };
const examples: Stage = { name: "examples", run: () => runAll("examples", /\.ts$/) };
const experiments: Stage = {
  name: "experiments",
  run: () => node([join(root, "dist/cli/main.js"), "experiment", "all", "--quick"]),
};
/** The job of `npm start`, with its replay kept out of the way. */
const mainJob: Stage = {
  name: "npm start",
  run: () => node([join(root, "dist/cli/start.js"), "--out", join(root, ".tmp/atlasDrop.html")]),
};
const packageCheck: Stage = { name: "package", run: () => script("scripts/checkPackage.ts") };

const jobs: Record<string, Stage[]> = {
  test: [types, lint, imports, allTests, buildStage, mainJob, examples, experiments, packageCheck],
  check: [types, lint, imports, fastTests],
  build: [buildStage],
  types: [types],
  lint: [lint],
  format: [format],
  imports: [imports],
  package: [buildStage, packageCheck],
};

function runJob(name: string, stages: Stage[]): Outcome {
  const jobBegin = performance.now();
  const summary: string[] = [];
  const failures: string[] = [];
  for (const stage of stages) {
    console.log(`\n=== ${stage.name}`);
    const begin = performance.now();
    const outcome = stage.run();
    const line = `${outcome.padEnd(7)}  ${stage.name.padEnd(18)} ${seconds(begin).padStart(8)}`;
    console.log(`--- ${line}`);
    summary.push(line);
    if (outcome === "failed") failures.push(stage.name);
  }
  console.log(`\n${summary.join("\n")}\n`);
  if (failures.length === 0) console.log(`${name}: everything passed in ${seconds(jobBegin)}.`);
  else console.log(`${name}: FAILED in ${failures.join(", ")} (after ${seconds(jobBegin)}).`);
  if (testCounts) {
    const { passed, failed, skipped } = testCounts;
    console.log(`tests: ${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`);
  }
  return failures.length === 0 ? "passed" : "failed";
}

const [job = "", ...rest] = process.argv.slice(2);
let outcome: Outcome = "passed";
let exitCode = 0;
if (job === "dojo") {
  outcome = build();
  if (outcome !== "failed") exitCode = runCommand(rest);
} else if (job === "bench") {
  exitCode = await runBenchmark(rest);
} else if (job === "start") {
  // files go where npm was called
  const folder = process.env.INIT_CWD ?? root;
  outcome = build() === "failed" ? "failed" : node([join(root, "dist/cli/start.js"), ...rest], {}, folder);
} else if (jobs[job]) {
  outcome = runJob(job, jobs[job]);
} else {
  console.error(`Unknown job "${job}" (have: start, dojo, ${Object.keys(jobs).join(", ")}).`);
  outcome = "failed";
}
process.exitCode = outcome === "failed" ? 1 : exitCode;
