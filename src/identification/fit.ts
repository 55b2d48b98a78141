/**
 * Identification: the parameters with which simulations come closest to recordings, by Levenberg–Marquardt on the engine's own
 * derivatives. Recordings are jobs of an executor; their normal equations are added in the order of recordings, so one thread, two and
 * many machines find the same bits.
 */

import { optionNamesOf, requireOptionNames } from "../mechanism/index.ts";
import type { PathParameter } from "../simulation/index.ts";
import { type Executor, inlineExecutor, type StopSignal } from "../work/index.ts";
import {
  type Determination,
  determination,
  type FitEquations,
  type IntervalKind,
  serialCorrelation,
  standardMove,
} from "./intervals.ts";
import { type LeastSquaresProblem, levenbergMarquardt } from "./levenbergMarquardt.ts";
import { type FitContext, type FitOutcome, fitKind, RecordingCost } from "./residuals.ts";

export interface FitOptions {
  /** Default: in this thread. */
  readonly executor?: Executor;
  /** Default 30. */
  readonly maxIterations?: number;
  /** A relative fall of the cost below this ends the search. Default 1e-8. */
  readonly tolerance?: number;
  /**
   * Where on the central path to differentiate: κ' falls from `from` to `to` by `factor` per iteration. Smooth first, since a corner that
   * just misses the ground has no derivative; sharp at last. Default 0.1, 0.001, 3.
   */
  readonly schedule?: { readonly from: number; readonly to: number; readonly factor: number };
  /** Default "hessian". */
  readonly intervals?: IntervalKind;
  /** Where numbers of starts begin, as another fit's result has them; or as the recorded frames say, where that predicts a recording better. */
  readonly locals?: readonly Float64Array[];
  /** Ends the search; the best point so far is kept. */
  readonly signal?: StopSignal;
  readonly onIteration?: (progress: FitProgress) => void;
}

const optionNames = optionNamesOf<FitOptions>()(
  "executor maxIterations tolerance schedule intervals locals signal onIteration",
);

export interface FitProgress {
  readonly iteration: number;
  readonly cost: number;
  readonly theta: Float64Array;
  /** Half the width of each 95% interval, as far as it is known. */
  readonly halfWidths: Float64Array;
}

export interface FittedParameter {
  readonly value: number;
  /** 95%; null where the data determine none, and where the search has stalled. */
  readonly interval: readonly [number, number] | null;
  readonly start: number;
}

export interface FitWarning {
  readonly code:
    | "undetermined"
    | "at-bound"
    | "unused"
    | "failed-windows"
    | "stalled"
    | "iteration-limit"
    | "unrecorded-inputs"
    | "unrecorded-coordinates"
    | "moved-out"
    | "starts-in-contact"
    | "inertia-held"
    | "correlated-residuals";
  readonly parameter?: string;
  readonly message: string;
}

export interface FitResult {
  readonly parameters: Readonly<Record<string, FittedParameter>>;
  readonly theta: Float64Array;
  /** Numbers of starts that were found with them, by recording. */
  readonly locals: readonly Float64Array[];
  readonly cost: number;
  readonly iterations: number;
  /** "stalled" and "failedWindows" have a warning that says what to do; the values are then not those of a minimum. */
  readonly end: "converged" | "stalled" | "failedWindows" | "iterationLimit" | "ended";
  readonly warnings: readonly FitWarning[];
  readonly history: readonly FitProgress[];
  /** Root of the mean squared residual, in standard deviations of the noise: 1 where only noise is left. */
  readonly residual: number;
}

/** Residuals of this root mean square, in standard deviations of the noise, are rounding. */
const nothing = 1e-5;
/** Parameters that move by less than this part of their standard deviations in a few iterations have arrived, though starts may still creep. */
const still = 0.02;
const defaultSchedule = { from: 0.1, to: 1e-3, factor: 3 };

