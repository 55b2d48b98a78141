/** What goes wrong with a Redis, its workers and its packages: it is said, without passwords, and ends. They wait together. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { mapRollouts } from "../../src/index.ts";
import { RedisError, redisExecutor } from "../../src/node/index.ts";
import { buildCli } from "../cli/runCli.ts";
import { jobsOf, mechanism, password, run, start, startWorker } from "./machines.ts";
import { hasRedis, RedisServer } from "./redisServer.ts";

test.skipIf(hasRedis)("no redis-server here: work on many machines is not tested", () => {});

const hasOpenssl = spawnSync("openssl", ["version"]).status === 0;
test.skipIf(hasOpenssl)("no openssl here: encrypted connections are not tested", () => {});

describe.skipIf(!hasRedis).concurrent("many machines", () => {
  let server: RedisServer;
  beforeAll(async () => {
    await buildCli();
    process.env.DOJO_REDIS_PASSWORD = password;
    server = await RedisServer.start(["--requirepass", password]);
  });
  afterAll(async () => {
    await server?.remove();
    delete process.env.DOJO_REDIS_PASSWORD;
  });

  test("say that nobody works, and wait", async () => {
    const messages: string[] = [];
    const onMessage = (text: string) => messages.push(text);
    const executor = await redisExecutor({ url: server.url, queue: "empty", onMessage });
    const controller = new AbortController();
    const waiting = mapRollouts(mechanism, jobsOf(3, 2), { executor, signal: controller.signal });
    const refused = expect(waiting).rejects.toThrow("enough");
    while (messages.length === 0) await setTimeout(20);
    const command = `dojo worker --redis ${server.url} --queue empty`;
    expect(messages[0]).toBe(`no worker listens: on each machine, start ${command}`);
    controller.abort(new Error("enough"));
    await refused;
    await executor.close();
  });

  test("do not show a password that is refused, be it in the address or not", async () => {
    const wrong = "hunter2";
    const refusal = /Redis at redis:\/\/127.* refuses the password \(WRONGPASS.*DOJO_REDIS_PASSWORD/;
    const error = await redisExecutor({ url: server.url.replace("//", `//:${wrong}@`) }).catch((reason) => reason);
    expect(error).toBeInstanceOf(RedisError);
    expect(error.message).toMatch(refusal);
    expect(error.message).not.toContain(wrong);
    const { code, output } = await run(["worker", "--redis", server.url], { DOJO_REDIS_PASSWORD: wrong });
    expect(code).toBe(2);
    expect(output).toMatch(refusal);
    expect(output).not.toContain(wrong);
  });

  test("end when Redis stays away: the call, the worker, and a training, which keeps its checkpoint", async () => {
    const own = await RedisServer.start(["--requirepass", password]);
    const worker = await startWorker(own.url, ["--patience", "1"]);
    let said = "";
    worker.stderr?.on("data", (text) => {
      said += text;
    });
    const ended = new Promise<number | null>((resolve) => worker.once("exit", resolve));
    const out = mkdtempSync(join(tmpdir(), "dojo-train-"));
    const args = ["train", "cartpole", "--method", "ars", "--updates", "10000", "--out", out];
    const training = run([...args, "--redis", own.url, "--patience", "1"]);
    const checkpoint = "cartpole-ars-network-1.training.json";
    // it has work done there by then
    while (!readdirSync(out).includes(checkpoint)) await setTimeout(20);
    const executor = await redisExecutor({ url: own.url, patience: 1 });
    const call = mapRollouts(mechanism, [{ start, steps: 1e7 }], { executor });
    const refused = expect(call).rejects.toThrow(/^rollouts: Redis at .* did not come back within 1 s/);
    await setTimeout(300);
    await own.remove();
    await refused;
    await expect(mapRollouts(mechanism, jobsOf(1, 1), { executor })).rejects.toThrow(/did not come back/);
    await executor.close();
    const { code, output } = await training;
    expect(code).toBe(1);
    expect(output).toMatch(
      /is away.*trying again[\s\S]*did not come back within 1 s.*ended after 0 of 1 seeds; --out .* --resume goes on/,
    );
    expect(readdirSync(out)).toContain(checkpoint);
    rmSync(out, { recursive: true });
    expect(await ended).toBe(1);
    expect(said).toMatch(/is away[\s\S]*did not come back within 1 s/);
    const error = await redisExecutor({ url: own.url, patience: 0.2 }).catch((reason: unknown) => reason);
    expect((error as Error).message).toMatch(/did not come back within 0.2 s \(connect ECONNREFUSED/);
  });

  test.skipIf(!hasOpenssl)("rediss:// is encrypted, and a certificate that nobody vouches for is refused", async () => {
    const folder = mkdtempSync(join(tmpdir(), "dojo-tls-"));
    const [key, certificate] = [join(folder, "key.pem"), join(folder, "certificate.pem")];
    const made = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"];
    const names = ["-addext", "subjectAltName=DNS:localhost"];
    expect(spawnSync("openssl", [...made, ...names, "-keyout", key, "-out", certificate]).status).toBe(0);
    const files = ["--tls-cert-file", certificate, "--tls-key-file", key, "--requirepass", password];
    const own = await RedisServer.start(files, { tls: true });
    const url = `rediss://localhost:${own.port}`;
    try {
      const worker = await startWorker(url, [], { NODE_EXTRA_CA_CERTS: certificate });
      worker.kill();
      const distrust = /did not come back .*self-signed certificate/;
      await expect(redisExecutor({ url, patience: 0.3 })).rejects.toThrow(distrust);
      const plain = redisExecutor({ url: url.replace("rediss", "redis"), patience: 0.3 });
      await expect(plain).rejects.toThrow(/did not come back/);
    } finally {
      await own.remove();
      rmSync(folder, { recursive: true, force: true });
    }
  });

  test("say how to get packages that are not there", async () => {
    // a Node that has neither
    const hooks = `export async function resolve(name, context, next) {
      if (!/^(bullmq|ioredis)$/.test(name)) return next(name, context);
      throw Object.assign(new Error("Cannot find package"), { code: "ERR_MODULE_NOT_FOUND" });
    }`;
    const asData = (code: string): string => `data:text/javascript,${encodeURIComponent(code)}`;
    const setUp = `import { register } from "node:module"; register(${JSON.stringify(asData(hooks))});`;
    const options = { NODE_OPTIONS: `--import ${asData(setUp)}` };
    const { code, output } = await run(["worker", "--redis", server.url], options);
    expect(code).toBe(2);
    expect(output).toMatch(/needs two more packages: npm install bullmq ioredis/);
  });
});
