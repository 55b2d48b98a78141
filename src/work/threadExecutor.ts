/** Work on all cores: threads of Node, web workers of a browser. */
import { ContextTable } from "./contextTable.ts";
import { type Context, Crew, type Task, type Unprepared } from "./crew.ts";
import { type Executor, type MapOptions, WorkError, type WorkKind } from "./kind.ts";
import { coreCount, packageWorker, type WorkThread } from "./threads.ts";

export interface ThreadExecutorOptions {
  /** Default: one per core. */
  readonly workers?: number | undefined;
  /**
   * Makes a worker whose script calls `serveWork(workKinds)`, or has other kinds. Needed where the code is bundled, since the package's own
   * script is then not beside it: `() => new Worker(new URL("./worker.ts", import.meta.url), { type: "module" })`.
   */
  readonly worker?: (() => WorkThread) | undefined;
  /** Longest time of a job, and of the preparation of a context, seconds: a thread that takes longer is ended, and the call rejects. Default none. */
  readonly jobLimit?: number | undefined;
}

/** An executor whose workers are threads. They start when they are needed, and are replaced when they end before their time. */
export function threadExecutor(options: ThreadExecutorOptions = {}): Executor {
  const { workers = coreCount(), worker = packageWorker, jobLimit } = options;
  if (!Number.isInteger(workers) || workers < 1) {
    throw new RangeError(`out-of-range at workers: ${workers}: give a whole number, 1 or more`);
  }
  if (jobLimit !== undefined && !(jobLimit > 0)) {
    throw new RangeError(`out-of-range at jobLimit: ${jobLimit}: give seconds above 0, or leave it out`);
  }
  return new ThreadExecutor(workers, worker, jobLimit);
}

class ThreadExecutor implements Executor {
  readonly workers: number;
  readonly sharesMemory = typeof SharedArrayBuffer !== "undefined";

  private readonly crew: Crew;
  private readonly contexts: ContextTable<Context>;
  /** How many there were. */
  private ids = 0;

  constructor(workers: number, worker: () => WorkThread, jobLimit: number | undefined) {
    this.workers = workers;
    this.crew = new Crew(workers, worker, jobLimit);
    this.contexts = new ContextTable((context) => this.crew.forget(context));
  }

  map<C, J, O>(kind: WorkKind<C, J, O>, data: C, jobs: readonly J[], options: MapOptions<O> = {}): Promise<O[]> {
    const { signal, onProgress } = options;
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      if (jobs.length === 0) return resolve([]);
      const context = this.contextOf(kind, data);
      const outcomes = new Array<O>(jobs.length);
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
        return {
          id: this.ids++,
          context,
          job,
          cancelled,
          isWanted: () => open,
          fail: (message, { isItsOwn, brokeDown }) =>
            end(() => reject(new WorkError(kind.name, message, isItsOwn ? i : undefined, brokeDown))),
          settle: (outcome) => {
            if (!open) return;
            outcomes[i] = outcome as O;
            done++;
            try {
              onProgress?.(done, jobs.length, i, outcomes[i]);
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

  async prepare<C, J, O>(kind: WorkKind<C, J, O>, data: C): Promise<void> {
    try {
      await this.crew.prepare(this.contextOf(kind, data));
    } catch (unprepared) {
      const { message, brokeDown } = unprepared as Unprepared;
      throw new WorkError(kind.name, message, undefined, brokeDown);
    }
  }

  close(): Promise<void> {
    return this.crew.giveUp("the executor is closed");
  }

  private contextOf<C, J, O>(kind: WorkKind<C, J, O>, data: C): Context {
    return this.contexts.of(kind, data, () => ({ id: this.ids++, work: kind.name, data }));
  }
}

/** Memory that says whether work is still wanted. Pages that are not isolated have none: there, jobs go on to their ends. */
function newFlag(): Int32Array | undefined {
  return typeof SharedArrayBuffer === "undefined" ? undefined : new Int32Array(new SharedArrayBuffer(4));
}
