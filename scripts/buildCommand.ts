/**
 * Bundles the command line and its thread in place of the modules that tsc has made of them: a process that loads 500 modules starts in
 * 0.5 s. The command is one file per command and some that these share, since reading all of the library takes 0.1 s; the thread is one.
 * The library stays in modules, for the bundlers of those who import it.
 *   tsx scripts/buildCommand.ts folder
 */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type BuildOptions, build, type Plugin } from "esbuild";

const root = join(import.meta.dirname, "..");

const settings: BuildOptions = {
  bundle: true,
  format: "esm",
  target: "node20",
  packages: "external",
  legalComments: "none",
  logLevel: "warning",
};

/** The XML parser is read with the first file that needs it: 20 ms. */
const parserOnUse: Plugin = {
  name: "parser on use",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^@xmldom\/xmldom$/ }, ({ path }) => ({ path, namespace: "onUse" }));
    onLoad({ filter: /.*/, namespace: "onUse" }, ({ path }) => ({
      contents: `
        import { createRequire } from "node:module";
        const read = createRequire(import.meta.url);
        export class DOMParser {
          constructor(options) {
            return new (read("${path}").DOMParser)(options);
          }
        }`,
    }));
  },
};

/** `folder` is that of a build by tsc. */
export async function buildCommand(folder: string): Promise<void> {
  // the package exports nothing of the command line: what is bundled need not be there twice
  rmSync(join(folder, "cli"), { recursive: true, force: true });
  // what is started by name: the command and the job of `npm start`
  await build({
    ...settings,
    entryPoints: ["main", "start"].map((name) => join(root, "src/cli", `${name}.ts`)),
    outdir: join(folder, "cli"),
    splitting: true,
    // names stay as they are, for the traces of errors
    minifyWhitespace: true,
    minifySyntax: true,
    platform: "node",
    plugins: [parserOnUse],
  });
  // the thread, which browsers start as well
  await build({
    ...settings,
    entryPoints: [join(root, "src/worker.ts")],
    outfile: join(folder, "worker.js"),
    allowOverwrite: true,
    platform: "neutral",
  });
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  await buildCommand(process.argv[2]);
}
