/**
 * Every TypeScript block of README.md and docs/ is type-checked, and runs as a module of its own.
 * A block fenced as `ts no-run` is only type-checked. "dojo-sim" means src/index.ts.
 */
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { snippetsOf } from "./snippets.ts";

const root = join(import.meta.dirname, "../..");
const pages = readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".md"))
  .map((name) => `docs/${name.replaceAll("\\", "/")}`);
const hasSurface = existsSync(join(root, "src/index.ts"));

// inside the repository, so that the modules find its settings
mkdirSync(join(root, ".tmp"), { recursive: true });
const folder = mkdtempSync(join(root, ".tmp/snippets-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const modules = ["README.md", ...pages.sort()]
  .flatMap((page) => snippetsOf(page, readFileSync(join(root, page), "utf8")))
  .map((snippet) => ({ ...snippet, file: `${snippet.origin.replace(/[^a-zA-Z0-9]+/g, "_")}.ts` }))
  .map((module) => ({ ...module, usable: hasSurface || !module.code.includes('"dojo-sim"') }));

describe("the blocks of the pages", () => {
  let complaints = "";

  beforeAll(async () => {
    const usable = modules.filter((module) => module.usable);
    if (usable.length === 0) return;
    // an import or export makes a file a module: give each block one; it sits on the last line, so lines keep their numbers
    for (const { file, code } of usable) writeFileSync(join(folder, file), `${code}export {};\n`);
    const settings = {
      extends: relative(folder, join(root, "tsconfig.json")).replaceAll("\\", "/"),
      // a page may name a value only to show it
      compilerOptions: { noUnusedLocals: false, noUnusedParameters: false },
      include: ["*.ts"],
    };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(settings));
    const tsc = join(root, "node_modules/typescript/bin/tsc");
    await promisify(execFile)(process.execPath, [tsc, "-p", join(folder, "tsconfig.json")], { cwd: folder }).catch(
      (error: { stdout?: string }) => {
        complaints = error.stdout || String(error);
      },
    );
  });

  test("pass the type check", () => {
    let readable = complaints;
    for (const { file, origin } of modules) readable = readable.replaceAll(file, `[block at ${origin}] line `);
    expect(readable).toBe("");
  });

  for (const { origin, file, runs, usable } of modules) {
    test.runIf(runs && usable)(`the block at ${origin} runs`, async () => {
      await import(/* @vite-ignore */ join(folder, file));
    });
  }
});

describe("finding blocks", () => {
  test("ts and typescript fences are found with their lines, other languages are not", () => {
    const page = "# a\n```ts\nconst a = 1;\n```\n```sh\nls\n```\n```typescript\nconst b = 2;\n```\n";
    expect(snippetsOf("p.md", page)).toEqual([
      { origin: "p.md:2", code: "const a = 1;\n", runs: true },
      { origin: "p.md:8", code: "const b = 2;\n", runs: true },
    ]);
  });

  test("a block marked no-run is not run", () => {
    expect(snippetsOf("p.md", "```ts no-run\nlet a: number;\n```")[0].runs).toBe(false);
  });

  test("a fence inside a longer fence is text", () => {
    expect(snippetsOf("p.md", "````md\n```ts\nno\n```\n````\n")).toEqual([]);
  });

  test("a fence that is never closed is an error", () => {
    expect(() => snippetsOf("p.md", "```ts\nconst a = 1;\n")).toThrow("p.md:1");
  });
});
