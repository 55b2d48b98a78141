/** Replays: a trajectory as compact data, and as a self-contained HTML page. */
export { decodeFloats, encodeFloats } from "./floats.ts";
export type {
  ReplayBody,
  ReplayContact,
  ReplayData,
  ReplayNote,
  ReplayPlot,
  ReplaySummary,
} from "./format.ts";
export { inertiaEllipsoid } from "./inertiaEllipsoid.ts";
export { type PlotValues, type ReplayOptions, replayData } from "./replayData.ts";
export { type ReplayHtmlOptions, replayHtml } from "./replayHtml.ts";
