/** What needs Node: the entry "dojo-sim/node". The library itself, "dojo-sim", runs in browsers too. */
export { replayPage, type SaveReplayOptions, saveReplay, viewerScript } from "./saveReplay.ts";
