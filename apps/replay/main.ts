/** Entry of the self-contained replay: shows the data that the page carries. Bundled into dist/replay/viewer.js. */
import type { ReplayData } from "dojo-sim";
import { element } from "./elements.ts";
import { type MountedReplay, mountReplay } from "./mountReplay.ts";
import { style } from "./style.ts";

declare global {
  interface Window {
    /** For scripts and the browser's console. */
    dojoReplay?: MountedReplay;
  }
}

const root = document.getElementById("replay") ?? document.body;
try {
  const data = JSON.parse(document.getElementById("replay-data")?.textContent ?? "") as ReplayData;
  window.dojoReplay = mountReplay(root, data);
} catch (error) {
  const reason = error instanceof Error ? error.message : String(error);
  const words = `The replay cannot be shown: ${reason} It needs a browser with WebGL 2.`;
  root.replaceChildren(element("style", {}, style), element("p", { class: "failed", role: "alert" }, words));
}
