/**
 * Identification in stages: each fits or searches some of the parameters and holds the others where the stage before has left them. A fit
 * goes by derivatives over windows of recordings (fit.ts); a search goes by the error of whole predictions itself, for a few parameters on
 * which that jumps (directSearch.ts).
 */
import { ArgumentError, type MechanismDescription, optionNamesOf, requireOptionNames } from "../mechanism/index.ts";
import { type Executor, inlineExecutor, type StopSignal } from "../work/index.ts";
import { type DirectSearchResult, directSearch } from "./directSearch.ts";
import type { FitOptions, FitResult, FittedParameter } from "./fit.ts";
import type { FitWarning } from "./fitWarnings.ts";
import { fitThroughHorizons } from "./horizons.ts";
import type { Loss } from "./loss.ts";
import type { Noise } from "./measurement.ts";
import { type ParameterSet, startedFrom } from "./parameterSet.ts";
import type { Recording } from "./recording.ts";
import type { FitContext } from "./residuals.ts";
import type { Sampling } from "./sampling.ts";
import { type ScoreOutcome, scoreKind } from "./score.ts";
import type { StartFreedom } from "./windowRuns.ts";

export interface FitStage extends Pick<FitOptions, "maxIterations" | "tolerance" | "schedule" | "intervals"> {
  readonly kind: "fit";
  readonly name: string;
  /** Default all. */
  readonly parameters?: readonly string[];
  /** Values at which others are held during this stage alone. Default: where they are. */
  readonly hold?: Readonly<Record<string, number>>;
  /** Default: windows of 20 frames. */
  readonly sampling?: Sampling;
  readonly noise?: Noise;
  readonly loss?: Loss;
  readonly weighting?: FitContext["weighting"];
  /** Default "free". */
  readonly starts?: StartFreedom;
  /** Frames through which whole recordings are fitted first, one number after the other (horizons.ts). Default none. */
  readonly horizons?: readonly number[];
}

export interface SearchStage {
  readonly kind: "search";
  readonly name: string;
  /** How far the first simplex reaches in each parameter. */
  readonly steps: Readonly<Record<string, number>>;
  readonly sampling: Sampling;
  /** Default 60. */
  readonly maxEvaluations?: number;
  /** Metres of error that count as much as one radian. */
  readonly length: number;
}

export type Stage = FitStage | SearchStage;

export interface IdentificationProblem {
  readonly description: MechanismDescription;
  readonly set: ParameterSet;
  readonly recordings: readonly Recording[];
}

export interface IdentifyOptions {
  /** Default: in this thread. */
  readonly executor?: Executor;
  /** Ends it; the best point so far is kept. */
  readonly signal?: StopSignal;
  readonly onProgress?: (progress: IdentifyProgress) => void;
}

const optionNames = optionNamesOf<IdentifyOptions>()("executor signal onProgress");

export interface IdentifyProgress {
  readonly stage: string;
  readonly kind: Stage["kind"];
  /** Iteration of a fit, evaluation of a search. */
  readonly count: number;
  readonly cost: number;
  readonly values: Readonly<Record<string, number>>;
  /** Half the width of 95% intervals, of the parameters that the stage fits. */
  readonly halfWidths: Readonly<Record<string, number>>;
}

export interface StageReport {
  readonly name: string;
  readonly kind: Stage["kind"];
  readonly count: number;
  readonly cost: number;
  /** Root of the mean squared residual of a fit, in standard deviations of the noise. */
  readonly residual?: number;
  readonly end: FitResult["end"] | DirectSearchResult["end"];
  readonly seconds: number;
}

export interface Identification {
  readonly parameters: Readonly<Record<string, FittedParameter>>;
  readonly stages: readonly StageReport[];
  readonly history: readonly IdentifyProgress[];
  readonly warnings: readonly FitWarning[];
  /** Whether all stages ran and all fits converged. A search is bounded by its evaluations, and done when they are spent. */
  readonly converged: boolean;
  readonly ended: boolean;
}

