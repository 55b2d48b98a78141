/** dojo identify: finds parameters of a mechanism from recordings of how it moved, and says how well they predict others. */
import { type Command, Option } from "commander";
import {
  ArgumentError,
  compareRecording,
  type Executor,
  type FitFile,
  fitFormat,
  type Identification,
  type IdentifyProgress,
  identify,
  inlineExecutor,
  type Recording,
  type Score,
  type StageReport,
  scoreRecordings,
  startedFrom,
  threadExecutor,
  valuesOf,
  WorkError,
} from "../../index.ts";
import { cubeName, type Task, taskOf } from "../identification/data.ts";
import type { DataFlags } from "../identification/options.ts";
import { figureOf } from "../identification/plots.ts";
import { exitCodes, InputError } from "../inputError.ts";
import { Interruption } from "../interruption.ts";
import { endingOf, requireDistinct, requireWritable, writeWhole } from "../outputs/outputFile.ts";
import { type Written, writeEach } from "../outputs/writeEach.ts";
import { count } from "../parse.ts";
import { duration, facts, figure, paint, print, printJson, table, warn, writtenFacts } from "../terminal.ts";
import { writeReplay } from "../writeReplay.ts";

interface Flags extends DataFlags {
  readonly workers?: string;
  readonly out: string[];
  readonly json?: boolean;
}

const endings = [".json", ".svg", ".html"];

const examples = `
Examples:
  dojo identify
  dojo identify --data tosses --out fit.json --out fit.svg --out toss.html
  dojo identify --data others --parameters-from fit.json --train 0 --json
  dojo identify --data tosses --parameters friction,corners
  dojo identify --data log.csv --model arm.urdf --parameters joints.elbow.damping.0,bodies.forearm.inertia
  dojo identify --data log.csv --model arm.urdf --parameters bodies.forearm.massAndInertia
  dojo identify --data logs --model arm.json --parameters ties.json --window 30 --loss huber

Without --data, tosses of a made-up cube are simulated, so that it runs anywhere. Without --model, it is a cube that is tossed onto a table
(its parameters: friction, halfWidth, inertia, centerOfMass, radius, corners, gravity, restitution). A .csv file names its columns in its
first line: time or t, x,y,z,qw,qx,qy,qz or body.x …, joint coordinates, inputs.name. A fit as .json can be read again, .svg shows the
parameters on their way, .html a toss beside its prediction. Ctrl-C keeps the best fit. bodies.x.mass is the mass alone, its inertia is
held; bodies.x.massAndInertia is a body of the same shape and another density.
Exit codes: 0 fine, 1 a fit did not converge, 2 bad input, 130 after Ctrl-C.`;

export function addIdentify(program: Command): void {
  program
    .command("identify")
    .summary("find parameters of a mechanism from recordings of its motion")
    .description(
      "Fits parameters to recordings through contact, with 95% intervals, and scores them on the recordings left over.",
    )
    .option("--data <path>", "a .csv file, or a folder of them (default: made-up tosses)")
    .option("--model <m>", `a model's name or file (default: ${cubeName})`)
    .option("--parameters <p>", "names between commas, or a .json file with formulas")
    .option("--parameters-from <fit.json>", "begin from a fit that was written, with its mechanism")
    .option(
      "--train <n>",
      "recordings to fit, the first in order of their names; 0 only scores (default: 100, made up 30)",
    )
    .option("--rate <hz>", "frames per second, where files have no time (default: 148 of tosses)")
    .option("--body <name>", "body that columns x to qz belong to")
    .option("--length <m>", "metres per unit of length in the files")
    .option("--columns <pairs>", "other names of columns, theirs=ours between commas")
    .option("--ignore <names>", "columns to leave out")
    .option("--window <n>", "frames predicted from one start, or whole (default: 20, of tosses a recipe of its own)")
    .option("--every <n>", "only every n-th frame counts (default: 1)")
    .option("--steps-per-frame <n>", "steps of the simulation from one frame to the next (default: 1)")
    .option("--starts <s>", "numbers of each start that are found too: fixed, velocities or free (default: free)")
    .option("--loss <l>", "squared, huber or cauchy (default: squared)")
    .option(
      "--noise <sigma>",
      "standard deviation of positions or joint coordinates, or that and of rotations: 0.001,0.01",
    )
    .option(
      "--intervals <i>",
      "hessian, where frames err independently, or recordings, where only these do (default: hessian)",
    )
    .option("--iterations <n>", "most iterations of a fit (default: 30)")
    .option("--evaluations <n>", "how often the search on whole tosses evaluates; 0 leaves it out (default: 30)")
    .option("--seed <n>", "seed of the made-up tosses (default: 1)")
    .option("--workers <n>", "threads (default: one per core)")
    .addOption(new Option("--out <file...>", `write the result (${endings.join(", ")})`).default([], "none"))
    .option("--json", "the result as JSON")
    .addHelpText("after", examples)
    .action(async (flags: Flags) => {
      process.exitCode = await run(flags);
    });
}

