/** Files that are whole: what a program that was ended on the way has left is not kept for ever. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { writeWhole } from "./outputFile.ts";

test("writing a file removes what was abandoned beside it, and nothing that may still be written or is of another file", () => {
  const folder = mkdtempSync(join(tmpdir(), "dojo-output-"));
  try {
    const hourAgo = Date.now() / 1000 - 3600;
    const put = (name: string, isOld: boolean): void => {
      writeFileSync(join(folder, name), "part");
      if (isOld) utimesSync(join(folder, name), hourAgo, hourAgo);
    };
    put(".run.csv.11.tmp", true);
    put(".run.csv.12.tmp", false);
    put(".run.csv.mine.tmp", true);
    put(".other.csv.11.tmp", true);
    put("run.csv", true);
    expect(writeWhole(join(folder, "run.csv"), ["a,", "b\n"])).toBe(4);
    expect(readFileSync(join(folder, "run.csv"), "utf8")).toBe("a,b\n");
    expect(readdirSync(folder).sort()).toEqual([
      ".other.csv.11.tmp",
      ".run.csv.12.tmp",
      ".run.csv.mine.tmp",
      "run.csv",
    ]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
