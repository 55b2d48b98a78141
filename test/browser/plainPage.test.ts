/** A page without a bundler imports the built package as one module, and has the bits of Node. */
import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findBrowser, launchBrowser } from "../../scripts/browser.ts";
import { compile, models, Simulation, startState } from "../../src/index.ts";
import { builtPackage } from "../built.ts";

const executable = findBrowser();
const steps = 20;

const page = `<!doctype html><title>plain</title><script type="module">
import { compile, importUrdf, mapRollouts, models, Simulation, startState } from "/browser/index.js";
const mechanism = compile(models.hopper());
const start = startState(mechanism);
const inertia = '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>';
const urdf = '<robot name="one"><link name="a"><inertial><mass value="2"/>' + inertia + '</inertial></link></robot>';
globalThis.answer = (async () => {
  const { final } = new Simulation(mechanism).rollout(start, { steps: ${steps} });
  const { description } = importUrdf(urdf);
  const worker = new Worker("/worker-of-ones-own.js", { type: "module" });
  const said = await new Promise((done) => { worker.onmessage = ({ data }) => done(data); });
  const [{ states }] = await mapRollouts(mechanism, [{ start, steps: ${steps} }], { workers: 1 });
  return { final: [...final], mass: description.bodies.a.mass, said: [...said], pooled: [...states.slice(-final.length)] };
})();
</script>`;

const ownWorker = `
import { compile, models, Simulation, startState } from "/browser/index.js";
const mechanism = compile(models.hopper());
postMessage(new Simulation(mechanism).rollout(startState(mechanism), { steps: ${steps} }).final);`;

describe.skipIf(!executable)("a page without a bundler", { timeout: 180_000 }, () => {
  let browser: Browser;
  let server: Server;
  beforeAll(async () => {
    const built = (name: string): string => readFileSync(join(builtPackage(), name), "utf8");
    const scripts: Readonly<Record<string, string>> = {
      "/browser/index.js": built("browser/index.js"),
      "/worker.js": built("worker.js"),
      "/worker-of-ones-own.js": ownWorker,
    };
    server = createServer(({ url = "/" }, response) => {
      response.setHeader("Content-Type", scripts[url] === undefined ? "text/html" : "text/javascript");
      response.end(scripts[url] ?? page);
    }).listen(0, "127.0.0.1");
    browser = await launchBrowser(executable as string);
  });
  afterAll(async () => {
    await browser?.close();
    server?.close();
  });

  test("simulates, reads files, has workers of its own and the package's threads", async () => {
    const mechanism = compile(models.hopper());
    const final = Array.from(new Simulation(mechanism).rollout(startState(mechanism), { steps }).final);
    const tab = await browser.newPage();
    await tab.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    await tab.waitForFunction(() => "answer" in globalThis);
    const answer = await tab.evaluate(() => (globalThis as unknown as { answer: Promise<unknown> }).answer);
    expect(answer).toEqual({ final, mass: 2, said: final, pooled: final });
  });
});
