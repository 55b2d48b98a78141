/** The worker's side of threads: makes contexts ready once, then does what it is handed, job after job. */
import { type AnyWorkKind, kindNamed, messageOf, type WorkControl } from "./kind.ts";
import type { Answer, PostedJob, Request } from "./messages.ts";
import { onMessage, parentPort, type WorkPort } from "./threads.ts";

interface Ready {
  readonly kind: AnyWorkKind;
  readonly run: ReturnType<AnyWorkKind["prepare"]>;
}

/** To be called by a worker's script, with the kinds that it is to know. The port is the one to whoever started the worker. */
export function serveWork(kinds: readonly AnyWorkKind[], port: WorkPort = parentPort()): void {
  const contexts = new Map<number, Ready>();
  const answer = (message: Answer, transfer: ArrayBuffer[] = []): void => port.postMessage(message, transfer);

  const prepare = (context: number, name: string, data: unknown): void => {
    try {
      const kind = kindNamed(kinds, name);
      contexts.set(context, { kind, run: kind.prepare(data) });
      answer({ kind: "prepared", context });
    } catch (error) {
      answer({ kind: "unprepared", context, message: messageOf(error) });
    }
  };

  const work = ({ kind, run }: Ready, { id, job }: PostedJob, control: WorkControl): void => {
    const begin = performance.now();
    try {
      const outcome = run(job, control);
      answer({ kind: "outcome", id, outcome, milliseconds: performance.now() - begin }, kind.transfer?.(outcome) ?? []);
    } catch (error) {
      answer({ kind: "refusal", id, message: messageOf(error) });
    }
  };

  onMessage<Request>(port, (request) => {
    if (request.kind === "context") prepare(request.context, request.work, request.data);
    else if (request.kind === "forget") contexts.delete(request.context);
    else {
      const { jobs, cancelled } = request;
      const ready = contexts.get(request.context);
      const control = { isCancelled: () => cancelled !== undefined && Atomics.load(cancelled, 0) !== 0 };
      if (ready) for (const posted of jobs) work(ready, posted, control);
    }
  });
  answer({ kind: "hello" });
}
