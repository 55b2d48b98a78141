import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { checkImports, importsOf } from "./checkImports.ts";

const roots: string[] = [];

/** The faults of a repository made of these files. */
function faultsOf(files: Record<string, string>): string[] {
  const root = mkdtempSync(join(tmpdir(), "check-imports-"));
  roots.push(root);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return checkImports(root).faults;
}

afterEach(() => {
  for (const root of roots.splice(0)) rmSync(root, { recursive: true });
});

test("every form of import is found, with its line", () => {
  const text = [
    'import { a } from "./a.ts";',
    "import type {",
    "  B,",
    '} from "./b.ts";',
    'export * from "./c.ts";',
    'export type { D } from "./d.ts";',
    'import "./e.ts";',
    'const f = await import("./f.ts");',
    'type G = import("./g.ts").G;',
  ].join("\n");
  expect(importsOf(text).map(({ specifier, line }) => `${line} ${specifier}`)).toEqual([
    "1 ./a.ts",
    "4 ./b.ts",
    "5 ./c.ts",
    "6 ./d.ts",
    "7 ./e.ts",
    "8 ./f.ts",
    "9 ./g.ts",
  ]);
});

test("imports in comments and template strings do not count", () => {
  const text = [
    '// import { a } from "./a.ts";',
    '/* globs such as "src/**" end here: */',
    'const glob = "src/**/*.ts"; // "/*" in a string opens no comment',
    "const snippet = `",
    'import { b } from "./b.ts";',
    "`;",
    'import { c } from "./c.ts";',
  ].join("\n");
  expect(importsOf(text)).toEqual([{ specifier: "./c.ts", line: 7 }]);
});

test("an export without a source does not borrow the next import's", () => {
  const text = 'export const from = 1;\nexport function f() {}\nimport { a } from "./a.ts";';
  expect(importsOf(text)).toEqual([{ specifier: "./a.ts", line: 3 }]);
});

test("imports from a lower layer by index.ts, and within a folder, pass", () => {
  const faults = faultsOf({
    "src/math/index.ts": 'export * from "./cones/orthant.ts";',
    "src/math/cones/orthant.ts": "export const a = 1;",
    "src/solver/centering.ts": 'import { a } from "../math/index.ts"; export const b = a;',
    "src/index.ts": 'export * from "./math/index.ts";',
    "src/cli/main.ts": 'import { readFileSync } from "node:fs";\nimport { a } from "../index.ts";',
    "examples/box.ts": 'import { a } from "dojo-sim";\nimport { b } from "../src/index.ts";',
  });
  expect(faults).toEqual([]);
});

test("an upward import is refused with file, line and the way out", () => {
  const [fault, ...others] = faultsOf({
    "src/math/vector.ts": '\nimport type { S } from "../solver/index.ts";',
    "src/solver/index.ts": "export type S = 1;",
  });
  expect(others).toEqual([]);
  expect(fault).toMatch(/^src\/math\/vector\.ts:2 {2}.*math \(layer 0\) must not import solver \(layer 2\).*argument/);
});

test("a sideways import is refused, in tests too", () => {
  const faults = faultsOf({
    "src/solver/a.test.ts": 'import { x } from "../mechanism/index.ts";',
    "src/mechanism/index.ts": "export const x = 1;",
  });
  expect(faults).toHaveLength(1);
});

test("entering a folder by another door than index.ts is refused", () => {
  const [fault] = faultsOf({
    "src/solver/a.ts": 'import { x } from "../math/vector.ts";',
    "src/math/vector.ts": "export const x = 1;",
  });
  expect(fault).toContain("enter math by its index.ts");
});

test("examples and the command line see only the public surface", () => {
  const faults = faultsOf({
    "examples/a.ts": 'import { x } from "../src/math/index.ts";',
    "experiments/drop/run.ts": 'import { x } from "../../src/math/index.ts";',
    "src/cli/main.ts": 'import { x } from "../math/index.ts";',
    "src/math/index.ts": "export const x = 1;",
  });
  expect(faults).toHaveLength(3);
  for (const fault of faults) expect(fault).toContain("public surface");
});

test("a cycle is named file by file, even when it is made of types", () => {
  const [fault, ...others] = faultsOf({
    "src/math/a.ts": 'import type { B } from "./b.ts";',
    "src/math/b.ts": 'import type { C } from "./c.ts";',
    "src/math/c.ts": 'import type { A } from "./a.ts";',
  });
  expect(others).toEqual([]);
  expect(fault).toContain("src/math/a.ts → src/math/b.ts → src/math/c.ts → src/math/a.ts");
});

test("the library imports no Node module, no undeclared package and nothing unpublished", () => {
  const faults = faultsOf({
    "package.json": '{ "dependencies": { "@scope/known": "1" } }',
    "src/math/a.ts": [
      'import "@scope/known/part";',
      'import "node:fs";',
      'import "unknown";',
      'import "../../test/tool.ts";',
    ].join("\n"),
    "src/math/a.test.ts": 'import "node:fs";\nimport "vitest";',
    "test/tool.ts": "",
  });
  expect(faults.map((fault) => fault.split("  ")[0])).toEqual([
    "src/math/a.ts:2",
    "src/math/a.ts:3",
    "src/math/a.ts:4",
  ]);
});

test("a folder without a layer is reported", () => {
  expect(faultsOf({ "src/utils/a.ts": "" })[0]).toContain("src/utils:1  has no layer");
});

test("an optional peer is loaded by node alone, and only when it is asked for", () => {
  const faults = faultsOf({
    "package.json": '{ "peerDependencies": { "peer": "1" } }',
    "src/math/a.ts": 'const a = await import("peer");',
    "src/node/b.ts": 'import type { B } from "peer";\nconst b = await import("peer");\nimport { c } from "peer";',
  });
  expect(faults.map((fault) => fault.split("  ")[0])).toEqual(["src/math/a.ts:1", "src/node/b.ts:3"]);
});
