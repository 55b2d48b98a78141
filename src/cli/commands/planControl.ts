/** dojo plan --mpc: control in a loop, run after run, and how many of them survive their pushes. */
import { setImmediate } from "node:timers/promises";
import {
  ArgumentError,
  type ControlRun,
  type ControlRunOptions,
  type ControlTask,
  controlling,
  controlTasks,
  planningTasks,
  type Trajectory,
} from "../../index.ts";
import { exitCodes, InputError, suggestion } from "../inputError.ts";
import { Interruption } from "../interruption.ts";
import { requireDistinct, requireWritable } from "../outputs/outputFile.ts";
import { count, notNegative, positive, vector2, wholeNumber } from "../parse.ts";
import { facts, figure, paint, print, printJson, warn, writtenFacts } from "../terminal.ts";
import { writeReplay } from "../writeReplay.ts";

export interface ControlFlags {
  readonly push?: string;
  readonly seed?: string;
  readonly seeds?: string;
  readonly latency?: string;
  readonly every?: string;
  readonly goal?: string;
  readonly servos?: boolean;
  readonly kappa?: string;
  readonly iterations?: string;
  readonly out: readonly string[];
  readonly json?: boolean;
}

/** Time between pauses, milliseconds. */
const pauseEvery = 50;

/** All runs of one impulse. */
interface Row {
  readonly impulse: number;
  readonly seeds: number;
  readonly survived: number;
  readonly lost: readonly { readonly seed: number; readonly reason: string }[];
  /** Largest of all inputs of the planner; null for servos alone, whose inputs are targets. */
  readonly largestInput: number | null;
  readonly plans: number;
  readonly unimproved: number;
  readonly stepsPerPlan: number;
  readonly gradientsPerPlan: number;
  readonly plansPerSecond: number;
}

export async function control(name: string | undefined, flags: ControlFlags): Promise<number> {
  const task = taskOf(name, flags);
  const impulses = flags.push === undefined ? [task.push.impulse] : impulsesOf(flags.push);
  const seeds = flags.seeds === undefined ? 5 : count("--seeds", flags.seeds);
  const firstSeed = flags.seed === undefined ? 1 : wholeNumber("--seed", flags.seed);
  const options: ControlRunOptions = {
    ...(flags.latency !== undefined && { latency: notNegative("--latency", flags.latency) }),
    ...(flags.every !== undefined && { every: count("--every", flags.every) }),
    ...(flags.goal !== undefined && { goal: vector2("--goal", flags.goal) }),
    ...(flags.servos && { servosAlone: true }),
  };
  for (const path of flags.out) requireWritable(path, [".html"]);
  requireDistinct(flags.out);

  const rows: Row[] = [];
  let shown: Trajectory | undefined;
  const interrupted = await Interruption.during(async (interruption) => {
    for (const impulse of impulses) {
      const runs: (ControlRun & { readonly seed: number })[] = [];
      for (let seed = firstSeed; seed < firstSeed + seeds && !interruption.requested; seed++) {
        const run = await runUntil(interruption, task, { ...options, impulse, seed });
        shown = run.trajectory;
        if (run.stopped)
          warn(
            `interrupted at ${figure(impulse)} N·s, seed ${seed}: ${run.reason}${flags.out.length > 0 ? "; the files show it" : ""}`,
          );
        else runs.push({ ...run, seed });
      }
      if (runs.length === 0) break;
      rows.push(rowOf(impulse, runs, flags.servos ?? false));
      if (!flags.json) print(lineOf(rows[rows.length - 1]));
    }
    return interruption.requested ? interruption.exitCode : undefined;
  });

  const plant = flags.servos && task.servos ? task.servos.plant : task.plant;
  const files = flags.out.flatMap((path) =>
    shown ? [{ path, bytes: writeReplay(path, shown, { simulation: plant, title: `control: ${task.name}` }) }] : [],
  );
  const largest = largestSurvived(rows, seeds);
  if (flags.json) {
    const { latency = 0, every = task.every } = options;
    const controller = flags.servos ? "servos" : "mpc";
    const written = files.map(({ path }) => path);
    const goal = options.goal ?? task.guide?.home ?? null;
    printJson({
      ...{ task: task.name, controller, latency, every, goal },
      conditions: task.conditions ?? null,
      ...{ rows, largestSurvived: largest, interrupted: interrupted !== undefined, files: written },
    });
  } else {
    const known = largest === null ? "none of these" : `${figure(largest)} N·s`;
    print(
      facts([
        ["largest push", `${known} survived by all seeds`],
        ...(task.conditions === undefined ? [] : ([["conditions", task.conditions]] as const)),
        ...writtenFacts(files),
      ]),
    );
  }
  if (interrupted !== undefined) return interrupted;
  return rows.every(({ survived }) => survived === seeds) ? exitCodes.ok : exitCodes.failed;
}

