/** The worker: hears requests, answers each, and sends frames. */
import type { FromWorker, ToWorker } from "../protocol.ts";
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

addEventListener("message", ({ data: { id, request } }: MessageEvent<ToWorker>) => {
  try {
    post({ kind: "answer", id, value: session.answer(request) });
  } catch (error) {
    post({ kind: "refusal", id, message: error instanceof Error ? error.message : String(error) });
  }
});
