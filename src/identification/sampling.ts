/**
 * Which frames of a recording are simulated: windows, each with a start and the frames that are predicted from it.
 *   pairs       one step from each frame to the next                          { window: 1 }
 *   windows     some frames from each start                                   { window: 15 }, and { } for 20
 *   whole       from one start, in flight, through the last frame             { window: "whole", startFrames: 11, begin: { below, before } }
 * With `every: 7` only every seventh frame counts, and a step of the simulation goes from one to the next.
 */

import { poseSize } from "../math/index.ts";
import { ArgumentError } from "../mechanism/index.ts";
import type { Recording } from "./recording.ts";
import { fileFault } from "./table.ts";

export interface Sampling {
  /** Only every so many frames count. Default 1. */
  readonly every?: number;
  /** Steps of the simulation from one of these frames to the next. Default 1. */
  readonly stepsPerFrame?: number;
  /** Frames that are predicted from one start, or all to the recording's end. Default 20, or what the recording has if that is less. */
  readonly window?: number | "whole";
  /** Frames after which whole windows end, at most. Default: at the recording's end. */
  readonly horizon?: number;
  /** Frames of the recording from a window's start to that of the next one. Default: one window ends where the next begins. */
  readonly stride?: number;
  /** Most frames that a start is estimated from, all in free flight if more than 2. Default 2. */
  readonly startFrames?: number;
  /** Start `before` frames ahead of the first one at which the (first) recorded body is below a height. Default: at the first frame that can be one. */
  readonly begin?: { readonly below: number; readonly before: number };
}

export interface Window {
  /** Frame that it starts from. */
  readonly start: number;
  /** First of the frames that its velocity is estimated from. */
  readonly from: number;
  /** Frames that are predicted. */
  readonly frames: readonly number[];
}

/** Frames of a window where nothing else is said. */
export const usualWindow = 20;

export function requireSampling(sampling: Sampling): void {
  const { every = 1, stepsPerFrame = 1, window = 1, horizon = 1, stride = 1, startFrames = 2 } = sampling;
  const counts = {
    every,
    stepsPerFrame,
    window: window === "whole" ? 1 : window,
    horizon,
    stride,
    startFrames: startFrames - 1,
  };
  for (const [name, value] of Object.entries(counts)) {
    if (Number.isInteger(value) && value >= 1) continue;
    const least = name === "startFrames" ? 2 : 1;
    throw new ArgumentError("out-of-range", `sampling.${name}`, `give a whole number, ${least} or more`);
  }
}

/** Throws at the first recording that has no window of this kind. */
export function requireWindows(recordings: readonly Recording[], sampling: Sampling): void {
  requireSampling(sampling);
  for (const recording of recordings) windowsOf(recording, sampling);
}

export function windowsOf(recording: Recording, sampling: Sampling): Window[] {
  const { every = 1, window, horizon = Number.POSITIVE_INFINITY, startFrames = 2, begin } = sampling;
  const { frames, name, lines } = recording;
  const first = begin ? beginFrame(recording, begin) : every;
  const rest = Math.floor((frames - 1 - first) / every);
  const length = window === "whole" ? Math.min(horizon, rest) : (window ?? Math.min(usualWindow, rest));
  const { stride = length * every } = sampling;
  const windows: Window[] = [];
  for (let start = first; start + length * every < frames && length > 0; start += stride) {
    const from = Math.max(start - (startFrames - 1) * every, start % every);
    windows.push({ start, from, frames: Array.from({ length }, (_, i) => start + (i + 1) * every) });
    if (window === "whole") break;
  }
  if (windows.length > 0) return windows;
  const needed = (typeof window === "number" ? window + 1 : 2) * every + 1;
  const message = `has ${frames} frames, too few: these windows take ${needed}, and the first possible start is at line ${lines[Math.min(first, frames - 1)]}`;
  throw fileFault("too-few-frames", name, undefined, message);
}

function beginFrame(recording: Recording, { below, before }: NonNullable<Sampling["begin"]>): number {
  const poses = Object.values(recording.poses)[0];
  if (!poses)
    throw new ArgumentError("no-pose", "sampling.begin", "goes by the height of a body, and no pose was recorded");
  for (let k = 0; k < recording.frames; k++) {
    if (poses[poseSize * k + 2] < below) return Math.max(1, k - before);
  }
  const message = `never comes below ${below.toPrecision(3)} m, so nothing touches the ground; are lengths in metres, and is z up? Millimetres are read with length 0.001 (--length 0.001)`;
  throw fileFault("never-lands", recording.name, recording.lines[recording.frames - 1], message);
}
