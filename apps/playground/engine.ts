/** The engine as the page sees it: a worker behind promises. */
import type { Answers, Frame, FromWorker, Request, ToWorker } from "./protocol.ts";

type AnswerOf<K extends Request["kind"]> = K extends keyof Answers ? Answers[K] : undefined;

interface Waiting {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

export class Engine {
  onFrame: (frame: Frame) => void = () => {};
  onStopped: (message: string) => void = () => {};

  private readonly worker = new Worker(new URL("./engine/worker.ts", import.meta.url), { type: "module" });
  private readonly waiting = new Map<number, Waiting>();
  private readonly latest = new Map<Request["kind"], Request>();
  private asked = 0;

  constructor() {
    this.worker.addEventListener("message", ({ data }: MessageEvent<FromWorker>) => this.hear(data));
    this.worker.addEventListener("error", ({ message }) => {
      // a worker that cannot be loaded answers nothing, and one that failed between two requests has nobody to tell
      const error = new Error(message || "the engine's worker could not be loaded; is the page opened from a server?");
      if (this.waiting.size === 0) this.onStopped(`The engine failed: ${message}. Load the page again.`);
      for (const { reject } of this.waiting.values()) reject(error);
      this.waiting.clear();
    });
  }

  /** Answers come in the order of the requests. Refused with the worker's words. */
  ask<R extends Request>(request: R): Promise<AnswerOf<R["kind"]>> {
    const id = this.asked++;
    this.worker.postMessage({ id, request } satisfies ToWorker);
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve: resolve as (value: unknown) => void, reject });
    });
  }

  /** For sliders and pointers: while one request of its kind is on its way, of those that follow only the last is sent. */
  async askLatest<R extends Request>(request: R): Promise<AnswerOf<R["kind"]> | undefined> {
    const { kind } = request;
    const queued = this.latest.has(kind);
    this.latest.set(kind, request);
    if (queued) return undefined;
    try {
      let answer: AnswerOf<R["kind"]> | undefined;
      for (;;) {
        const next = this.latest.get(kind) as R;
        answer = await this.ask(next);
        if (this.latest.get(kind) === next) return answer;
      }
    } finally {
      this.latest.delete(kind);
    }
  }

  private hear(message: FromWorker): void {
    if (message.kind === "frame") this.onFrame(message.frame);
    else if (message.kind === "stopped") this.onStopped(message.message);
    else {
      const waiting = this.waiting.get(message.id);
      this.waiting.delete(message.id);
      if (message.kind === "answer") waiting?.resolve(message.value);
      else waiting?.reject(new Error(message.message));
    }
  }
}
