/** dojo train: trains policies in an environment, one per seed, scores them and writes them. */
import type { Command } from "commander";
import {
  ArgumentError,
  type Environment,
  type EpisodeContext,
  environments,
  namedEnvironment,
  type Search,
  searchOf,
  type TrainingProgress,
  type TrainingSettings,
  WorkError,
} from "../../index.ts";
import { executorFrom } from "../executor.ts";
import { exitCodes, InputError, suggestion } from "../inputError.ts";
import { Interruption } from "../interruption.ts";
import { positive } from "../parse.ts";
import { duration, facts, figure, print, printJson, TaskProgress, table, warn } from "../terminal.ts";
import { curveSvg, curveText, meanCurve, sparkline } from "../training/curves.ts";
import { TrainingFolder } from "../training/folder.ts";
import { type SeedResult, type SeedRun, trainSeeds } from "../training/seeds.ts";
import { addSettingOptions, count, type SettingFlags, settingsOf } from "../training/settings.ts";

interface Flags extends SettingFlags {
  readonly seeds: string;
  readonly starts: string;
  readonly scoreTimestep?: string;
  readonly workers?: string;
  readonly redis?: string;
  readonly patience?: string;
  readonly out?: string;
  readonly resume?: boolean;
  readonly overwrite?: boolean;
  readonly json?: boolean;
}

const examples = `
Examples:
  dojo train half-cheetah
  dojo train half-cheetah --method ags --policy network --seeds 10 --json
  dojo train ant --seeds 5 --out policies
  dojo train ant --seeds 5 --out policies --resume
  dojo train cartpole --method ars --updates 100
  dojo train ant --seeds 10 --out policies --redis redis://10.0.0.5:6379
  dojo simulate --policy policies/ant-ags-network-1.json --out run.html

Methods: ags follows the gradient of an episode's return through contact and policy; shac does so over short horizons, closed by a
critic; ars is augmented random search; random follows differences of returns along random directions, for comparison.
Files: <environment>-<method>-<policy>-<seed>.json for the policies, …-<seed>.training.json for checkpoints, and learning curves as SVG.
Ctrl-C ends the training after the update at hand; with --out, --resume goes on from there, to the bit.
Exit codes: 0 fine, 1 a training diverged or workers were lost, 2 bad input, 130 after Ctrl-C.`;

export function addTrain(program: Command): void {
  const command = program
    .command("train")
    .summary("train policies in an environment, by gradients or by random search")
    .description("Trains a policy per seed (1 … n), and scores the last one from starts that training has not seen.")
    .argument("<environment>", "one of those that dojo list shows");
  addSettingOptions(command)
    .option("--seeds <n>", "how many policies", "1")
    .option("--starts <n>", "starts that the score is the mean of", "100")
    .option("--score-timestep <s>", "score at this time step too, with actions that last as long as in training")
    .option("--workers <n>", "threads (default: one per core)")
    .option("--redis <url>", "instead, the workers of a Redis, which dojo worker starts on any machines")
    .option("--patience <s>", "seconds to wait for a Redis that is away (default: 60)")
    .option("--out <folder>", "write policies, checkpoints and curves there")
    .option("--resume", "go on with what the folder has")
    .option("--overwrite", "begin anew, and replace what the folder has of such a training")
    .option("--json", "the result as JSON")
    .addHelpText("after", examples)
    .action(async (environment: string, flags: Flags) => {
      process.exitCode = await train(environment, flags);
    });
}

async function train(name: string, flags: Flags): Promise<number> {
  const settings = settingsOf(flags, name);
  const [seeds, starts] = [count("--seeds", flags.seeds), count("--starts", flags.starts)];
  const workers = flags.workers === undefined ? undefined : count("--workers", flags.workers);
  const timestep = flags.scoreTimestep === undefined ? undefined : positive("--score-timestep", flags.scoreTimestep);
  const { out, resume = false, overwrite = false } = flags;
  if (resume && out === undefined) throw new InputError("--resume: give the folder to go on with as --out");
  if (overwrite && out === undefined) throw new InputError("--overwrite: give the folder to write to as --out");
  if (overwrite && resume) throw new InputError("--overwrite begins anew and --resume goes on: give one of them");
  const environment = environmentOf(name);
  if (timestep !== undefined) environmentOf(name, { timestep });
  const search = searchFrom(environment, settings(1));
  const context: EpisodeContext = { environment: name, policy: search.shape };
  const fineContext = timestep === undefined ? undefined : { ...context, options: { timestep } };
  const folder =
    out === undefined
      ? undefined
      : new TrainingFolder(out, name, resume ? "resumed" : overwrite ? "overwritten" : "refused");
  folder?.check(
    environment,
    Array.from({ length: seeds }, (_, i) => settings(i + 1)),
  );

  const busy = seeds * search.episodesPerUpdate;
  const executor = await executorFrom({ ...flags, workers: busy === 1 ? 1 : workers });
  const display = new Display(flags.json === true, seeds * search.updates);
  const runs: SeedRun[] = [];
  let fault: string | undefined;
  const interrupted = await Interruption.during(async (interruption) => {
    try {
      await trainSeeds({
        ...{ environment, executor, context, fineContext, seeds, starts, settings, folder, interruption },
        onUpdate: (seed, progress) => display.update(seed, progress),
        onResult: (run) => {
          runs.push(run);
          display.result(run.result);
        },
      });
    } catch (error) {
      if (!(error instanceof WorkError)) throw error;
      fault = error.message;
    } finally {
      await executor.close();
    }
    return interruption.requested && runs.length < seeds ? interruption.exitCode : undefined;
  });
  display.clear();

  runs.sort((a, b) => a.result.seed - b.result.seed);
  const curves = runs.map(({ training }) => training);
  const { method, policy = "linear" } = settings(1);
  if (curves.length > 0) {
    folder?.writeCurves(
      settings(1),
      curveSvg(
        `${name}, ${method}, ${policy} policy: ${curves.length} ${curves.length === 1 ? "seed" : "seeds"}`,
        curves,
      ),
    );
  }
  const results = runs.map(({ result }) => result);
  const result = {
    environment: name,
    method,
    policy,
    starts,
    seeds: results,
    ...spreads(results),
    files: folder?.files ?? [],
  };
  if (flags.json) printJson(result);
  else if (results.length > 0) print(textOf(result, timestep, curveText(meanCurve(curves))));
  for (const { seed, divergence, warning } of results) {
    if (divergence !== undefined) warn(`seed ${seed} diverged and ended with its best policy: ${divergence}`);
    if (warning !== undefined) warn(`seed ${seed} ${warning}`);
  }
  const rest = folder?.hasCheckpoint(settings(1)) ? `; --out ${out} --resume goes on` : "";
  if (fault !== undefined) warn(`${fault}; ended after ${results.length} of ${seeds} seeds${rest}`);
  if (interrupted !== undefined) {
    warn(`ended after ${results.length} of ${seeds} seeds${rest}`);
    return interrupted;
  }
  const failed = fault !== undefined || results.some(({ divergence }) => divergence !== undefined);
  return failed ? exitCodes.failed : exitCodes.ok;
}

