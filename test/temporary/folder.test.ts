/** Nothing that tests write stays among the temporary files of the machine. */
import { existsSync, mkdirSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, inject, test } from "vitest";
import { removeAbandoned } from "./folder.ts";

test("temporary files lie in the folder of this run", () => {
  expect(tmpdir()).toBe(inject("temporaryFolder"));
  expect(tmpdir()).toMatch(/dojo-test-\d+-\w+$/);
});

test("folders of runs that are no more are removed, and others stay", () => {
  const place = mkdtempSync(join(tmpdir(), "abandoned-"));
  // no process has the largest number
  const names = ["dojo-test-2147483647-abc", `dojo-test-${process.pid}-abc`, "dojo-test-x", "cli-test-1"];
  for (const name of names) mkdirSync(join(place, name, "inner"), { recursive: true });
  removeAbandoned(place);
  expect(names.map((name) => existsSync(join(place, name)))).toEqual([false, true, true, true]);
});
