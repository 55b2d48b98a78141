/** What the page and its worker tell each other. */
import type { Reading } from "./blocks.ts";
import type { CreepSettings } from "./settings.ts";

export type Command =
  /** Begins anew with these settings. */
  | { readonly kind: "start"; readonly run: number; readonly settings: CreepSettings }
  | { readonly kind: "play"; readonly playing: boolean; readonly speed: number };

export type EngineName = "engine" | "mujoco";

export type Report =
  | {
      readonly kind: "frame";
      readonly run: number;
      /** Seconds since the start of the run. */
      readonly time: number;
      readonly readings: Readonly<Partial<Record<EngineName, Reading>>>;
    }
  | { readonly kind: "fault"; readonly engine: EngineName; readonly message: string }
  | { readonly kind: "loaded"; readonly version: string };
