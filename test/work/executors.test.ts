/** What every executor promises, as a table over all of them. */
import { getEventListeners } from "node:events";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Executor, inlineExecutor, threadExecutor, WorkError, type WorkKind } from "../../src/index.ts";
import { redisExecutor, serveRedis } from "../../src/node/index.ts";
import { hasRedis, RedisServer } from "../redis/redisServer.ts";
import { deadly, preparations, sums, toyKinds, waits } from "./toyKinds.ts";
import { toyThreads } from "./toyThreads.ts";

let threads: Awaited<ReturnType<typeof toyThreads>>;
beforeAll(async () => {
  threads = await toyThreads();
});
afterAll(() => threads.remove());

interface Made {
  readonly executor: Executor;
  /** Of what is left when the executor is closed. */
  readonly remove: () => Promise<void>;
}

const makers: Readonly<Record<string, () => Promise<Made>>> = {
  inline: async () => ({ executor: inlineExecutor(), remove: async () => {} }),
  threads: async () => ({
    executor: threadExecutor({ workers: 2, worker: threads.worker }),
    remove: async () => {},
  }),
  ...(hasRedis && {
    redis: async () => {
      const server = await RedisServer.start();
      const worker = await serveRedis({ url: server.url, kinds: toyKinds, workers: 2, worker: threads.worker });
      const executor = await redisExecutor({ url: server.url });
      return {
        executor,
        remove: async () => {
          await worker.close();
          await server.remove();
        },
      };
    },
  }),
};

const vectors = Array.from({ length: 150 }, (_, i) => Float64Array.of(i, 0.1 * i, -0, Number.NaN * (i % 2)));
const context = { factor: 1 / 3 };

test.skipIf(hasRedis)("no redis-server here: work on many machines is not tested", () => {});

describe.each(Object.keys(makers))("the executor %s", (name) => {
  let made: Made;
  let executor: Executor;
  beforeAll(async () => {
    made = await makers[name]();
    executor = made.executor;
  });
  afterAll(async () => {
    await executor.close();
    await made.remove();
  });

  test("gives outcomes in the order of jobs, to the bit, and says how far it is", async () => {
    expect(executor.workers).toBe(name === "inline" ? 1 : 2);
    const run = sums.prepare(context);
    const seen: number[] = [];
    const found = await executor.map(sums, context, vectors, {
      onProgress: (done, total, job, { own }) => {
        expect([done, total]).toEqual([seen.length + 1, vectors.length]);
        expect(own).toEqual(vectors[job]);
        seen.push(job);
      },
    });
    expect(found).toEqual(vectors.map((vector) => run(vector)));
    expect(Object.is(found[0].own[2], -0)).toBe(true);
    expect(seen.sort((a, b) => a - b)).toEqual(vectors.map((_, i) => i));
    expect(await executor.map(sums, context, [])).toEqual([]);
  });

  test("makes a context ready once per worker, and several at a time", async () => {
    const [one, two] = [{ name: "one" }, { name: "two" }];
    await executor.prepare(preparations, one);
    await executor.prepare(preparations, two);
    const jobs = Array.from({ length: 40 }, (_, i) => i);
    for (let round = 0; round < 3; round++) {
      const [first, second] = await Promise.all([
        executor.map(preparations, one, jobs),
        executor.map(preparations, two, jobs),
      ]);
      expect([new Set(first), new Set(second)]).toEqual([new Set([1]), new Set([2])]);
    }
  });

  test("keeps the last contexts only, and takes others again", async () => {
    const many = Array.from({ length: 20 }, (_, i) => ({ factor: i + 1 }));
    for (const each of [...many, ...many]) {
      const [{ sum }] = await executor.map(sums, each, [Float64Array.of(2)]);
      expect(sum).toBe(2 * each.factor);
    }
  });

  test("names the job that cannot be begun, and lives on", async () => {
    const jobs = [...vectors];
    jobs[77] = new Float64Array();
    const error = await executor.map(sums, context, jobs).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(WorkError);
    expect(error).toMatchObject({ job: 77, message: "sums: job 77: there is nothing to add", brokeDown: false });
    expect(await executor.map(sums, context, vectors.slice(0, 1))).toHaveLength(1);
  });

  test("says why a context cannot be prepared, to those who wait for it too", async () => {
    const wrong = { factor: 0 };
    const message = "sums: the context cannot be prepared: a factor of 0 makes nothing";
    await expect(executor.map(sums, wrong, vectors)).rejects.toThrow(message);
    if (name !== "redis") await expect(executor.prepare(sums, wrong)).rejects.toThrow(message);
  });

  test.skipIf(name === "inline")("says that a kind of work is not known", async () => {
    const unknown: WorkKind<null, number, number> = { name: "unknown", prepare: () => (job) => job };
    await expect(executor.map(unknown, null, [1])).rejects.toThrow(/^unknown: .*does not know/);
  });

  test.skipIf(name === "inline")("leaves work that is aborted, and leaves no listener", async () => {
    const controller = new AbortController();
    const { signal } = controller;
    const endless = executor.map(waits, null, [1e9, 1e9, 1e9, 1e9], { signal });
    expect(getEventListeners(signal, "abort").length).toBe(1);
    setTimeout(() => controller.abort(new Error("enough")), 50);
    await expect(endless).rejects.toThrow("enough");
    expect(getEventListeners(signal, "abort").length).toBe(0);
    // workers have left it, or this would wait for them
    expect(await executor.map(waits, null, [1, 1, 1, 1])).toEqual([1, 1, 1, 1]);
    await expect(executor.map(waits, null, [1], { signal })).rejects.toThrow("enough");
  });

  test("is ended by what its listener throws", async () => {
    const onProgress = (): void => {
      throw new Error("no room");
    };
    await expect(executor.map(sums, context, vectors, { onProgress })).rejects.toThrow("no room");
  });

  test.skipIf(name === "inline")("gives up a context that ends its workers, and lives on", async () => {
    const error = await executor.map(deadly, { code: 9 }, [1, 2]).catch((reason: unknown) => reason);
    expect(error).toMatchObject({
      message: "deadly: 2 workers ended while they prepared the context, the last because it left with exit code 9",
      brokeDown: true,
    });
    expect(await executor.map(sums, context, vectors.slice(0, 2))).toHaveLength(2);
  });

  test("is closed for good", async () => {
    const last = (await makers[name === "redis" ? "inline" : name]()).executor;
    const closed = name === "redis" ? executor : last;
    await closed.close();
    await expect(closed.map(sums, context, vectors)).rejects.toThrow("sums: the executor is closed");
    await closed.close();
  });
});

test.skipIf(!hasRedis)("work that takes longer than a lock keeps it, and is done once", async () => {
  const server = await RedisServer.start();
  // renewed twice in its length, so that a machine that is busy for a second does not lose it
  const lock = 2;
  const worker = await serveRedis({ url: server.url, kinds: toyKinds, workers: 1, worker: threads.worker, lock });
  const executor = await redisExecutor({ url: server.url });
  // a lock that ran out would be noticed within another of its length, and the job done again by the next thread that is free
  expect(await executor.map(waits, null, [5000])).toEqual([5000]);
  await executor.close();
  await worker.close();
  expect(worker.done).toBe(1);
  await server.remove();
});

test("work in this thread lets signals and timers have their turn", async () => {
  const executor = inlineExecutor();
  const signal = AbortSignal.timeout(40);
  await expect(executor.map(waits, null, new Array(1000).fill(10), { signal })).rejects.toThrow(/timeout/);
});
