/**
 * Experiments come with the repository, not with the package: they need development dependencies. Here they are found, and
 * bundled against this very build of the engine, since times mean nothing through a loader that compiles on the way.
 */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, extname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { InputError } from "./inputError.ts";

export interface ExperimentSummary {
  readonly name: string;
  /** Title of its README.md. */
  readonly summary: string;
}

/** What experiments/runner.ts offers. */
export interface ExperimentRunner {
  runSeries(series: {
    readonly tasks: readonly { readonly name: string; readonly out: string }[];
    readonly quick: boolean;
    readonly redis?: string | undefined;
    readonly page: string | undefined;
    readonly signal: AbortSignal;
    readonly onProgress: (name: string, fraction: number, doing: string, secondsLeft: number) => void;
    readonly onOutcome: (outcome: ExperimentOutcome) => void;
  }): Promise<void>;
}

export interface ExperimentOutcome {
  readonly name: string;
  readonly out: string;
  readonly seconds: number;
  /** Tables and remarks; undefined when it failed. */
  readonly text: string | undefined;
}

/** The nearest folder above this file that has a package.json. */
function packageFolder(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, "package.json")) && dirname(folder) !== folder) folder = dirname(folder);
  return folder;
}

/** The folder beside the package in a clone; an installed package has none. */
export function experimentsFolder(): string | undefined {
  const folder = join(packageFolder(), "experiments");
  return existsSync(folder) ? folder : undefined;
}

export function experimentSummaries(): ExperimentSummary[] {
  const folder = experimentsFolder();
  if (folder === undefined) return [];
  return readdirSync(folder)
    .filter((name) => existsSync(join(folder, name, "run.ts")) && existsSync(join(folder, name, "README.md")))
    .sort()
    .map((name) => {
      const title = /^#\s+(.+)$/m.exec(readFileSync(join(folder, name, "README.md"), "utf8"))?.[1] ?? "";
      return { name, summary: title.trim() };
    });
}

/** The part of esbuild that is used. */
interface Bundler {
  build(options: Readonly<Record<string, unknown>>): Promise<unknown>;
}

interface BundlerSetup {
  onResolve(filter: { filter: RegExp }, resolve: () => { path: string; external: boolean }): void;
}

/** Bundles experiments into a folder of its own, hands their runner to `use`, and removes the folder. */
export async function withRunner<T>(
  folder: string,
  names: readonly string[],
  use: (runner: ExperimentRunner) => Promise<T>,
): Promise<T> {
  let bundler: Bundler;
  try {
    bundler = createRequire(join(folder, "runner.ts"))("esbuild");
  } catch {
    throw new InputError(`the experiments need development dependencies: run npm install in ${dirname(folder)}`);
  }
  // inside the repository, so that packages are found
  const parent = join(dirname(folder), ".tmp");
  mkdirSync(parent, { recursive: true });
  const outdir = mkdtempSync(join(parent, "experiments-"));
  try {
    await bundler.build({
      entryPoints: entryPoints(folder, names),
      outbase: folder,
      outdir,
      bundle: true,
      splitting: true,
      platform: "node",
      format: "esm",
      packages: "external",
      plugins: [{ name: "engine", setup: engineIsThisBuild }],
      logLevel: "warning",
    });
    return await use(await import(pathToFileURL(join(outdir, "runner.js")).href));
  } finally {
    rmSync(outdir, { recursive: true, force: true });
  }
}

/** Also worker.ts or somethingWorker.ts of an experiment: a file of its own beside run.js, for threads. */
function entryPoints(folder: string, names: readonly string[]): string[] {
  const own = names.flatMap((name) =>
    readdirSync(join(folder, name))
      .filter((file) => file === "run.ts" || /^(worker|\w+Worker)\.ts$/.test(file))
      .map((file) => join(name, file)),
  );
  return ["runner.ts", "runWorker.ts", "presentWorker.ts", ...own].map((path) => join(folder, path));
}

/** "dojo-sim" means the engine that this command is built with; its sources are bundled, a build is not. */
function engineIsThisBuild(setup: BundlerSetup): void {
  const ending = extname(fileURLToPath(import.meta.url));
  for (const [filter, file] of [
    [/^dojo-sim$/, "../index"],
    [/^dojo-sim\/node$/, "../node/index"],
  ] as const) {
    const path = fileURLToPath(new URL(`${file}${ending}`, import.meta.url));
    setup.onResolve({ filter }, () => ({ path, external: ending !== ".ts" }));
  }
}
