/** Work in the thread that asks for it: where there is little of it, where there are no workers, and what the others are compared with. */
import { ContextTable } from "./contextTable.ts";
import { type Executor, type MapOptions, messageOf, WorkError, type WorkKind } from "./kind.ts";

/** Milliseconds after which timers, signals and events of the thread get their turn. */
const longestTurn = 20;

/** Does one job after the other, in this thread. */
export function inlineExecutor(): Executor {
  const ready = new ContextTable<(job: never) => unknown>();
  let closed = false;
  let turn = performance.now();

  const prepared = <Context, Job, Outcome>(kind: WorkKind<Context, Job, Outcome>, context: Context) => {
    try {
      return ready.of(kind, context, () => kind.prepare(context) as (job: never) => unknown) as ReturnType<
        typeof kind.prepare
      >;
    } catch (error) {
      throw new WorkError(kind.name, `the context cannot be prepared: ${messageOf(error)}`);
    }
  };

  return {
    workers: 1,
    sharesMemory: true,

    async map<Context, Job, Outcome>(
      kind: WorkKind<Context, Job, Outcome>,
      context: Context,
      jobs: readonly Job[],
      { signal, onProgress }: MapOptions<Outcome> = {},
    ): Promise<Outcome[]> {
      const outcomes: Outcome[] = [];
      for (const [i, job] of jobs.entries()) {
        if (performance.now() - turn > longestTurn) {
          await new Promise<void>((resolve) => setTimeout(resolve));
          turn = performance.now();
        }
        signal?.throwIfAborted();
        if (closed) throw new WorkError(kind.name, "the executor is closed");
        const run = prepared(kind, context);
        try {
          outcomes.push(run(job));
        } catch (error) {
          throw new WorkError(kind.name, messageOf(error), i);
        }
        onProgress?.(i + 1, jobs.length, i, outcomes[i]);
      }
      return outcomes;
    },

    async prepare(kind, context) {
      prepared(kind, context);
    },

    async close() {
      closed = true;
    },
  };
}
