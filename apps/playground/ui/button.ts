import { element } from "../../replay/elements.ts";

export function button(words: string, action: string, press: () => void): HTMLButtonElement {
  const made = element("button", { type: "button", "data-action": action }, words);
  made.addEventListener("click", press);
  return made;
}