export async function identify(
  { description, set, recordings }: IdentificationProblem,
  stages: readonly Stage[],
  options: IdentifyOptions = {},
): Promise<Identification> {
  requireOptionNames("options", options, optionNames);
  const { executor = inlineExecutor(), signal, onProgress } = options;
  const values: Record<string, number> = {};
  const fits = new Map<string, FittedParameter>();
  const reports: StageReport[] = [];
  const history: IdentifyProgress[] = [];
  let warnings: readonly FitWarning[] = [];
  const tell = (progress: IdentifyProgress): void => {
    history.push(progress);
    onProgress?.(progress);
  };
  const take = async (stage: Stage): Promise<void> => {
    const begin = performance.now();
    const free = stage.kind === "fit" ? (stage.parameters ?? Object.keys(set.parameters)) : Object.keys(stage.steps);
    const held = stage.kind === "fit" ? stage.hold : undefined;
    const own = startedFrom(set, { ...values, ...held }, free);
    const context = { description, set: own, recordings, ...defined({ sampling: stage.sampling }) };
    const names = Object.keys(own.parameters);
    const named = (theta: Float64Array) => Object.fromEntries(names.map((name, i) => [name, theta[i]]));
    const shared = { stage: stage.name, kind: stage.kind };
    const report = (count: number, cost: number, end: StageReport["end"], residual?: number): void => {
      reports.push({
        name: stage.name,
        kind: stage.kind,
        count,
        cost,
        ...defined({ residual }),
        end,
        seconds: (performance.now() - begin) / 1000,
      });
    };
    if (stage.kind === "fit") {
      const { noise, loss, weighting, starts, maxIterations, tolerance, schedule, intervals: kind } = stage;
      const found = await fitThroughHorizons(
        { ...context, ...defined({ noise, loss, weighting, starts }) },
        stage.horizons ?? [],
        {
          executor,
          ...defined({ maxIterations, tolerance, schedule, intervals: kind, signal }),
          onIteration: ({ iteration, cost, theta, halfWidths }) =>
            tell({
              ...shared,
              count: iteration,
              cost,
              values: { ...values, ...named(theta) },
              halfWidths: named(halfWidths),
            }),
        },
      );
      for (const [name, each] of Object.entries(found.parameters)) {
        values[name] = each.value;
        fits.set(name, each);
      }
      warnings = [
        ...warnings.filter(({ parameter }) => parameter === undefined || !names.includes(parameter)),
        ...found.warnings,
      ];
      report(found.iterations, found.cost, found.end, found.residual);
    } else {
      const found = await searched(stage, context, executor, signal, (count, cost, theta) =>
        tell({ ...shared, count, cost, values: { ...values, ...named(theta) }, halfWidths: {} }),
      );
      Object.assign(values, named(found.theta));
      report(found.evaluations, found.cost, found.end);
    }
  };
  for (const stage of stages) {
    if (signal?.aborted) break;
    try {
      await take(stage);
    } catch (error) {
      // ended before its first evaluation: what the stages before it have found is kept
      if (!signal?.aborted) throw error;
    }
  }
  const parameters = Object.fromEntries(
    Object.entries(set.parameters).map(([name, { start }]): [string, FittedParameter] => {
      const value = values[name] ?? start;
      const { interval = null, value: middle = value } = fits.get(name) ?? {};
      // a search has moved it since: the interval goes with it
      if (interval && (value < interval[0] || value > interval[1])) {
        const message = `${name}: a search moved it from ${figure(middle)} to ${figure(value)}, out of the fit's 95% interval; the interval is too narrow`;
        warnings = [...warnings, { code: "moved-out", parameter: name, message }];
      }
      const moved = interval && ([interval[0] + value - middle, interval[1] + value - middle] as const);
      return [name, { value, interval: moved, start }];
    }),
  );
  return {
    parameters,
    stages: reports,
    history,
    warnings,
    converged:
      reports.length === stages.length && reports.every(({ end }) => end === "converged" || end === "evaluationLimit"),
    ended: signal?.aborted ?? false,
  };
}

