import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { calledFor, changedFiles, makesFewerCases, markPassed, readNightlyArguments, subjects } from "./nightly.ts";

const root = join(import.meta.dirname, "..");

describe("the table of subjects", () => {
  const listed = subjects.flatMap(({ tests }) => tests);

  test("has test files that exist, each once", () => {
    expect(listed.filter((path) => !existsSync(join(root, path)))).toEqual([]);
    expect(listed.filter((path, k) => listed.indexOf(path) !== k)).toEqual([]);
  });

  test("has every file that makes more cases at night", () => {
    const files = ["src", "test", "scripts"].flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
        .map((name) => `${folder}/${name.replaceAll("\\", "/")}`)
        .filter((path) => path.endsWith(".test.ts")),
    );
    expect(files.length).toBeGreaterThan(300);
    expect(files.filter((path) => makesFewerCases(root, path) && !listed.includes(path))).toEqual([]);
  });

  test("guards folders that exist", () => {
    const guards = subjects.flatMap((subject) => subject.guards);
    expect(guards.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });
});

test("a change calls for the subjects that guard it, and a changed test for itself", () => {
  const table = [
    { name: "files", tests: ["test/formats/a.test.ts"], guards: ["src/formats/"] },
    { name: "motion", tests: ["test/physics/a.test.ts"], guards: ["src/simulation/", "src/math/"] },
  ];
  const names = (...changed: string[]): string[] => calledFor(table, changed).map(({ name }) => name);
  expect(names("docs/mjcf.md")).toEqual([]);
  expect(names("src/formats/mjcf/read.ts")).toEqual(["files"]);
  expect(names("test/physics/a.test.ts")).toEqual(["motion"]);
  expect(names("src/formats/a.ts", "src/math/b.ts")).toEqual(["files", "motion"]);
});

test("arguments are read, and wrong ones refused", () => {
  expect(readNightlyArguments([])).toEqual({ changed: false, minutes: Number.POSITIVE_INFINITY });
  expect(readNightlyArguments(["--changed", "--minutes", "3"])).toEqual({ changed: true, minutes: 3 });
  expect(readNightlyArguments(["--minutes", "soon"])).toMatch(/--minutes soon/);
  expect(readNightlyArguments(["--change"])).toMatch(/--change/);
});

describe("changes", () => {
  function repository(): { folder: string; git: (...args: string[]) => void } {
    const folder = mkdtempSync(join(tmpdir(), "nightly-"));
    const settings = ["user.name=a", "user.email=a@example.org", "commit.gpgsign=false"].flatMap((text) => [
      "-c",
      text,
    ]);
    const git = (...args: string[]): void => {
      const { status, stderr } = spawnSync("git", [...settings, ...args], { cwd: folder, encoding: "utf8" });
      expect(status, stderr).toBe(0);
    };
    git("init", "-q");
    return { folder, git };
  }
  const write = (folder: string, name: string): void => {
    mkdirSync(join(folder, "src"), { recursive: true });
    writeFileSync(join(folder, "src", name), `${Math.random()}\n`);
  };

  test("are those since the commit before, or since the last that passed, with what is not committed", () => {
    const { folder, git } = repository();
    const commit = (name: string): void => {
      write(folder, name);
      git("add", ".");
      git("commit", "-qm", name);
    };
    for (const name of ["a", "b"]) commit(name);
    expect(changedFiles(folder)).toEqual(["src/b"]);
    markPassed(folder);
    expect(changedFiles(folder)).toEqual([]);
    for (const name of ["c", "d"]) commit(name);
    expect(changedFiles(folder)).toEqual(["src/c", "src/d"]);
    markPassed(folder);
    write(folder, "a");
    write(folder, "e");
    expect(changedFiles(folder)).toEqual(["src/a", "src/e"]);
    // what is checked out is no commit: it cannot be marked
    markPassed(folder);
    expect(changedFiles(folder)).toEqual(["src/a", "src/e"]);
  });

  test("are unknown without a history, or at its first commit, and nothing fails", () => {
    const { folder, git } = repository();
    expect(changedFiles(folder)).toBe("there is no git history here");
    write(folder, "a");
    git("add", ".");
    git("commit", "-qm", "first");
    expect(changedFiles(folder)).toBe("the git history ends before the commit to compare with");
    expect(changedFiles(join(tmpdir(), "nowhere"))).toBe("there is no git history here");
  });
});
