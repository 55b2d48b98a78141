/**
 * Work as data: kinds of work, and executors that do it in this thread, on all cores or on many machines. An outcome depends on its
 * context and its job alone, to the bit, so it does not matter who does it, how often, or in which order.
 */

/** A kind of work: what a worker can do. Contexts, jobs and outcomes are plain data, which structured clones keep: typed arrays are allowed. */
export interface WorkKind<Context, Job, Outcome> {
  /** Workers know it by this name. */
  readonly name: string;
  /**
   * Makes a context ready, once per worker: what takes long and is the same for many jobs. Throws where the context is wrong. What it
   * returns is called job after job. It leaves contexts and jobs as they are, gives outcomes memory of their own, and throws where a job
   * cannot be begun.
   */
  prepare(context: Context): (job: Job, control?: WorkControl) => Outcome;
  /** Memory of an outcome that may leave its thread instead of being copied. Default none. */
  transfer?(outcome: Outcome): ArrayBuffer[];
}

/** Any kind, for lists of them. */
// biome-ignore lint/suspicious/noExplicitAny: a list has kinds of all contexts, jobs and outcomes
export type AnyWorkKind = WorkKind<any, any, any>;

export interface WorkControl {
  /** Whether the outcome is of no use any more: a long job may ask now and then, and then return whatever it has. */
  readonly isCancelled: () => boolean;
}

/** What ends a call early: the platform's `AbortSignal` or, in a program whose types have none, what is used of it. */
export type StopSignal = typeof globalThis extends { AbortSignal: { prototype: infer Signal } } ? Signal : SignalParts;

interface SignalParts {
  readonly aborted: boolean;
  readonly reason: unknown;
  throwIfAborted(): void;
  addEventListener(type: "abort", listener: () => void): void;
  removeEventListener(type: "abort", listener: () => void): void;
}

export interface MapOptions<Outcome = unknown> {
  /** Ends the call: it rejects with the signal's reason, and workers turn to what comes next. */
  readonly signal?: StopSignal | undefined;
  /** Called after each job, in the order in which they end, with the place of the job and its outcome. What it throws ends the call. */
  readonly onProgress?: ((done: number, total: number, job: number, outcome: Outcome) => void) | undefined;
}

/** Whatever does work. */
export interface Executor {
  /** How many jobs are done at a time, as far as it is known. */
  readonly workers: number;
  /** Whether arrays in shared memory are the same on both sides, rather than copies. */
  readonly sharesMemory: boolean;
  /**
   * Outcomes in the order of the jobs. The context is sent once per worker: hand in the same object each time, and leave it as it is. Rejects
   * with a `WorkError` where a job has no outcome.
   */
  map<Context, Job, Outcome>(
    kind: WorkKind<Context, Job, Outcome>,
    context: Context,
    jobs: readonly Job[],
    options?: MapOptions<Outcome>,
  ): Promise<Outcome[]>;
  /** When a context is ready wherever it will be needed. `map` need not wait for it. */
  prepare<Context, Job, Outcome>(kind: WorkKind<Context, Job, Outcome>, context: Context): Promise<void>;
  /** Ends its workers, in the middle of their work if need be; calls under way and calls to come reject. */
  close(): Promise<void>;
}

/** A job that has no outcome: it cannot be begun, or whatever did it broke down. */
export class WorkError extends Error {
  /** The message without kind and job. */
  readonly reason: string;
  /** Its place among the jobs of the call; undefined where none of them is at fault. */
  readonly job: number | undefined;
  /** Whether workers broke down with it: elsewhere it may have an outcome. */
  readonly brokeDown: boolean;

  constructor(kind: string, reason: string, job?: number, brokeDown = false) {
    super(`${kind}: ${job === undefined ? "" : `job ${job}: `}${reason}`);
    this.name = "WorkError";
    this.reason = reason;
    this.job = job;
    this.brokeDown = brokeDown;
  }
}

/** The kind of a name among others. Throws where it is not there, with the way out. */
export function kindNamed(kinds: readonly AnyWorkKind[], name: string): AnyWorkKind {
  const found = kinds.find((kind) => kind.name === name);
  if (found) return found;
  const have = kinds.map((kind) => kind.name).join(", ");
  throw new Error(`this worker does not know "${name}" (it has: ${have}): hand its kind to serveWork`);
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
