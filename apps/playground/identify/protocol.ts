/** What the page and its worker tell each other. */
import type { StageInfo } from "../stage/stage.ts";

export interface GivenRecording {
  readonly name: string;
  readonly text: string;
}

export type Command =
  /** Finds parameters, by their names, from recordings; without any from tosses that are made up. */
  | {
      readonly kind: "fit";
      readonly run: number;
      readonly parameters: readonly string[];
      readonly recordings?: readonly GivenRecording[];
    }
  /** Ends it, with what there is. */
  | { readonly kind: "stop" };

/** One toss beside its prediction: poses of 7 numbers per frame. */
export interface TossPicture {
  readonly name: string;
  readonly interval: number;
  readonly recorded: Float32Array;
  readonly predicted: Float32Array;
  /** Half the edge of the cube, m. */
  readonly half: number;
  /** Mean errors of the prediction: per cent of the cube's width, and degrees. */
  readonly position: number;
  readonly rotation: number;
}

export interface FitPoint {
  readonly name: string;
  readonly start: number;
  readonly value: number;
  /** Half of the 95% interval; null where it is not known. */
  readonly halfWidth: number | null;
  /** The value behind tosses that were made up. */
  readonly truth?: number;
}

export interface FitReport {
  readonly stage: string;
  readonly count: number;
  readonly cost: number;
  readonly parameters: readonly FitPoint[];
  readonly toss: TossPicture;
}

export type Report =
  | { readonly kind: "scene"; readonly run: number; readonly info: StageInfo; readonly recordings: number }
  | { readonly kind: "progress"; readonly run: number; readonly fit: FitReport }
  | {
      readonly kind: "done";
      readonly run: number;
      readonly converged: boolean;
      readonly seconds: number;
      readonly warnings: readonly string[];
    }
  | { readonly kind: "fault"; readonly run: number; readonly message: string };
