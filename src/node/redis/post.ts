/** What an executor and the workers of other machines leave for each other in Redis. */
import { createHash } from "node:crypto";
import { decode, encode } from "./encoding.ts";

/** Data of a job of the queue: some jobs of one call. */
export interface Posted {
  /** Version of the engine that asks; workers with another refuse. */
  readonly version: string;
  /** Name of the kind of work. */
  readonly kind: string;
  /** Hash of the context, which lies in Redis once. */
  readonly context: string;
  /** The call, by which it is cancelled. */
  readonly call: string;
  /** The list that the reply goes to. */
  readonly replyTo: string;
  /** The jobs, encoded, as base64. */
  readonly jobs: string;
}

/** What comes of it. */
export type Reply =
  | { readonly id: string; readonly outcomes: readonly unknown[]; readonly milliseconds: number }
  /** It cannot be done, or threads ended with it too often; `job` is the place among its jobs, where one is at fault. */
  | {
      readonly id: string;
      readonly refusal: string;
      readonly job?: number | undefined;
      readonly brokeDown?: boolean;
    };

/** Seconds after which what nobody asks for any more is dropped. */
export const keptSeconds = 3600;

/** Names of keys. Those of the queue itself are BullMQ's, with the same beginning. */
export class Keys {
  readonly prefix: string;

  constructor(queue = "default") {
    this.prefix = `dojo:${queue}`;
  }

  context(hash: string): string {
    return `${this.prefix}:context:${hash}`;
  }

  cancelled(call: string): string {
    return `${this.prefix}:cancelled:${call}`;
  }

  replies(executor: string): string {
    return `${this.prefix}:replies:${executor}`;
  }
}

/** The name of BullMQ's queue below the prefix. */
export const queueName = "work";

export interface PostedContext {
  readonly hash: string;
  readonly bytes: Uint8Array;
}

export function postedContext(kind: string, data: unknown): PostedContext {
  const bytes = encode({ kind, data }, "context");
  return { hash: createHash("sha256").update(bytes).digest("hex"), bytes };
}

export function postedJobs(jobs: readonly unknown[]): string {
  return Buffer.from(encode(jobs, "jobs").buffer).toString("base64");
}

export function jobsOf({ jobs }: Posted): unknown[] {
  return decode(Buffer.from(jobs, "base64")) as unknown[];
}

/** A worker's name in the list of Redis' clients says how many threads it has. */
export function workerName(host: string, pid: number, threads: number): string {
  return `${host.replaceAll(/[^\w.-]/g, "-")}/${pid}/${threads}`;
}

export function threadsOf(name: string): number {
  return Number(/\/(\d+)$/.exec(name)?.[1] ?? 1);
}
