/** Whether dist/ is a build of the sources as they are. */
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");

/** The folder of the built package. */
export const dist: string = join(root, "dist");
/** The file in it that is built last. It is dated to when the build began. */
export const lastBuilt = "playground/replayViewer.js";

function newestChange(folder: string): number {
  return Math.max(
    0,
    ...["", ...readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })].map(
      (name) => statSync(join(root, folder, name)).mtimeMs,
    ),
  );
}

export function isBuilt(): boolean {
  const built = join(dist, lastBuilt);
  const settings = ["tsconfig.json", "tsconfig.build.json"].map((name) => statSync(join(root, name)).mtimeMs);
  const sources = Math.max(newestChange("src"), newestChange("apps"), ...settings);
  return existsSync(built) && statSync(built).mtimeMs > sources;
}
