/** Messages over the stage: errors stay until they are closed or followed by something that works, notes go by themselves. */
import { element } from "../../replay/elements.ts";

const noteTime = 7000;

export interface Messages {
  readonly root: HTMLElement;
  error(text: string): void;
  note(text: string, more?: readonly string[]): void;
  /** Takes errors away: what was asked has worked. */
  clear(): void;
  /** Takes notes away: what they are about is gone. */
  clearNotes(): void;
}

/** Text that ends as sentences do. */
export function sentence(text: string): string {
  return /[.!?…:]["”)]?$/.test(text.trimEnd()) ? text : `${text.trimEnd()}.`;
}

export function createMessages(): Messages {
  const errors = element("div", { role: "alert", class: "errors" });
  const notes = element("div", { role: "status", class: "notes" });
  const root = element("div", { class: "messages" }, errors, notes);
  const add = (place: HTMLElement, kind: string, text: string, more: readonly string[] = []): HTMLElement => {
    const close = element("button", { type: "button", "aria-label": "Close the message", class: "close" }, "×");
    const words = element("div", {}, element("p", {}, sentence(text)));
    if (more.length > 0) {
      const list = element("ul", {}, ...more.map((line) => element("li", {}, line)));
      words.append(
        element("details", {}, element("summary", {}, `${more.length} note${more.length === 1 ? "" : "s"}`), list),
      );
    }
    const message = element("div", { class: `message ${kind}` }, words, close);
    close.addEventListener("click", () => message.remove());
    place.replaceChildren(message);
    return message;
  };
  return {
    root,
    error: (text) => {
      add(errors, "error", text);
    },
    note: (text, more = []) => {
      const message = add(notes, "note", text, more);
      // who reads on keeps it
      const leave = (): void => {
        if (message.matches(":hover, :focus-within") || message.querySelector("details[open]"))
          setTimeout(leave, noteTime);
        else message.remove();
      };
      setTimeout(leave, noteTime);
    },
    clear: () => errors.replaceChildren(),
    clearNotes: () => notes.replaceChildren(),
  };
}
