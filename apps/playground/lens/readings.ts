/** The table of values at the current force. Every number is there in full as the value of its `data` element. */
import { element } from "../../replay/elements.ts";
import { digits, durationName } from "./words.ts";

export interface ReadingRow {
  /** Class that gives the colour. */
  readonly key: string;
  readonly name: string;
  /** m, m/N. Undefined while it is not known. */
  readonly displacement?: number | undefined;
  readonly gradient?: number | undefined;
  /** Steps that the gradient took, and seconds; undefined for what is not computed by steps or not timed. */
  readonly steps?: number;
  readonly seconds?: number | undefined;
}

export interface Readings {
  readonly root: HTMLElement;
  update(caption: string, rows: readonly ReadingRow[]): void;
}

export function createReadings(): Readings {
  const heading = element("caption", {});
  const body = element("tbody", {});
  const titles = ["", "next position, mm", "gradient, mm/N", "steps for it", "time"];
  const columns = titles.map((title) => element("th", { scope: "col" }, title));
  const table = element(
    "table",
    { class: "readings" },
    heading,
    element("thead", {}, element("tr", {}, ...columns)),
    body,
  );
  return {
    root: element("div", { class: "panel scrolling" }, table),
    update(caption, rows) {
      heading.textContent = caption;
      body.replaceChildren(...rows.map(tableRow));
    },
  };
}

function tableRow({ key, name, displacement, gradient, steps, seconds }: ReadingRow): HTMLElement {
  const label = element("th", { scope: "row" }, element("span", { class: `key ${key}` }), name);
  const cells = [displacement, gradient].map((value) => element("td", {}, value === undefined ? "…" : millis(value)));
  const cost = [steps === undefined ? "–" : String(steps), seconds === undefined ? "–" : durationName(seconds)];
  return element("tr", { "data-row": key }, label, ...cells, ...cost.map((words) => element("td", {}, words)));
}

function millis(value: number): HTMLElement {
  return element("data", { value }, digits(1e3 * value));
}
