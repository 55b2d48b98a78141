/**
 * Builds the playground into static files that can be hosted in any folder of any server. Every page of this folder is an entry. Beside
 * them lie the replay's viewer, for replays that the page saves, and the licences of what is inside.
 *   vite build -c apps/playground/vite.config.ts
 */
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
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

export default defineConfig({
  root: here,
  base: "./",
  publicDir: false,
  resolve: { alias: { "dojo-sim": join(root, "src/index.ts") } },
  worker: { format: "es" },
  plugins: [beside()],
  build: {
    outDir: join(root, "dist/playground"),
    emptyOutDir: true,
    target: "es2022",
    // the policy of the pages lets nothing inline in
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // three.js is one
    chunkSizeWarningLimit: 800,
    rolldownOptions: {
      input: readdirSync(here)
        .filter((name) => name.endsWith(".html"))
        .map((name) => join(here, name)),
    },
  },
});
