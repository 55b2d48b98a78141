import { join } from "node:path";
import { expect, test } from "vitest";
import { relatedTests, sourceFiles } from "./relatedTests.ts";

const root = join(import.meta.dirname, "../..");

test("tests that name what a file exports come first, then those of its folder, then those that import it less directly", () => {
  const file = (imports: string[], text = ""): { text: string; imports: string[] } => ({ imports, text });
  const files = new Map([
    ["src/control/lift.ts", file([], "export function lift() {}")],
    ["src/index.ts", file(["src/control/lift.ts"])],
    ["test/far.test.ts", file(["test/helper.ts"])],
    ["test/helper.ts", file(["src/index.ts"])],
    ["test/near.test.ts", file(["src/index.ts"])],
    ["test/control/all.test.ts", file(["src/index.ts"])],
    ["test/names.test.ts", file(["src/index.ts"], "lift()")],
    ["test/other.test.ts", file([])],
    ["test/browser/page.test.ts", file(["src/index.ts"])],
  ]);
  expect(relatedTests(files, "src/control/lift.ts")).toEqual([
    "test/names.test.ts",
    "test/control/all.test.ts",
    "test/near.test.ts",
    "test/far.test.ts",
  ]);
});

test("the files of the repository import each other as they say", () => {
  const files = sourceFiles(root);
  expect(files.get("src/index.ts")?.imports.length).toBeGreaterThan(10);
  for (const path of files.get("src/math/cones/cones.test.ts")?.imports ?? []) expect(files.has(path), path).toBe(true);
  expect(relatedTests(files, "src/math/quaternion.ts")[0]).toBe("src/math/quaternion.test.ts");
});
