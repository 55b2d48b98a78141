/**
 * One folder for all that tests, and the programs that they start, leave among the temporary files: it is made before the first test and
 * removed after the last. What a run that was killed has left is removed by the next.
 */
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  export interface ProvidedContext {
    temporaryFolder: string;
  }
}

const prefix = "dojo-test-";

export default function setup(project: TestProject): () => void {
  removeAbandoned(tmpdir());
  const folder = mkdtempSync(join(tmpdir(), `${prefix}${process.pid}-`));
  project.provide("temporaryFolder", folder);
  return () => remove(folder);
}

/** Removes the folders of runs that are no more. */
export function removeAbandoned(place: string): void {
  for (const name of readdirSync(place)) {
    const pid = new RegExp(`^${prefix}(\\d+)-`).exec(name)?.[1];
    if (pid !== undefined && !isRunning(Number(pid))) remove(join(place, name));
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // a process of somebody else
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** A program that a test has started may still be writing. */
function remove(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  } catch {
    // the next run removes it
  }
}
