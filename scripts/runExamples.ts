/**
 * Runs every file of examples/, one after the other in one process, which starts and compiles kernels once for all of them. One that throws
 * fails; the others still run.
 *   tsx scripts/runExamples.ts
 */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const folder = join(import.meta.dirname, "../examples");
const files = readdirSync(folder)
  .filter((name) => name.endsWith(".ts"))
  .sort();
if (files.length === 0) throw new Error(`${folder} has no examples`);
for (const name of files) {
  const begin = performance.now();
  const seconds = (): string => `${((performance.now() - begin) / 1000).toFixed(1)} s`;
  try {
    await import(pathToFileURL(join(folder, name)).href);
    console.log(`ran examples/${name} (${seconds()})`);
  } catch (error) {
    console.error(error);
    console.log(`FAILED examples/${name} (${seconds()})`);
    process.exitCode = 1;
  }
}
