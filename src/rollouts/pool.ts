/**
 * Many rollouts of one mechanism on all cores: for planning by sampling, randomised smoothing, statistics. Every worker compiles the
 * mechanism once and keeps its simulation. Outcomes do not depend on the number of workers, nor on who ran a rollout, nor on workers
 * that ended on the way.
 */
import {
  ArgumentError,
  type Mechanism,
  type MechanismDescription,
  optionNamesOf,
  requireOptionNames,
} from "../mechanism/index.ts";
import { compile } from "../simulation/index.ts";
import { type Executor, type StopSignal, threadExecutor, WorkError, type WorkThread } from "../work/index.ts";
import { batchArrays, newFloats, type RolloutBatch, type RolloutResults, resultsOf } from "./batch.ts";
import { RolloutError, type RolloutJob, type RolloutOutcome, requireJob, type SharedStepOptions } from "./job.ts";
import { type PostedOutcome, type PostedRollout, type RolloutContext, rolloutKind } from "./rolloutKind.ts";

export interface RolloutPoolOptions {
  /** Default: one per core. */
  readonly workers?: number | undefined;
  /**
   * Makes a worker whose script calls `serveRollouts()`. Needed where the code is bundled, since the package's own script is then not
   * beside it: `() => new Worker(new URL("./rolloutWorker.ts", import.meta.url), { type: "module" })`.
   */
  readonly worker?: (() => WorkThread) | undefined;
  /**
   * Who does the work, instead of threads of its own: an executor that several pools and methods share, or that of many machines. It stays
   * open when the pool is closed.
   */
  readonly executor?: Executor | undefined;
  /** Options of every step. */
  readonly step?: SharedStepOptions | undefined;
}

const poolOptionNames = optionNamesOf<RolloutPoolOptions>()("workers worker executor step");

export interface RolloutRunOptions {
  /** Ends the call: it rejects with the signal's reason, and workers turn to what comes next. */
  readonly signal?: StopSignal | undefined;
  /** Called after each job, in the order in which they end. What it throws ends the call. */
  readonly onProgress?: ((progress: RolloutProgress) => void) | undefined;
}

const runOptionNames = optionNamesOf<RolloutRunOptions>()("signal onProgress");

export interface RolloutProgress {
  /** Jobs that have ended, of all of this call. */
  readonly done: number;
  readonly total: number;
  /** The one that ended just now, by its place among the jobs, and what came of it. */
  readonly job: number;
  readonly outcome: RolloutOutcome;
}

export class RolloutPool {
  readonly mechanism: Mechanism;
  readonly workers: number;
  /** When every worker has compiled the mechanism. `map` and `run` need not wait for it. */
  readonly ready: Promise<void>;

  private readonly executor: Executor;
  private readonly ownsExecutor: boolean;
  private readonly context: RolloutContext;
  /** Those under way. */
  private readonly calls = new Set<AbortController>();
  private closed = false;

  /** Throws where the description is wrong. */
  constructor(mechanism: Mechanism | MechanismDescription, options: RolloutPoolOptions = {}) {
    requireOptionNames("options", options, poolOptionNames);
    const { workers, worker, executor, step = {} } = options;
    if (workers !== undefined && (!Number.isInteger(workers) || workers < 1)) {
      throw new ArgumentError("out-of-range", "workers", `${workers}: give a whole number, 1 or more`);
    }
    if (executor && (workers !== undefined || worker)) {
      throw new ArgumentError("both-given", "executor", "has workers of its own; give it, or workers and worker");
    }
    this.mechanism = "stateSize" in mechanism ? mechanism : compile(mechanism);
    this.context = { description: this.mechanism.description, options: step };
    this.executor = executor ?? threadExecutor({ workers, worker });
    this.ownsExecutor = executor === undefined;
    this.workers = this.executor.workers;
    this.ready = this.executor.prepare(rolloutKind, this.context).catch((error) => {
      throw this.rejection(error);
    });
    // those who only hand in jobs hear of it there
    this.ready.catch(() => {});
  }

  /** An array of zeros for the inputs of `count` rollouts, in shared memory where threads do the work: `run` then copies nothing. */
  newInputs(count: number, steps: number): Float64Array {
    return newFloats(count * steps * this.mechanism.inputSize, this.executor.sharesMemory);
  }

  /**
   * Outcomes of jobs, in their order. A rollout that fails is an outcome; the call rejects when it is aborted, the pool is closed, a job
   * cannot be begun, or two workers have ended with it.
   */
  async map(jobs: Iterable<RolloutJob>, options: RolloutRunOptions = {}): Promise<RolloutOutcome[]> {
    requireOptionNames("options", options, runOptionNames);
    const all = [...jobs];
    for (const [i, job] of all.entries()) requireJob(`jobs[${i}]`, this.mechanism, job);
    return this.outcomesOf(all, undefined, options);
  }

  /** The same for many rollouts of the same length, over shared memory: arrays in, arrays out. */
  run(batch: RolloutBatch, options: RolloutRunOptions = {}): Promise<RolloutResults> {
    requireOptionNames("options", options, runOptionNames);
    const arrays = batchArrays(this.mechanism, batch, this.executor.sharesMemory);
    return this.outcomesOf(arrays.jobs, arrays.into, options).then((outcomes) => resultsOf(arrays, outcomes));
  }

  /** Ends the workers, in the middle of their work if need be; those of an executor that was handed in leave their rollouts. */
  async close(): Promise<void> {
    this.closed = true;
    for (const call of this.calls) call.abort();
    if (this.ownsExecutor) await this.executor.close();
  }

  private async outcomesOf(
    jobs: readonly PostedRollout[],
    into: readonly Float64Array[] | undefined,
    { signal, onProgress }: RolloutRunOptions,
  ): Promise<RolloutOutcome[]> {
    signal?.throwIfAborted();
    const call = new AbortController();
    const abort = (): void => call.abort(signal?.reason);
    signal?.addEventListener("abort", abort);
    this.calls.add(call);
    const outcomes = new Array<RolloutOutcome>(jobs.length);
    try {
      await this.executor.map(rolloutKind, this.context, jobs, {
        signal: call.signal,
        onProgress: (done, total, job, outcome) => {
          outcomes[job] = wholeOutcome(outcome, into?.[job]);
          onProgress?.({ done, total, job, outcome: outcomes[job] });
        },
      });
      return outcomes;
    } catch (error) {
      throw this.rejection(error);
    } finally {
      this.calls.delete(call);
      signal?.removeEventListener("abort", abort);
    }
  }

  /** What an executor says, in the words of rollouts. */
  private rejection(error: unknown): unknown {
    if (this.closed) return new RolloutError("the pool is closed");
    return error instanceof WorkError ? new RolloutError(error.reason, error.job) : error;
  }
}

/** The outcome with its states, which are in the batch's arrays where there are such. */
function wholeOutcome(outcome: PostedOutcome, into: Float64Array | undefined): RolloutOutcome {
  if (!into) return outcome as RolloutOutcome;
  if (outcome.states) into.set(outcome.states);
  return { ...outcome, states: into };
}
