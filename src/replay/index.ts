/** Trajectories as tables, as compact data for viewers, and as a self-contained HTML page. */
export { decodeFloats, encodeFloats } from "./floats.ts";
export type {
  ReplayBody,
  ReplayContact,
  ReplayData,
  ReplayGhost,
  ReplayNote,
  ReplayPlot,
  ReplaySummary,
} from "./format.ts";
export { inertiaEllipsoid } from "./inertiaEllipsoid.ts";
export { type Ghost, type PlotValues, type ReplayOptions, replayData } from "./replayData.ts";
export { type ReplayHtmlOptions, replayHtml } from "./replayHtml.ts";
export { rowAt, type Series, seriesOf } from "./series.ts";
export { trajectoryCsv } from "./trajectoryCsv.ts";
export { trajectoryJson } from "./trajectoryJson.ts";
