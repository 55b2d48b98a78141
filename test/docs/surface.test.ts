/** docs/surface.txt: what the package exports, as it is built. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { surface, surfaceFile } from "../../scripts/surface.ts";
import * as index from "../../src/index.ts";
import { builtPackage } from "../built.ts";

test("docs/surface.txt is the surface as built; `npx tsx scripts/surface.ts` writes it anew", () => {
  expect(surface(builtPackage())).toBe(readFileSync(surfaceFile, "utf8"));
}, 120_000);

test("it has every name that exists at run time", () => {
  const text = readFileSync(surfaceFile, "utf8");
  const missing = Object.keys(index).filter(
    (name) => !new RegExp(`^(abstract )?(class|const|function) ${name}\\b|^# dojo-sim: ${name}$`, "m").test(text),
  );
  expect(missing).toEqual([]);
});
