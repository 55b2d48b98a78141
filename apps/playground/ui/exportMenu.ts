/** Export: the recorded steps as a replay that opens by itself, as JSON, or as a table. */
import { element } from "../../replay/elements.ts";
import type { ExportFormat } from "../protocol.ts";

const formats: readonly (readonly [ExportFormat, string])[] = [
  ["html", "Replay (HTML, opens by itself)"],
  ["json", "Trajectory (JSON)"],
  ["csv", "Trajectory (CSV)"],
];

export interface ExportMenu {
  readonly root: HTMLElement;
  showRecorded(seconds: number): void;
}

export function createExportMenu(save: (format: ExportFormat) => void): ExportMenu {
  const recorded = element("p", { class: "soft" });
  const buttons = formats.map(([format, label]) => {
    const button = element("button", { type: "button", class: "item", "data-export": format }, label);
    button.addEventListener("click", () => {
      menu.open = false;
      save(format);
    });
    return button;
  });
  const menu = element(
    "details",
    { class: "menu" },
    element("summary", { class: "menu-title", title: "Save what was recorded" }, "Export"),
    element("div", { class: "items" }, recorded, ...buttons),
  );
  const closeOutside = (event: Event): void => {
    if (event.target instanceof Node && !menu.contains(event.target)) menu.open = false;
  };
  document.addEventListener("pointerdown", closeOutside);
  menu.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    menu.open = false;
    menu.querySelector("summary")?.focus();
  });
  return {
    root: menu,
    showRecorded: (seconds) => {
      recorded.textContent = `${seconds.toFixed(2)} s recorded`;
    },
  };
}

/** Hands a file to the browser's downloads. */
export function download(name: string, parts: readonly string[], type: string): void {
  const address = URL.createObjectURL(new Blob([...parts], { type }));
  const anchor = element("a", { href: address, download: name });
  anchor.click();
  // the browser has taken it by then
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
