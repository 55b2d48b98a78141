/**
 * Builds the playground into static files that can be hosted in any folder of any server. Every page of this folder is an entry. Beside
 * them lie the replay's viewer, for replays that the page saves, and the licences of what is inside.
 *   vite build -c apps/playground/vite.config.ts
 */
import { readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { defineConfig, type Plugin } from "vite";
import { buildViewer } from "../../scripts/buildViewer.ts";
import { licences } from "./licences.ts";

const here = import.meta.dirname;
const root = join(here, "../..");

/** Writes the other files when the pages are there. */
function beside(): Plugin {
  let folder = "";
  return {
    name: "beside-the-pages",
    apply: "build",
    configResolved: ({ build }) => {
      folder = build.outDir;
    },
    closeBundle: async () => {
      writeFileSync(join(folder, "licences.txt"), licences(root));
      await buildViewer(join(folder, "replayViewer.js"));
    },
  };
}

/** Workers as chunks of the pages' own build, so that all of them share the engine: Vite would build each by itself, with an engine in it. */
function sharedWorkers(): Plugin {
  return {
    name: "shared-workers",
    apply: "build",
    enforce: "pre",
    transform(code, file) {
      if (!file.startsWith(here) || !code.includes("new Worker(new URL(")) return undefined;
      return code.replace(/new URL\("(\.[^"]+\.ts)", import\.meta\.url\)/g, (_, path: string) => {
        const worker = this.emitFile({ type: "chunk", id: join(dirname(file), path) });
        return `import.meta.ROLLUP_FILE_URL_${worker}`;
      });
    },
  };
}

/** Small modules that pages, workers and what reads files have in common: one file in place of five. */
const sharedModules =
  /src\/(math\/(layout|dense)|mechanism\/(joints|stateInput|contactPoints|shapes|contacts)|models\/(scenes\/)?summaries)\.ts$/;
/** What workers need of the engine and no page does: together it is compressed by three kilobytes more. */
const engineModules = /src\/(kernels|simulation|solver|equations|codegen|control)\//;

export default defineConfig({
  root: here,
  base: "./",
  publicDir: false,
  resolve: { alias: { "dojo-sim": join(root, "src/index.ts") } },
  plugins: [sharedWorkers(), beside()],
  build: {
    outDir: join(root, "dist/playground"),
    emptyOutDir: true,
    target: "es2022",
    // the policy of the pages lets nothing inline in
    assetsInlineLimit: 0,
    // links for the pages' own chunks alone: workers have no document to put one in
    modulePreload: {
      polyfill: false,
      resolveDependencies: (_, chunks, { hostType }) => (hostType === "html" ? chunks : []),
    },
    reportCompressedSize: false,
    // three.js is one
    chunkSizeWarningLimit: 800,
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: "shared", test: sharedModules },
            { name: "engine", test: engineModules },
          ],
        },
      },
      input: readdirSync(here)
        .filter((name) => name.endsWith(".html"))
        .map((name) => join(here, name)),
    },
  },
});
