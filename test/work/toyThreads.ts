/** Threads that know the toys. */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { build } from "esbuild";

const root = join(import.meta.dirname, "../..");

/** Bundles their script; `remove` takes it away again. */
export async function toyThreads(): Promise<{ readonly worker: () => Worker; readonly remove: () => void }> {
  mkdirSync(join(root, ".tmp"), { recursive: true });
  const folder = mkdtempSync(join(root, ".tmp/toys-"));
  const outfile = join(folder, "worker.mjs");
  const entryPoints = [join(import.meta.dirname, "toyWorker.ts")];
  await build({ entryPoints, bundle: true, platform: "node", format: "esm", outfile });
  return { worker: () => new Worker(outfile), remove: () => rmSync(folder, { recursive: true, force: true }) };
}
