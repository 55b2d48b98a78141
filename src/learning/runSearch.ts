/** A search run in this thread, to its end or update by update. */
import type { Environment } from "../environments/index.ts";
import { episodeRunner } from "./episodeWork.ts";
import type { Search } from "./search.ts";
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