async function run(flags: Flags): Promise<number> {
  const workers = flags.workers === undefined ? undefined : count("--workers", flags.workers);
  for (const path of flags.out) requireWritable(path, endings);
  requireDistinct(flags.out, flags.parametersFrom, flags.parameters, flags.model);
  const task = told(() => taskOf(flags));
  const page = flags.out.find((path) => endingOf(path) === ".html");
  if (page !== undefined && !task.scoring) {
    throw new InputError(`--out ${page}: a replay shows recorded poses, and there are none; leave it out`);
  }
  const { recordings } = task.problem;
  const train = recordings.slice(0, task.train);
  const test = recordings.slice(train.length);
  const executor: Executor = workers === 1 || recordings.length === 1 ? inlineExecutor() : threadExecutor({ workers });
  try {
    const begin = performance.now();
    const { found, scores, interrupted } = await Interruption.during(async (interruption) => {
      const own = { ...task.problem, set: startedFrom(task.problem.set, task.values), recordings: train };
      const result = await identify(own, train.length === 0 ? [] : task.stages, {
        executor,
        signal: interruption.signal,
        ...(!flags.json && { onProgress: printProgress }),
      });
      const scored = (some: readonly Recording[]): Promise<Score | null> =>
        scoreOf(task, valuesOf(result.parameters), some, executor, interruption.signal);
      const both = { train: await scored(train), test: await scored(test) };
      return {
        found: result,
        scores: both,
        interrupted: interruption.requested ? interruption.exitCode : undefined,
      };
    });
    const warnings = [...found.warnings, ...(task.scoring && test.length === 0 ? [nothingHeldOut(train.length)] : [])];
    const seconds = (performance.now() - begin) / 1000;
    const result = {
      model: task.model,
      data: flags.data ?? null,
      recordings: recordings.length,
      ...scores,
      parameters: found.parameters,
      ...(task.truth && { truth: truthOf(task) }),
      stages: found.stages,
      warnings,
      converged: found.converged,
      seconds,
    };
    const shown = test.length > 0 ? train.length : 0;
    const { files, faults } = writeEach(flags.out, (path) => write(path, task, found, result, shown));
    if (flags.json) printJson({ ...result, files: files.map(({ path }) => path) });
    else print(textOf(task, found, scores, seconds, files));
    for (const { message } of warnings) warn(message);
    if (faults.length > 0) throw faults[0];
    if (interrupted !== undefined) {
      const kept = train.length === 0 ? "not all recordings are scored" : "the best fit so far is kept";
      warn(`interrupted: ${kept}`);
      return interrupted;
    }
    return train.length === 0 || found.converged ? exitCodes.ok : exitCodes.failed;
  } catch (error) {
    if (error instanceof WorkError) throw new InputError(error.reason.replace(/^the context cannot be prepared: /, ""));
    throw error instanceof ArgumentError ? new InputError(error.message) : error;
  } finally {
    await executor.close();
  }
}

/** Null where there are no poses to be scored, or somebody wants an end. */
async function scoreOf(
  { problem, scoring }: Task,
  values: Readonly<Record<string, number>>,
  recordings: readonly Recording[],
  executor: Executor,
  signal: AbortSignal,
): Promise<Score | null> {
  if (!scoring || signal.aborted) return null;
  try {
    const { sampling, width } = scoring;
    return await scoreRecordings({ ...problem, recordings }, values, sampling, width, executor, signal);
  } catch (error) {
    if (signal.aborted) return null;
    throw error;
  }
}

function nothingHeldOut(fitted: number): { readonly code: string; readonly message: string } {
  const message = `all ${fitted} recordings were fitted, so none is left to score the fit on; a smaller --train leaves some`;
  return { code: "nothing-held-out", message };
}

