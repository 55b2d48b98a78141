/** A copy of the repository's files that may be changed at will: what is installed and built is linked, all else is copied. */
import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, realpathSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

export function copyOf(root: string): string {
  const args = ["ls-files", "--cached", "--others", "--exclude-standard", "-z"];
  const { status, stdout } = spawnSync("git", args, { cwd: root, encoding: "utf8", maxBuffer: 2 ** 28 });
  if (status !== 0) throw new Error("mutants are made in a copy of what git knows of: this is no git repository");
  const copy = realpathSync(mkdtempSync(join(tmpdir(), "dojo-mutants-")));
  for (const path of stdout.split("\0").filter((name) => name !== "" && existsSync(join(root, name)))) {
    mkdirSync(dirname(join(copy, path)), { recursive: true });
    copyFileSync(join(root, path), join(copy, path));
  }
  for (const folder of ["node_modules", "dist"]) {
    if (existsSync(join(root, folder))) symlinkSync(join(root, folder), join(copy, folder), "junction");
  }
  return copy;
}