function taskOf(name: string | undefined, flags: ControlFlags): ControlTask {
  const names = Object.keys(controlTasks);
  if (name === undefined) throw new InputError(`which task? Give one of ${names.join(", ")}`);
  if (!names.includes(name)) {
    if (Object.hasOwn(planningTasks, name))
      throw new InputError(`"${name}" is a task to be planned once; leave --mpc out`);
    const hint = `${suggestion(name, names)} (have: ${names.join(", ")}; dojo plan --mpc --list says more)`;
    throw new InputError(`"${name}" is no task of control in a loop${hint}`);
  }
  const kappa = flags.kappa === undefined ? undefined : positive("--kappa", flags.kappa);
  const iterations = flags.iterations === undefined ? undefined : count("--iterations", flags.iterations);
  const task = controlTasks[name].make();
  return {
    ...task,
    options: {
      ...task.options,
      ...(kappa !== undefined && { path: { kappa }, stalledPath: { kappa } }),
      ...(iterations !== undefined && { iterations }),
    },
  };
}

/** Flags by the options that they are. */
const flagOf: Readonly<Record<string, string>> = {
  every: "--every",
  latency: "--latency",
  goal: "--goal",
  servosAlone: "--servos",
};

/** One run, or what there is of it when somebody wants it to end. */
async function runUntil(
  interruption: Interruption,
  task: ControlTask,
  options: ControlRunOptions,
): Promise<ControlRun> {
  const run = controlling(task, options);
  let lastPause = performance.now();
  for (let step = running(() => run.next()); ; step = run.next(!interruption.requested)) {
    if (step.done || performance.now() - lastPause > pauseEvery) {
      // Ctrl-C is heard here
      await setImmediate();
      lastPause = performance.now();
    }
    if (step.done) return step.value;
  }
}

/** What a task refuses of the options (a latency longer than the time between plans, say) is bad input, under the name of its flag. */
function running<T>(run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof ArgumentError)) throw error;
    const [{ path, message }] = error.faults;
    const flag = flagOf[path];
    throw new InputError(flag === undefined ? error.message : `${flag}: ${message}`);
  }
}

function impulsesOf(text: string): number[] {
  return text.split(",").map((entry) => notNegative("--push", entry));
}

function rowOf(impulse: number, runs: readonly (ControlRun & { readonly seed: number })[], servosAlone: boolean): Row {
  const sum = (of: (run: ControlRun) => number): number => runs.reduce((total, run) => total + of(run), 0);
  const plans = sum((run) => run.plans);
  const perPlan = (count: number): number => (plans > 0 ? count / plans : 0);
  const seconds = sum((run) => run.planSeconds);
  return {
    impulse,
    seeds: runs.length,
    survived: runs.filter(({ survived }) => survived).length,
    lost: runs.flatMap(({ seed, reason }) => (reason === undefined ? [] : [{ seed, reason }])),
    largestInput: servosAlone
      ? null
      : runs.reduce((largest, { trajectory }) => Math.max(largest, inputOf(trajectory)), 0),
    plans,
    unimproved: sum((run) => run.unimproved),
    stepsPerPlan: perPlan(sum((run) => run.steps)),
    gradientsPerPlan: perPlan(sum((run) => run.gradients)),
    plansPerSecond: seconds > 0 ? plans / seconds : 0,
  };
}

/** The largest of all inputs. */
function inputOf({ inputs }: Trajectory): number {
  return inputs.reduce((largest, input) => input.reduce((most, value) => Math.max(most, Math.abs(value)), largest), 0);
}

function lineOf({
  impulse,
  seeds,
  survived,
  lost,
  largestInput,
  plans,
  stepsPerPlan,
  gradientsPerPlan,
  plansPerSecond,
}: Row): string {
  const count = paint(survived === seeds ? "green" : "red", `${survived} of ${seeds} survived`);
  const cost =
    plans === 0
      ? ""
      : `; ${plans} plans of ${figure(stepsPerPlan)} steps and ${figure(gradientsPerPlan)} gradients, ${figure(plansPerSecond)} per second; largest input ${figure(largestInput ?? 0)}`;
  const losses = lost.map(({ seed, reason }) => `\n  seed ${seed}: ${reason}`).join("");
  return `${figure(impulse)} N·s: ${count}${cost}${losses}`;
}

/** The largest impulse that all seeds survived, as they did all smaller ones that were tried; null for none. */
function largestSurvived(rows: readonly Row[], seeds: number): number | null {
  let largest: number | null = null;
  for (const { impulse, survived } of [...rows].sort((a, b) => a.impulse - b.impulse)) {
    if (survived < seeds) break;
    largest = impulse;
  }
  return largest;
}
