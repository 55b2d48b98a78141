/**
 * Checks the package as a user gets it: pack, look inside, install into an empty project, import and require it in Node,
 * bundle it without its optional peers, type-check a strict consumer under both module resolutions, and ask publint. Expects dist/ to be built.
 */
import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { publint } from "publint";
import { formatMessage } from "publint/utils";

const root = join(import.meta.dirname, "..");
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

class PackageFault extends Error {}

function run(command: string, args: string[], cwd: string, what: string): string {
  const shell = process.platform === "win32";
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd,
    encoding: "utf8",
    shell,
    stdio: ["ignore", "pipe", "pipe"],
  });
  if (status !== 0) throw new PackageFault(`${what} failed:\n${stdout}${stderr}`);
  return stdout;
}

interface Packed {
  filename: string;
  size: number;
  files: { path: string }[];
}

function pack(folder: string): Packed {
  const args = ["pack", "--json", "--ignore-scripts", "--loglevel=error", "--pack-destination", folder];
  const answer = JSON.parse(run("npm", args, root, "npm pack"));
  // a list in npm 11 and before, a record by package name after it
  return (Array.isArray(answer) ? answer[0] : Object.values(answer)[0]) as Packed;
}

function checkContents(packed: Packed): void {
  const paths = packed.files.map(({ path }) => path);
  const wanted = [
    "package.json",
    "README.md",
    "LICENSE",
    "CHANGELOG.md",
    "dist/index.js",
    "dist/index.d.ts",
    "dist/browser/index.js",
    "dist/node/index.js",
    "dist/node/index.d.ts",
    "dist/tools.js",
    "dist/tools.d.ts",
    "dist/replay/viewer.js",
    "dist/playground/index.html",
    "dist/playground/licences.txt",
  ];
  const missing = wanted.filter((path) => !paths.includes(path));
  if (missing.length > 0) throw new PackageFault(`the package lacks ${missing.join(", ")}`);
  const stray = paths.filter((path) => path.includes(".test.") || !(wanted.includes(path) || path.startsWith("dist/")));
  if (stray.length > 0) throw new PackageFault(`the package carries ${stray.join(", ")}`);
  if (paths.some((path) => /mujoco[^/]*\.(js|wasm)$/.test(path) && path.startsWith("dist/playground"))) {
    throw new PackageFault("the package carries MuJoCo, 10 MB for one page");
  }
  console.log(`packed ${paths.length} files, ${(packed.size / 1024).toFixed(1)} KiB compressed`);
}

function install(project: string, tarball: string): void {
  mkdirSync(project);
  writeFileSync(join(project, "package.json"), '{ "name": "consumer", "private": true, "type": "module" }\n');
  const quiet = ["--no-audit", "--no-fund", "--loglevel=error"];
  run("npm", ["install", "--prefer-offline", "--ignore-scripts", ...quiet, tarball], project, "installing the tarball");
}

function importInNode(project: string): void {
  const program = `import * as all from "${manifest.name}"; import { saveReplay } from "${manifest.name}/node"; console.log(typeof saveReplay === "function" ? Object.keys(all).length : 0);`;
  writeFileSync(join(project, "consumer.mjs"), program);
  const count = Number(run(process.execPath, ["consumer.mjs"], project, "importing the package in Node"));
  if (count === 0) throw new PackageFault("the package exports nothing");
  console.log(`imported in Node: ${count} exports`);
}

/** From a CommonJS program, which Node 20.19 and later let require modules. */
function requireInNode(project: string): void {
  const program = `const all = require("${manifest.name}"); require("${manifest.name}/node"); console.log(Object.keys(all).length);`;
  writeFileSync(join(project, "consumer.cjs"), program);
  const count = Number(run(process.execPath, ["consumer.cjs"], project, "requiring the package in Node"));
  if (count === 0) throw new PackageFault("the package exports nothing to require");
  console.log("required in Node");
}

/** The project has none of the optional peers. */
async function bundleForNode(project: string): Promise<void> {
  const outfile = join(project, "bundled.mjs");
  const options = { bundle: true, platform: "node", format: "esm", logLevel: "silent", outfile } as const;
  await build({ ...options, entryPoints: [join(project, "consumer.mjs")] }).catch((error: Error) => {
    throw new PackageFault(`bundling failed: ${error.message}`);
  });
  const alone = join(project, "alone");
  mkdirSync(alone);
  copyFileSync(outfile, join(alone, "bundled.mjs"));
  run(process.execPath, ["bundled.mjs"], alone, "running the bundle");
  console.log("bundled for Node without the optional peers");
}

function runCommand(project: string): void {
  const said = run("npx", ["--no-install", "dojo", "--version"], project, "running the command").trim();
  if (said !== manifest.version) throw new PackageFault(`dojo --version says ${said}, not ${manifest.version}`);
  console.log(`ran the command: dojo ${said}`);
}

function typeCheck(project: string): void {
  // the consumer has no Node types and no optional peers, once not even the browser's, and checks our declarations too
  writeFileSync(
    join(project, "consumer.ts"),
    [
      `import * as all from "${manifest.name}";`,
      `import * as node from "${manifest.name}/node";`,
      `import * as tools from "${manifest.name}/tools";`,
      "export const names: readonly (keyof typeof all | keyof typeof node | keyof typeof tools)[] = [];\n",
    ].join("\n"),
  );
  const shared = {
    target: "ES2022",
    lib: ["ES2022", "DOM"],
    types: [],
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: false,
    noEmit: true,
  };
  const modes = [
    { module: "nodenext", moduleResolution: "nodenext" },
    { module: "esnext", moduleResolution: "bundler", lib: ["ES2022"] },
  ];
  for (const mode of modes) {
    const settings = { compilerOptions: { ...shared, ...mode }, files: ["consumer.ts"] };
    writeFileSync(join(project, "tsconfig.json"), JSON.stringify(settings));
    const tsc = join(root, "node_modules/typescript/bin/tsc");
    run(process.execPath, [tsc, "-p", "tsconfig.json"], project, `type check (${mode.moduleResolution})`);
    console.log(`type-checked with ${mode.moduleResolution} resolution`);
  }
}

async function askPublint(project: string): Promise<void> {
  const pkgDir = join(project, "node_modules", manifest.name);
  const { messages, pkg } = await publint({ pkgDir, pack: false, strict: true });
  for (const message of messages) console.log(formatMessage(message, pkg) ?? message.code);
  // a suggestion is printed and let pass
  if (messages.some(({ type }) => type !== "suggestion")) throw new PackageFault("publint found faults");
  console.log("publint is content");
}

async function main(): Promise<void> {
  if (!existsSync(join(root, "dist/index.js"))) throw new PackageFault("dist/ is missing: run npm run build first");
  const folder = mkdtempSync(join(tmpdir(), "dojo-sim-package-"));
  try {
    const packed = pack(folder);
    checkContents(packed);
    const project = join(folder, "project");
    install(project, join(folder, packed.filename));
    importInNode(project);
    requireInNode(project);
    await bundleForNode(project);
    runCommand(project);
    typeCheck(project);
    await askPublint(project);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

try {
  await main();
} catch (error) {
  if (!(error instanceof PackageFault)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
