/** The worker: hears requests, answers each in its turn, and sends frames. */
import type { FromWorker, Request, ToWorker } from "../protocol.ts";
import { readRequest } from "./readRequest.ts";
import { Session } from "./session.ts";

const post = (message: FromWorker, transfer: Transferable[] = []): void => {
  (postMessage as (message: FromWorker, transfer: Transferable[]) => void)(message, transfer);
};

const session = new Session({
  frame: (frame) => {
    const arrays = [frame.poses, frame.forces, frame.coordinates, frame.pull, frame.arrows];
    post(
      { kind: "frame", frame },
      arrays.flatMap((array) => (array ? [array.buffer] : [])),
    );
  },
  stopped: (message) => post({ kind: "stopped", message }),
});

async function answer(id: number, request: Request): Promise<void> {
  try {
    post({ kind: "answer", id, value: session.answer(await readRequest(request)) });
  } catch (error) {
    post({ kind: "refusal", id, message: error instanceof Error ? error.message : String(error) });
  }
}

let last = Promise.resolve();
addEventListener("message", ({ data: { id, request } }: MessageEvent<ToWorker>) => {
  last = last.then(() => answer(id, request));
});
