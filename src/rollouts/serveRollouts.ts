/** The worker's side of a pool: compiles the mechanism once, then runs its part of every batch. */
import { compile, Simulation } from "../simulation/index.ts";
import type { Answer, Request } from "./batch.ts";
import { runBatch } from "./runBatch.ts";
import { onMessage, parentPort, type RolloutPort } from "./threads.ts";

/** To be called by a worker's script; see `RolloutPool`. The port is the one to whoever started the worker. */
export function serveRollouts(port: RolloutPort = parentPort()): void {
  let simulation: Simulation | undefined;
  const answer = (message: Answer): void => port.postMessage(message);
  onMessage<Request>(port, (request) => {
    try {
      if (request.kind === "mechanism") {
        simulation = new Simulation(compile(request.description), request.options);
        answer({ kind: "ready" });
      } else if (simulation) {
        const { batch } = request;
        answer({ kind: "done", id: batch.id, failures: runBatch(simulation, batch) });
      }
    } catch (error) {
      answer({ kind: "fault", message: error instanceof Error ? error.message : String(error) });
    }
  });
}
