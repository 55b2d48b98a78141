/** What keys and mouse do, and what the engine does not do yet. */
import { element } from "../../replay/elements.ts";

const keys: readonly (readonly [string, string])[] = [
  ["space", "play or pause"],
  ["→ / ←", "one step forward or back, ten with shift"],
  ["backspace", "reset"],
  ["+ / −", "faster or slower"],
  ["p", "push the chosen body"],
  ["m", "choose a model"],
  ["o", "open a file"],
  ["g", "gradient arrows"],
  ["c", "contact points and forces"],
  ["f", "the camera follows"],
  ["v", "the camera as at first"],
  ["t", "light or dark"],
  ["l", "copy a link to this scene"],
  ["? or F1", "this help"],
];

export function createHelp(): { readonly dialog: HTMLDialogElement; toggle(): void } {
  const rows = keys.map(([key, what]) =>
    element("div", {}, element("dt", {}, element("kbd", {}, key)), element("dd", {}, what)),
  );
  const close = element("button", { type: "button", class: "close", "aria-label": "Close" }, "×");
  const dialog = element(
    "dialog",
    { class: "help", "aria-labelledby": "helpTitle" },
    element("div", { class: "head" }, element("h2", { id: "helpTitle" }, "Keys and mouse"), close),
    element("dl", {}, ...rows),
    element(
      "p",
      {},
      "Drag a body to pull it: a spring joins it to the pointer. Drag beside it to turn the view, with the right button to shift it, scroll to zoom.",
    ),
    element(
      "p",
      {},
      "Drop a URDF, MJCF or JSON file onto the page, or a zip archive with its meshes. Nothing leaves your computer.",
    ),
    element("h2", {}, "What the engine cannot do yet"),
    element(
      "p",
      {},
      "Meshes touch as their convex hulls, and are drawn as their bounding boxes unless bodies touch one another. The limbs of a robot touch each other only if “Bodies touch” says so.",
    ),
  );
  close.addEventListener("click", () => dialog.close());
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
  return { dialog, toggle: () => (dialog.open ? dialog.close() : dialog.showModal()) };
}
