/** Tabs, chips and sliders of the lens. */

import type { Direction } from "../../../experiments/gradient-comparison/box.ts";
import { element } from "../../replay/elements.ts";
import { type LensSettings, offeredKappas, ranges } from "./settings.ts";
import { createSlider } from "./slider.ts";
import { kappaName } from "./words.ts";

export type Change = (change: Partial<LensSettings>) => void;

export interface Controls {
  readonly tabs: HTMLElement;
  readonly chips: HTMLElement;
  readonly force: HTMLElement;
  readonly sliders: HTMLElement;
  update(settings: LensSettings): void;
}

const tabNames: readonly { readonly direction: Direction; readonly name: string }[] = [
  { direction: "impact", name: "Lift-off" },
  { direction: "friction", name: "Slip" },
];

export function createControls(current: () => LensSettings, change: Change): Controls {
  const tabs = tabNames.map(({ direction, name }) => {
    const attributes = { type: "button", role: "tab", id: `tab-${direction}`, "aria-controls": "lens-panel" };
    const tab = element("button", attributes, name);
    tab.addEventListener("click", () => change({ direction }));
    return tab;
  });
  const tabList = element("div", { class: "tabs", role: "tablist", "aria-label": "Direction of the force" }, ...tabs);
  tabList.addEventListener("keydown", (event) => {
    if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
    const other = current().direction === "impact" ? 1 : 0;
    change({ direction: tabNames[other].direction });
    tabs[other].focus();
  });

  const kappaChips = offeredKappas.map((kappa, i) =>
    chip(kappaName(kappa), `kappa${i}`, () => {
      const { shown } = current();
      const rest = shown.filter((other) => other !== kappa);
      change({
        shown: rest.length < shown.length ? rest : offeredKappas.filter((k) => k === kappa || shown.includes(k)),
      });
    }),
  );
  const smoothing = chip("randomised smoothing", "smoothed", () => change({ smoothing: !current().smoothing }));
  const fixed = [fixedKey("hard step", "hard"), fixedKey("your κ", "own")];
  const chips = element(
    "div",
    { class: "chips", role: "group", "aria-label": "Curves" },
    ...fixed,
    ...kappaChips,
    smoothing,
  );

  const slider = (name: keyof typeof ranges, label: string, step: number, logarithmic: boolean, round: number) =>
    createSlider({
      ...{ name, label, step, logarithmic, digits: round },
      ...ranges[name],
      change: (value) => change({ [name]: value }),
    });
  const force = slider("force", "Force, N", 0.05, false, 4);
  const kappa = slider("kappa", "Your κ", 0.05, true, 2);
  const sigma = slider("sigma", "Noise of the force σ, N (Σ = σ²)", 0.05, false, 3);
  const samples = slider("samples", "Samples", 0.02, true, 3);
  const again = element("button", { type: "button", "data-action": "resample" }, "Draw other samples");
  again.addEventListener("click", () => change({ seed: current().seed + 1000 }));
  return {
    tabs: tabList,
    chips,
    force: force.root,
    sliders: element("div", { class: "sliders" }, kappa.root, sigma.root, samples.root, again),
    update(settings) {
      tabs.forEach((tab, i) => {
        const selected = tabNames[i].direction === settings.direction;
        tab.setAttribute("aria-selected", String(selected));
        tab.tabIndex = selected ? 0 : -1;
      });
      kappaChips.forEach((made, i) => {
        made.setAttribute("aria-pressed", String(settings.shown.includes(offeredKappas[i])));
      });
      smoothing.setAttribute("aria-pressed", String(settings.smoothing));
      again.disabled = !settings.smoothing;
      force.set(settings.force);
      kappa.set(settings.kappa);
      sigma.set(settings.sigma);
      samples.set(settings.samples);
    },
  };
}

function chip(name: string, key: string, press: () => void): HTMLButtonElement {
  const made = element("button", { type: "button", class: "chip", "data-chip": key }, keyOf(key), name);
  made.addEventListener("click", press);
  return made;
}

/** A curve that is always shown. */
function fixedKey(name: string, key: string): HTMLElement {
  return element("span", { class: "chip fixed" }, keyOf(key), name);
}

const keyOf = (key: string): HTMLElement => element("span", { class: `key ${key}` });
