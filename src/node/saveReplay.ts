/** A trajectory as a self-contained HTML page on disk, with the viewer that the build left beside the library. */
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { type ReplayHtmlOptions, type ReplayOptions, replayData, replayHtml, type Trajectory } from "../index.ts";

export type SaveReplayOptions = ReplayOptions & ReplayHtmlOptions;

/**
 * Writes a replay that opens by double-click, all of the file or nothing.
 *   saveReplay("swing.html", trajectory, { title: "A pendulum" })
 */
export function saveReplay(file: string, trajectory: Trajectory, options: SaveReplayOptions = {}): void {
  const page = replayPage(trajectory, options);
  const path = resolve(file);
  const part = `${path}.${process.pid}.part`;
  try {
    writeFileSync(part, page);
    renameSync(part, path);
  } catch (error) {
    rmSync(part, { force: true });
    throw error;
  }
}

/** The page as text. */
export function replayPage(trajectory: Trajectory, options: SaveReplayOptions = {}): string {
  const { theme, ...shown } = options;
  return replayHtml(replayData(trajectory, shown), viewerScript(), theme && { theme });
}

/** Throws where the viewer is missing, as in a clone that was not built: for programs that ask before they begin. */
export function requireReplayViewer(): void {
  viewerPlace();
}

function viewerScript(): string {
  return readFileSync(viewerPlace(), "utf8");
}

/** From dist/node it is one folder up, from src/node it is in dist. */
function viewerPlace(): URL {
  const places = ["../replay/viewer.js", "../../dist/replay/viewer.js"].map((place) => new URL(place, import.meta.url));
  const found = places.find((place) => existsSync(place));
  if (found) return found;
  throw new Error(`the replay viewer is not built: ${places[0].pathname} is missing; npm run build makes it`);
}
