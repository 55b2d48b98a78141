/** What the reader of the gradient lens has chosen, and its form in the page's address: #view=slip&force=8&kappa=3e-4&… */
import type { Direction } from "../../../experiments/gradient-comparison/box.ts";
import { numbersOf, parametersOf } from "./address.ts";
import { limitedAll, type Range } from "./range.ts";

export interface LensSettings {
  readonly direction: Direction;
  /** N. */
  readonly force: number;
  /** The reader's own κ: its tangent is drawn and its next pose shown. */
  readonly kappa: number;
  /** Further κ whose curves are shown, of `offeredKappas`. */
  readonly shown: readonly number[];
  readonly smoothing: boolean;
  /** Standard deviation of the force's noise, N. The paper's Σ is its square. */
  readonly sigma: number;
  readonly samples: number;
  readonly seed: number;
}

export const offeredKappas: readonly number[] = [1e-2, 1e-3, 1e-4, 1e-6, 1e-8];

export const ranges = {
  force: { low: 0, high: 20 },
  kappa: { low: 1e-9, high: 0.1 },
  sigma: { low: 0.1, high: 5 },
  samples: { low: 10, high: 2000, whole: true },
  seed: { low: 1, high: 1e9, whole: true },
} as const satisfies Record<string, Range>;

/** κ = 3e-4 is what the paper differentiates at; 500 samples is what it draws. */
export const defaults: LensSettings = {
  direction: "impact",
  force: 9,
  kappa: 3e-4,
  shown: [1e-2, 1e-4, 1e-8],
  smoothing: true,
  sigma: 1,
  samples: 500,
  seed: 1,
};

const viewNames: Readonly<Record<Direction, string>> = { impact: "lift", friction: "slip" };

/** With every number inside its range. */
export function limitedSettings(settings: LensSettings): LensSettings {
  return { ...settings, ...limitedAll(ranges, settings, defaults) };
}

export function settingsOf(hash: string): LensSettings {
  const given = parametersOf(hash);
  const shown = given.get("show")?.split(",").map(Number);
  return limitedSettings({
    ...numbersOf(given, ranges),
    direction: given.get("view") === viewNames.friction ? "friction" : "impact",
    shown: shown ? offeredKappas.filter((kappa) => shown.includes(kappa)) : defaults.shown,
    smoothing: given.get("smoothing") !== "off",
  });
}

export function hashOf(settings: LensSettings): string {
  const { direction, force, kappa, shown, smoothing, sigma, samples, seed } = settings;
  const parts = [
    `view=${viewNames[direction]}`,
    `force=${force}`,
    `kappa=${kappa}`,
    `show=${shown.join(",")}`,
    ...(smoothing ? [] : ["smoothing=off"]),
    `sigma=${sigma}`,
    `samples=${samples}`,
    ...(seed === defaults.seed ? [] : [`seed=${seed}`]),
  ];
  return `#${parts.join("&")}`;
}
