/** A queue whose jobs never end, whose replies are wrong, or to which somebody writes who may not. */
import { Queue, Worker } from "bullmq";
import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { threadExecutor } from "../../src/index.ts";
import { type RedisWorkerOptions, redisExecutor, serveRedis } from "../../src/node/index.ts";
import { keptSeconds, type Posted, replyBytes } from "../../src/node/redis/post.ts";
import { Seal } from "../../src/node/redis/seal.ts";
import { sums, toyKinds, waits } from "../work/toyKinds.ts";
import { toyThreads } from "../work/toyThreads.ts";
import { hasRedis, RedisServer } from "./redisServer.ts";

test.skipIf(hasRedis)("no redis-server here: work on many machines is not tested", () => {});

const endless = 1e9;
const context = { factor: 2 };
const vectors = [Float64Array.of(1, 2), Float64Array.of(3)];
const outcomes = [6, 6];

let threads: Awaited<ReturnType<typeof toyThreads>>;
beforeAll(async () => {
  threads = await toyThreads();
});
afterAll(() => threads.remove());

test("a thread whose job takes longer than the limit is replaced, and the call rejects with the job", async () => {
  const executor = threadExecutor({ workers: 1, worker: threads.worker, jobLimit: 1 });
  await executor.prepare(waits, null);
  const refused = expect(executor.map(waits, null, [1, endless, 1])).rejects.toThrow(
    "waits: job 1: it took longer than 1 s, the limit of a job here",
  );
  const others = executor.map(sums, context, vectors);
  await refused;
  expect((await others).map(({ sum }) => sum)).toEqual(outcomes);
  await executor.close();
  expect(() => threadExecutor({ jobLimit: 0 })).toThrow("out-of-range at jobLimit");
});

describe.skipIf(!hasRedis).concurrent("a queue", () => {
  let server: RedisServer;
  beforeAll(async () => {
    server = await RedisServer.start();
  });
  afterAll(() => server?.remove());

  const serve = (queue: string, options: Partial<RedisWorkerOptions>) =>
    serveRedis({ url: server.url, queue, kinds: toyKinds, workers: 1, worker: threads.worker, ...options });
  const ask = (queue: string, queuePassword?: string) => redisExecutor({ url: server.url, queue, queuePassword });

  test("has a worker with a limit of time, which lives on", async () => {
    const worker = await serve("time", { jobLimit: 1 });
    const executor = await ask("time");
    await expect(executor.map(waits, null, [endless])).rejects.toThrow(/job 0: it took longer than 1 s/);
    expect((await executor.map(sums, context, vectors)).map(({ sum }) => sum)).toEqual(outcomes);
    await executor.close();
    await worker.close();
  });

  test("has a worker with a limit of memory, which replaces its threads", async () => {
    const worker = await serve("memory", { memoryLimit: 1 });
    const executor = await ask("memory");
    await expect(executor.map(waits, null, [endless])).rejects.toThrow(/grew beyond its limit of 1 MB/);
    await executor.close();
    await worker.close();
  });

  /** A worker that is not ours: `answer` makes the bytes of a reply. */
  function stranger(queue: string, answer: (id: string, post: Posted, times: number) => Buffer): Worker {
    const client = new Redis(server.port, { maxRetriesPerRequest: null });
    let times = 0;
    const work = async ({ id = "", data }: { id?: string; data: Posted }): Promise<void> => {
      const list = `dojo:${queue}:replies:${data.executor}`;
      await client
        .multi()
        .rpush(list, answer(id, data, times++))
        .expire(list, keptSeconds)
        .exec();
    };
    client.on("error", () => {});
    const worker = new Worker("work", work, { connection: { port: server.port }, prefix: `dojo:${queue}` });
    return worker.on("error", () => {}).on("closed", () => client.disconnect());
  }
  const open = new Seal("");
  const right = outcomes.map((sum) => ({ sum }));

  test("asks again for replies that cannot be used", async () => {
    const worker = stranger("again", (id, _, times) => {
      if (times === 0) return Buffer.from("neither");
      if (times === 1) return replyBytes({ id } as never, open);
      return replyBytes({ id, outcomes: [right[0]], milliseconds: 1 }, open);
    });
    const executor = await ask("again");
    expect(await executor.map(sums, context, [vectors[0]])).toEqual([right[0]]);
    await executor.close();
    await worker.close();
  });

  test("gives up after six of them, and says why", async () => {
    const worker = stranger("never", (id) => replyBytes({ id, outcomes: [], milliseconds: 1 }, open));
    const executor = await ask("never");
    await expect(executor.map(sums, context, [vectors[0]])).rejects.toThrow(
      /jobs 0 to 0 were posted 6 times and have no outcome; .*it has 0 outcomes of 1 jobs/,
    );
    await executor.close();
    await worker.close();
  });

  test("takes no context but the one that was posted", async () => {
    const worker = await serve("context", {});
    const executor = await ask("context");
    const client = new Redis(server.port);
    await executor.prepare(sums, context);
    const [key] = await client.keys("dojo:context:context:*");
    await client.set(key, "another");
    await expect(executor.map(sums, context, vectors)).rejects.toThrow("not the one that was posted");
    client.disconnect();
    await executor.close();
    await worker.close();
  });

  test("has workers that write to no other list, whatever a post names", async () => {
    const worker = await serve("keys", {});
    const queue = new Queue("work", { connection: { port: server.port }, prefix: "dojo:keys" });
    const { version } = await import("../../src/index.ts");
    const data = { version, kind: "none", context: "x", call: "x", executor: "x:../../victim", jobs: "" };
    const { id } = await queue.add("none", data, { attempts: 1 });
    let job = await queue.getJob(id as string);
    while (job?.failedReason === undefined) job = await queue.getJob(id as string);
    expect(job.failedReason).toMatch(/refuses it: the post names no executor/);
    const client = new Redis(server.port);
    expect(await client.keys("*victim*")).toEqual([]);
    client.disconnect();
    await queue.close();
    await worker.close();
  });

  test("with a password takes signed work alone, and signed replies", async () => {
    const worker = await serve("signed", { queuePassword: "ours" });
    const own = await ask("signed", "ours");
    expect((await own.map(sums, context, vectors)).map(({ sum }) => sum)).toEqual(outcomes);
    for (const password of [undefined, "theirs"]) {
      const other = await ask("signed", password);
      await expect(other.map(sums, context, vectors)).rejects.toThrow(/refuses it: .*not signed with this queue's/);
      await other.close();
    }
    await own.close();
    await worker.close();
    const forger = stranger("forged", (id) => replyBytes({ id, outcomes: right, milliseconds: 1 }, open));
    const careful = await ask("forged", "ours");
    await expect(careful.map(sums, context, vectors)).rejects.toThrow(/not signed with this queue's password/);
    await careful.close();
    await forger.close();
  });
});