export async function fitParameters(context: FitContext, options: FitOptions = {}): Promise<FitResult> {
  requireOptionNames("options", options, optionNames);
  const {
    executor = inlineExecutor(),
    schedule = defaultSchedule,
    intervals = "hessian",
    signal,
    onIteration,
  } = options;
  // faults of the context are told here, not by a worker
  const { runs } = new RecordingCost(context);
  const { map, localCount, windows } = runs;
  const pathAt = (iteration: number): PathParameter => ({
    relativeKappa: Math.max(schedule.to, schedule.from / schedule.factor ** iteration),
  });
  const outcomes = (
    theta: Float64Array,
    locals: readonly Float64Array[],
    path: PathParameter | undefined,
  ): Promise<FitOutcome[]> => {
    const split = joined(
      locals,
      windows.map((own) => own.length),
    );
    const bends = path !== undefined && isSharp(path);
    const jobs = windows.map((_, recording) => ({ recording, theta, locals: split[recording] ?? none, path, bends }));
    return executor.map(fitKind, context, jobs, { signal });
  };
  const isSharp = ({ relativeKappa }: PathParameter): boolean => (relativeKappa as number) <= schedule.to;

  const zeros = windows.flatMap((own) => own.map(() => new Float64Array(localCount)));
  const startLocals = options.locals ? await betterLocals(options.locals) : zeros;
  /** For each recording the numbers given, or none, whichever predicts it better. */
  async function betterLocals(given: readonly Float64Array[]): Promise<Float64Array[]> {
    const split = windows.flatMap((own, i) =>
      own.map((_, k) => given[i]?.slice(k * localCount, (k + 1) * localCount) ?? new Float64Array(localCount)),
    );
    const [there, here] = [await outcomes(map.start, split, undefined), await outcomes(map.start, zeros, undefined)];
    const better = there.map(({ cost }, i) => cost < here[i].cost);
    let at = 0;
    return windows.flatMap((own, i) => own.map(() => (better[i] ? split : zeros)[at++]));
  }

  const problem: LeastSquaresProblem<FitEquations> = {
    start: map.start,
    lower: map.lower,
    upper: map.upper,
    groups: localCount === 0 ? [] : windows.flatMap((own) => own.map(() => localCount)),
    startLocals,
    localScales: runs.startScales,
    isFinal: (iteration) => isSharp(pathAt(iteration)),
    isNothing: ({ squares, rows }) => squares <= nothing ** 2 * rows,
    isStill: (before, now, equations) => standardMove(equations, before, now) < still,
    cost: async (theta, locals) =>
      (await outcomes(theta, locals, undefined)).reduce((total, { cost }) => total + cost, 0),
    equations: async (theta, locals, iteration) => {
      const found = summed(await outcomes(theta, locals, pathAt(iteration)), map.names.length);
      // a search cannot begin where nothing can be compared
      if (iteration === 0 && !Number.isFinite(found.cost)) runs.requireStarts(theta);
      return found;
    },
  };
  const known = (equations: FitEquations, theta: Float64Array): Determination =>
    determination(equations, theta, map.lower, map.upper, intervals);
  const history: FitProgress[] = [];
  const found = await untilAborted(signal, (best) =>
    levenbergMarquardt(problem, {
      ...(options.maxIterations !== undefined && { maxIterations: options.maxIterations }),
      ...(options.tolerance !== undefined && { tolerance: options.tolerance }),
      onIteration: (progress) => {
        const { iteration, cost, theta, equations } = progress;
        const { deviations, factor } = known(equations, theta);
        const entry = { iteration, cost, theta: theta.slice(), halfWidths: deviations.map((each) => factor * each) };
        history.push(entry);
        best.keep({ ...progress, theta: entry.theta });
        onIteration?.(entry);
        return signal?.aborted ? false : undefined;
      },
    }),
  );

  const { theta, equations } = found;
  const determined = known(equations, theta);
  const { deviations, factor } = determined;
  const parameters = Object.fromEntries(
    map.names.map((name, i): [string, FittedParameter] => {
      const half = factor * deviations[i];
      // where a search has stalled there is no minimum to be uncertain about
      const interval =
        Number.isFinite(half) && found.end !== "stalled" ? ([theta[i] - half, theta[i] + half] as const) : null;
      return [name, { value: theta[i], interval, start: map.start[i] }];
    }),
  );
  return {
    parameters,
    theta,
    locals:
      localCount > 0
        ? joined(
            found.locals,
            windows.map((own) => own.length),
          )
        : [],
    cost: found.cost,
    iterations: found.iterations,
    // residuals of windows that ended early, or of steps that are solved to less, are not those of the model
    end: found.end === "converged" && equations.failures > 0 ? "failedWindows" : found.end,
    warnings: [
      ...warningsOf(runs, theta, determined, equations),
      ...(found.end === "stalled" ? [stalled] : []),
      ...(found.end === "iterationLimit" ? [spent] : []),
      ...inputWarning(runs.simulation.mechanism.inputNames, context),
      ...coordinateWarning(runs.unrecorded, context),
      ...correlationWarning(equations, intervals),
    ],
    history,
    residual: Math.sqrt(equations.squares / Math.max(1, equations.rows)),
  };
}

