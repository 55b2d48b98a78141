/** What an executor and the workers of other machines leave for each other in Redis. */
import { createHash } from "node:crypto";
import { decode, encode } from "./encoding.ts";
import { queuePasswordVariable, type Seal } from "./seal.ts";

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
  /** The executor that the reply goes to. */
  readonly executor: string;
  /** The jobs, encoded, as base64. */
  readonly jobs: string;
  /** Of all of this, where the queue has a password. */
  readonly signature?: string | undefined;
}

const unsigned = `is not signed with this queue's password: ${queuePasswordVariable} must be the same for all`;

/** An id as executors and calls have it: whatever else a post names, it names no key of somebody else. */
const id = /^[\w-]{1,64}$/;

/** Fields of a post without its signature. */
function partsOf({ version, kind, context, call, executor, jobs }: Posted): string[] {
  return [version, kind, context, call, executor, jobs];
}

export function signedPost(post: Posted, seal: Seal): Posted {
  return { ...post, signature: seal.sign(partsOf(post)) };
}

/** Throws where a post is not what `signedPost` makes. */
export function requirePost(post: Posted, seal: Seal): void {
  if (partsOf(post).some((part) => typeof part !== "string")) throw new Error("a field of the post is missing");
  if (![post.executor, post.call].every((text) => id.test(text))) throw new Error("the post names no executor");
  if (!seal.accepts(post.signature, partsOf(post))) throw new Error(`the post ${unsigned}`);
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

const signatureSize = 64;

/** A reply as bytes: its signature in hexadecimal, or as many blanks, and the rest encoded. */
export function replyBytes(reply: Reply, seal: Seal): Buffer {
  const bytes = encode(reply, "reply");
  return Buffer.concat([Buffer.from((seal.sign([bytes]) ?? "").padEnd(signatureSize)), bytes]);
}

/** Throws where the bytes are no reply, or one without the signature that is asked for. */
export function replyOf(bytes: Buffer, seal: Seal): Reply {
  const [signature, rest] = [bytes.subarray(0, signatureSize).toString(), bytes.subarray(signatureSize)];
  if (!seal.accepts(signature, [rest])) throw new Error(`it ${unsigned}`);
  const reply = decode(rest) as Reply;
  const isReply =
    "refusal" in reply
      ? typeof reply.refusal === "string"
      : Array.isArray(reply.outcomes) && Number.isFinite(reply.milliseconds);
  if (typeof reply.id !== "string" || !isReply) throw new Error("it has neither outcomes nor a refusal");
  return reply;
}

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
  return { hash: hashOf(bytes), bytes };
}

export function hashOf(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
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
