/** A trajectory as a self-contained HTML page on disk. Reads the viewer that the build left beside the library. */
import { existsSync, readFileSync } from "node:fs";
import { type ReplayHtmlOptions, type ReplayOptions, replayData, replayHtml, type Trajectory } from "../index.ts";
import { requireWritable, writeWhole } from "./outputs/outputFile.ts";

export type WriteReplayOptions = ReplayOptions & ReplayHtmlOptions;

export function replayPage(trajectory: Trajectory, options: WriteReplayOptions = {}): string {
  return replayHtml(replayData(trajectory, options), viewerScript(), options);
}

/** All of the file or nothing; returns the number of bytes. A folder that does not exist is an `InputError`. */
export function writeReplay(path: string, trajectory: Trajectory, options: WriteReplayOptions = {}): number {
  requireWritable(path, [".html", ".htm"]);
  return writeWhole(path, replayPage(trajectory, options));
}

/** From dist/cli it is one folder up, from src/cli it is in dist. */
function viewerScript(): string {
  const places = ["../replay/viewer.js", "../../dist/replay/viewer.js"].map((place) => new URL(place, import.meta.url));
  const found = places.find((place) => existsSync(place));
  if (!found)
    throw new Error(`the replay viewer is not built: ${places[0].pathname} is missing; npm run build makes it`);
  return readFileSync(found, "utf8");
}
