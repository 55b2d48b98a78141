/**
 * Builds the playground into static files that can be hosted in any folder of any server. Every page of this folder is an entry.
 *   vite build -c apps/playground/vite.config.ts
 */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { defineConfig } from "vite";

const here = import.meta.dirname;
const root = join(here, "../..");

export default defineConfig({
  root: here,
  base: "./",
  publicDir: false,
  resolve: { alias: { "dojo-sim": join(root, "src/index.ts") } },
  worker: { format: "es" },
  build: {
    outDir: join(root, "dist/playground"),
    emptyOutDir: true,
    target: "es2022",
    // the policy of the pages lets nothing inline in, data addresses neither
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
