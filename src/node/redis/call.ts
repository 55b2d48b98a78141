/** A call of an executor on many machines: which of its jobs are to be posted, and what has come back. */
import { randomUUID } from "node:crypto";
import { type MapOptions, WorkError } from "../../index.ts";
import { type PostedContext, postedJobs } from "./post.ts";

/** Milliseconds that a bundle of jobs should take: long beside the way through Redis, short beside the wait of others for the last one. */
const bundleTime = 200;
/** Milliseconds of a job of a context, a running mean. */
export interface Pace {
  jobTime: number;
}

/** The pace that is assumed as long as nothing is known. */
export const firstPace: Readonly<Pace> = { jobTime: 20 };

const largestBundle = 1000;

export interface Failure {
  /** The place of the job that is at fault, if one is. */
  readonly job?: number | undefined;
  readonly brokeDown?: boolean;
}

export class Call {
  readonly id = randomUUID();
  readonly kind: string;
  readonly context: PostedContext;
  /** Rejects when a job has no outcome, or the call is aborted. */
  readonly outcomes: Promise<unknown[]>;

  private readonly jobs: readonly unknown[];
  private readonly options: MapOptions;
  private readonly found: unknown[];
  private readonly end: { resolve: (outcomes: unknown[]) => void; reject: (error: unknown) => void };
  private next = 0;
  private done = 0;
  private open = true;
  private readonly pace: Pace;

  constructor(kind: string, context: PostedContext, jobs: readonly unknown[], pace: Pace, options: MapOptions) {
    this.pace = pace;
    this.kind = kind;
    this.context = context;
    this.jobs = jobs;
    this.options = options;
    this.found = new Array(jobs.length);
    let end = { resolve: (_: unknown[]) => {}, reject: (_: unknown) => {} };
    this.outcomes = new Promise((resolve, reject) => {
      end = { resolve, reject };
    });
    this.end = end;
    options.signal?.addEventListener("abort", this.abort);
  }

  get isComplete(): boolean {
    return this.done === this.jobs.length;
  }

  /** Whether jobs are left that were not taken. */
  get isWaiting(): boolean {
    return this.open && this.next < this.jobs.length;
  }

  /** The next jobs that go together: fewer towards the end, so that all workers end at about the same time. */
  take(workers: number): { readonly from: number; readonly to: number } {
    const from = this.next;
    const share = Math.ceil((this.jobs.length - from) / (2 * workers));
    const fitting = Math.floor(bundleTime / this.pace.jobTime);
    this.next += Math.max(1, Math.min(share, fitting, largestBundle));
    return { from, to: this.next };
  }

  posted(from: number, to: number): string {
    return postedJobs(this.jobs.slice(from, to));
  }

  settle(from: number, to: number, outcomes: readonly unknown[], milliseconds: number): void {
    this.pace.jobTime += 0.5 * (Math.max(milliseconds, 0.01) / (to - from) - this.pace.jobTime);
    for (let i = from; i < to && this.open; i++) {
      this.found[i] = outcomes[i - from];
      this.done++;
      try {
        this.options.onProgress?.(this.done, this.jobs.length, i, this.found[i]);
      } catch (error) {
        this.finish(() => this.end.reject(error));
      }
    }
    if (this.isComplete) this.finish(() => this.end.resolve(this.found));
  }

  fail(message: string, { job, brokeDown = false }: Failure = {}): void {
    this.finish(() => this.end.reject(new WorkError(this.kind, message, job, brokeDown)));
  }

  private readonly abort = (): void => this.finish(() => this.end.reject(this.options.signal?.reason));

  private finish(settle: () => void): void {
    if (!this.open) return;
    this.open = false;
    this.options.signal?.removeEventListener("abort", this.abort);
    settle();
  }
}
