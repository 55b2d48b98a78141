/** The entry for Node, as built: a replay on disk, whole or not at all. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { compile, models, Simulation, startState } from "../../src/index.ts";
import type * as nodeEntry from "../../src/node/index.ts";
import { buildCli } from "../cli/runCli.ts";

const folder = mkdtempSync(join(tmpdir(), "saveReplay-"));
afterAll(() => rmSync(folder, { recursive: true }));

describe("saveReplay", () => {
  let entry: typeof nodeEntry;
  beforeAll(async () => {
    const built = dirname(dirname(await buildCli()));
    entry = await import(/* @vite-ignore */ pathToFileURL(join(built, "node/index.js")).href);
  });
  const mechanism = compile(models.pendulum());
  const trajectory = new Simulation(mechanism).rollout(startState(mechanism), { steps: 5 });

  test("writes one page that is all there, and writes over an older one", () => {
    const file = join(folder, "swing.html");
    for (const title of ["first <swing>", "second"]) {
      entry.saveReplay(file, trajectory, { title });
      const page = readFileSync(file, "utf8");
      expect(page).toBe(entry.replayPage(trajectory, { title }));
      expect(page).toMatch(/^<!doctype html>/i);
      expect(page.trimEnd()).toMatch(/<\/html>$/);
      expect(page).toContain(title.replace("<", "&lt;").replace(">", "&gt;"));
    }
    expect(readdirSync(folder)).toEqual(["swing.html"]);
  });

  test("leaves nothing where it cannot write", () => {
    const missing = join(folder, "none", "swing.html");
    expect(() => entry.saveReplay(missing, trajectory)).toThrow(/ENOENT/);
    expect(existsSync(missing)).toBe(false);
    expect(readdirSync(folder)).toEqual(["swing.html"]);
  });
});