const none = new Float64Array(0);

/** The arrays of a recording's windows as one. */
function joined(locals: readonly Float64Array[], counts: readonly number[]): Float64Array[] {
  let at = 0;
  return counts.map((count) => {
    const own = locals.slice(at, at + count);
    at += count;
    return Float64Array.from(own.flatMap((each) => [...each]));
  });
}

function summed(outcomes: readonly FitOutcome[], n: number): FitEquations {
  const gradient = new Float64Array(n);
  const hessian = new Float64Array(n * n);
  const totals = { cost: 0, squares: 0, rows: 0, scatter: 0, resistance: 0, lagged: 0, laggedRows: 0, failures: 0 };
  const counted = Object.keys(totals) as (keyof typeof totals)[];
  for (const outcome of outcomes) {
    for (const name of counted) totals[name] += outcome[name];
    for (let i = 0; i < n; i++) gradient[i] += outcome.gradient[i];
    for (let i = 0; i < n * n; i++) hessian[i] += outcome.hessian[i];
  }
  return {
    ...totals,
    gradient,
    hessian,
    local: outcomes.flatMap(({ local }) => local),
    gradients: outcomes.map((outcome) => outcome.gradient),
  };
}

type Found = Awaited<ReturnType<typeof levenbergMarquardt<FitEquations>>>;
interface Best {
  keep(progress: {
    readonly iteration: number;
    readonly cost: number;
    readonly theta: Float64Array;
    readonly equations: FitEquations;
  }): void;
}

/** What the search finds, or the best that it had when somebody ended it in the middle of an iteration. */
async function untilAborted(signal: StopSignal | undefined, search: (best: Best) => Promise<Found>): Promise<Found> {
  let last: Found | undefined;
  const best: Best = {
    keep: ({ iteration, cost, theta, equations }) => {
      last = { theta, cost, equations, iterations: iteration, end: "ended", locals: [] };
    },
  };
  try {
    return await search(best);
  } catch (error) {
    if (signal?.aborted && last) return last;
    throw error;
  }
}