const figure = (value: number): string => String(Number(value.toPrecision(4)));

/** The object without the entries that are undefined. */
function defined<T extends object>(values: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as never;
}

async function searched(
  { steps, maxEvaluations = 60, length }: SearchStage,
  context: FitContext,
  executor: Executor,
  signal: StopSignal | undefined,
  onBetter: (evaluations: number, cost: number, theta: Float64Array) => void,
): Promise<DirectSearchResult> {
  const ranges = Object.entries(context.set.parameters);
  const column = (read: (range: (typeof ranges)[number][1]) => number): Float64Array =>
    Float64Array.from(ranges, ([, range]) => read(range));
  let last: DirectSearchResult | undefined;
  try {
    return await directSearch(
      {
        start: column(({ start }) => start),
        lower: column(({ lower = -Infinity }) => lower),
        upper: column(({ upper = Infinity }) => upper),
        steps: Float64Array.from(ranges, ([name]) => steps[name]),
        cost: async (theta) => {
          const outcomes = await scores(context, theta, executor, signal);
          return mean(outcomes.map(({ position, rotation }) => position / length + rotation));
        },
      },
      {
        maxEvaluations,
        onBetter: ({ evaluations, cost, theta }) => {
          last = { evaluations, cost, theta, end: "ended" };
          onBetter(evaluations, cost, theta);
          return signal?.aborted ? false : undefined;
        },
      },
    );
  } catch (error) {
    if (signal?.aborted && last) return last;
    throw error;
  }
}

function scores(
  context: FitContext,
  theta: Float64Array,
  executor: Executor,
  signal: StopSignal | undefined,
): Promise<ScoreOutcome[]> {
  const jobs = context.recordings.map((_, recording) => ({ recording, theta }));
  return executor.map(scoreKind, context, jobs, { signal });
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

/** Errors of predictions, over the recordings that they are means of. */
export interface Score {
  /** Error of positions, per cent of the width. */
  readonly positionPercent: number | null;
  readonly rotationDegrees: number | null;
  /** Standard deviations over the recordings. */
  readonly positionDeviation: number | null;
  readonly rotationDeviation: number | null;
  readonly tosses: number;
  /** Simulations that ended early. */
  readonly failures: number;
}

/** How well values of parameters predict recordings of poses: the mean over recordings of the mean over frames. */
export async function scoreRecordings(
  { description, set, recordings }: IdentificationProblem,
  values: Readonly<Record<string, number>>,
  sampling: Sampling,
  width: number,
  executor: Executor = inlineExecutor(),
  signal?: StopSignal,
): Promise<Score> {
  if (!(width > 0)) throw new ArgumentError("non-positive", "width", `${width} must be above 0`);
  if (recordings.length === 0) {
    const nothing = { positionPercent: null, rotationDegrees: null, positionDeviation: null, rotationDeviation: null };
    return { ...nothing, tosses: 0, failures: 0 };
  }
  const own = startedFrom(set, values);
  const theta = Float64Array.from(Object.values(own.parameters), ({ start }) => start);
  const outcomes = await scores({ description, set: own, recordings, sampling }, theta, executor, signal);
  const positions = outcomes.map(({ position }) => (100 * position) / width);
  const rotations = outcomes.map(({ rotation }) => (180 / Math.PI) * rotation);
  return {
    positionPercent: mean(positions),
    rotationDegrees: mean(rotations),
    positionDeviation: deviation(positions),
    rotationDeviation: deviation(rotations),
    tosses: outcomes.length,
    failures: outcomes.reduce((total, { failures }) => total + failures, 0),
  };
}

function deviation(values: readonly number[]): number | null {
  if (values.length < 2) return null;
  const middle = mean(values);
  return Math.sqrt(values.reduce((sum, value) => sum + (value - middle) ** 2, 0) / (values.length - 1));
}
