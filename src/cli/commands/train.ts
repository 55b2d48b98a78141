/** dojo train: trains policies in an environment, one per seed, scores them and writes them. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import type { Command } from "commander";
import {
  Environment,
  environments,
  gradientSearch,
  type PolicyKind,
  policyJson,
  policyKinds,
  policyScore,
  randomSearch,
  type Training,
  type TrainingProgress,
  type TrainingRun,
} from "../../index.ts";
import { exitCodes, InputError, suggestion } from "../inputError.ts";
import { Interruption } from "../interruption.ts";
import { requireWritableFolder, writeWhole } from "../outputs/outputFile.ts";
import { finite, oneOf } from "../parse.ts";
import { duration, facts, figure, paint, print, printJson, table, warn } from "../terminal.ts";

interface Flags {
  readonly method: string;
  readonly policy: string;
  readonly seeds: string;
  readonly starts: string;
  readonly updates?: string;
  readonly out?: string;
  readonly json?: boolean;
}

const methods = ["ars", "ags"] as const;
type Method = (typeof methods)[number];

const examples = `
Examples:
  dojo train half-cheetah
  dojo train half-cheetah --method ags --policy network --seeds 10 --json
  dojo train cartpole --method ars --updates 100 --out policies

Methods: ags follows the gradient of the return through contact and policy, ars is random search. Policies are written as
<environment>-<method>-<policy>-<seed>.json. Ctrl-C ends the training and keeps the seeds that are done.
Exit codes: 0 fine, 2 bad input, 130 after Ctrl-C.`;

export function addTrain(program: Command): void {
  program
    .command("train")
    .summary("train policies in an environment, by gradients or by random search")
    .description("Trains a policy per seed (1 … n), and scores the last one from starts that training has not seen.")
    .argument("<environment>", "one of those that dojo list shows")
    .option("--method <m>", methods.join(" or "), "ags")
    .option("--policy <p>", policyKinds.join(" or "), "network")
    .option("--seeds <n>", "how many policies", "1")
    .option("--starts <n>", "starts that the score is the mean of", "100")
    .option("--updates <n>", "updates of a training (default: 35 of ags, 30 of ars)")
    .option("--out <folder>", "write the policies there")
    .option("--json", "the result as JSON")
    .addHelpText("after", examples)
    .action(async (environment: string, flags: Flags) => {
      process.exitCode = await train(environment, flags);
    });
}

interface SeedResult {
  readonly seed: number;
  readonly reward: number;
  readonly evaluations: number;
  readonly seconds: number;
}

async function train(name: string, flags: Flags): Promise<number> {
  const names = Object.keys(environments);
  if (!isEnvironment(name)) {
    throw new InputError(`"${name}" is no environment${suggestion(name, names)} (have: ${names.join(", ")})`);
  }
  const method = oneOf("--method", flags.method, methods);
  const policy = oneOf("--policy", flags.policy, policyKinds);
  const seedCount = count("--seeds", flags.seeds);
  const starts = count("--starts", flags.starts);
  const updates = flags.updates === undefined ? undefined : count("--updates", flags.updates);
  const { out } = flags;
  if (out !== undefined) requireWritableFolder(out);

  const environment = new Environment(environments[name]());
  const results: SeedResult[] = [];
  const files: string[] = [];
  const interrupted = await Interruption.during(async (interruption) => {
    for (let seed = 1; seed <= seedCount; seed++) {
      const begun = performance.now();
      if (!flags.json) print(paint("bold", `seed ${seed}: update, return of its episodes, evaluations`));
      const run = started(environment, method, policy, seed, updates);
      const training = await followed(run, interruption, flags.json ? undefined : printProgress);
      if (!training) return interruption.exitCode;
      const seconds = (performance.now() - begun) / 1000;
      const reward = policyScore(environment, training.policy, { starts });
      results.push({ seed, reward, evaluations: training.evaluations, seconds });
      if (out === undefined) continue;
      mkdirSync(out, { recursive: true });
      const path = join(out, `${name}-${method}-${policy}-${seed}.json`);
      writeWhole(path, policyJson(training.policy));
      files.push(path);
    }
    return undefined;
  });

  const summary = { ...spread(results.map(({ reward }) => reward)) };
  const result = { environment: name, method, policy, starts, seeds: results, ...summary, files };
  if (flags.json) printJson(result);
  else if (results.length > 0) print(textOf(result));
  if (interrupted === undefined) return exitCodes.ok;
  warn(`ended after ${results.length} of ${seedCount} seeds`);
  return interrupted;
}

function started(
  environment: Environment,
  method: Method,
  policy: PolicyKind,
  seed: number,
  updates: number | undefined,
): TrainingRun {
  const options = { seed, policy, ...(updates !== undefined && { updates }) };
  return method === "ars" ? randomSearch(environment, options) : gradientSearch(environment, options);
}

/** The training's result; undefined where somebody wanted it to end. */
async function followed(
  run: TrainingRun,
  interruption: Interruption,
  onUpdate: ((progress: TrainingProgress) => void) | undefined,
): Promise<Training | undefined> {
  for (let next = run.next(); ; next = run.next()) {
    if (next.done) return next.value;
    onUpdate?.(next.value);
    // Ctrl-C is heard here
    await setImmediate();
    if (interruption.requested) return undefined;
  }
}

function printProgress({ update, updates, return: value, evaluations }: TrainingProgress): void {
  print(
    `${String(update).padStart(5)} of ${updates}  ${value.toFixed(2).padStart(9)}  ${String(evaluations).padStart(8)}`,
  );
}

interface Spread {
  /** Null where there is none. */
  readonly mean: number | null;
  readonly deviation: number | null;
}

function spread(values: readonly number[]): Spread {
  const n = values.length;
  if (n === 0) return { mean: null, deviation: null };
  const mean = values.reduce((sum, value) => sum + value, 0) / n;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return { mean, deviation: n === 1 ? null : Math.sqrt(squares / (n - 1)) };
}

function textOf(result: {
  readonly seeds: readonly SeedResult[];
  readonly starts: number;
  readonly mean: number | null;
  readonly deviation: number | null;
  readonly files: readonly string[];
}): string {
  const { seeds, starts, mean, deviation, files } = result;
  const rows = seeds.map(({ seed, reward, evaluations, seconds }) => [
    seed,
    reward.toFixed(2),
    evaluations,
    duration(seconds),
  ]);
  const spreadText = deviation === null ? "" : ` ± ${figure(deviation)} over ${seeds.length} seeds`;
  return [
    "",
    table(["seed", "reward", "evaluations", "time"], rows),
    "",
    facts([
      ["reward", `${figure(mean as number)}${spreadText}, mean of ${starts} starts each`],
      ...(files.length > 0 ? ([["written", files.join(", ")]] as const) : []),
    ]),
  ].join("\n");
}

function isEnvironment(name: string): name is keyof typeof environments {
  return Object.hasOwn(environments, name);
}

function count(what: string, text: string): number {
  const value = finite(what, text);
  if (Number.isInteger(value) && value >= 1 && value <= 1e6) return value;
  throw new InputError(`${what}: ${text} is no whole number from 1 to 1e6`);
}
