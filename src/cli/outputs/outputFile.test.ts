/** Files that are whole, whatever ends the command: what a program that was ended on the way has left is not kept for ever. */
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { requireDistinct, requireWritable, WriteInterrupted, writeLong, writeWhole } from "./outputFile.ts";

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

describe.skipIf(process.platform === "win32")("what is there already", () => {
  const folder = mkdtempSync(join(tmpdir(), "dojo-output-"));
  const at = (name: string): string => join(folder, name);
  afterAll(() => rmSync(folder, { recursive: true }));

  test("a read-only file is refused before anything is done, and stays", () => {
    writeFileSync(at("kept.csv"), "mine");
    chmodSync(at("kept.csv"), 0o444);
    symlinkSync("kept.csv", at("way.csv"));
    for (const name of ["kept.csv", "way.csv"]) {
      expect(() => requireWritable(at(name), [".csv"])).toThrow(/\.csv: that file is read-only; give another name/);
    }
    expect(readFileSync(at("kept.csv"), "utf8")).toBe("mine");
  });

  test("a link stays one, and what it leads to is written, whether it was there or not", () => {
    mkdirSync(at("there"));
    symlinkSync("there/run.csv", at("latest.csv"));
    symlinkSync("latest.csv", at("newest.csv"));
    for (const text of ["first", "second"]) {
      requireWritable(at("newest.csv"), [".csv"]);
      writeWhole(at("newest.csv"), text);
      expect(readFileSync(at("there/run.csv"), "utf8")).toBe(text);
      expect(lstatSync(at("newest.csv")).isSymbolicLink() && lstatSync(at("latest.csv")).isSymbolicLink()).toBe(true);
    }
    rmSync(at("there/run.csv"));
    expect(() => requireDistinct([at("latest.csv"), at("there/run.csv")])).toThrow("is to be written twice");
    symlinkSync("nowhere/run.csv", at("lost.csv"));
    expect(() => requireWritable(at("lost.csv"), [".csv"])).toThrow(/there is no folder .*nowhere; make it first/);
    symlinkSync("round.csv", at("round.csv"));
    expect(() => requireWritable(at("round.csv"), [".csv"])).toThrow("a link leads to itself");
  });

  test("a file that is replaced keeps who may read and write it", () => {
    writeFileSync(at("shared.csv"), "before");
    chmodSync(at("shared.csv"), 0o660);
    writeWhole(at("shared.csv"), "after");
    expect(statSync(at("shared.csv")).mode & 0o777).toBe(0o660);
  });
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
