/**
 * Trains one policy per seed by an executor, as many seeds at a time as keep its workers busy, and keeps checkpoints. A run that ends
 * early, by Ctrl-C or otherwise, leaves every seed at an update; a later run goes on from there to the bit.
 */
import {
  type Environment,
  type EpisodeContext,
  type Executor,
  episodeKind,
  executeScore,
  executeSearch,
  searchOf,
  type Training,
  type TrainingProgress,
  type TrainingSettings,
} from "../../index.ts";
import type { Interruption } from "../interruption.ts";
import { declineOf } from "./decline.ts";
import type { TrainingFolder } from "./folder.ts";

export interface SeedResult {
  readonly seed: number;
  /** Mean return of the policy's starts. */
  readonly reward: number;
  /** The same at another time step; absent where none was asked for. */
  readonly fineReward?: number;
  readonly evaluations: number;
  /** Seconds of the training alone, without the start of workers and the score. */
  readonly seconds: number;
  /** Updates that were left out. */
  readonly skipped: number;
  /** Why the training ended early with its best policy. */
  readonly divergence?: string;
  /** Says that the policy is worse than an untrained one, and what to try; absent where it is not. */
  readonly warning?: string;
}

export interface SeedRun {
  readonly result: SeedResult;
  readonly training: Training;
}

export interface SeedsOptions {
  readonly environment: Environment;
  readonly executor: Executor;
  readonly context: EpisodeContext;
  /** The same at another time step, for scores. */
  readonly fineContext: EpisodeContext | undefined;
  readonly seeds: number;
  readonly starts: number;
  readonly settings: (seed: number) => TrainingSettings;
  /** Where to keep what there is; undefined for nowhere. */
  readonly folder: TrainingFolder | undefined;
  readonly interruption: Interruption;
  onUpdate(seed: number, progress: TrainingProgress): void;
  onResult(run: SeedRun): void;
}

/** Milliseconds between checkpoints. */
const saveEvery = 1000;

export async function trainSeeds(options: SeedsOptions): Promise<void> {
  const { seeds, executor, interruption } = options;
  const { episodesPerUpdate } = searchOf(options.environment, options.settings(1));
  const lanes = Math.min(seeds, Math.ceil(executor.workers / episodesPerUpdate));
  await executor.prepare(episodeKind, options.context);
  let next = 1;
  const lane = async (): Promise<void> => {
    while (next <= seeds && !interruption.requested) await trainSeed(next++, options);
  };
  const done = await Promise.allSettled(Array.from({ length: lanes }, lane));
  const fault = done.find((end): end is PromiseRejectedResult => end.status === "rejected");
  if (fault) throw fault.reason;
}

async function trainSeed(seed: number, options: SeedsOptions): Promise<void> {
  const { environment, executor, context, fineContext, starts, folder, interruption } = options;
  const settings = options.settings(seed);
  const begun = folder?.resumed(environment, settings);
  const search = begun?.search ?? searchOf(environment, settings);
  const clock = new Clock(begun?.seconds ?? 0);
  let saved = performance.now();
  const save = (): void => folder?.save(settings, search, clock.seconds);
  if (!begun) save();

  const training = await executeSearch(executor, context, search, {
    onUpdate: (progress) => {
      options.onUpdate(seed, progress);
      if (interruption.requested || search.isDone || performance.now() - saved > saveEvery) {
        save();
        saved = performance.now();
      }
      return !interruption.requested;
    },
  });
  if (!search.isDone) return;
  const { seconds } = clock;
  const { policy, evaluations, skipped, divergence } = training;
  const reward = await executeScore(executor, context, policy, { starts });
  const fineReward = fineContext && (await executeScore(executor, fineContext, policy, { starts }));
  folder?.writePolicy(settings, policy);
  const warning = await declineOf({
    reward,
    returns: training.returns,
    method: settings.method,
    untrained: () =>
      executeScore(executor, context, searchOf(options.environment, settings).training.policy, { starts }),
    written: (name, value) => (value === undefined ? `--${name}` : `--${name} ${value}`),
  });
  const result = {
    seed,
    reward,
    ...(fineReward !== undefined && { fineReward }),
    evaluations,
    seconds,
    skipped,
    ...(divergence !== undefined && { divergence }),
    ...(warning !== undefined && { warning }),
  };
  options.onResult({ result, training });
}

/** Seconds of a training over all its runs. */
class Clock {
  private readonly before: number;
  private readonly begun = performance.now();

  constructor(before: number) {
    this.before = before;
  }

  get seconds(): number {
    return this.before + (performance.now() - this.begun) / 1000;
  }
}
