/**
 * Work on many machines: an executor whose workers are `dojo worker` processes that read a queue in Redis.
 *
 * BullMQ's queue has the jobs, hands them to workers, gives those of a worker that is silent to others and tries again what failed.
 * Here, jobs of a call are bundled, so that a bundle takes long beside a message; only a few bundles per worker are in the queue at a time;
 * replies come by a list of this executor's own. Work is pure: a reply that comes twice is ignored, and a bundle that Redis has lost, since
 * it was restarted, is posted again.
 */
import { randomUUID } from "node:crypto";
import type { Queue } from "bullmq";
import type { Redis } from "ioredis";
import { type Executor, version as engineVersion, type MapOptions, WorkError, type WorkKind } from "../../index.ts";
import type { RedisConnectionOptions } from "./address.ts";
import { Call, firstPace, type Pace } from "./call.ts";
import { RedisConnection } from "./connection.ts";
import {
  Keys,
  keptSeconds,
  type Posted,
  type PostedContext,
  postedContext,
  queueName,
  replyOf,
  signedPost,
  threadsOf,
} from "./post.ts";
import { Seal } from "./seal.ts";

export interface RedisExecutorOptions extends RedisConnectionOptions {
  /** Name of the queue, the same for its workers: more than one fleet may share a Redis. Default "default". */
  readonly queue?: string | undefined;
  /**
   * Workers that have another refuse the work, since its bits may differ. Default the engine's; a program with kinds of work of its own adds
   * their version.
   */
  readonly version?: string | undefined;
  /**
   * Signs work and replies; the same for those who ask and their workers. A worker with one refuses work without it. Default
   * DOJO_QUEUE_PASSWORD, or none.
   */
  readonly queuePassword?: string | undefined;
}

/** Milliseconds between looks at bundles that take long, and at workers. */
const lookInterval = 1000;
/** Seconds after which it is said that nobody works, and said again. */
const [firstCall, nextCall] = [2, 60];
/** Bundles in the queue: so many for each worker, and at least so many. */
const [bundlesPerWorker, leastBundles] = [3, 6];
/** Times that a bundle whose worker threw is begun. A worker that dies is counted by `maxStalledCount`. */
const attempts = 3;
/** Times that a bundle is posted again because it has neither a reply nor a place in the queue. */
const mostReposts = 5;

/** Connects; rejects with a `RedisError` where Redis cannot be reached, refuses the password, or packages for it are not there. */
export async function redisExecutor(options: RedisExecutorOptions): Promise<Executor> {
  const connection = await RedisConnection.open(options);
  const executor = new RedisExecutor(connection, options);
  await executor.look();
  return executor;
}

/** Jobs of a call that go together. */
interface Bundle {
  readonly id: string;
  readonly call: Call;
  readonly from: number;
  readonly to: number;
  /** Looks in a row at which Redis did not know it. */
  missing: number;
  /** Times that it was posted again. */
  reposts: number;
}

class RedisExecutor implements Executor {
  readonly sharesMemory = false;
  /** Threads of all workers, when last looked at. */
  workers = 1;

  private readonly connection: RedisConnection;
  private readonly queue: Queue;
  private readonly replies: Redis;
  private readonly keys: Keys;
  private readonly id = randomUUID();
  private readonly queueOption: string | undefined;
  private readonly version: string;
  private readonly seal: Seal;
  /** The fault of the last reply that could not be used. */
  private badReply: string | undefined;
  private readonly contexts = new WeakMap<object, Map<string, PostedContext>>();
  /** Paces by the hash of the context. */
  private readonly paces = new Map<string, Pace>();
  private readonly calls = new Set<Call>();
  private readonly bundles = new Map<string, Bundle>();
  private readonly timer: NodeJS.Timeout;
  private bundleCount = 0;
  private isLooking = false;
  /** When a worker was last seen, or somebody was told that there is none. */
  private seen = Date.now();
  private isPatient = firstCall;
  /** Why nothing goes any more. */
  private given: string | undefined;

