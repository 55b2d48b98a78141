/** Starts a built worker of the pages in a thread of Node, where there is no document either. */
import { Worker } from "node:worker_threads";

const program = (file: string): string => `
  const { parentPort } = require("node:worker_threads");
  globalThis.self = globalThis;
  const waiting = [];
  const heard = (data) => waiting.forEach((hear) => hear({ data }));
  globalThis.addEventListener = (kind, hear) => kind === "message" && waiting.push(hear);
  globalThis.postMessage = (message) => parentPort.postMessage({ message });
  import(${JSON.stringify(file)}).then(() => {
    parentPort.on("message", (data) => (globalThis.onmessage ? globalThis.onmessage({ data }) : heard(data)));
    parentPort.postMessage({ isReady: true });
  });
`;

/** What it says to a message, or undefined without one: then it has only to be there. Throws where it fails. */
export function startWorker(file: string, message?: unknown): Promise<unknown> {
  const worker = new Worker(program(file), { eval: true });
  return new Promise((resolve, reject) => {
    worker.on("error", reject);
    worker.on("message", (said: { readonly isReady?: boolean; readonly message?: unknown }) => {
      if (!said.isReady) resolve(said.message);
      else if (message === undefined) resolve(undefined);
      else worker.postMessage(message);
    });
  }).finally(() => worker.terminate());
}
