/** Runs tests on mutants, one after the other. */
import { spawn } from "node:child_process";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import type { Candidate } from "./candidates.ts";
import { mutated } from "./mutations.ts";
import { relatedTests, type SourceFile, sourceFiles } from "./relatedTests.ts";

export interface Fate {
  readonly file: string;
  readonly line: number;
  /** The line of code, and the line with the fault in it. */
  readonly before: string;
  readonly after: string;
  /** The test file that failed or did not end; missing for a survivor. */
  readonly killedBy?: string;
  /** Test files that import the mutant's file, and how many of them there was time for. */
  readonly related: number;
  readonly ran: number;
}

interface TestRun {
  readonly failed: readonly string[];
  /** Seconds by file. */
  readonly times: ReadonlyMap<string, number>;
}

/** A mutant whose tests take this many times as long as without it, and a minute more, does not end. */
const patience = { factor: 5, more: 60 };

/** The fates of mutants in the folder of a copy, as they become known. Each gets `budget` seconds of tests. */
export async function* fatesOf(
  mutants: readonly Candidate[],
  copy: string,
  budget: number,
  signal: AbortSignal,
): AsyncGenerator<Fate> {
  const baseline = new Baseline(copy, budget, signal);
  for (const mutant of mutants) {
    const path = join(copy, mutant.file);
    const source = readFileSync(path, "utf8");
    const changed = mutated(source, mutant);
    const { tests, seconds, related } = await baseline.testsOf(mutant.file);
    if (signal.aborted) return;
    writeFileSync(path, changed);
    const limit = patience.factor * seconds + patience.more;
    const run = tests.length === 0 ? { failed: [], times: new Map() } : await runTests(copy, tests, limit, signal);
    writeFileSync(path, source);
    if (signal.aborted) return;
    const lineOf = (text: string): string => text.split("\n")[mutant.line - 1].trim();
    const { file, line } = mutant;
    const fate = { file, line, before: lineOf(source), after: lineOf(changed), related, ran: tests.length };
    yield run.failed.length > 0 ? { ...fate, killedBy: run.failed[0] } : fate;
  }
}

/** What tests do without any mutant: those that fail then tell nothing, and times say for how many there is time. */
class Baseline {
  private readonly times = new Map<string, number>();
  private readonly failing = new Set<string>();
  private readonly files: ReadonlyMap<string, SourceFile>;
  private readonly copy: string;
  private readonly budget: number;
  private readonly signal: AbortSignal;

  constructor(copy: string, budget: number, signal: AbortSignal) {
    this.files = sourceFiles(copy);
    this.copy = copy;
    this.budget = budget;
    this.signal = signal;
  }

  async testsOf(file: string): Promise<{ tests: readonly string[]; seconds: number; related: number }> {
    const related = relatedTests(this.files, file);
    const tests: string[] = [];
    let seconds = 0;
    for (const [k, path] of related.entries()) {
      // several at a time: most of a run is its start
      if (!this.times.has(path)) await this.measure(related.slice(k, k + 4).filter((next) => !this.times.has(next)));
      if (this.signal.aborted) break;
      if (this.failing.has(path)) continue;
      seconds += this.times.get(path) ?? 0;
      // the likeliest to tell is run whatever it takes
      if (tests.length > 0 && seconds > this.budget) break;
      tests.push(path);
    }
    return { tests, seconds, related: related.length };
  }

  private async measure(tests: readonly string[]): Promise<void> {
    const { failed, times } = await runTests(this.copy, tests, 60 * tests.length, this.signal, false);
    for (const path of tests) this.times.set(path, times.get(path) ?? 0);
    for (const path of failed) this.failing.add(path);
  }
}

/** Runs test files in one process, up to the first failure if asked. Those that do not end count as failed. */
async function runTests(
  folder: string,
  tests: readonly string[],
  limit: number,
  signal: AbortSignal,
  bail = true,
): Promise<TestRun> {
  const output = join(folder, ".tmp-mutant.json");
  rmSync(output, { force: true });
  const vitest = join(folder, "node_modules/vitest/vitest.mjs");
  const options = ["--reporter=json", `--outputFile=${output}`, "--maxWorkers=1", `--testTimeout=${1000 * limit}`];
  const args = [vitest, "run", ...options, ...(bail ? ["--bail=1"] : []), ...tests];
  const child = spawn(process.execPath, args, { cwd: folder, stdio: "ignore", detached: process.platform !== "win32" });
  const end = (): void => {
    // workers that compute without end hear of nothing but this
    if (child.pid !== undefined && child.exitCode === null)
      process.kill(process.platform === "win32" ? child.pid : -child.pid, "SIGKILL");
  };
  const timer = setTimeout(end, 1000 * limit);
  signal.addEventListener("abort", end, { once: true });
  const code = await new Promise<number | null>((done) => child.on("close", done));
  clearTimeout(timer);
  signal.removeEventListener("abort", end);
  if (!existsSync(output)) return { failed: code === 0 ? [] : [tests[0]], times: new Map() };
  const { testResults } = JSON.parse(readFileSync(output, "utf8")) as {
    testResults: { name: string; status: string; startTime: number; endTime: number }[];
  };
  const named = testResults.map((result) => ({ ...result, name: relative(folder, result.name).replaceAll("\\", "/") }));
  const failed = named.filter(({ status }) => status === "failed").map(({ name }) => name);
  return {
    failed: failed.length === 0 && code !== 0 ? [tests[0]] : failed,
    times: new Map(named.map(({ name, startTime, endTime }) => [name, (endTime - startTime) / 1000])),
  };
}
