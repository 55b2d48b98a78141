/**
 * Many rollouts of one mechanism on all cores: for planning by sampling, randomised smoothing, statistics. Every worker compiles the
 * mechanism once and keeps its simulation. Outcomes do not depend on the number of workers, nor on who ran a rollout, nor on workers
 * that ended on the way.
 */
import { ArgumentError, type Mechanism, type MechanismDescription } from "../mechanism/index.ts";
import { compile } from "../simulation/index.ts";
import {
  type BatchArrays,
  batchArrays,
  type RolloutBatch,
  type RolloutResults,
  resultsOf,
  sharedFloats,
} from "./batch.ts";
import { Crew, type Task } from "./crew.ts";
import { RolloutError, type RolloutJob, type RolloutOutcome, requireJob, type SharedStepOptions } from "./job.ts";
import { coreCount, packageWorker, type RolloutWorker } from "./threads.ts";

export interface RolloutPoolOptions {
  /** Default: one per core. */
  readonly workers?: number | undefined;
  /**
   * Makes a worker whose script calls `serveRollouts()`. Needed where the code is bundled, since the package's own script is then not
   * beside it: `() => new Worker(new URL("./rolloutWorker.ts", import.meta.url), { type: "module" })`.
   */
  readonly worker?: (() => RolloutWorker) | undefined;
  /** Of every step. */
  readonly step?: SharedStepOptions | undefined;
}

export interface RolloutRunOptions {
  /** Ends the call: it rejects with the signal's reason, and workers turn to what comes next. */
  readonly signal?: AbortSignal | undefined;
  /** Called after each job, in the order in which they end. What it throws ends the call. */
  readonly onProgress?: ((progress: RolloutProgress) => void) | undefined;
}

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

  private readonly crew: Crew;
  private tasks = 0;

  /** Throws where the description is wrong. */
  constructor(mechanism: Mechanism | MechanismDescription, options: RolloutPoolOptions = {}) {
    const { workers = coreCount(), worker = packageWorker, step = {} } = options;
    if (!Number.isInteger(workers) || workers < 1) {
      throw new ArgumentError("out-of-range", "workers", `${workers}: give a whole number, 1 or more`);
    }
    this.mechanism = "stateSize" in mechanism ? mechanism : compile(mechanism);
    this.workers = workers;
    this.crew = new Crew(workers, worker, this.mechanism.description, step);
  }

  /** When every worker has compiled the mechanism. `map` and `run` need not wait for it. */
  get ready(): Promise<void> {
    return this.crew.ready;
  }

  /** An array of zeros for the inputs of `count` rollouts, in shared memory: `run` then copies nothing. */
  newInputs(count: number, steps: number): Float64Array {
    return sharedFloats(count * steps * this.mechanism.inputSize);
  }

  /**
   * Outcomes of jobs, in their order. A rollout that fails is an outcome; the call rejects when it is aborted, the pool is closed, a job
   * cannot be begun, or two workers have ended with it.
   */
  async map(jobs: Iterable<RolloutJob>, options: RolloutRunOptions = {}): Promise<RolloutOutcome[]> {
    const all = [...jobs];
    for (const [i, job] of all.entries()) requireJob(`jobs[${i}]`, this.mechanism, job);
    return this.outcomesOf(all, undefined, options);
  }

  /** The same for many rollouts of the same length, over shared memory: arrays in, arrays out. */
  run(batch: RolloutBatch, options: RolloutRunOptions = {}): Promise<RolloutResults> {
    const arrays = batchArrays(this.mechanism, batch);
    return this.outcomesOf(arrays.jobs, arrays, options).then((outcomes) => resultsOf(arrays, outcomes));
  }

  /** Ends the workers, in the middle of their work if need be. */
  close(): Promise<void> {
    return this.crew.giveUp("the pool is closed");
  }

  private outcomesOf(
    jobs: readonly RolloutJob[],
    arrays: BatchArrays | undefined,
    { signal, onProgress }: RolloutRunOptions,
  ): Promise<RolloutOutcome[]> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      if (jobs.length === 0) return resolve([]);
      const outcomes = new Array<RolloutOutcome>(jobs.length);
      const cancelled = newFlag();
      let done = 0;
      let open = true;
      const end = (settle: () => void): void => {
        if (!open) return;
        open = false;
        signal?.removeEventListener("abort", abort);
        if (done < jobs.length) {
          if (cancelled) Atomics.store(cancelled, 0, 1);
          this.crew.forgetUnwanted();
        }
        settle();
      };
      const abort = (): void => end(() => reject(signal?.reason));
      signal?.addEventListener("abort", abort);

      const tasks = jobs.map((job, i): Task => {
        const into = arrays?.into[i];
        return {
          id: this.tasks++,
          job,
          into,
          cancelled,
          isWanted: () => open,
          fail: (message, isItsOwn) => end(() => reject(new RolloutError(message, isItsOwn ? i : undefined))),
          settle: (posted) => {
            if (!open) return;
            const outcome = { ...posted, states: posted.states ?? (into as Float64Array) };
            outcomes[i] = outcome;
            done++;
            try {
              onProgress?.({ done, total: jobs.length, job: i, outcome });
            } catch (error) {
              end(() => reject(error));
            }
            if (done === jobs.length) end(() => resolve(outcomes));
          },
        };
      });
      this.crew.add(tasks);
    });
  }
}

/** Memory that says whether work is still wanted. Pages that are not isolated have none: there, rollouts go on to their ends. */
function newFlag(): Int32Array | undefined {
  return typeof SharedArrayBuffer === "undefined" ? undefined : new Int32Array(new SharedArrayBuffer(4));
}
