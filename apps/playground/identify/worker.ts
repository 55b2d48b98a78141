/** Fits in a thread of its own. */
import type { Command, Report } from "./protocol.ts";
import { TossFit } from "./tossFit.ts";

interface WorkerPort {
  onmessage: ((event: MessageEvent<Command>) => void) | null;
  postMessage(report: Report): void;
}

const port = self as unknown as WorkerPort;
let ending = new AbortController();

port.onmessage = async ({ data }) => {
  if (data.kind === "stop") {
    ending.abort();
    return;
  }
  const { run, parameters, recordings } = data;
  ending.abort();
  ending = new AbortController();
  const { signal } = ending;
  try {
    const fit = new TossFit(parameters, recordings);
    port.postMessage({ kind: "scene", run, info: fit.info, recordings: fit.recordings });
    port.postMessage({ kind: "progress", run, fit: fit.first() });
    const begin = performance.now();
    const { converged, warnings } = await fit.go((progress) => {
      port.postMessage({ kind: "progress", run, fit: progress });
    }, signal);
    port.postMessage({ kind: "done", run, converged, seconds: (performance.now() - begin) / 1000, warnings });
  } catch (error) {
    port.postMessage({ kind: "fault", run, message: error instanceof Error ? error.message : String(error) });
  }
};