  constructor(connection: RedisConnection, { queue, version = engineVersion, queuePassword }: RedisExecutorOptions) {
    this.seal = new Seal(queuePassword);
    this.connection = connection;
    this.queueOption = queue;
    this.version = version;
    this.keys = new Keys(queue);
    const { bullmq, client } = connection;
    this.queue = new bullmq.Queue(queueName, { connection: client, prefix: this.keys.prefix });
    this.queue.on("error", () => {});
    this.replies = connection.duplicate();
    connection.onLoss(({ message }) => this.giveUp(message));
    this.timer = setInterval(() => this.calls.size > 0 && this.look(), lookInterval);
    void this.listen();
  }

  async map<C, J, O>(kind: WorkKind<C, J, O>, data: C, jobs: readonly J[], options: MapOptions<O> = {}): Promise<O[]> {
    options.signal?.throwIfAborted();
    if (this.given !== undefined) throw new WorkError(kind.name, this.given, undefined, true);
    if (jobs.length === 0) return [];
    const context = this.contextOf(kind.name, data);
    const pace = this.paces.get(context.hash) ?? { ...firstPace };
    this.paces.set(context.hash, pace);
    const call = new Call(kind.name, context, jobs, pace, options as MapOptions<unknown>);
    this.calls.add(call);
    try {
      void this.begin(call);
      return (await call.outcomes) as O[];
    } finally {
      this.calls.delete(call);
      if (!call.isComplete) this.cancel(call);
      void this.pump();
    }
  }

  async prepare<C, J, O>(kind: WorkKind<C, J, O>, data: C): Promise<void> {
    await this.leave(this.contextOf(kind.name, data));
  }

  async close(): Promise<void> {
    if (this.given !== undefined) return;
    this.giveUp("the executor is closed");
    try {
      await this.connection.client.del(this.keys.replies(this.id));
    } finally {
      this.connection.close();
    }
  }

  /** Looks whether workers are there, and after bundles that take long. */
  async look(): Promise<void> {
    if (this.isLooking || this.given !== undefined || this.connection.client.status !== "ready") return;
    this.isLooking = true;
    try {
      await this.countWorkers();
      for (const call of this.calls) await this.leave(call.context);
      for (const bundle of [...this.bundles.values()]) await this.lookAfter(bundle);
      await this.pump();
    } catch {
      // the connection was cut, and is made again
    } finally {
      this.isLooking = false;
    }
  }

  private contextOf(kind: string, data: unknown): PostedContext {
    if (typeof data !== "object" || data === null) return postedContext(kind, data);
    const known = this.contexts.get(data) ?? new Map<string, PostedContext>();
    const context = known.get(kind) ?? postedContext(kind, data);
    this.contexts.set(data, known.set(kind, context));
    return context;
  }

  /** Leaves a context in Redis, if it is not there. */
  private async leave({ hash, bytes }: PostedContext): Promise<void> {
    const { client } = this.connection;
    const key = this.keys.context(hash);
    if ((await client.expire(key, keptSeconds)) === 1) return;
    await client.set(key, Buffer.from(bytes.buffer), "EX", keptSeconds);
  }

  private async begin(call: Call): Promise<void> {
    try {
      await this.leave(call.context);
      await this.pump();
    } catch (error) {
      call.fail((error as Error).message, { brokeDown: true });
    }
  }

  /** Fills the queue, oldest calls first. */
  private async pump(): Promise<void> {
    const room = (): number => Math.max(leastBundles, bundlesPerWorker * this.workers) - this.bundles.size;
    const fresh: Bundle[] = [];
    for (const call of this.calls) {
      while (room() > 0 && call.isWaiting) {
        const bundle = {
          id: `${this.id}-${this.bundleCount++}`,
          call,
          ...call.take(this.workers),
          missing: 0,
          reposts: 0,
        };
        this.bundles.set(bundle.id, bundle);
        fresh.push(bundle);
      }
    }
    if (fresh.length > 0) await this.post(fresh);
  }

  private async post(bundles: readonly Bundle[]): Promise<void> {
    const executor = this.id;
    try {
      await this.queue.addBulk(
        bundles.map(({ id, call, from, to }) => {
          const { kind, context, id: callId } = call;
          const jobs = call.posted(from, to);
          const post: Posted = { version: this.version, kind, context: context.hash, call: callId, executor, jobs };
          const data = signedPost(post, this.seal);
          return {
            name: kind,
            data,
            opts: {
              jobId: id,
              attempts,
              backoff: { type: "exponential", delay: 500 },
              removeOnComplete: true,
              removeOnFail: { age: keptSeconds },
            },
          };
        }),
      );
    } catch (error) {
      for (const { call } of bundles) call.fail((error as Error).message, { brokeDown: true });
    }
  }

