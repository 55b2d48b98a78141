/** Which lines of src/ differ from a commit. */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";

/** Line numbers by file, without lines of tests; a text says why git cannot tell. */
export function changedLines(root: string, since: string): ReadonlyMap<string, ReadonlySet<number>> | string {
  const args = ["diff", "--unified=0", "--no-color", "--no-ext-diff", "--src-prefix=a/", "--dst-prefix=b/", since];
  const { status, stdout, stderr } = spawnSync("git", [...args, "--", "src"], { cwd: root, encoding: "utf8" });
  if (status !== 0) return `--since ${since}: ${stderr?.trim().split("\n")[0] || "there is no git here"}`;
  const lines = linesOfDiff(stdout);
  return new Map([...lines].filter(([file]) => file.endsWith(".ts") && existsSync(join(root, file))));
}

/** The lines that a unified diff without context adds or changes. */
export function linesOfDiff(diff: string): Map<string, Set<number>> {
  const files = new Map<string, Set<number>>();
  let current = new Set<number>();
  for (const line of diff.split("\n")) {
    const file = /^\+\+\+ b\/(.*)$/.exec(line)?.[1];
    if (file !== undefined) {
      current = new Set();
      files.set(file, current);
    }
    const hunk = /^@@ -\S+ \+(\d+)(?:,(\d+))? @@/.exec(line);
    if (hunk) for (let k = 0; k < Number(hunk[2] ?? 1); k++) current.add(Number(hunk[1]) + k);
  }
  return files;
}
