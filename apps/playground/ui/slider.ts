/** A labelled slider with its value beside it, on a straight or a logarithmic scale. */
import { element } from "../../replay/elements.ts";
import { formatNumber } from "../../replay/numbers.ts";

export interface SliderOptions {
  readonly label: string;
  /** For scripts and tests. */
  readonly name: string;
  /** What it does, for those who hover or listen. */
  readonly hint?: string;
  readonly min: number;
  readonly max: number;
  /** On a logarithmic scale, of the power of ten. */
  readonly step?: number;
  readonly logarithmic?: boolean;
  readonly unit?: string;
  /** The left end means the engine's own value, and says so. */
  readonly ownAtLeft?: string;
  onInput(value: number | null): void;
}

export interface Slider {
  readonly root: HTMLElement;
  /** Shows a value without telling anyone; a hand that holds the slider keeps it. */
  show(value: number | null): void;
}

let made = 0;

export function createSlider(options: SliderOptions): Slider {
  const { label, name, hint, min, max, logarithmic = false, unit = "", ownAtLeft, onInput } = options;
  const id = `slider${made++}`;
  const low = logarithmic ? Math.log10(min) : min;
  const high = logarithmic ? Math.log10(max) : max;
  const step = options.step ?? (high - low) / 200;
  // one place left of the scale is the engine's own
  const first = ownAtLeft === undefined ? low : low - step;
  const input = element("input", {
    type: "range",
    id,
    name,
    min: first,
    max: high,
    step,
    ...(hint && { title: hint }),
  });
  const output = element("output", { for: id });
  const valueAt = (place: number): number | null => {
    if (ownAtLeft !== undefined && place < low - step / 2) return null;
    const inside = Math.max(low, place);
    return logarithmic ? Number((10 ** inside).toPrecision(3)) : Number(inside.toPrecision(6));
  };
  // rounding errors beside the scale are nothing
  const rounded = (value: number): number => (!logarithmic && Math.abs(value) < 1e-6 * (high - low) ? 0 : value);
  const words = (value: number | null): string =>
    value === null ? (ownAtLeft ?? "") : `${formatNumber(rounded(value))}${unit === "" ? "" : ` ${unit}`}`;
  const write = (value: number | null): void => {
    output.textContent = words(value);
    input.setAttribute("aria-valuetext", words(value));
    const share = (Number(input.value) - first) / (high - first);
    input.style.setProperty("--share", `${(100 * share).toFixed(1)}%`);
  };
  let held = false;
  input.addEventListener("pointerdown", () => {
    held = true;
  });
  for (const end of ["pointerup", "pointercancel", "blur"]) {
    input.addEventListener(end, () => {
      held = false;
    });
  }
  input.addEventListener("input", () => {
    const value = valueAt(input.valueAsNumber);
    write(value);
    onInput(value);
  });
  const root = element(
    "div",
    { class: "slider" },
    element("label", { for: id, ...(hint && { title: hint }) }, label),
    input,
    output,
  );
  return {
    root,
    show: (value) => {
      if (held) return;
      input.value = String(value === null ? first : logarithmic ? Math.log10(value) : value);
      write(value);
    },
  };
}
