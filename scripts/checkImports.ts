/**
 * Fails when an import points the wrong way. The rules:
 *   1. a folder of src/ imports only from folders of a lower layer, and only by their index.ts;
 *   2. cli, examples, experiments, benchmarks and apps import the public surface, src/index.ts and, in Node, src/node/index.ts, and
 *      nothing else of src, but for src/tools.ts, which cli and node do without; node is built on src/index.ts alone;
 *   3. no cycle between the files of src/;
 *   4. the library imports no Node module (node, cli and tests may) and no package outside `dependencies`; node may import optional
 *      peers when they are asked for, by import(), and their types.
 * Type-only imports count like any other. The layers stand in `layers` below.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { pathToFileURL } from "node:url";

/** Layer of each folder of src/, and of each file that lies there itself. A folder sees only smaller numbers. */
export const layers: Readonly<Record<string, number>> = {
  symbolic: 0,
  math: 0,
  work: 0,
  geometry: 1,
  codegen: 2,
  equations: 2,
  mechanism: 2,
  solver: 2,
  formats: 3,
  models: 3,
  kernels: 3,
  coordinates: 4,
  simulation: 5,
  quantities: 5,
  gradients: 6,
  replay: 6,
  pictures: 7,
  environments: 6,
  control: 7,
  rollouts: 7,
  learning: 7,
  identification: 7,
  planning: 8,
  inspection: 8,
  "workKinds.ts": 9,
  "index.ts": 10,
  "worker.ts": 10,
  "tools.ts": 11,
  node: 11,
  cli: 12,
};

const outsiders = ["examples", "experiments", "benchmarks", "apps"];

export interface Import {
  readonly specifier: string;
  readonly line: number;
  /** Loads nothing, or only when it is reached: a type, or import(). */
  readonly isLazy?: boolean;
}

