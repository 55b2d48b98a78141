/**
 * A connection to Redis that says when it is away, waits for it for a while, and then ends. Packages for it are loaded when first asked
 * for: users of one machine need not have them.
 */
import type { Redis } from "ioredis";
import {
  parseAddress,
  passwordVariable,
  type RedisAddress,
  type RedisConnectionOptions,
  RedisError,
} from "./address.ts";

/** Milliseconds between attempts to connect, at first and at most. */
const [shortestPause, longestPause] = [100, 2000];

const refusals = /^(WRONGPASS|NOAUTH|NOPERM)|invalid (username-password pair|password)/;

interface Packages {
  readonly bullmq: typeof import("bullmq");
  readonly Redis: typeof Redis;
}

/** Both packages, or what to do without them. */
async function packages(): Promise<Packages> {
  try {
    // awaited one by one: bundlers then know that the packages may be missing, and leave them to this program's run
    const bullmq = await import("bullmq");
    const ioredis = await import("ioredis");
    return { bullmq, Redis: ioredis.Redis };
  } catch (error) {
    const { code } = error as { code?: string };
    if (code !== "ERR_MODULE_NOT_FOUND" && code !== "MODULE_NOT_FOUND") throw error;
    throw new RedisError("work on many machines needs two more packages: npm install bullmq ioredis");
  }
}

export class RedisConnection {
  readonly client: Redis;
  readonly bullmq: Packages["bullmq"];
  readonly address: RedisAddress;

  private readonly patience: number;
  private readonly tell: (text: string) => void;
  /** Why it cannot be used any more. */
  private fault: RedisError | undefined;
  private closed = false;
  private isAway = false;
  private timer: NodeJS.Timeout | undefined;
  private readonly losses: ((fault: RedisError) => void)[] = [];

  private constructor(
    { bullmq, Redis }: Packages,
    { url, patience = 60, onMessage = () => {} }: RedisConnectionOptions,
  ) {
    const { text: _, ...address } = parseAddress(url);
    this.address = parseAddress(url);
    this.bullmq = bullmq;
    this.patience = patience;
    this.tell = (text) => onMessage(this.withoutPassword(text));
    this.client = new Redis({
      ...address,
      lazyConnect: true,
      // commands wait until Redis is back, or all is given up
      maxRetriesPerRequest: null,
      keepAlive: 10_000,
      retryStrategy: (times) =>
        this.fault || this.closed ? null : Math.min(shortestPause * 2 ** (times - 1), longestPause),
    });
    let reason = "it closed the connection";
    this.client.on("error", (error: Error) => {
      reason = error.message || String((error as { code?: string }).code);
      if (refusals.test(reason)) this.lose(`refuses the password (${reason}): set ${passwordVariable}`);
    });
    this.client.on("close", () => this.hearAway(reason));
    this.client.on("ready", () => this.hearBack());
  }

  /** Rejects with a RedisError where it cannot be reached. */
  static async open(options: RedisConnectionOptions): Promise<RedisConnection> {
    const connection = new RedisConnection(await packages(), options);
    connection.client.connect().catch(() => {});
    await new Promise<void>((resolve, reject) => {
      connection.client.once("ready", resolve);
      connection.onLoss(reject);
    });
    return connection;
  }

  /** Another connection to the same Redis, for commands that block. */
  duplicate(): Redis {
    const other = this.client.duplicate();
    // what is wrong with Redis is heard by the first connection
    other.on("error", () => {});
    other.connect().catch(() => {});
    return other;
  }

  /** Calls the listener when the connection is lost for good. */
  onLoss(listener: (fault: RedisError) => void): void {
    if (this.fault) listener(this.fault);
    else this.losses.push(listener);
  }

  say(text: string): void {
    this.tell(text);
  }

  close(): void {
    this.closed = true;
    clearTimeout(this.timer);
    this.client.disconnect();
  }

  private hearAway(reason: string): void {
    if (this.closed || this.fault || this.isAway) return;
    this.isAway = true;
    this.tell(`Redis at ${this.address.text} is away (${reason}): trying again for ${this.patience} s`);
    this.timer = setTimeout(
      () => this.lose(`did not come back within ${this.patience} s (${reason})`),
      1000 * this.patience,
    );
  }

  private hearBack(): void {
    clearTimeout(this.timer);
    if (this.isAway) this.tell(`Redis at ${this.address.text} is there again`);
    this.isAway = false;
  }

  private lose(why: string): void {
    if (this.fault || this.closed) return;
    this.fault = new RedisError(this.withoutPassword(`Redis at ${this.address.text} ${why}`));
    clearTimeout(this.timer);
    this.client.disconnect();
    for (const listener of this.losses) listener(this.fault);
  }

  private withoutPassword(text: string): string {
    const { password } = this.address;
    return password === undefined ? text : text.replaceAll(password, "…");
  }
}
