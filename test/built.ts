/** The package as `npm run build` makes it; `npm test` has built it before, alone a test builds what has changed. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { dist, isBuilt } from "../scripts/built.ts";

const root = join(import.meta.dirname, "..");

let found: string | undefined;

/** The folder dist, built from the sources as they are when it is first asked for. */
export function builtPackage(): string {
  found ??= build();
  return found;
}

function build(): string {
  if (isBuilt()) return dist;
  const jobs = join(root, "scripts/jobs.ts");
  const { status, stdout, stderr } = spawnSync(process.execPath, ["--import", "tsx", jobs, "build"], {
    cwd: root,
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`the build failed:\n${stdout}${stderr}`);
  return dist;
}
