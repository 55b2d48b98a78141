/** dojo experiment: the paper's tables and figures, measured again, with other engines beside. */
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Command } from "commander";
import {
  type ExperimentOutcome,
  type ExperimentRunner,
  experimentSummaries,
  experimentsFolder,
  withRunner,
} from "../experiments.ts";
import { exitCodes, InputError, suggestion } from "../inputError.ts";
import { Interruption } from "../interruption.ts";
import { requireWritableFolder } from "../outputs/outputFile.ts";
import { duration, paint, print, printError, printJson, TaskProgress, table, warn } from "../terminal.ts";

const examples = `
Examples:
  dojo experiment atlas-drop
  dojo experiment timing --quick --json
  dojo experiment rollouts --redis redis://127.0.0.1:6379
  dojo experiment all --out results

Names are those of \`dojo list\`. A run writes result.json and figures to experiments/<name>, a short one to
experiments/<name>/quick; \`all\` also makes one page of them, experiments/report.html. Nothing else should run meanwhile.
Short forms have fewer cases and rounds, and warm up as long: on a busy machine, timing --quick said 0.87 times what the full form
did of the humanoid's Jacobians beside MuJoCo.
Exit codes: 0 fine, 1 an experiment failed, 2 bad input, 130 after Ctrl-C (what is finished is written).`;

/** Those that can measure work on many machines. */
const onManyMachines = ["rollouts"];

interface Flags {
  readonly quick?: boolean;
  readonly redis?: string;
  readonly json?: boolean;
  readonly out?: string;
}

export function addExperiment(program: Command): void {
  program
    .command("experiment")
    .summary("reproduce tables and figures of the paper, beside other engines")
    .description("Runs an experiment of the repository, or all of them.")
    .argument("[name]", "an experiment's name, or all")
    .option("--quick", "a short form: fewer cases, the same fields")
    .option("--redis <url>", `the workers of a Redis beside this machine's threads (${onManyMachines.join(", ")})`)
    .option("--json", "what result.json holds; for all, an object by name")
    .option("--out <dir>", "folder for results (all: a folder in it for each)")
    .addHelpText("after", examples)
    .action(async (name: string | undefined, flags: Flags) => {
      process.exitCode = await experiment(name, flags);
    });
}

async function experiment(name: string | undefined, flags: Flags): Promise<number> {
  const folder = experimentsFolder();
  if (folder === undefined) {
    throw new InputError(
      "the experiments are not part of the package: clone the repository of dojo-sim, and there: npm run dojo -- experiment all",
    );
  }
  const names = namesMeant(name);
  const all = name === "all";
  if (flags.redis !== undefined && !names.every((each) => onManyMachines.includes(each))) {
    throw new InputError(`--redis is for ${onManyMachines.join(", ")} only`);
  }
  if (flags.out !== undefined) requireWritableFolder(flags.out);
  const outOf = (each: string): string => {
    if (flags.out !== undefined) return all ? resolve(flags.out, each) : resolve(flags.out);
    return flags.quick ? join(folder, each, "quick") : join(folder, each);
  };
  const page = join(flags.out ? resolve(flags.out) : flags.quick ? join(folder, "quick") : folder, "report.html");
  return Interruption.during((interruption) =>
    withRunner(folder, names, (runner) =>
      run(runner, interruption, {
        tasks: names.map((each) => ({ name: each, out: outOf(each) })),
        page: all ? page : undefined,
        quick: flags.quick ?? false,
        redis: flags.redis,
        json: flags.json ?? false,
      }),
    ),
  );
}

function namesMeant(name: string | undefined): string[] {
  const known = experimentSummaries().map((entry) => entry.name);
  if (name === undefined) throw new InputError(`which experiment? all, or one of ${known.join(", ")}`);
  if (name === "all") return known;
  if (known.includes(name)) return [name];
  const hint = suggestion(name, [...known, "all"]);
  throw new InputError(`there is no experiment "${name}"${hint || `; have: all, ${known.join(", ")}`}`);
}

interface Work {
  readonly tasks: readonly { readonly name: string; readonly out: string }[];
  readonly page: string | undefined;
  readonly quick: boolean;
  readonly redis: string | undefined;
  readonly json: boolean;
}

async function run(
  runner: ExperimentRunner,
  interruption: Interruption,
  { tasks, page, quick, redis, json }: Work,
): Promise<number> {
  const progress = new TaskProgress();
  const outcomes: ExperimentOutcome[] = [];
  await runner.runSeries({
    tasks,
    quick,
    redis,
    page,
    signal: interruption.signal,
    onProgress: (name, fraction, doing, left) => progress.update(`${name}: ${doing}`, fraction, left),
    onOutcome: (outcome) => {
      outcomes.push(outcome);
      progress.clear();
      const { name, seconds, text, out } = outcome;
      if (text === undefined) warn(`${name} failed after ${duration(seconds)}`);
      else if (json) printError(`${name}: ${duration(seconds)}`);
      else print(`${paint("bold", name)}: ${text}\n\n${paint("dim", `${duration(seconds)}; written to ${out}`)}\n`);
    },
  });
  progress.clear();

  const done = outcomes.filter(({ text }) => text !== undefined);
  if (json && page !== undefined) {
    printJson(Object.fromEntries(done.map((outcome) => [outcome.name, JSON.parse(resultOf(outcome))])));
  } else if (json && done.length > 0) process.stdout.write(resultOf(done[0]));
  else if (page !== undefined && outcomes.length > 0) print(times(outcomes));
  if (interruption.requested) {
    const kept = done.map(({ name }) => name).join(", ");
    warn(`interrupted; ${kept === "" ? "nothing was finished" : `written before: ${kept}`}`);
    return interruption.exitCode;
  }
  if (page !== undefined) printError(`page: ${page}`);
  return done.length === tasks.length ? exitCodes.ok : exitCodes.failed;
}

function resultOf({ out }: ExperimentOutcome): string {
  return readFileSync(join(out, "result.json"), "utf8");
}

function times(outcomes: readonly ExperimentOutcome[]): string {
  const rows = outcomes.map(({ name, seconds, text }) => [
    name,
    seconds.toFixed(1),
    text === undefined ? "failed" : "written",
  ]);
  const total = outcomes.reduce((sum, { seconds }) => sum + seconds, 0);
  return table(["experiment", "seconds", ""], [...rows, ["all", total.toFixed(1), ""]]);
}
