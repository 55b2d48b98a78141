/** What the experiment of the arm measures, as result.json holds it. */
import type { Picture, PushNumbers } from "./push.ts";

export interface Row {
  /** Distances of the box from the base, m. */
  readonly start: number;
  readonly distance: number;
  readonly flipped: boolean;
  /** Whether all steps were solved, with the tip within the edges of the face whenever it pushed. */
  readonly sound: boolean;
}

export interface FittedPush {
  /** Edge of the box along the push. */
  readonly depth: number;
  readonly numbers: PushNumbers;
  readonly rows: readonly Row[];
  /** Mean gap to the real distances, m. */
  readonly gap: number;
}

/** A row that was not used, predicted by a push that was fitted to the others. */
export interface Prediction extends Row {
  readonly numbers: PushNumbers;
  readonly gap: number;
}

export interface Strip {
  readonly start: number;
  readonly frames: readonly (Picture & { readonly time: number })[];
}

export interface Result {
  readonly fits: readonly FittedPush[];
  /** The numbers of the first fit with a time step of 0.002 s. */
  readonly finer: readonly Row[];
  readonly predictions: readonly Prediction[];
  readonly strips: readonly Strip[];
  /** Pushes simulated in all, and seconds that took. */
  readonly pushes: number;
  readonly seconds: number;
}
