/** SECURITY.md and docs/support.md against the code and the files that they speak of. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";

const root = join(import.meta.dirname, "../..");
const read = (path: string): string => readFileSync(join(root, path), "utf8");

/** The cells of the row of a table that begins with a word, without marks of code. */
function row(page: string, first: string): string {
  const line = read(page)
    .split("\n")
    .find((text) => text.startsWith(`| ${first}`));
  expect(line, `${page}: | ${first}`).toBeDefined();
  return line!.replaceAll("`", "");
}

/** What a file of the code says, by a pattern with one group. */
function said(path: string, pattern: RegExp): string {
  const found = pattern.exec(read(path))?.[1];
  expect(found, `${path}: ${pattern}`).toBeDefined();
  return found!;
}

describe("docs/support.md", () => {
  const page = "docs/support.md";
  const manifest = JSON.parse(read("package.json"));

  test("has the versions of Node that package.json and the scripts ask for", () => {
    expect(row(page, "Node, to use")).toContain(`| ${manifest.engines.node.replace(">=", "")} or newer`);
    const minor = said("scripts/bootstrap.mjs", /minor < (\d+)/);
    expect(row(page, "Node, to work")).toContain(`| 20.${minor} or newer`);
    expect(read("README.md")).toContain(`Node 20.${minor} or newer`);
    expect(read("CONTRIBUTING.md")).toContain(`Node 20.${minor} or newer`);
  });

  test("has the versions that the Python package asks for", () => {
    const project = "python/pyproject.toml";
    expect(row(page, "Python")).toContain(
      `Python | ${said(project, /requires-python = ">=([\d.]+)"/)} or newer, NumPy ${said(project, /numpy>=([\d.]+)/)} or newer`,
    );
    const optional = ["gymnasium", "torch", "jax"].map((name) => said(project, new RegExp(`"${name}>=([\\d.]+)"`)));
    expect(row(page, "Gymnasium")).toContain(`${optional[0]}, ${optional[1]} and ${optional[2]} or newer`);
  });

  test("has the versions of the queue's packages and of the Redis that its page asks for", () => {
    const { bullmq, ioredis } = manifest.peerDependencies;
    const short = (range: string): string => range.replace(/^\D+/, "").split(".").slice(0, 2).join(".");
    expect(row(page, "Redis")).toContain(`bullmq ${short(bullmq)} and ioredis ${short(ioredis)} or newer`);
    expect(row(page, "Redis")).toContain(`${said("docs/many-machines.md", /version ([\d.]+) or newer/)} or newer`);
  });

  test("has the version of MuJoCo that the tests compare with", () => {
    const installed = JSON.parse(read("package-lock.json")).packages["node_modules/@mujoco/mujoco"].version as string;
    expect(read(page)).toContain(`MuJoCo ${installed.split(".").slice(0, 2).join(".")} `);
  });

  test("has every format that files of the engine name, with its version", () => {
    const sources = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"))
      .map((name) => read(`src/${name}`));
    // a constant, or a field of what is written
    const pattern = /(?:[fF]ormat|FORMAT)\s*(?:=|:)\s*"(dojo-[a-z -]*\d*|dojo-sim)"/g;
    const formats = new Set(sources.flatMap((text) => [...text.matchAll(pattern)].map(([, name]) => name)));
    expect(formats.size).toBeGreaterThan(5);
    const rows = read(page).replaceAll("`", "").split("\n");
    for (const format of formats)
      expect(
        rows.some((line) => line.includes(`| ${format}`)),
        format,
      ).toBe(true);
    expect(row(page, "description")).toContain(`version ${said("src/formats/json.ts", /VERSION = (\d+)/)}`);
    expect(row(page, "replay")).toContain(`version ${said("src/replay/format.ts", /replayVersion = (\d+)/)}`);
    expect(row(page, "continuation")).toContain(
      `version ${said("src/simulation/runs/continuation.ts", /continuationVersion = (\d+)/)}`,
    );
  });
});

describe("SECURITY.md", () => {
  const page = "SECURITY.md";

  test("has the bounds of files and pictures", () => {
    const grouped = (value: string): string => Number(value).toLocaleString("en-US");
    const guard = "src/formats/xmlGuard.ts";
    const constant = (name: string): string => said(guard, new RegExp(`${name} = ([\\d_e]+);`)).replaceAll("_", "");
    expect(row(page, "an XML text")).toContain(
      `${grouped(constant("MAX_CHARACTERS"))} characters, ${grouped(constant("MAX_ELEMENTS"))} elements, depth ${constant("MAX_DEPTH")}`,
    );
    const bytes = Number(said("src/cli/readFile.ts", /mostBytes = ([\de]+)/));
    expect(row(page, "a file that")).toContain(`${bytes / 1e6} MB`);
    const side = said("src/pictures/picture.ts", /const largest = (\d+)/);
    expect(row(page, "a picture")).toContain(`${side} × ${side}`);
  });

  test("names options of the worker that there are", () => {
    const command = read("src/cli/commands/worker.ts");
    for (const [option] of row(page, "a queue's job").matchAll(/--[a-z-]+/g)) expect(command).toContain(option);
  });

  test("every package of the lock file has the hash of what is downloaded", () => {
    const { packages } = JSON.parse(read("package-lock.json")) as { packages: Record<string, { integrity?: string }> };
    const without = Object.entries(packages).filter(([path, { integrity }]) => path !== "" && integrity === undefined);
    expect(without.map(([path]) => path)).toEqual([]);
    expect(read("scripts/bootstrap.mjs")).toContain('"--ignore-scripts"');
  });
});
