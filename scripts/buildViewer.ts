/**
 * Bundles the replay viewer into one classic script, replay/viewer.js of the package.
 *   tsx scripts/buildViewer.ts file
 */
import { readFileSync } from "node:fs";
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
    // the licence of three.js travels with it
    banner: { js: `/*! three.js\n${readFileSync(join(root, "node_modules/three/LICENSE"), "utf8")}*/` },
    legalComments: "none",
    alias: { "dojo-sim": join(root, "src/index.ts") },
    logLevel: "warning",
    // the rollout pool, which the viewer leaves out, knows its worker by its own address
    logOverride: { "empty-import-meta": "silent" },
  });
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  await buildViewer(process.argv[2]);
}
