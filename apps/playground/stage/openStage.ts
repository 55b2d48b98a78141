/** The view of a page; in a browser without WebGL the page says in its place why there is none. */
import { element } from "../../replay/elements.ts";
import { Stage } from "./stage.ts";

export function openStage(root: HTMLElement, ...arguments_: ConstructorParameters<typeof Stage>): Stage {
  try {
    return new Stage(...arguments_);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const words = `This page cannot be shown: ${reason} It needs a browser with WebGL 2 and WebAssembly.`;
    root.append(element("p", { class: "complaint", role: "alert" }, words));
    throw error;
  }
}
