/** Searches run to their end: in this thread, or by an executor. Both give the same bits. */
import type { Environment } from "../environments/index.ts";
import type { Executor, StopSignal } from "../work/index.ts";
import { type EpisodeContext, episodeKind, episodeRunner } from "./episodeKind.ts";
import type { Search } from "./search.ts";
import { type ScoreOptions, scoreStart, type TrainedPolicy } from "./trainedPolicy.ts";
import type { ProgressOptions, Training, TrainingRun } from "./training.ts";

/** Runs its episodes one after the other, and pauses after each update. */
export function* trainingRun(environment: Environment, search: Search): TrainingRun {
  const run = episodeRunner(environment, search.shape);
  while (!search.isDone) {
    const progress = search.take(search.jobs().map(run));
    if (progress && (yield progress) === false) break;
  }
  return search.training;
}

/** Runs it to its end. */
export function finished(run: TrainingRun, onUpdate: ProgressOptions["onUpdate"]): Training {
  for (let next = run.next(); ; ) {
    if (next.done) return next.value;
    next = run.next(onUpdate?.(next.value));
  }
}

export interface ExecutedSearchOptions extends ProgressOptions {
  /** Ends the call: it rejects with the signal's reason. The search may then stand within an update. */
  readonly signal?: StopSignal;
}

/**
 * Runs its episodes wherever the executor does: all that an update needs at once. The environment is one of those that have a name, and
 * the context the same object for all searches that share their workers.
 */
export async function executeSearch(
  executor: Executor,
  context: EpisodeContext,
  search: Search,
  options: ExecutedSearchOptions = {},
): Promise<Training> {
  const { signal, onUpdate } = options;
  while (!search.isDone) {
    const progress = search.take(await executor.map(episodeKind, context, search.jobs(), { signal }));
    if (progress && onUpdate?.(progress) === false) break;
  }
  return search.training;
}

/** Mean return of a policy over starts that no training has, run wherever the executor does; the same bits as `policyScore`. */
export async function executeScore(
  executor: Executor,
  context: EpisodeContext,
  { parameters, filter }: TrainedPolicy,
  options: ScoreOptions & Pick<ExecutedSearchOptions, "signal"> = {},
): Promise<number> {
  const { starts = 100, signal } = options;
  const job = { parameters: Float64Array.from(parameters), filter };
  const jobs = Array.from({ length: starts }, (_, i) => ({ ...job, start: scoreStart(i) }));
  const outcomes = await executor.map(episodeKind, context, jobs, { signal });
  return outcomes.reduce((sum, outcome) => sum + outcome.return, 0) / starts;
}
