/** A worker's script that does rollouts and nothing else. */
import { serveWork, type WorkPort } from "../work/index.ts";
import { rolloutKind } from "./rolloutKind.ts";

/** To be called by a worker's script; see `RolloutPool`. The port is the one to whoever started the worker. */
export function serveRollouts(port?: WorkPort): void {
  serveWork([rolloutKind], port);
}
