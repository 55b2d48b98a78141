/** The playground as it is built: what its scripts weigh, share, need and name. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type PageFile, pageFiles, withImports } from "./pageFiles.ts";
import { type ServedPlayground, servePlayground } from "./playgroundSuite.ts";
import { cartUrdf } from "./robots.ts";
import { startWorker } from "./startWorker.ts";

let built: ServedPlayground;
beforeAll(async () => {
  built = await servePlayground();
});
afterAll(() => built?.close());

describe("the build", () => {
  const scripts = (): PageFile[] => pageFiles(built.folder, "index").filter(({ name }) => name.endsWith(".js"));

  test("has the engine in less than 300 kB, compressed; what reads files comes when one is given", () => {
    const compressed = ({ text }: PageFile): number => gzipSync(Buffer.from(text, "latin1")).length;
    const engine = withImports(scripts(), "worker");
    const readers = scripts().filter(({ name }) => name.startsWith("robotFiles"));
    expect(readers.length).toBe(1);
    const bytes = engine.reduce((sum, file) => sum + compressed(file), 0);
    console.log(
      `the engine's worker: ${(bytes / 1000).toFixed(0)} kB compressed, what reads files: ${(compressed(readers[0]) / 1000).toFixed(0)} kB`,
    );
    expect(bytes).toBeGreaterThan(20_000);
    expect(bytes).toBeLessThan(300_000);
    expect(engine.some(({ text }) => text.includes("disable_collisions"))).toBe(false);
    expect(readers[0].text).toContain("disable_collisions");
  });

  test("has workers that need no document, and share one engine", async () => {
    const assets = join(built.folder, "assets");
    const workers = readdirSync(assets).filter((name) => /worker-.*\.js$/i.test(name));
    expect(workers.length).toBe(9);
    for (const name of workers) await startWorker(pathToFileURL(join(assets, name)).href);
    const all = readdirSync(assets)
      .filter((name) => name.endsWith(".js"))
      .map((name) => ({ name, text: readFileSync(join(assets, name), "latin1") }));
    const [first, ...others] = workers.map((name) => withImports(all, name));
    const shared = first.filter((file) => others.every((files) => files.includes(file)));
    // which packages leave out
    expect([first, ...others].flat().filter(({ name }) => name.startsWith("mujoco"))).toEqual([]);
    const size = (files: readonly PageFile[]): number => files.reduce((sum, { text }) => sum + text.length, 0);
    expect(size(shared)).toBeGreaterThan(400_000);
    expect(Math.max(...[first, ...others].map((files) => size(files) - size(shared)))).toBeLessThan(400_000);

    // pages leave it to them
    const pages = readdirSync(built.folder).filter((name) => name.endsWith(".html"));
    expect(pages.length).toBeGreaterThan(5);
    const [engine] = [...shared].sort((one, other) => other.text.length - one.text.length);
    for (const page of pages) expect(withImports(all, `${page.slice(0, -5)}-`)).not.toContain(engine);
  });

  test("has an engine that loads models, and files with what reads them", async () => {
    const [engine] = withImports(scripts(), "worker");
    const file = pathToFileURL(join(built.folder, "assets", engine.name)).href;
    const bytes = new TextEncoder().encode(cartUrdf);
    for (const source of [
      { kind: "model", name: "pendulum" },
      { kind: "files", files: [{ name: "cart.urdf", bytes }] },
    ]) {
      const answer = await startWorker(file, { id: 1, request: { kind: "load", choice: { source } } });
      expect(answer).toMatchObject({
        kind: "answer",
        id: 1,
        value: { info: { name: expect.stringMatching(/pendulum|cart/) } },
      });
    }
  });

  test("has a policy that allows WebAssembly, and no text to become code", () => {
    expect(built.policy).toContain("script-src 'self' 'wasm-unsafe-eval'");
    expect(built.policy).not.toContain("'unsafe-eval'");
    expect(built.policy).not.toMatch(/script-src[^;]*unsafe-inline/);
  });

  test("names no address but those of XML namespaces and of licences", () => {
    const known = /^https?:\/\/(www\.w3\.org\/|localhost)/;
    const addresses = scripts().flatMap(({ text }) => text.match(/https?:\/\/[\w.-]+[^"'`\s)\\]*/g) ?? []);
    expect([...new Set(addresses)].filter((address) => !known.test(address))).toEqual([]);
  });
});
