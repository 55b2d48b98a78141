/** The worker's side of a pool: compiles the mechanism once, then runs what it is handed, job after job. */
import { compile, Simulation } from "../simulation/index.ts";
import type { Answer, PostedJob, Request } from "./messages.ts";
import { runRollout } from "./runRollout.ts";
import { onMessage, parentPort, type RolloutPort } from "./threads.ts";

/** To be called by a worker's script; see `RolloutPool`. The port is the one to whoever started the worker. */
export function serveRollouts(port: RolloutPort = parentPort()): void {
  let simulation: Simulation | undefined;
  const answer = (message: Answer, transfer: ArrayBuffer[] = []): void => port.postMessage(message, transfer);

  const run = (own: Simulation, { id, job, into }: PostedJob, isCancelled: () => boolean): void => {
    const begin = performance.now();
    try {
      const { states, ...rest } = runRollout(own, job, { into, isCancelled });
      const milliseconds = performance.now() - begin;
      if (into) answer({ kind: "outcome", id, outcome: { ...rest, states: undefined }, milliseconds });
      else answer({ kind: "outcome", id, outcome: { ...rest, states }, milliseconds }, [states.buffer as ArrayBuffer]);
    } catch (error) {
      answer({ kind: "refusal", id, message: messageOf(error) });
    }
  };

  onMessage<Request>(port, (request) => {
    if (request.kind === "work") {
      const { jobs, cancelled } = request;
      const isCancelled = (): boolean => cancelled !== undefined && Atomics.load(cancelled, 0) !== 0;
      for (const posted of jobs) if (simulation) run(simulation, posted, isCancelled);
      return;
    }
    try {
      simulation = new Simulation(compile(request.description), request.options);
      answer({ kind: "ready" });
    } catch (error) {
      answer({ kind: "fault", message: messageOf(error) });
    }
  });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
