/** docs/surface.txt: what the package exports, as it is built. */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { surface, surfaceFile } from "../../scripts/surface.ts";
import * as index from "../../src/index.ts";
import { builtPackage } from "../built.ts";

test("docs/surface.txt is the surface as built; `npx tsx scripts/surface.ts` writes it anew", () => {
  expect(surface(builtPackage())).toBe(readFileSync(surfaceFile, "utf8"));
});

test("apps, examples, experiments and benchmarks use what the built package declares, and no more", () => {
  builtPackage();
  const root = join(import.meta.dirname, "../..");
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  const args = [tsc, "--noEmit", "--project", "tsconfig.outside.json"];
  expect(spawnSync(process.execPath, args, { cwd: root, encoding: "utf8" }).stdout).toBe("");
});

test("it has every name that exists at run time", () => {
  const text = readFileSync(surfaceFile, "utf8");
  const missing = Object.keys(index).filter(
    (name) => !new RegExp(`^(abstract )?(class|const|function) ${name}\\b|^# dojo-sim: ${name}$`, "m").test(text),
  );
  expect(missing).toEqual([]);
});