/** Comments and template strings become blanks of the same shape, so that lines keep their numbers. */
function withoutComments(text: string): string {
  const token = /"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\[\s\S]|[^`\\])*`|\/\/[^\n]*|\/\*[\s\S]*?\*\//g;
  return text.replace(token, (match) => (/^["']/.test(match) ? match : match.replace(/[^\n]/g, " ")));
}

/** Every static, dynamic, type-only and re-exporting import of a TypeScript text. */
export function importsOf(text: string): Import[] {
  const code = withoutComments(text);
  const statement = /^[ \t]*(?:import|export)\b[^;"'()]*?\bfrom\s*(["'])(.+?)\1/gm;
  const sideEffect = /^[ \t]*import\s*(["'])(.+?)\1/gm;
  const call = /\bimport\s*\(\s*(["'])(.+?)\1/g;
  const found: Import[] = [];
  for (const pattern of [statement, sideEffect, call]) {
    for (const match of code.matchAll(pattern)) {
      // the line of the specifier: an import list may span many
      const end = (match.index ?? 0) + match[0].length;
      const isLazy = pattern === call || /^\s*(?:import|export)\s+type\b/.test(match[0]);
      const line = code.slice(0, end).split("\n").length;
      found.push({ specifier: match[2], line, ...(isLazy && { isLazy }) });
    }
  }
  return found.sort((a, b) => a.line - b.line);
}

/** Layer table name of a path inside the repository: "src/math/cones/orthant.ts" → "math"; undefined outside src/. */
function sourceFolder(path: string): string | undefined {
  const parts = path.split("/");
  return parts[0] === "src" ? parts[1] : undefined;
}

const isTest = (path: string): boolean => path.endsWith(".test.ts");

/** What is wrong with one import from `from` to the repository file `to`, or undefined. */
function fileFault(from: string, to: string): string | undefined {
  const toFolder = sourceFolder(to);
  const fromFolder = sourceFolder(from);
  if (toFolder === undefined) {
    return fromFolder !== undefined && !isTest(from) ? `src must not import ${to}, which is not published` : undefined;
  }
  const outsider = outsiders.find((folder) => from.startsWith(`${folder}/`));
  if (outsider !== undefined || fromFolder === "cli" || fromFolder === "node") {
    if (toFolder === fromFolder) return undefined;
    if (to === "src/index.ts") return undefined;
    if (to === "src/node/index.ts" && outsider !== "apps") return undefined;
    if (to === "src/tools.ts" && outsider !== undefined) return undefined;
    return `${outsider ?? fromFolder} may import only the public surface: export what you need from src/index.ts`;
  }
  if (fromFolder === undefined || fromFolder === toFolder) return undefined;
  const [fromLayer, toLayer] = [layers[fromFolder], layers[toFolder]];
  // an unknown folder is reported once, by itself
  if (fromLayer === undefined || toLayer === undefined) return undefined;
  if (toLayer >= fromLayer) {
    return (
      `${fromFolder} (layer ${fromLayer}) must not import ${toFolder} (layer ${toLayer}): ` +
      "hand it in as an argument, or move the shared part to a lower layer"
    );
  }
  if (to !== `src/${toFolder}` && to !== `src/${toFolder}/index.ts`) {
    return `enter ${toFolder} by its index.ts: export what you need there and import src/${toFolder}/index.ts`;
  }
  return undefined;
}

interface Packages {
  readonly dependencies: readonly string[];
  readonly peers: readonly string[];
}

/** What is wrong with importing the package or Node module `specifier` from `from`, or undefined. */
function packageFault(from: string, { specifier, isLazy }: Import, packages: Packages): string | undefined {
  const folder = sourceFolder(from);
  if (folder === undefined || isTest(from)) return undefined;
  if (specifier.startsWith("node:")) {
    return folder === "cli" || folder === "node"
      ? undefined
      : `src runs in browsers and must not import ${specifier}: take the data as an argument`;
  }
  if (specifier === "dojo-sim") return folder === "cli" ? undefined : "src must not import itself by its package name";
  const name = specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/");
  if (packages.dependencies.includes(name)) return undefined;
  if (packages.peers.includes(name) && folder === "node") {
    return isLazy ? undefined : `${name} is optional: import it when it is asked for, by import()`;
  }
  return `${name} is not among the dependencies of package.json: users would not have it`;
}

/** Cycles among `graph`, each as the list of its files, every cycle found once. */
function cyclesOf(graph: ReadonlyMap<string, readonly string[]>): string[][] {
  const cycles: string[][] = [];
  const state = new Map<string, "open" | "done">();
  const path: string[] = [];
  const visit = (file: string): void => {
    state.set(file, "open");
    path.push(file);
    for (const next of graph.get(file) ?? []) {
      if (state.get(next) === "open") cycles.push([...path.slice(path.indexOf(next)), next]);
      else if (!state.has(next)) visit(next);
    }
    path.pop();
    state.set(file, "done");
  };
  for (const file of graph.keys()) if (!state.has(file)) visit(file);
  return cycles;
}

function typescriptFiles(root: string, folder: string): string[] {
  const start = join(root, folder);
  if (!existsSync(start)) return [];
  return readdirSync(start, { recursive: true, encoding: "utf8" })
    .map((name) => `${folder}/${name.split(sep).join("/")}`)
    .filter((path) => /\.tsx?$/.test(path) && !path.includes("node_modules/") && !path.includes("/dist/"))
    .sort();
}

/** Every fault of the repository at `root`, one line each: file:line, what is wrong, the way out. */
export function checkImports(root: string): { faults: string[]; files: number; imports: number } {
  const packageFile = join(root, "package.json");
  const manifest = existsSync(packageFile) ? JSON.parse(readFileSync(packageFile, "utf8")) : {};
  const packages = {
    dependencies: Object.keys(manifest.dependencies ?? {}),
    peers: Object.keys(manifest.peerDependencies ?? {}),
  };
  const files = ["src", ...outsiders].flatMap((folder) => typescriptFiles(root, folder));
  const faults: string[] = [];
  const graph = new Map<string, string[]>();
  const lineOf = new Map<string, number>();
  let imports = 0;

  // folders the layer table does not know
  const unknown = new Set(files.map(sourceFolder).filter((name) => name !== undefined && layers[name] === undefined));
  for (const name of unknown) {
    faults.push(`src/${name}:1  has no layer: give it one in scripts/checkImports.ts and in the layout of the docs`);
  }

  // each import by itself
  for (const from of files) {
    const targets: string[] = [];
    for (const found of importsOf(readFileSync(join(root, from), "utf8"))) {
      const { specifier, line } = found;
      imports++;
      let fault: string | undefined;
      if (specifier.startsWith(".")) {
        const to = relative(root, resolve(root, dirname(from), specifier))
          .split(sep)
          .join("/");
        fault = fileFault(from, to);
        targets.push(to);
        lineOf.set(`${from} ${to}`, line);
      } else {
        fault = packageFault(from, found, packages);
      }
      if (fault !== undefined) faults.push(`${from}:${line}  "${specifier}": ${fault}`);
    }
    if (from.startsWith("src/")) graph.set(from, targets);
  }

  // all of them together
  for (const cycle of cyclesOf(graph)) {
    const line = lineOf.get(`${cycle[0]} ${cycle[1]}`) ?? 1;
    faults.push(`${cycle[0]}:${line}  cycle: ${cycle.join(" → ")}: move what both sides need to a file of its own`);
  }
  return { faults, files: files.length, imports };
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const { faults, files, imports } = checkImports(join(import.meta.dirname, ".."));
  for (const fault of faults) console.error(fault);
  if (faults.length > 0) {
    console.error(`${faults.length} import(s) point the wrong way.`);
    process.exitCode = 1;
  } else {
    console.log(`${imports} imports in ${files} files point the right way.`);
  }
}
