/**
 * Bundles the command line and its thread into one file each, in place of the modules that tsc has made of them: a process that
 * loads 500 modules starts in 0.5 s, with one in 0.2 s. The library stays in modules, for the bundlers of those who import it.
 *   tsx scripts/buildCommand.ts [folder]
 */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";

const root = join(import.meta.dirname, "..");
/** What is started by name: the command, the job of `npm start`, and the thread, which browsers start as well. */
const entries = [
  { name: "cli/main", platform: "node" },
  { name: "cli/start", platform: "node" },
  { name: "worker", platform: "neutral" },
] as const;

/** `folder` is that of a build by tsc. */
export async function buildCommand(folder: string): Promise<void> {
  // the package exports nothing of the command line: what is bundled need not be there twice
  rmSync(join(folder, "cli"), { recursive: true, force: true });
  for (const { name, platform } of entries) {
    await build({
      entryPoints: [join(root, "src", `${name}.ts`)],
      outfile: join(folder, `${name}.js`),
      allowOverwrite: true,
      bundle: true,
      platform,
      format: "esm",
      target: "node20",
      packages: "external",
      legalComments: "none",
      logLevel: "warning",
    });
  }
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  await buildCommand(process.argv[2] ?? join(root, "dist"));
}
