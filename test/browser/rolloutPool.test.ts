/**
 * The pool of workers in a real browser gives the bits of Node. Shared memory needs a page that is isolated from other origins;
 * `mapRollouts` does without it.
 */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { build } from "esbuild";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findBrowser, launchBrowser } from "../../scripts/browser.ts";
import { compile, maximalState, models, Simulation } from "../../src/index.ts";

const root = join(import.meta.dirname, "../..");
const executable = findBrowser();
const [steps, workers] = [10, 2];

const pageCode = `
import { compile, maximalState, models, RolloutPool } from "dojo-sim";
const description = models.hopper();
const starts = maximalState(compile(description), description.states.rest);
globalThis.answer = (async () => {
  const worker = () => new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
  const pool = new RolloutPool(description, { workers: ${workers}, worker });
  const { states, failures } = await pool.run({ steps: ${steps}, starts: Float64Array.from([...starts, ...starts, ...starts]) });
  await pool.close();
  return { states: [...states], failures: failures.length };
})();`;

const plainCode = `
import { compile, mapRollouts, maximalState, models } from "dojo-sim";
const mechanism = compile(models.hopper());
const start = maximalState(mechanism, mechanism.description.states.rest);
const worker = () => new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
const broken = () => new Worker(new URL("./broken.js", import.meta.url), { type: "module" });
const job = { start, steps: ${steps} };
globalThis.answer = (async () => {
  const outcomes = await mapRollouts(mechanism, [job, job, job], { workers: ${workers}, worker });
  const reason = await mapRollouts(mechanism, [job], { workers: 1, worker: broken }).catch((error) => error.message);
  return { states: outcomes.flatMap((outcome) => [...outcome.states]), shared: globalThis.crossOriginIsolated, reason };
})();`;

async function bundle(contents: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: root },
    bundle: true,
    write: false,
    format: "esm",
    alias: { "dojo-sim": join(root, "src/index.ts") },
  });
  return outputFiles[0].text;
}

describe.skipIf(!executable)("in a browser", { timeout: 180_000 }, () => {
  let browser: Browser;
  let server: Server;
  beforeAll(async () => {
    const files: Readonly<Record<string, string>> = {
      "/page.js": await bundle(pageCode),
      "/plain.js": await bundle(plainCode),
      "/broken.js": "throw new Error('an accident');",
      "/worker.js": await bundle('import { serveRollouts } from "dojo-sim"; serveRollouts();'),
    };
    server = createServer(({ url = "/" }, response) => {
      if (url !== "/plain") {
        response.setHeader("Cross-Origin-Opener-Policy", "same-origin");
        response.setHeader("Cross-Origin-Embedder-Policy", "require-corp");
      }
      response.setHeader("Content-Type", files[url] === undefined ? "text/html" : "text/javascript");
      const script = url === "/plain" ? "plain.js" : "page.js";
      response.end(files[url] ?? `<!doctype html><title>pool</title><script type="module" src="${script}"></script>`);
    }).listen(0, "127.0.0.1");
    browser = await launchBrowser(executable as string);
  });
  afterAll(async () => {
    await browser?.close();
    server?.close();
  });

  test("states of rollouts have the bits of Node", async () => {
    const page = await browser.newPage();
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    await page.waitForFunction("globalThis.answer !== undefined");
    const { states, failures } = (await page.evaluate("globalThis.answer")) as { states: number[]; failures: number };
    const description = models.hopper();
    const mechanism = compile(description);
    const start = maximalState(mechanism, description.states?.rest);
    const { final } = new Simulation(mechanism).rollout(start, { steps });
    expect(failures).toBe(0);
    expect(states).toEqual([...final, ...final, ...final]);
  });

  test("a page without shared memory has them too, and hears why a worker does not start", async () => {
    const page = await browser.newPage();
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/plain`);
    await page.waitForFunction("globalThis.answer !== undefined");
    const { states, shared, reason } = (await page.evaluate("globalThis.answer")) as {
      states: number[];
      shared: boolean;
      reason: string;
    };
    const mechanism = compile(models.hopper());
    const start = maximalState(mechanism, mechanism.description.states?.rest);
    const { final } = new Simulation(mechanism).rollout(start, { steps });
    expect(shared).toBe(false);
    expect(states).toEqual([...final, ...final, ...final]);
    expect(reason).toMatch(/^rollouts: workers end before they are ready: .*an accident/);
  });
});
