/** Entry of the playground. */
import { element } from "../replay/elements.ts";
import { Playground } from "./app.ts";

declare global {
  interface Window {
    /** For scripts and the browser's console. */
    dojoPlayground?: Playground;
  }
}

const root = document.getElementById("playground") ?? document.body;
try {
  const playground = new Playground(root);
  await playground.start();
  window.dojoPlayground = playground;
} catch (error) {
  const reason = error instanceof Error ? error.message : String(error);
  const words = `The playground cannot be shown: ${reason} It needs a browser with WebGL 2 and WebAssembly.`;
  root.replaceChildren(element("p", { class: "failed", role: "alert" }, words));
}
