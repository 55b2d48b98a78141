/** The kinds of file a trajectory can be written to, by their endings. */

import { trajectoryCsv, trajectoryJson } from "../../index.ts";
import { replayPage } from "../../node/index.ts";
import { InputError } from "../inputError.ts";
import type { Run } from "../run.ts";
import { mcapOf } from "./mcap.ts";
import { npzOf } from "./npz.ts";
import { type Content, endingOf, requireWritable, WriteInterrupted, writeLong } from "./outputFile.ts";
import type { Written } from "./writeEach.ts";

/** A run whose trajectory was kept, and what the command says of it. */
export interface Recorded extends Run {
  readonly trajectory: NonNullable<Run["trajectory"]>;
  readonly title: string;
  readonly summary: unknown;
}

const writers: Readonly<Record<string, (recorded: Recorded) => Content>> = {
  ".html": ({ simulation, trajectory, title }) => replayPage(trajectory, { simulation, title }),
  ".json": ({ simulation, trajectory, summary }) => trajectoryJson(simulation, trajectory, summary),
  ".csv": ({ trajectory }) => trajectoryCsv(trajectory),
  ".npz": ({ trajectory }) => npzOf(trajectory),
  ".mcap": ({ trajectory }) => mcapOf(trajectory),
};

export const trajectoryEndings: readonly string[] = Object.keys(writers);

export function requireTrajectoryFiles(paths: readonly string[]): void {
  for (const path of paths) requireWritable(path, trajectoryEndings);
}

export interface WrittenFiles {
  readonly written: Written[];
  readonly faults: readonly unknown[];
  /** What has ended it before all were written. */
  readonly interruption?: WriteInterrupted;
}

/** Every file that can be written is, until somebody wants it to end; what is wrong with the others comes last. */
export async function writeTrajectories(paths: readonly string[], recorded: Recorded): Promise<WrittenFiles> {
  const written: Written[] = [];
  const faults: unknown[] = [];
  for (const path of paths) {
    try {
      written.push({ path, bytes: await writeLong(path, writers[endingOf(path)](recorded)) });
    } catch (error) {
      if (error instanceof WriteInterrupted) return { written, faults, interruption: error };
      // what a string or an array cannot hold
      const tooLong = error instanceof RangeError && /length|allocation|4 GB/i.test(error.message);
      faults.push(tooLong ? new InputError(`${path}: the run is too long for such a file; .csv holds any`) : error);
    }
  }
  return { written, faults };
}
