/**
 * A worker of a queue in Redis: takes bundles of jobs, has its threads do them, and replies. The threads compute; this thread renews the
 * locks of what they are at, however long that takes. What comes from Redis is data: contexts and jobs of kinds that this worker knows.
 */
import { hostname } from "node:os";
import type { Job, Worker } from "bullmq";
import {
  type AnyWorkKind,
  type Executor,
  version as engineVersion,
  type ThreadExecutorOptions,
  threadExecutor,
  WorkError,
  workKinds,
} from "../../index.ts";
import type { RedisError } from "./address.ts";
import { RedisConnection } from "./connection.ts";
import { decode } from "./encoding.ts";
import {
  hashOf,
  jobsOf,
  Keys,
  keptSeconds,
  type Posted,
  queueName,
  type Reply,
  replyBytes,
  requirePost,
  workerName,
} from "./post.ts";
import type { RedisExecutorOptions } from "./redisExecutor.ts";
import { Seal } from "./seal.ts";

export interface RedisWorkerOptions extends RedisExecutorOptions, ThreadExecutorOptions {
  /** Seconds that it may be silent before its work is given to others. Default 10. */
  readonly lock?: number | undefined;
  /** What it can do: what the script of its threads knows. Default the package's. */
  readonly kinds?: readonly AnyWorkKind[] | undefined;
  /**
   * Megabytes that the process may take. Above them its threads are replaced and their bundles tried again, here or elsewhere, three times in
   * all. Default none.
   */
  readonly memoryLimit?: number | undefined;
}

export interface RedisWorker {
  /** Threads that compute. */
  readonly threads: number;
  /** Where it listens, for messages. */
  readonly address: string;
  /** Jobs done so far. */
  readonly done: number;
  /** When Redis is lost for good; never, if it is not. */
  readonly lost: Promise<RedisError>;
  /** Ends when what it is at is done; with `true`, at once: what it is at is then done by others. */
  close(atOnce?: boolean): Promise<void>;
}

/** Milliseconds between looks whether long work is still wanted. */
const lookInterval = 1000;
/** Workers that may die with a bundle before it is given up; BullMQ's default is one. */
const mostStalls = 5;
/** Contexts that are kept. */
const keptContexts = 8;

/** Connects and listens; rejects with a `RedisError` where Redis cannot be reached. */
export async function serveRedis(options: RedisWorkerOptions): Promise<RedisWorker> {
  const serving = new ServingWorker(await RedisConnection.open(options), options);
  await serving.listening();
  return serving;
}

class ServingWorker implements RedisWorker {
  readonly threads: number;
  readonly address: string;
  readonly lost: Promise<RedisError>;
  done = 0;

  private readonly connection: RedisConnection;
  private executor: Executor;
  private readonly makeExecutor: () => Executor;
  private readonly memoryLimit: number;
  private readonly memoryTimer: NodeJS.Timeout;
  private readonly worker: Worker;
  private readonly keys: Keys;
  private readonly seal: Seal;
  private readonly version: string;
  private readonly kinds: readonly AnyWorkKind[];
  /** Contexts by their hash, in the order in which they came. */
  private readonly contexts = new Map<string, Promise<unknown>>();

  constructor(connection: RedisConnection, options: RedisWorkerOptions) {
    const { queue, version = engineVersion, lock = 10, kinds = workKinds, queuePassword } = options;
    const { workers, worker, jobLimit, memoryLimit = Number.POSITIVE_INFINITY } = options;
    this.seal = new Seal(queuePassword);
    this.connection = connection;
    this.address = connection.address.text;
    this.keys = new Keys(queue);
    this.version = version;
    this.kinds = kinds;
    this.makeExecutor = () => threadExecutor({ workers, worker, jobLimit });
    this.executor = this.makeExecutor();
    this.memoryLimit = memoryLimit;
    this.memoryTimer = setInterval(() => this.limitMemory(), lookInterval);
    this.memoryTimer.unref();
    this.threads = this.executor.workers;
    this.lost = new Promise((resolve) => connection.onLoss(resolve));
    this.worker = new connection.bullmq.Worker(queueName, (job) => this.work(job), {
      connection: connection.client,
      prefix: this.keys.prefix,
      name: workerName(hostname(), process.pid, this.threads),
      // one more than there are threads, so that none waits for the next bundle
      concurrency: this.threads + 1,
      lockDuration: 1000 * lock,
      stalledInterval: 1000 * lock,
      maxStalledCount: mostStalls,
    });
    this.worker.on("error", () => {});
  }

