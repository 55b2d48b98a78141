/** One engine: its name, its drift in large figures, its block, and the rest in small ones. */
import { element } from "../../replay/elements.ts";
import type { Reading } from "./blocks.ts";
import { createSlopePicture } from "./picture.ts";
import { microns } from "./words.ts";

export interface Card {
  readonly root: HTMLElement;
  show(reading: Reading | undefined, angle: number, magnification: number): void;
  name(name: string): void;
  /** A line below the figures. */
  note(words: string): void;
  /** Until the card shows figures again. */
  complain(message: string): void;
}

export function createCard(name: string, key: string): Card {
  const picture = createSlopePicture(name);
  const title = element("span", {}, name);
  const drift = element("p", { class: "drift", "data-drift": key });
  const moved = element("dd", { "data-moved": key });
  const height = element("dd", { "data-height": key });
  const drawn = element("figcaption", { class: "hint" });
  const small = element("p", { class: "hint" });
  const alarm = element("p", { class: "alarm", role: "alert", hidden: true });
  const root = element(
    "article",
    { class: `panel card ${key}` },
    element("h2", {}, element("span", { class: `key ${key}` }), title),
    drift,
    element("figure", { class: "slope" }, picture.root as Element, drawn),
    element("dl", {}, pair("moved so far", moved), pair("lowest corner above the slope", height)),
    small,
    alarm,
  );
  return {
    root,
    show(reading, angle, magnification) {
      drift.replaceChildren(reading ? figure(reading.drift) : "…", element("span", { class: "unit" }, " µm/s"));
      moved.replaceChildren(...(reading ? [figure(reading.moved), " µm"] : ["…"]));
      height.replaceChildren(...(reading ? [figure(reading.height), " µm"] : ["…"]));
      drawn.textContent =
        magnification === 1 ? "Drift drawn as it is" : `Drift drawn × ${magnification.toLocaleString("en")}`;
      picture.update(angle, reading?.moved ?? 0, magnification);
      if (reading) {
        alarm.hidden = reading.fault === undefined;
        alarm.textContent = reading.fault ?? "";
      }
    },
    name(text) {
      title.textContent = text;
    },
    note(words) {
      small.textContent = words;
    },
    complain(message) {
      alarm.textContent = message;
      alarm.hidden = false;
    },
  };
}

const figure = (value: number): HTMLElement => element("data", { value }, microns(value));

function pair(term: string, value: HTMLElement): HTMLElement {
  return element("div", {}, element("dt", {}, term), value);
}
