/**
 * Work on many machines, with a real Redis and workers that are processes: whatever dies on the way, outcomes have the bits of one thread.
 */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  compile,
  type Executor,
  mapRollouts,
  models,
  Random,
  RolloutError,
  type RolloutJob,
  type RolloutOutcome,
  RolloutPool,
  runRollout,
  Simulation,
  startState,
} from "../../src/index.ts";
import { executorOf, RedisError, redisExecutor } from "../../src/node/index.ts";
import { buildCli, dojo, dojoJson } from "../cli/runCli.ts";
import { hasRedis, RedisServer } from "./redisServer.ts";

const mechanism = compile(models.pendulum());
const start = startState(mechanism);
const password = "not-to-be-shown";

/** Jobs with inputs and lengths of their own. */
function jobsOf(count: number, steps: number, seed = 3): RolloutJob[] {
  const random = new Random(seed);
  return Array.from({ length: count }, (_, i) => ({
    start,
    steps: steps + (i % 3),
    inputs: Float64Array.from({ length: (steps + (i % 3)) * mechanism.inputSize }, () => random.uniform(-1, 1)),
    keep: i % 2 === 0 ? ("all" as const) : ("final" as const),
  }));
}

function alone(jobs: readonly RolloutJob[]): RolloutOutcome[] {
  const simulation = new Simulation(mechanism);
  return jobs.map((job) => runRollout(simulation, job));
}

/** Seconds that a worker may be silent. */
const lock = 1;

async function startWorker(url: string, ...more: string[]): Promise<ChildProcess> {
  const args = [await buildCli(), "worker", "--redis", url, "--workers", "1", "--lock", String(lock), ...more];
  const child = spawn(process.execPath, args, { env: { ...process.env, DOJO_REDIS_PASSWORD: password } });
  await new Promise<void>((resolve, reject) => {
    child.stdout.once("data", () => resolve());
    child.stderr.once("data", (text) => reject(new Error(String(text))));
  });
  return child;
}

test.skipIf(hasRedis)("no redis-server here: work on many machines is not tested", () => {});