  /** When those who ask can see it. */
  async listening(): Promise<void> {
    await Promise.race([this.worker.waitUntilReady(), this.lost]);
  }

  /** Starts with fresh threads where the old ones have grown too large. */
  private limitMemory(): void {
    if (process.memoryUsage.rss() <= this.memoryLimit * 1e6) return;
    const old = this.executor;
    this.executor = this.makeExecutor();
    void old.close();
  }

  async close(atOnce = false): Promise<void> {
    clearInterval(this.memoryTimer);
    if (atOnce) {
      this.connection.close();
      await Promise.all([this.executor.close(), this.worker.close(true)]);
    } else {
      await this.worker.close();
      await this.executor.close();
      this.connection.close();
    }
  }

  /** What it throws is tried again, here or elsewhere, if it is recoverable; what nobody can do is replied. */
  private async work(job: Job<Posted>): Promise<void> {
    const { data, id = "" } = job;
    const kind = this.kinds.find(({ name }) => name === data.kind);
    const me = `the worker ${workerName(hostname(), process.pid, this.threads)}`;
    const { UnrecoverableError } = this.connection.bullmq;
    if (data.version !== this.version) {
      const refusal = `${me} has dojo-sim ${this.version}, and refuses work of ${data.version}: install the same version on both`;
      throw new UnrecoverableError(refusal);
    }
    try {
      requirePost(data, this.seal);
    } catch (error) {
      throw new UnrecoverableError(`${me} refuses it: ${(error as Error).message}`);
    }
    if (!kind) return this.reply(data, { id, refusal: `${me} does not know this kind of work` });
    const context = await this.contextOf(data);
    const cancelling = new AbortController();
    const timer = setInterval(() => this.lookAfter(data, cancelling), lookInterval);
    const { executor } = this;
    try {
      // not a part of the time that jobs take
      await executor.prepare(kind, context);
      const begin = performance.now();
      const outcomes = await executor.map(kind, context, jobsOf(data), { signal: cancelling.signal });
      this.done += outcomes.length;
      await this.reply(data, { id, outcomes, milliseconds: performance.now() - begin });
    } catch (error) {
      if (cancelling.signal.aborted) return;
      if (!(error instanceof WorkError)) throw error;
      const { job: at, brokeDown } = error;
      const grewTooLarge = executor !== this.executor;
      const reason = grewTooLarge ? `${me} grew beyond its limit of ${this.memoryLimit} MB` : error.reason;
      const isLast = job.attemptsMade + 1 >= (job.opts.attempts ?? 1);
      if (!brokeDown || isLast) await this.reply(data, { id, refusal: reason, job: at, brokeDown });
      if (brokeDown) throw new Error(reason);
    } finally {
      clearInterval(timer);
    }
  }

  private async lookAfter({ call }: Posted, cancelling: AbortController): Promise<void> {
    const { client } = this.connection;
    if (client.status !== "ready") return;
    const isCancelled = await client.exists(this.keys.cancelled(call)).catch(() => 0);
    if (isCancelled === 1) cancelling.abort();
  }

  /** The same object each time, so that threads have it once. */
  private contextOf({ kind, context: hash }: Posted): Promise<unknown> {
    const known = this.contexts.get(hash);
    if (known) return known;
    const fetched = this.fetch(kind, hash);
    this.contexts.set(hash, fetched);
    fetched.catch(() => this.contexts.delete(hash));
    if (this.contexts.size > keptContexts) this.contexts.delete([...this.contexts.keys()][0]);
    return fetched;
  }

  private async fetch(kind: string, hash: string): Promise<unknown> {
    const bytes = await this.connection.client.getBuffer(this.keys.context(hash));
    if (!bytes) throw new Error("its context is not in Redis any more");
    if (hashOf(bytes) !== hash) throw new Error("its context is not the one that was posted");
    const context = decode(bytes) as { readonly kind: string; readonly data: unknown };
    if (context.kind !== kind) throw new Error("its context is one of another kind of work");
    return context.data;
  }

  private async reply({ executor }: Posted, reply: Reply): Promise<void> {
    let bytes: Buffer;
    try {
      bytes = replyBytes(reply, this.seal);
    } catch (error) {
      // an outcome that is no plain data is the fault of its kind
      bytes = replyBytes({ id: reply.id, refusal: (error as Error).message }, this.seal);
    }
    const list = this.keys.replies(executor);
    await this.connection.client.multi().rpush(list, bytes).expire(list, keptSeconds).exec();
  }
}