function warningsOf(
  { map }: RecordingCost["runs"],
  theta: Float64Array,
  { deviations, factor, undetermined, atBound }: Determination,
  { failures }: FitEquations,
): FitWarning[] {
  const { names, lower, upper, start } = map;
  const unused = map.unused;
  const warnings = names.flatMap((parameter, i): FitWarning[] => {
    if (unused.includes(parameter)) {
      return [{ code: "unused", parameter, message: `${parameter} is in no formula, so it moves nothing` }];
    }
    if (atBound.includes(i)) {
      const side = theta[i] <= lower[i] ? "lower" : "upper";
      const message = `${parameter} ended on its ${side} bound, ${theta[i]}; the data want it beyond, or something else is wrong`;
      return [{ code: "at-bound", parameter, message }];
    }
    const range = upper[i] - lower[i];
    const typical = Number.isFinite(range) ? range / 2 : Math.max(Math.abs(theta[i]), Math.abs(start[i]));
    const others = undetermined.get(i);
    if (!others && !(factor * deviations[i] > typical)) return [];
    const beside = others?.length ? ` beside ${others.map((other) => names[other]).join(", ")}` : "";
    const message = `${parameter} is not determined by these data${beside}; record motions that it matters for, or leave it out`;
    return [{ code: "undetermined", parameter, message }];
  });
  for (const { body, parameter } of map.massesAlone) {
    const message = `${parameter}: the mass of ${body} was found with its inertia held; bodies.${body}.massAndInertia scales both, bodies.${body}.inertia finds it too`;
    warnings.push({ code: "inertia-held", parameter, message });
  }
  if (failures === 0) return warnings;
  const message = `${failures} windows were not simulated to their end and to full precision, or have no gradients, so what they leave is not the model's; leave their frames out, begin nearer, or take more steps per frame`;
  return [...warnings, { code: "failed-windows", message }];
}

const stalled: FitWarning = {
  code: "stalled",
  message:
    "the search came to a halt where derivatives promise a better fit and no step finds one: predictions jump there, as impacts and slips make them do, and the values may be far off; begin nearer, compare shorter windows first, take more steps per frame, or search (a stage of kind search)",
};

const spent: FitWarning = {
  code: "iteration-limit",
  message:
    "the search still found better values when its iterations were spent; give it more of them, begin from these values, or leave out what the data hardly determine",
};

/** Motors of which a recording says nothing are taken to be idle. */
function inputWarning(names: readonly string[], { recordings }: FitContext): FitWarning[] {
  const missing = names.filter((name) => recordings.some(({ inputs }) => !inputs[name]));
  if (missing.length === 0) return [];
  const columns = missing.map((name) => `inputs.${name}`).join(", ");
  const message = `${columns}: not recorded, so taken to be 0; where motors were driven, record their inputs, or parameters will make up for them`;
  return [{ code: "unrecorded-inputs", message }];
}

/** Joints of which no recording says where they are begin each window as the mechanism stands by itself. */
function coordinateWarning(missing: readonly string[], { starts }: FitContext): FitWarning[] {
  if (missing.length === 0) return [];
  const { length } = missing;
  const names = length > 6 ? `${missing.slice(0, 5).join(", ")} and ${length - 5} more` : missing.join(", ");
  const found =
    starts === "free"
      ? "which its free numbers begin from"
      : 'at rest, as if they were known; starts: "free" finds them';
  const message = `${names}: not recorded, so every window starts with them where the mechanism stands by itself, ${found}; record them if they move`;
  return [{ code: "unrecorded-coordinates", message }];
}

/** Residuals that go together by more than this make intervals a fifth too narrow or more. */
const telling = 0.2;

/**
 * Intervals by the Hessian take frames to err independently. With a correlation c from each frame to the next, and less to those after it,
 * they are narrower than they should be, by √((1 + c)/(1 − c)) where a parameter acts on all of them alike. Chance makes c ± 1/√rows.
 */
function correlationWarning(equations: FitEquations, intervals: IntervalKind): FitWarning[] {
  const { squares, rows, laggedRows } = equations;
  const c = serialCorrelation(equations);
  if (intervals !== "hessian" || squares <= nothing ** 2 * rows) return [];
  if (!(c > Math.max(telling, 4 / Math.sqrt(laggedRows)))) return [];
  const narrow = Math.sqrt((1 + c) / Math.max(1 - c, 1e-3)).toPrecision(2);
  const message = `residuals go together from frame to frame (correlation ${c.toFixed(2)}), so more than noise is left: the model, its steps, times, or a slow sensor err, and intervals are up to ${narrow} times too narrow; try more steps per frame, and intervals by "recordings" where there are many of them`;
  return [{ code: "correlated-residuals", message }];
}
