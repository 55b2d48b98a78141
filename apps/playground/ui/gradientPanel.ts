/** Gradient arrows: what each input does to the velocity of a body, at the smoothness of κ. */
import { element } from "../../replay/elements.ts";
import { formatNumber } from "../../replay/numbers.ts";
import type { ArrowOptions, Frame, SceneInfo } from "../protocol.ts";
import { createSlider } from "./slider.ts";

/** That of the paper. */
const usualKappa = 3e-4;

export interface GradientPanel {
  readonly root: HTMLElement;
  load(info: SceneInfo): void;
  /** Turns them on or off; true when the panel has something to say: they are on, or cannot be. */
  toggle(): boolean;
  show(frame: Frame): void;
}

export function createGradientPanel(change: (arrows: ArrowOptions | null) => void): GradientPanel {
  let kappa = usualKappa;
  let inputs: SceneInfo["inputs"] = [];
  const on = element("input", { type: "checkbox", name: "arrows" });
  const body = element("select", { name: "arrowBody" });
  const slider = createSlider({
    label: "Gradient's κ",
    name: "arrowKappa",
    hint: "Large values see through contacts that are not yet made, small ones see the present alone",
    min: 1e-7,
    max: 1e-1,
    logarithmic: true,
    onInput: (value) => {
      kappa = value ?? usualKappa;
      tell();
    },
  });
  slider.show(kappa);
  const strongest = element("p", { class: "soft strongest" });
  const tell = (): void => {
    if (!on.checked) strongest.textContent = "";
    change(on.checked ? { body: body.selectedIndex, kappa } : null);
  };
  on.addEventListener("change", tell);
  body.addEventListener("change", tell);
  const none = element("p", { class: "soft", hidden: true }, "This model has no motors, servos or thrusters.");
  const fields = element(
    "div",
    { class: "fields" },
    element(
      "label",
      { class: "check", title: "Gradient arrows (g)" },
      on,
      element("span", {}, "Show d(velocity)/d(input)"),
    ),
    element("label", { class: "choice" }, element("span", {}, "Velocity of"), body),
    slider.root,
    strongest,
  );
  return {
    root: element("div", {}, none, fields),
    load: (info) => {
      inputs = info.inputs;
      none.hidden = inputs.length > 0;
      fields.hidden = inputs.length === 0;
      body.replaceChildren(...info.bodies.map(({ name }, index) => element("option", { value: index }, name)));
      body.selectedIndex = info.base;
      if (inputs.length === 0) on.checked = false;
      tell();
    },
    toggle: () => {
      if (inputs.length === 0) return true;
      on.checked = !on.checked;
      tell();
      return on.checked;
    },
    show: ({ arrows }) => {
      if (!on.checked) return;
      if (!arrows) {
        strongest.textContent = "This step has no gradient; a larger κ or a smaller h may help.";
        return;
      }
      const sizes = inputs.map((_, u) => Math.hypot(arrows[3 * u], arrows[3 * u + 1], arrows[3 * u + 2]));
      const best = sizes.indexOf(Math.max(...sizes));
      const { name, unit } = inputs[best];
      strongest.textContent = `Strongest: ${name}, ${formatNumber(sizes[best])} m/s${unit === "" ? "" : ` per ${unit}`}. Arrows start at the bodies that the inputs move.`;
    },
  };
}