describe.skipIf(!hasRedis)("many machines", { timeout: 120_000 }, () => {
  let server: RedisServer;
  const workers: ChildProcess[] = [];
  beforeAll(async () => {
    process.env.DOJO_REDIS_PASSWORD = password;
    server = await RedisServer.start(["--requirepass", password]);
    workers.push(...(await Promise.all([startWorker(server.url), startWorker(server.url)])));
  }, 120_000);
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
    const keys = await withPassword("KEYS", "dojo:*");
    expect(keys).toContain("dojo:default:context:");
    // jobs are named by their executor's id, a UUID
    expect(keys).not.toMatch(/dojo:default:(work|replies):[0-9a-f]{8}-/);
  });

  /** An answer of the server to somebody who knows the password. */
  async function withPassword(...words: string[]): Promise<string> {
    return server.ask(["AUTH", password], words);
  }

  test("lose nothing when a worker is killed in mid-work, and when connections are cut", async () => {
    const jobs = jobsOf(300, 150);
    await withExecutor(async (executor) => {
      let done = 0;
      const outcomes = mapRollouts(mechanism, jobs, { executor, onProgress: (progress) => (done = progress.done) });
      while (done < 20) await setTimeout(5);
      workers[0].kill("SIGKILL");
      while (done < 60) await setTimeout(5);
      expect(await withPassword("CLIENT", "KILL", "TYPE", "normal")).toMatch(/:[1-9]/);
      expect(done).toBeLessThan(jobs.length);
      expect(await outcomes).toEqual(alone(jobs));
    });
  });

  test("lose nothing when Redis is restarted and has forgotten everything", async () => {
    const jobs = jobsOf(200, 150, 4);
    await withExecutor(async (executor, messages) => {
      let done = 0;
      const outcomes = mapRollouts(mechanism, jobs, { executor, onProgress: (progress) => (done = progress.done) });
      while (done < 20) await setTimeout(5);
      await server.stop();
      await setTimeout(200);
      await server.start();
      expect(await outcomes).toEqual(alone(jobs));
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

  test("say that nobody works, and wait", async () => {
    await withExecutor(
      async (executor, messages) => {
        const controller = new AbortController();
        const { signal } = controller;
        const waiting = mapRollouts(mechanism, jobsOf(3, 2), { executor, signal });
        while (messages.length === 0) await setTimeout(20);
        expect(messages[0]).toBe(
          `no worker listens: on each machine, start dojo worker --redis ${server.url} --queue empty`,
        );
        controller.abort(new Error("enough"));
        await expect(waiting).rejects.toThrow("enough");
      },
      { queue: "empty" },
    );
  });

  test("do not show a password that is refused, be it in the address or not", async () => {
    const wrong = "hunter2";
    for (const url of [server.url.replace("//", `//:${wrong}@`), server.url]) {
      process.env.DOJO_REDIS_PASSWORD = wrong;
      try {
        const error = await redisExecutor({ url }).catch((reason: unknown) => reason);
        expect(error).toBeInstanceOf(RedisError);
        expect((error as Error).message).toMatch(
          /^Redis at redis:\/\/127.* refuses the password \(WRONGPASS.*DOJO_REDIS_PASSWORD/,
        );
        expect((error as Error).message).not.toContain(wrong);
      } finally {
        process.env.DOJO_REDIS_PASSWORD = password;
      }
    }
    const { code, stdout, stderr } = await dojo(["worker", "--redis", server.url.replace("//", `//:${wrong}@`)]);
    expect(code).toBe(2);
    expect(stderr).toMatch(/refuses the password/);
    expect(stdout + stderr).not.toContain(wrong);
  });

  test("train the policies that one thread trains, to the bit", async () => {
    const args = ["train", "cartpole", "--method", "ars", "--updates", "3", "--starts", "4"];
    const train = async (...how: string[]) => {
      const { seeds } = await dojoJson<{ seeds: { seconds: number }[] }>([...args, ...how]);
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

  test("end when Redis stays away: the call, the worker, and a training, which keeps its checkpoint", async () => {
    const own = await RedisServer.start(["--requirepass", password]);
    const worker = await startWorker(own.url, "--patience", "1");
    let said = "";
    worker.stderr?.on("data", (text) => {
      said += text;
    });
    const ended = new Promise<number | null>((resolve) => worker.once("exit", resolve));
    const out = mkdtempSync(join(tmpdir(), "dojo-train-"));
    const args = ["train", "cartpole", "--method", "ars", "--updates", "10000", "--out", out];
    const training = dojo([...args, "--redis", own.url, "--patience", "1"]);
    while (readdirSync(out).length === 0) await setTimeout(20);
    const executor = await redisExecutor({ url: own.url, patience: 1 });
    const call = mapRollouts(mechanism, [{ start, steps: 1e7 }], { executor });
    const refused = expect(call).rejects.toThrow(/^rollouts: Redis at .* did not come back within 1 s/);
    await setTimeout(300);
    await own.remove();
    await refused;
    await expect(mapRollouts(mechanism, jobsOf(1, 1), { executor })).rejects.toThrow(/did not come back/);
    await executor.close();
    const { code, stderr } = await training;
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /is away.*trying again[\s\S]*did not come back within 1 s.*ended after 0 of 1 seeds; --out .* --resume goes on/,
    );
    expect(readdirSync(out)).toContain("cartpole-ars-network-1.training.json");
    rmSync(out, { recursive: true });
    expect(await ended).toBe(1);
    expect(said).toMatch(/is away[\s\S]*did not come back within 1 s/);
    const error = await redisExecutor({ url: own.url, patience: 0.2 }).catch((reason: unknown) => reason);
    expect((error as Error).message).toMatch(/did not come back within 0.2 s \(connect ECONNREFUSED/);
  });
});

const hasOpenssl = spawnSync("openssl", ["version"]).status === 0;
test.skipIf(hasRedis && hasOpenssl)(
  "no redis-server or no openssl here: encrypted connections are not tested",
  () => {},
);

test.skipIf(!hasRedis || !hasOpenssl)(
  "rediss:// is encrypted, and a certificate that nobody vouches for is refused",
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "dojo-tls-"));
    const [key, certificate] = [join(folder, "key.pem"), join(folder, "certificate.pem")];
    const made = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"];
    const names = ["-addext", "subjectAltName=DNS:localhost"];
    expect(spawnSync("openssl", [...made, ...names, "-keyout", key, "-out", certificate]).status).toBe(0);
    const server = await RedisServer.start(["--tls-cert-file", certificate, "--tls-key-file", key], { tls: true });
    try {
      const args = [await buildCli(), "worker", "--redis", `rediss://localhost:${server.port}`, "--patience", "1"];
      const child = spawn(process.execPath, args, { env: { ...process.env, NODE_EXTRA_CA_CERTS: certificate } });
      const said = await new Promise<string>((resolve) => {
        for (const stream of [child.stdout, child.stderr]) stream.once("data", (text) => resolve(String(text)));
      });
      child.kill();
      expect(said).toMatch(/listens? at rediss:\/\/localhost:\d+/);
      const { url, port } = { url: `rediss://localhost:${server.port}`, port: server.port };
      await expect(redisExecutor({ url, patience: 0.3 })).rejects.toThrow(
        /did not come back .*self-signed certificate/,
      );
      await expect(redisExecutor({ url: `redis://localhost:${port}`, patience: 0.3 })).rejects.toThrow(
        /did not come back/,
      );
    } finally {
      await server.remove();
      rmSync(folder, { recursive: true, force: true });
    }
  },
  60_000,
);

test("without the packages it says how to get them", async () => {
  // a Node that has neither
  const hooks = `export async function resolve(name, context, next) {
    if (!/^(bullmq|ioredis)$/.test(name)) return next(name, context);
    throw Object.assign(new Error("Cannot find package"), { code: "ERR_MODULE_NOT_FOUND" });
  }`;
  const asData = (code: string): string => `data:text/javascript,${encodeURIComponent(code)}`;
  const setUp = `import { register } from "node:module"; register(${JSON.stringify(asData(hooks))});`;
  const args = ["--import", asData(setUp), await buildCli(), "worker", "--redis", "redis://127.0.0.1:1"];
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
  expect(status).toBe(2);
  expect(stderr).toMatch(/needs two more packages: npm install bullmq ioredis/);
});