function environmentOf(name: string, options?: { readonly timestep: number }): Environment {
  const names = Object.keys(environments);
  if (!names.includes(name)) {
    throw new InputError(`"${name}" is no environment${suggestion(name, names)} (have: ${names.join(", ")})`);
  }
  try {
    return namedEnvironment(name, options && { ...options });
  } catch (error) {
    if (options && error instanceof ArgumentError) throw new InputError(`--score-timestep: ${error.message}`);
    throw error;
  }
}

function searchFrom(environment: Environment, settings: TrainingSettings): Search {
  try {
    return searchOf(environment, settings);
  } catch (error) {
    throw error instanceof ArgumentError ? new InputError(error.message) : error;
  }
}

/** Lines that an update of every seed prints at most. */
const linesPerSeed = 10;

/** Progress: now and then a line per seed, and on a terminal the curves of all seeds at work. */
class Display {
  private readonly silent: boolean;
  private readonly total: number;
  private readonly progress = new TaskProgress();
  private readonly begun = performance.now();
  private readonly active = new Map<number, number[]>();
  /** Updates of every seed, those of earlier runs included. */
  private readonly done = new Map<number, number>();
  private headed = false;

  constructor(silent: boolean, total: number) {
    this.silent = silent;
    this.total = total;
  }

  update(seed: number, { update, updates, return: value, evaluations }: TrainingProgress): void {
    const returns = this.active.get(seed) ?? [];
    this.active.set(seed, returns);
    returns.push(value);
    this.done.set(seed, update);
    const every = Math.ceil(updates / linesPerSeed);
    if (!this.silent && (update === 1 || update % every === 0 || update === updates)) {
      this.clear();
      if (!this.headed) print("seed  update      return  evaluations");
      this.headed = true;
      const counted = `${update}/${updates}`.padStart(8);
      print(
        `${String(seed).padStart(4)}${counted}  ${value.toFixed(2).padStart(10)}  ${String(evaluations).padStart(11)}`,
      );
    }
    const doing = [...this.active].map(
      ([of, curve]) => `seed ${of} ${sparkline(curve, 16)} ${figure(curve[curve.length - 1])}`,
    );
    const fraction = [...this.done.values()].reduce((sum, made) => sum + made, 0) / this.total;
    const left = ((performance.now() - this.begun) / 1000) * (1 / fraction - 1);
    this.progress.update(doing.join("  "), fraction, left);
  }

  result({ seed }: SeedResult): void {
    this.active.delete(seed);
  }

  clear(): void {
    this.progress.clear();
  }
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

/** Spreads of rewards, and of those at another time step where there are any. */
function spreads(results: readonly SeedResult[]): Spread & { readonly fine?: Spread } {
  const fine = results.flatMap(({ fineReward }) => (fineReward === undefined ? [] : [fineReward]));
  return { ...spread(results.map(({ reward }) => reward)), ...(fine.length > 0 && { fine: spread(fine) }) };
}

function textOf(
  result: Spread & {
    readonly fine?: Spread;
    readonly seeds: readonly SeedResult[];
    readonly starts: number;
    readonly files: readonly string[];
  },
  timestep: number | undefined,
  picture: string,
): string {
  const { seeds, starts, files, fine } = result;
  const headings = ["seed", "reward", ...(fine ? [`at ${timestep} s`] : []), "evaluations", "time"];
  const rows = seeds.map(({ seed, reward, fineReward, evaluations, seconds }) => [
    seed,
    reward.toFixed(2),
    ...(fineReward === undefined ? [] : [fineReward.toFixed(2)]),
    evaluations,
    duration(seconds),
  ]);
  const said = ({ mean, deviation }: Spread): string => {
    const around = deviation === null ? "" : ` ± ${figure(deviation)} over ${seeds.length} seeds`;
    return `${figure(mean as number)}${around}, mean of ${starts} starts each`;
  };
  return [
    "",
    picture,
    "",
    table(headings, rows),
    "",
    facts([
      ["reward", said(result)],
      ...(fine ? ([[`at ${timestep} s`, said(fine)]] as const) : []),
      ...(files.length > 0 ? ([["written", files.join(", ")]] as const) : []),
    ]),
  ].join("\n");
}
