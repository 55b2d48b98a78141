/**
 * Identification: the parameters with which simulations come closest to recordings, by Levenberg–Marquardt on the engine's own
 * derivatives. Recordings are jobs of an executor; their normal equations are added in the order of recordings, so one thread, two and
 * many machines find the same bits.
 */

import { optionNamesOf, requireOptionNames } from "../mechanism/index.ts";
import type { PathParameter } from "../simulation/index.ts";
import { type Executor, inlineExecutor, type StopSignal } from "../work/index.ts";
import {
  contactWarning,
  coordinateWarning,
  correlationWarning,
  determinationWarnings,
  type FitWarning,
  inputWarning,
  spent,
  stalled,
  typicalSizes,
} from "./fitWarnings.ts";
import {
  type Determination,
  determination,
  type FitEquations,
  type IntervalKind,
  isNothing,
  localsAlong,
  roundingOf,
  standardMove,
} from "./intervals.ts";
import { type LeastSquaresProblem, levenbergMarquardt } from "./levenbergMarquardt.ts";
import { type FitPoint, type ProfileEnds, profileEnds, type Surroundings } from "./profile.ts";
import { type FitContext, type FitJob, type FitOutcome, fitKind, RecordingCost } from "./residuals.ts";

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
  /**
   * 95%. An end is infinite where the cost is flat to that side: the parameter is `undetermined` then. Null where the data determine neither
   * end, and where the search has stalled.
   */
  readonly interval: readonly [number, number] | null;
  readonly start: number;
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

/** Parameters that move by less than this part of their standard deviations in a few iterations have arrived, though starts may still creep. */
const still = 0.02;
/** Of the short fits at the ends of intervals. */
const refitIterations = 8;
const refitTolerance = 1e-5;
const defaultSchedule = { from: 0.1, to: 1e-3, factor: 3 };

export async function fitParameters(context: FitContext, options: FitOptions = {}): Promise<FitResult> {
  return fitted(context, options, true);
}

/** A fit whose intervals are looked at along the profile of the cost, or not: they are of no use where another fit follows. */
export async function fitted(context: FitContext, options: FitOptions, isLast: boolean): Promise<FitResult> {
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
  const jobsAt = ({ theta, locals }: FitPoint, path: PathParameter | undefined): FitJob[] => {
    const split = joined(
      locals,
      windows.map((own) => own.length),
    );
    const bends = path !== undefined && isSharp(path);
    return windows.map((_, recording) => ({ recording, theta, locals: split[recording] ?? none, path, bends }));
  };
  const outcomes = (
    theta: Float64Array,
    locals: readonly Float64Array[],
    path: PathParameter | undefined,
  ): Promise<FitOutcome[]> => executor.map(fitKind, context, jobsAt({ theta, locals }, path), { signal });
  const costs = async (points: readonly FitPoint[]): Promise<number[]> => {
    const found = await executor.map(
      fitKind,
      context,
      points.flatMap((point) => jobsAt(point, undefined)),
      { signal },
    );
    return points.map((_, k) => totalCost(found.slice(k * windows.length, (k + 1) * windows.length)));
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
    isNothing,
    isStill: (before, now, equations) => standardMove(equations, before, now) < still,
    cost: async (theta, locals) => totalCost(await outcomes(theta, locals, undefined)),
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
  const typical = typicalSizes(map, theta);
  const isMinimum = found.end === "converged" && equations.failures === 0;
  const ends = isLast && isMinimum ? await looked() : noEnds;
  const intervalOf = (i: number): FittedParameter["interval"] => {
    const half = factor * deviations[i];
    // where a search has stalled there is no minimum to be uncertain about
    if (!Number.isFinite(half) || found.end === "stalled") return null;
    let [low, high] = ends.get(i) ?? [theta[i] - half, theta[i] + half];
    // nor has the cost risen at a bound that a wide interval passes
    if (half > typical[i] && low < map.lower[i]) low = Number.NEGATIVE_INFINITY;
    if (half > typical[i] && high > map.upper[i]) high = Number.POSITIVE_INFINITY;
    return Number.isFinite(low) || Number.isFinite(high) ? [low, high] : null;
  };
  const parameters = Object.fromEntries(
    map.names.map((name, i): [string, FittedParameter] => {
      return [name, { value: theta[i], interval: intervalOf(i), start: map.start[i] }];
    }),
  );
  async function looked(): Promise<ProfileEnds> {
    const at = { found: { theta, locals: found.locals }, lower: map.lower, upper: map.upper };
    const sharp = pathAt(Number.POSITIVE_INFINITY);
    const around: Surroundings = {
      ...at,
      typical,
      rounding: roundingOf(equations),
      localsAlong: (direction) => localsAlong(equations, direction),
      costs,
      refit: (point, held, enough) =>
        levenbergMarquardt(
          {
            ...problem,
            start: point.theta,
            startLocals: point.locals,
            lower: map.lower.map((bound, i) => (i === held ? point.theta[i] : bound)),
            upper: map.upper.map((bound, i) => (i === held ? point.theta[i] : bound)),
            equations: async (theta, locals) => summed(await outcomes(theta, locals, sharp), map.names.length),
            isFinal: () => true,
            isStill: () => false,
          },
          {
            maxIterations: refitIterations,
            tolerance: refitTolerance,
            onIteration: ({ cost }) => (cost < enough ? false : undefined),
          },
        ),
    };
    try {
      return await profileEnds(around, determined);
    } catch (error) {
      if (signal?.aborted) return noEnds;
      throw error;
    }
  }
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
      ...determinationWarnings(runs, theta, determined, ends, equations),
      ...(found.end === "stalled" ? [stalled] : []),
      ...(found.end === "iterationLimit" ? [spent] : []),
      ...inputWarning(runs.simulation.mechanism.inputNames, context),
      ...coordinateWarning(runs.unrecorded, context),
      ...correlationWarning(equations, intervals),
      ...contactWarning(context),
    ],
    history,
    residual: Math.sqrt(equations.squares / Math.max(1, equations.rows)),
  };
}

const none = new Float64Array(0);
const noEnds: ProfileEnds = new Map();

const totalCost = (outcomes: readonly FitOutcome[]): number => outcomes.reduce((total, { cost }) => total + cost, 0);

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
