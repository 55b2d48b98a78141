/** A folder that is made anew beside the old one. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, expect, test } from "vitest";
import { replaceFolder } from "./replaceFolder.ts";

const place = mkdtempSync(join(tmpdir(), "replace-test-"));
const folder = join(place, "dist");
afterAll(() => rmSync(place, { recursive: true }));
beforeEach(() => {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  writeFileSync(join(folder, "old.js"), "old");
});

const write = (aside: string): void => {
  mkdirSync(aside);
  writeFileSync(join(aside, "new.js"), "new");
};

test("the old folder is whole while the new one is made, and gone afterwards", async () => {
  const made = await replaceFolder(folder, async (aside) => {
    write(aside);
    expect(readFileSync(join(folder, "old.js"), "utf8")).toBe("old");
    return true;
  });
  expect(made).toBe(true);
  expect(readdirSync(place)).toEqual(["dist"]);
  expect(readdirSync(folder)).toEqual(["new.js"]);
});

test("the old folder stays where making the new one fails or throws", async () => {
  const fail = async (aside: string): Promise<boolean> => {
    write(aside);
    return false;
  };
  expect(await replaceFolder(folder, fail)).toBe(false);
  const breaks = async (aside: string): Promise<boolean> => {
    write(aside);
    throw new Error("no room");
  };
  await expect(replaceFolder(folder, breaks)).rejects.toThrow("no room");
  expect(readdirSync(place)).toEqual(["dist"]);
  expect(readdirSync(folder)).toEqual(["old.js"]);
});

test("where there is no old folder the new one is made, whatever an earlier attempt has left", async () => {
  rmSync(folder, { recursive: true });
  mkdirSync(`${folder}.next`);
  writeFileSync(join(`${folder}.next`, "left.js"), "left");
  expect(
    await replaceFolder(folder, async (aside) => {
      expect(existsSync(aside)).toBe(false);
      write(aside);
      return true;
    }),
  ).toBe(true);
  expect(readdirSync(folder)).toEqual(["new.js"]);
});
