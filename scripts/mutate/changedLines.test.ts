import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { changedLines } from "./changedLines.ts";

test("lines that were changed or added since a commit are known by number", () => {
  const root = mkdtempSync(join(tmpdir(), "changed-"));
  const git = (...args: string[]): void => {
    const author = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"];
    expect(spawnSync("git", [...author, ...args], { cwd: root }).status, args.join(" ")).toBe(0);
  };
  mkdirSync(join(root, "src"));
  writeFileSync(join(root, "src/a.ts"), "1\n2\n3\n4\n");
  writeFileSync(join(root, "src/b.ts"), "1\n");
  git("init", "-q");
  git("add", ".");
  git("commit", "-qm", "first");
  writeFileSync(join(root, "src/a.ts"), "1\ntwo\n3\n4\n5\n6\n");
  expect(changedLines(root, "HEAD")).toEqual(new Map([["src/a.ts", new Set([2, 5, 6])]]));
  expect(changedLines(root, "nothing")).toMatch(/^--since nothing: fatal/);
});
