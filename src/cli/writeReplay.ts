/** A replay on disk, refused before any work where it cannot be written. */
import type { Trajectory } from "../index.ts";
import { replayPage, type SaveReplayOptions } from "../node/index.ts";
import { requireWritable, writeWhole } from "./outputs/outputFile.ts";

/** All of the file or nothing; returns the number of bytes. A folder that does not exist is an `InputError`. */
export function writeReplay(path: string, trajectory: Trajectory, options: SaveReplayOptions = {}): number {
  requireWritable(path, [".html", ".htm"]);
  return writeWhole(path, replayPage(trajectory, options));
}
