/**
 * Work on many machines, with a real Redis and workers that are processes: whatever dies on the way, outcomes have the bits of one thread.
 */
import type { ChildProcess } from "node:child_process";
import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Executor, mapRollouts, RolloutError, RolloutPool, type RolloutProgress } from "../../src/index.ts";
import { executorOf } from "../../src/node/index.ts";
import { dojoProcessJson } from "../cli/runCli.ts";
import { alone, jobsOf, mechanism, password, start, startWorker } from "./machines.ts";
import { hasRedis, RedisServer } from "./redisServer.ts";

test.skipIf(hasRedis)("no redis-server here: work on many machines is not tested", () => {});

describe.skipIf(!hasRedis)("many machines", () => {
  let server: RedisServer;
  const workers: ChildProcess[] = [];
  beforeAll(async () => {
    process.env.DOJO_REDIS_PASSWORD = password;
    server = await RedisServer.start(["--requirepass", password]);
    workers.push(...(await Promise.all([startWorker(server.url), startWorker(server.url)])));
  });
  afterAll(async () => {
    for (const child of workers) child.kill("SIGKILL");
    await server?.remove();
    delete process.env.DOJO_REDIS_PASSWORD;
  });

  async function withExecutor<T>(
    use: (executor: Executor, messages: string[]) => Promise<T>,
    options: Parameters<typeof executorOf>[0] = {},
  ): Promise<T> {
    const messages: string[] = [];
    const onMessage = (text: string) => messages.push(text);
    const executor = await executorOf({ redis: server.url, onMessage, ...options });
    try {
      return await use(executor, messages);
    } finally {
      await executor.close();
    }
  }

  test("give the bits of one thread, in order, and leave no jobs behind", async () => {
    const jobs = jobsOf(200, 20);
    await withExecutor(async (executor) => {
      expect(executor.workers).toBe(2);
      expect(await mapRollouts(mechanism, jobs, { executor })).toEqual(alone(jobs));
      const pool = new RolloutPool(mechanism, { executor });
      const { states } = await pool.run({ steps: 20, starts: start, inputs: jobs[0].inputs as Float64Array });
      expect(states).toEqual(alone([{ ...jobs[0], keep: "final" }])[0].states);
      await pool.close();
      const unknown = { ...jobs[1], parameters: { "bodies.nothing.mass": 1 } };
      const refused = mapRollouts(mechanism, [jobs[0], unknown], { executor });
      await expect(refused).rejects.toThrow(/^rollouts: job 1: unknown-parameter/);
      await expect(refused).rejects.toBeInstanceOf(RolloutError);
    });
    // jobs are named by their executor's id, a UUID; a worker removes them after it has replied
    const keysOfJobs = async () => (await withPassword("KEYS", "dojo:*")).match(/dojo:default:work:[0-9a-f]{8}-\S+/g);
    while ((await keysOfJobs()) !== null) await setTimeout(20);
    expect(await withPassword("KEYS", "dojo:*")).toContain("dojo:default:context:");
  });

  /** An answer of the server to somebody who knows the password. */
  async function withPassword(...words: string[]): Promise<string> {
    return server.ask(["AUTH", password], words);
  }

  test("lose nothing when a worker is killed in mid-work, and when connections are cut", async () => {
    const jobs = jobsOf(300, 200);
    await withExecutor(async (executor) => {
      let cut: Promise<string> | undefined;
      // as soon as it is heard: most of the jobs are not even posted by then
      const onProgress = ({ done }: RolloutProgress): void => {
        if (done === 20) workers[0].kill("SIGKILL");
        if (done === 60) cut = withPassword("CLIENT", "KILL", "TYPE", "normal");
      };
      expect(await mapRollouts(mechanism, jobs, { executor, onProgress })).toEqual(alone(jobs));
      expect(await cut).toMatch(/:[1-9]/);
    });
  });

  test("lose nothing when Redis is restarted and has forgotten everything", async () => {
    const jobs = jobsOf(200, 150, 4);
    await withExecutor(async (executor, messages) => {
      let restarted: Promise<void> | undefined;
      const restart = async (): Promise<void> => {
        await server.stop();
        await setTimeout(200);
        await server.start();
      };
      // as soon as it is heard: most of the jobs are not even posted by then
      const onProgress = ({ done }: RolloutProgress): void => {
        if (done === 20) restarted = restart();
      };
      expect(await mapRollouts(mechanism, jobs, { executor, onProgress })).toEqual(alone(jobs));
      await restarted;
      expect(messages[0]).toMatch(/^Redis at redis:\/\/127\.0\.0\.1:\d+ is away \(.*\): trying again for 60 s$/);
      expect(messages[1]).toMatch(/is there again$/);
      expect(messages.join()).not.toContain(password);
    });
  });

  test("refuse work of another version, by name", async () => {
    await withExecutor(
      async (executor) => {
        await expect(mapRollouts(mechanism, jobsOf(3, 2), { executor })).rejects.toThrow(
          /^rollouts: the worker .* has dojo-sim \d+\.\d+\.\d+, and refuses work of 9\.9\.9: install the same version on both$/,
        );
      },
      { version: "9.9.9" },
    );
  });

  test("train the policies that one thread trains, to the bit", async () => {
    const args = ["train", "cartpole", "--method", "ars", "--updates", "3", "--starts", "4"];
    const train = async (...how: string[]) => {
      const { seeds } = await dojoProcessJson<{ seeds: { seconds: number }[] }>([...args, ...how]);
      return seeds.map(({ seconds: _, ...rest }) => rest);
    };
    expect(await train("--redis", server.url)).toEqual(await train("--workers", "1"));
  });

  test("a worker ends when it is told to, with its work done", async () => {
    const worker = workers[1];
    const ended = new Promise<number | null>((resolve) => worker.once("exit", resolve));
    worker.kill("SIGTERM");
    expect(await ended).toBe(0);
  });
});
