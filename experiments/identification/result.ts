/** What the identification experiment measures, as result.json holds it. */
import type { ContactSettings, TossErrors } from "./mujocoTosses.ts";
import type { CornerRow, FitRow } from "./realTosses.ts";
import type { Coverage, NoiseFree } from "./synthetic.ts";

export interface MujocoRow {
  readonly name: string;
  readonly contact: ContactSettings;
  readonly train: TossErrors;
  readonly test: TossErrors;
}

export interface Result {
  readonly noiseFree: readonly NoiseFree[];
  readonly coverage: readonly Coverage[];
  /** Null where the real tosses are not at hand. */
  readonly real: {
    readonly fits: readonly FitRow[];
    readonly mujoco: readonly MujocoRow[];
    /** Corners from 20 and from 100 tosses. */
    readonly corners: readonly CornerRow[];
    /** Corners by the number of tosses. */
    readonly curve: readonly CornerRow[];
    readonly trainCount: number;
  } | null;
}

/** Published, fitted to the tosses that they are scored on [Acosta, Yang, Posa 2022]. */
export const published: readonly { readonly engine: string; readonly position: string; readonly rotation: string }[] = [
  { engine: "Drake, published", position: "13.5 ± 8.2", rotation: "16.5 ± 20.0" },
  { engine: "Bullet, published", position: "14.9 ± 8.9", rotation: "16.5 ± 20.2" },
  { engine: "MuJoCo, published", position: "25.1 ± 10.8", rotation: "21.7 ± 21.4" },
];

/** The paper's own fit of corners, and what the others needed. */
export const publishedCorners = { mean: 0.035, largest: 0.097, iterations: 50, tosses: 400, contactNetsTosses: 30 };
