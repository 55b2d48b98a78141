/** Files that are whole, whatever ends the command: what a program that was ended on the way has left is not kept for ever. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { WriteInterrupted, writeLong, writeWhole } from "./outputFile.ts";

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

describe("a file that takes long", () => {
  /** Letters of a batch, and more than one byte each. */
  const piece = "é".repeat(1 << 20);

  test("is written whole, in pieces or at once", async () => {
    const folder = mkdtempSync(join(tmpdir(), "dojo-output-"));
    const path = join(folder, "run.csv");
    for (const content of [[piece, "a", piece], `${piece}a${piece}`, Buffer.from(`${piece}a${piece}`)]) {
      expect(await writeLong(path, content)).toBe(4 * (1 << 20) + 1);
      expect(readFileSync(path, "utf8") === `${piece}a${piece}`).toBe(true);
    }
    expect(await writeLong(path, "")).toBe(0);
    expect(readFileSync(path, "utf8")).toBe("");
    expect(readdirSync(folder)).toEqual(["run.csv"]);
  });

  test.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const)("stays as it was if %s comes on the way", async (signal, code) => {
    const folder = mkdtempSync(join(tmpdir(), "dojo-output-"));
    const path = join(folder, "run.csv");
    writeFileSync(path, "before");
    function* pieces(): Generator<string> {
      yield piece;
      expect(readdirSync(folder)).toHaveLength(2);
      process.emit(signal, signal);
      yield piece;
      throw new Error("nobody asks for more");
    }
    const writing = writeLong(path, pieces());
    await expect(writing).rejects.toThrow(WriteInterrupted);
    await expect(writing).rejects.toThrow(/interrupted while .*run\.csv was being written: it is as it was before/);
    await expect(writing).rejects.toMatchObject({ exitCode: code });
    expect(readdirSync(folder)).toEqual(["run.csv"]);
    expect(readFileSync(path, "utf8")).toBe("before");
    expect(process.listenerCount(signal)).toBe(0);
  });

  test("stays as it was if its content cannot be made", async () => {
    const folder = mkdtempSync(join(tmpdir(), "dojo-output-"));
    const path = join(folder, "run.csv");
    function* pieces(): Generator<string> {
      yield piece;
      throw new RangeError("too much");
    }
    await expect(writeLong(path, pieces())).rejects.toThrow("run.csv: too much");
    expect(readdirSync(folder)).toEqual([]);
  });
});