  /** Replies, one after the other, until the connection ends. */
  private async listen(): Promise<void> {
    const list = this.keys.replies(this.id);
    while (this.given === undefined) {
      try {
        const found = await this.replies.blpopBuffer(list, 5);
        if (found) this.hear(found[1]);
      } catch {
        // a connection that was cut is made again, one that is lost is told of by another way
        if (this.given === undefined) await new Promise((resolve) => setTimeout(resolve, 100));
      }
    }
  }

  /** A reply that cannot be used is as good as none: its bundle is posted again, some times. */
  private hear(bytes: Buffer): void {
    try {
      const reply = replyOf(bytes, this.seal);
      const bundle = this.bundles.get(reply.id);
      if (!bundle) return;
      const { call, from, to } = bundle;
      if ("refusal" in reply) {
        const { refusal, job, brokeDown = false } = reply;
        this.bundles.delete(reply.id);
        call.fail(refusal, { job: job === undefined ? undefined : from + job, brokeDown });
      } else {
        const { length } = reply.outcomes;
        if (length !== to - from) throw new Error(`it has ${length} outcomes of ${to - from} jobs`);
        this.bundles.delete(reply.id);
        call.settle(from, to, reply.outcomes, reply.milliseconds);
      }
      void this.pump();
    } catch (error) {
      this.badReply = (error as Error).message;
    }
  }

  private async lookAfter(bundle: Bundle): Promise<void> {
    const { id, call } = bundle;
    const state = await this.queue.getJobState(id);
    if (!this.bundles.has(id)) return;
    if (state === "failed") {
      const job = await this.queue.getJob(id);
      this.bundles.delete(id);
      call.fail(job?.failedReason ?? "it failed", { brokeDown: true });
    } else if (state !== "unknown" && state !== "completed") bundle.missing = 0;
    else if (++bundle.missing > 1) {
      // its reply would have come by now: Redis has lost the one or the other
      this.bundles.delete(id);
      if (bundle.reposts === mostReposts) return call.fail(this.lossOf(bundle), { brokeDown: true });
      const reposts = bundle.reposts + 1;
      const again = { ...bundle, id: `${this.id}-${this.bundleCount++}`, missing: 0, reposts };
      this.bundles.set(again.id, again);
      await this.leave(call.context);
      await this.post([again]);
    }
  }

  private lossOf({ from, to }: Bundle): string {
    const reply =
      this.badReply === undefined
        ? "Redis lost it, or its worker did not reply"
        : `the last reply could not be used: ${this.badReply}`;
    return `jobs ${from} to ${to - 1} were posted ${mostReposts + 1} times and have no outcome; ${reply}`;
  }

  private async countWorkers(): Promise<void> {
    let threads = 0;
    try {
      for (const { rawname } of await this.queue.getWorkers()) threads += threadsOf(rawname);
    } catch {
      // a Redis that does not list its clients
      return;
    }
    this.workers = Math.max(1, threads);
    if (threads > 0 || this.calls.size === 0) {
      this.seen = Date.now();
      this.isPatient = firstCall;
    } else if (Date.now() - this.seen > 1000 * this.isPatient) {
      const { text } = this.connection.address;
      const where = this.queueOption === undefined ? "" : ` --queue ${this.queueOption}`;
      this.connection.say(`no worker listens: on each machine, start dojo worker --redis ${text}${where}`);
      this.seen = Date.now();
      this.isPatient = nextCall;
    }
  }

  /** Takes what is left of a call from the queue; workers that are at it leave it. */
  private cancel(call: Call): void {
    const own = [...this.bundles.values()].filter((bundle) => bundle.call === call);
    for (const { id } of own) this.bundles.delete(id);
    if (this.connection.client.status !== "ready" || own.length === 0) return;
    this.connection.client.set(this.keys.cancelled(call.id), "1", "EX", keptSeconds).catch(() => {});
    for (const { id } of own) this.queue.remove(id).catch(() => {});
  }

  private giveUp(message: string): void {
    if (this.given !== undefined) return;
    this.given = message;
    clearInterval(this.timer);
    for (const call of this.calls) call.fail(message, { brokeDown: true });
    this.replies.disconnect();
  }
}
