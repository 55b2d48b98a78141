/**
 * Bundles the library and its XML parser into one module, browser/index.js of the package, which a page imports without a bundler. It
 * lies one folder deep, as the module does that starts workers: both know their script as ../worker.js.
 *   tsx scripts/buildBrowser.ts file
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";

const root = join(import.meta.dirname, "..");

export async function buildBrowser(file: string): Promise<void> {
  await build({
    entryPoints: [join(root, "src/index.ts")],
    outfile: file,
    bundle: true,
    format: "esm",
    target: "es2022",
    platform: "browser",
    minify: true,
    // the licence of the parser travels with it
    banner: { js: `/*! @xmldom/xmldom\n${readFileSync(join(root, "node_modules/@xmldom/xmldom/LICENSE"), "utf8")}*/` },
    legalComments: "none",
    // what threads need in Node alone
    external: ["node:*"],
    logLevel: "warning",
  });
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  await buildBrowser(process.argv[2]);
}
