/**
 * Many rollouts of one mechanism on all cores: for planning by sampling, randomised smoothing, statistics. Every worker compiles the
 * mechanism once and keeps its simulation; starts, inputs and states lie in memory that all share. A rollout's states do not depend on
 * the number of workers nor on who ran it.
 */
import { ArgumentError, type Mechanism, type MechanismDescription } from "../mechanism/index.ts";
import { compile } from "../simulation/index.ts";
import {
  type Answer,
  asShared,
  type Batch,
  iterationSum,
  type Request,
  type RolloutFailure,
  type SharedStepOptions,
  sharedFloats,
  solvedSteps,
} from "./batch.ts";
import { coreCount, onFault, onMessage, packageWorker, type RolloutWorker } from "./threads.ts";

export interface RolloutPoolOptions {
  /** Default: one a core. */
  readonly workers?: number;
  /**
   * Makes a worker whose script calls `serveRollouts()`. Needed where the code is bundled, since the package's own script is then not
   * beside it: `() => new Worker(new URL("./rolloutWorker.ts", import.meta.url), { type: "module" })`.
   */
  readonly worker?: () => RolloutWorker;
  /** Of every step. */
  readonly step?: SharedStepOptions;
}

export interface RolloutBatch {
  readonly steps: number;
  /** State after state, one a rollout; or one for all. */
  readonly starts: Float64Array;
  /** Input after input, `steps` a rollout; or `steps` for all. Default zero. */
  readonly inputs?: Float64Array;
  /** Which states are wanted. Default "final". */
  readonly keep?: "final" | "all";
}

export interface RolloutResults {
  readonly count: number;
  /**
   * One state a rollout, the last that was reached; or, with `keep: "all"`, `steps` + 1 a rollout, NaN where it was not reached. In
   * shared memory.
   */
  readonly states: Float64Array;
  /** Solved steps of each rollout: `steps`, unless it failed. */
  readonly solvedSteps: Int32Array;
  /** Iterations of all its steps. */
  readonly iterations: Int32Array;
  /** Rollouts that ended early, in their order. */
  readonly failures: readonly RolloutFailure[];
}

interface Pending {
  readonly batch: Batch;
  readonly failures: RolloutFailure[];
  waiting: number;
  readonly resolve: (results: RolloutResults) => void;
  readonly reject: (error: Error) => void;
}

export class RolloutPool {
  readonly mechanism: Mechanism;
  readonly workers: number;
  /** When every worker has compiled the mechanism. `run` need not wait for it. */
  readonly ready: Promise<void>;

  private readonly threads: readonly RolloutWorker[];
  private readonly pending = new Map<number, Pending>();
  private batches = 0;
  private broken: Error | undefined;

  /** Throws where the description is wrong. */
  constructor(description: MechanismDescription, options: RolloutPoolOptions = {}) {
    const { workers = coreCount(), worker = packageWorker, step = {} } = options;
    if (!Number.isInteger(workers) || workers < 1) {
      throw new ArgumentError("out-of-range", "workers", `${workers}: give a whole number, 1 or more`);
    }
    this.mechanism = compile(description);
    this.workers = workers;
    this.threads = Array.from({ length: workers }, worker);
    const request: Request = { kind: "mechanism", description, options: step };
    const started = this.threads.map(
      (thread) =>
        new Promise<void>((resolve, reject) => {
          onMessage<Answer>(thread, (answer) => {
            if (answer.kind === "ready") resolve();
            else if (answer.kind === "done") this.finish(answer.id, answer.failures);
            else reject(this.fail(answer.message));
          });
          onFault(thread, (message) => reject(this.fail(message)));
          thread.postMessage(request);
        }),
    );
    this.ready = Promise.all(started).then(() => this.holdProcess());
    // those who only run hear of it there
    this.ready.catch(() => {});
  }

  /** An array of zeros for the inputs of `count` rollouts, in shared memory: `run` then copies nothing. */
  newInputs(count: number, steps: number): Float64Array {
    return sharedFloats(count * steps * this.mechanism.inputSize);
  }

  /** Rejects when a worker breaks down or the pool is closed. A rollout that fails is a result, with its failure. */
  run(batch: RolloutBatch): Promise<RolloutResults> {
    const shared = this.share(batch);
    if (this.broken) return Promise.reject(this.broken);
    return new Promise((resolve, reject) => {
      this.pending.set(shared.id, { batch: shared, failures: [], waiting: this.workers, resolve, reject });
      this.holdProcess();
      for (const thread of this.threads) thread.postMessage({ kind: "batch", batch: shared } satisfies Request);
    });
  }

  /** Ends the workers, in the middle of their work if need be. */
  async close(): Promise<void> {
    this.fail("the pool is closed");
    await Promise.all(this.threads.map((thread) => thread.terminate()));
  }

  private share({ steps, starts, inputs, keep = "final" }: RolloutBatch): Batch {
    const { stateSize, inputSize } = this.mechanism;
    if (!Number.isInteger(steps) || steps < 0) {
      throw new ArgumentError("out-of-range", "steps", `${steps}: give a whole number, 0 or more`);
    }
    const given = inputs ?? new Float64Array(steps * inputSize);
    const startCount = wholeCount("starts", starts.length, stateSize, "a state");
    const inputCount = wholeCount("inputs", given.length, steps * inputSize, `${steps} inputs`);
    const count = Math.max(startCount, inputCount);
    if (Math.min(startCount, inputCount) !== count && Math.min(startCount, inputCount) !== 1) {
      const message = `of ${inputCount} rollouts, with starts of ${startCount}; give as many of both, or one for all`;
      throw new ArgumentError("wrong-size", "inputs", message);
    }
    const keepsAll = keep === "all";
    return {
      id: this.batches++,
      count,
      steps,
      startStride: startCount === 1 ? 0 : stateSize,
      inputStride: inputCount === 1 ? 0 : steps * inputSize,
      keepsAll,
      starts: asShared(starts),
      inputs: asShared(given),
      states: sharedFloats(count * stateSize * (keepsAll ? steps + 1 : 1)),
      counts: new Int32Array(new SharedArrayBuffer(4 * (1 + 2 * count))),
    };
  }

  private finish(id: number, failures: readonly RolloutFailure[]): void {
    const run = this.pending.get(id);
    if (!run) return;
    run.failures.push(...failures);
    run.waiting--;
    if (run.waiting > 0) return;
    this.pending.delete(id);
    this.holdProcess();
    const { count, states, counts } = run.batch;
    run.resolve({
      count,
      states,
      solvedSteps: counts.slice(solvedSteps(0), solvedSteps(count)),
      iterations: counts.slice(iterationSum(count, 0), iterationSum(count, count)),
      failures: run.failures.sort((a, b) => a.rollout - b.rollout),
    });
  }

  /** Refuses all that is under way, and all that comes. */
  private fail(message: string): Error {
    this.broken ??= new Error(`rollouts: ${message}`);
    for (const { reject } of this.pending.values()) reject(this.broken);
    this.pending.clear();
    return this.broken;
  }

  /** Node ends when nothing is left to do, though the pool is open. */
  private holdProcess(): void {
    for (const thread of this.threads) {
      if (this.pending.size > 0) thread.ref?.();
      else thread.unref?.();
    }
  }
}

/** How many times `each` fits; all of nothing is one for all. */
function wholeCount(path: string, length: number, each: number, what: string): number {
  if (each === 0 && length === 0) return 1;
  const count = length / each;
  if (Number.isInteger(count) && count > 0) return count;
  throw new ArgumentError("wrong-size", path, `has ${length} numbers; give a multiple of ${each}, ${what} a rollout`);
}
