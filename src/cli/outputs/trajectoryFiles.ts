/** The kinds of file a trajectory can be written to, by their endings. */
import type { Run } from "../run.ts";
import { csvOf } from "./csv.ts";
import { mcapOf } from "./mcap.ts";
import { npzOf } from "./npz.ts";
import { endingOf, requireWritable, writeWhole } from "./outputFile.ts";
import { trajectoryJson } from "./trajectoryJson.ts";

/** A run whose trajectory was kept, and what the command says of it. */
export interface Recorded extends Run {
  readonly trajectory: NonNullable<Run["trajectory"]>;
  readonly title: string;
  readonly summary: unknown;
}

const writers: Readonly<Record<string, (recorded: Recorded) => string | Uint8Array>> = {
  ".json": ({ simulation, trajectory, summary }) => trajectoryJson(simulation, trajectory, summary),
  ".csv": ({ trajectory }) => csvOf(trajectory),
  ".npz": ({ trajectory }) => npzOf(trajectory),
  ".mcap": ({ trajectory }) => mcapOf(trajectory),
};

export const trajectoryEndings: readonly string[] = Object.keys(writers);

export function requireTrajectoryFiles(paths: readonly string[]): void {
  for (const path of paths) requireWritable(path, trajectoryEndings);
}

export interface Written {
  readonly path: string;
  readonly bytes: number;
}

/** Every file that can be written is; what is wrong with the others comes last. */
export function writeTrajectories(
  paths: readonly string[],
  recorded: Recorded,
): { written: Written[]; faults: unknown[] } {
  const written: Written[] = [];
  const faults: unknown[] = [];
  for (const path of paths) {
    try {
      written.push({ path, bytes: writeWhole(path, writers[endingOf(path)](recorded)) });
    } catch (error) {
      faults.push(error);
    }
  }
  return { written, faults };
}
