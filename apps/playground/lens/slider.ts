/** A labelled slider with a number field beside it. */
import { element } from "../../replay/elements.ts";

export interface SliderOptions {
  /** For scripts and tests: the data-setting of both inputs. */
  readonly name: string;
  readonly label: string;
  readonly low: number;
  readonly high: number;
  /** Step of the slider; of its decimal logarithm when logarithmic. */
  readonly step: number;
  readonly logarithmic?: boolean;
  /** What the slider gives is rounded to so many significant digits. Default 4. */
  readonly digits?: number;
  readonly change: (value: number) => void;
}

export interface Slider {
  readonly root: HTMLElement;
  set(value: number): void;
}

export function createSlider(options: SliderOptions): Slider {
  const { name, label, low, high, step, logarithmic = false, digits = 4, change } = options;
  const place = (value: number): number => (logarithmic ? Math.log10(value) : value);
  const range = element("input", {
    type: "range",
    id: `${name}-slider`,
    "data-setting": name,
    min: place(low),
    max: place(high),
    step,
  });
  const field = element("input", {
    type: "number",
    "data-setting": name,
    "aria-label": `${label}, number`,
    min: low,
    max: high,
    step: "any",
    inputmode: "decimal",
  });
  range.addEventListener("input", () => {
    const at = range.valueAsNumber;
    change(Number((logarithmic ? 10 ** at : at).toPrecision(digits)));
  });
  field.addEventListener("change", () => {
    // what is no number leaves things as they are
    const asked = Number.isFinite(field.valueAsNumber) ? field.valueAsNumber : current;
    change(Math.min(high, Math.max(low, asked)));
  });
  let current = low;
  const set = (value: number): void => {
    current = value;
    range.value = String(place(value));
    range.setAttribute("aria-valuetext", String(value));
    // the part of the track that is filled
    const share = (place(value) - place(low)) / (place(high) - place(low));
    range.style.setProperty("--share", `${(100 * share).toFixed(1)}%`);
    field.value = String(value);
  };
  const root = element(
    "div",
    { class: "slider" },
    element("label", { for: `${name}-slider` }, label),
    element("div", { class: "slider-inputs" }, range, field),
  );
  return { root, set };
}
