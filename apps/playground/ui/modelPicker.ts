/** The list of models and scenes, searched by name and by what they are. */
import { modelSummaries, sceneSummaries } from "dojo-sim";
import { element } from "../../replay/elements.ts";

export interface ModelPicker {
  /** Opens the list. */
  readonly button: HTMLButtonElement;
  readonly dialog: HTMLDialogElement;
  show(name: string): void;
}

export function createModelPicker(choose: (name: string) => void): ModelPicker {
  const name = element("span", { class: "name" });
  const button = element(
    "button",
    { type: "button", class: "model", "data-action": "models", "aria-haspopup": "dialog", title: "Choose a model (m)" },
    element("span", { class: "soft" }, "Model "),
    name,
    element("span", { "aria-hidden": "true", class: "soft" }, " ▾"),
  );
  const search = element("input", {
    type: "search",
    placeholder: "Search models",
    "aria-label": "Search models",
    autocomplete: "off",
  });
  const none = element(
    "p",
    { class: "soft", hidden: true },
    "No model is called so. Drop a URDF, MJCF or JSON file onto the page to see your own.",
  );
  const entries = [...modelSummaries, ...sceneSummaries].map((model) => {
    const freedom =
      "degreesOfFreedom" in model
        ? `, ${model.degreesOfFreedom} DoF`
        : model.bodies === 1
          ? " among others that stand"
          : " that touch each other";
    const size = `${model.bodies} ${model.bodies === 1 ? "body" : "bodies"}${freedom}`;
    const entry = element(
      "button",
      { type: "button", class: "model-entry", "data-model": model.name },
      element("strong", {}, model.name),
      element("span", {}, model.summary),
      element("small", { class: "soft" }, size),
    );
    entry.addEventListener("click", () => {
      dialog.close();
      choose(model.name);
    });
    return { entry, words: `${model.name} ${model.summary}`.toLowerCase() };
  });
  const close = element("button", { type: "button", class: "close", "aria-label": "Close" }, "×");
  const list = element("ul", {}, ...entries.map(({ entry }) => element("li", {}, entry)));
  const dialog = element(
    "dialog",
    { class: "models", "aria-label": "Models" },
    element("div", { class: "head" }, search, close),
    list,
    none,
  );
  close.addEventListener("click", () => dialog.close());
  // a click beside the list closes it
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
  const shown = (): HTMLButtonElement[] =>
    entries.filter(({ entry }) => !entry.parentElement?.hidden).map(({ entry }) => entry);
  const filter = (): void => {
    const words = search.value.toLowerCase().split(/\s+/);
    for (const one of entries) {
      const item = one.entry.parentElement;
      if (item) item.hidden = !words.every((word) => one.words.includes(word));
    }
    none.hidden = shown().length > 0;
  };
  search.addEventListener("input", filter);
  search.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    // the button that gets the focus back must not be pressed by the same key
    event.preventDefault();
    shown()[0]?.click();
  });
  dialog.addEventListener("keydown", (event) => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    const all = shown();
    const at = all.indexOf(document.activeElement as HTMLButtonElement);
    if (at + by < 0) search.focus();
    else all[Math.min(all.length - 1, at + by)]?.focus();
  });
  button.addEventListener("click", () => {
    search.value = "";
    filter();
    dialog.showModal();
    search.focus();
  });
  return {
    button,
    dialog,
    show: (present) => {
      name.textContent = present;
      for (const { entry } of entries) {
        if (entry.dataset.model === present) entry.setAttribute("aria-current", "true");
        else entry.removeAttribute("aria-current");
      }
    },
  };
}
