/**
 * Bundles the replay viewer into one classic script: dist/replay/viewer.js.
 *   tsx scripts/buildViewer.ts [file]
 */
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";

const root = join(import.meta.dirname, "..");

export async function buildViewer(file: string): Promise<void> {
  await build({
    entryPoints: [join(root, "apps/replay/main.ts")],
    outfile: file,
    bundle: true,
    // classic, so that a page opened as a file may run it
    format: "iife",
    target: "es2022",
    minify: true,
    // the licences of three.js and of what it contains travel with it
    legalComments: "inline",
    alias: { "dojo-sim": join(root, "src/index.ts") },
    logLevel: "warning",
  });
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  await buildViewer(process.argv[2] ?? join(root, "dist/replay/viewer.js"));
}
