/** Threads of Node and of browsers, as one. */

interface ThreadEvent {
  readonly type: string;
}

/** What an executor needs of a worker: Node's has `on`, a browser's `addEventListener`. */
export interface WorkThread {
  postMessage(message: unknown): void;
  terminate(): unknown;
  on?(event: string, listener: (value: unknown) => void): unknown;
  addEventListener?(event: string, listener: (event: ThreadEvent) => void): void;
  /** Node's: whether the process waits for it. */
  ref?(): void;
  unref?(): void;
}

/** What a worker needs of its own thread. */
export interface WorkPort {
  postMessage(message: unknown, transfer: ArrayBuffer[]): void;
  on?(event: string, listener: (value: unknown) => void): unknown;
  addEventListener?(event: string, listener: (event: ThreadEvent) => void): void;
}

interface NodeModules {
  "node:worker_threads": {
    readonly Worker: new (file: URL, options: { readonly execArgv: readonly string[] }) => WorkThread;
    readonly parentPort: WorkPort | null;
  };
  "node:os": { availableParallelism(): number };
}

/** A module of Node's own, or undefined in a browser. The library imports none, so that bundlers for browsers need not know. */
function nodeModule<Name extends keyof NodeModules>(name: Name): NodeModules[Name] | undefined {
  const { process } = globalThis as { process?: { getBuiltinModule?(name: string): unknown } };
  return process?.getBuiltinModule?.(name) as NodeModules[Name] | undefined;
}

/** The worker that comes with the package. */
export function packageWorker(): WorkThread {
  const file = import.meta.url.endsWith(".ts") ? sourceWorker() : new URL(workerFile, import.meta.url);
  const threads = nodeModule("node:worker_threads");
  if (!threads && typeof Worker === "undefined") {
    throw new Error("threads need workers: Node 20.16 or newer, or a browser");
  }
  // Node's own options may be for the main script alone
  return threads ? new threads.Worker(file, { execArgv: [] }) : new Worker(file, { type: "module" });
}

/** Bundlers that see the whole address look for the file; those who bundle bring a worker of their own. */
const workerFile = "../worker.js";

/** A program that runs from the sources with tsx: its workers do not inherit what reads TypeScript, and start with it themselves. */
function sourceWorker(): URL {
  const { resolve } = import.meta as unknown as { resolve(name: string): string };
  const [tsx, source] = ["tsx/esm/api", "../worker.ts"].map((name) => JSON.stringify(resolve(name)));
  const program = `import { register } from ${tsx}; register(); await import(${source});`;
  return new URL(`data:text/javascript,${encodeURIComponent(program)}`);
}

/** The way back to whoever started this thread. */
export function parentPort(): WorkPort {
  return nodeModule("node:worker_threads")?.parentPort ?? (globalThis as unknown as WorkPort);
}

export function coreCount(): number {
  return nodeModule("node:os")?.availableParallelism() ?? globalThis.navigator?.hardwareConcurrency ?? 1;
}

export function onMessage<Message>(thread: WorkThread | WorkPort, listener: (message: Message) => void): void {
  if (thread.on) thread.on("message", (message) => listener(message as Message));
  else thread.addEventListener?.("message", (event) => listener((event as MessageEvent<Message>).data));
}

/** Browsers say no more of a script that is not there. */
const scriptless = "its script cannot be run; where code is bundled, the option `worker` makes one (docs/rollouts.md)";

/**
 * Calls the listener, perhaps more than once, when a worker has ended or cannot be trusted any more: it lacked memory, its file is not
 * there, something in it threw and was not caught, a message could not be read, it was ended from within. Browsers do not tell of the
 * last.
 */
export function onEnd(worker: WorkThread, listener: (reason: string) => void): void {
  const failed = (fault: unknown): void => listener((fault as { message?: string }).message || scriptless);
  const garbled = (): void => listener("a message could not be read");
  if (worker.on) {
    worker.on("error", failed);
    worker.on("messageerror", garbled);
    worker.on("exit", (code) => listener(`it left with exit code ${code}`));
  } else {
    worker.addEventListener?.("error", failed);
    worker.addEventListener?.("messageerror", garbled);
  }
}
