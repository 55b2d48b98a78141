/**
 * Builds the playground into static files that can be hosted in any folder of any server. Every page of this folder is an entry. The
 * replay's viewer lies beside them, for replays that the page saves.
 *   vite build -c apps/playground/vite.config.ts
 */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { defineConfig, type Plugin } from "vite";
import { buildViewer } from "../../scripts/buildViewer.ts";

const here = import.meta.dirname;
const root = join(here, "../..");
const outDir = join(root, "dist/playground");

const replayViewer: Plugin = {
  name: "replay-viewer",
  apply: "build",
  closeBundle: () => buildViewer(join(outDir, "replayViewer.js")),
};

export default defineConfig({
  root: here,
  base: "./",
  publicDir: false,
  resolve: { alias: { "dojo-sim": join(root, "src/index.ts") } },
  worker: { format: "es" },
  plugins: [replayViewer],
  build: {
    outDir,
    emptyOutDir: true,
    target: "es2022",
    // the policy of the pages lets nothing inline in
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      input: readdirSync(here)
        .filter((name) => name.endsWith(".html"))
        .map((name) => join(here, name)),
    },
  },
});