/** Faults of what was given, as such. */
function told<T>(make: () => T): T {
  try {
    return make();
  } catch (error) {
    throw error instanceof ArgumentError ? new InputError(error.message) : error;
  }
}

function truthOf({ problem, truth }: Task): Record<string, number> {
  return Object.fromEntries(
    Object.keys(problem.set.parameters).flatMap((name) => (truth?.[name] === undefined ? [] : [[name, truth[name]]])),
  );
}

let lastStage: string | undefined;

function printProgress({ stage, kind, count, cost, values }: IdentifyProgress): void {
  if (stage !== lastStage) {
    print(
      paint(
        "bold",
        `${stage}: ${kind === "fit" ? "iteration" : "evaluation"}, cost, ${Object.keys(values).join(", ")}`,
      ),
    );
    lastStage = stage;
  }
  const numbers = Object.values(values).map((value) => value.toPrecision(4).padStart(10));
  const shown = numbers.length <= 10 ? numbers : [...numbers.slice(0, 9), "…"];
  print(`${String(count).padStart(5)}  ${cost.toPrecision(6).padStart(10)}  ${shown.join(" ")}`);
}

function write(path: string, task: Task, found: Identification, result: object, shown: number): number {
  const ending = endingOf(path);
  if (ending === ".svg") return writeWhole(path, figureOf(found, task.truth));
  if (ending === ".json") {
    const { description, set } = task.problem;
    const file: FitFile & object = {
      ...result,
      format: fitFormat,
      model: task.model,
      parameters: found.parameters,
      definition: set,
      description,
    };
    return writeWhole(path, `${JSON.stringify(file, null, 2)}\n`);
  }
  // refused before the fit where there is none
  const { sampling } = task.scoring as NonNullable<Task["scoring"]>;
  const { simulation, trajectory, recorded, distances, angles } = compareRecording(
    task.problem,
    valuesOf(found.parameters),
    shown,
    sampling,
  );
  return writeReplay(path, trajectory, {
    simulation,
    title: `${task.model}: ${task.problem.recordings[shown].name} (ghost) and its prediction`,
    ghosts: [{ name: "recorded", states: recorded }],
    plots: [
      {
        title: "distance from the recording",
        unit: "mm",
        scale: "linear",
        series: [{ name: "position", values: distances.map((each) => 1000 * each) }],
      },
      {
        title: "angle to the recording",
        unit: "°",
        scale: "linear",
        series: [{ name: "rotation", values: angles.map((each) => (180 / Math.PI) * each) }],
      },
    ],
  });
}

/** A residual of 1 is the noise; more says that the model errs, or that the noise was given too small. */
function stageText({ name, count, end, residual }: StageReport): string {
  const left = residual === undefined ? "" : `, residual ${figure(residual)} of the noise`;
  return `${name}: ${count}, ${end}${left}`;
}

/** A side without an end is one that the data say nothing of. */
function intervalText([low, high]: readonly [number, number]): string {
  if (!Number.isFinite(low)) return `below ${figure(high)}`;
  return Number.isFinite(high) ? `${figure(low)} … ${figure(high)}` : `above ${figure(low)}`;
}

function textOf(
  { truth, stages }: Task,
  found: Identification,
  { train, test }: { readonly train: Score | null; readonly test: Score | null },
  seconds: number,
  files: readonly Written[],
): string {
  const rows = Object.entries(found.parameters).map(([name, { value, interval, start }]) => [
    name,
    figure(value),
    interval ? intervalText(interval) : "–",
    figure(start),
    ...(truth ? [truth[name] === undefined ? "–" : figure(truth[name])] : []),
  ]);
  const line = (score: Score | null): string =>
    score === null || score.tosses === 0
      ? "none"
      : `${score.positionPercent?.toFixed(2)}% of the width, ${score.rotationDegrees?.toFixed(2)}°, mean of ${score.tosses} recordings`;
  return [
    "",
    table(["parameter", "value", "95% interval", "start", ...(truth ? ["truth"] : [])], rows),
    "",
    facts([
      ...(train ? ([["fitted on", line(train)]] as const) : []),
      ...(test ? ([["held out", line(test)]] as const) : []),
      ["stages", found.stages.map(stageText).join("; ") || `none of ${stages.length}`],
      ["time", duration(seconds)],
      ...writtenFacts(files),
    ]),
  ].join("\n");
}
