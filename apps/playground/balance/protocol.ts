/** What the page and its worker tell each other. */
import type { Pull } from "../protocol.ts";
import type { StageFrame, StageInfo } from "../stage/stage.ts";
import type { BalanceSettings } from "./settings.ts";

export type Command =
  /** Begins anew with these settings. */
  | { readonly kind: "start"; readonly run: number; readonly settings: BalanceSettings }
  /** Other numbers for the same run. */
  | { readonly kind: "change"; readonly settings: BalanceSettings }
  | { readonly kind: "play"; readonly playing: boolean }
  /** A push from a random side. */
  | { readonly kind: "push"; readonly impulse: number }
  | { readonly kind: "pull"; readonly pull: Pull | null };

/** The present. */
export interface BalanceFrame extends StageFrame {
  /** Seconds since the start of the run. */
  readonly time: number;
  /** Where the plan leads: ends of line segments, six numbers each. */
  readonly horizon: Float32Array;
  /** By the clock: in plans alone, and simulated over real time. */
  readonly plansPerSecond: number;
  readonly realTime: number;
  readonly plans: number;
  readonly pushes: number;
  /** Whether it stands as the task asks. */
  readonly isKept: boolean;
}

export type Report =
  | { readonly kind: "scene"; readonly run: number; readonly info: StageInfo; readonly frame: BalanceFrame }
  | { readonly kind: "frame"; readonly run: number; readonly frame: BalanceFrame }
  | { readonly kind: "fault"; readonly message: string };
