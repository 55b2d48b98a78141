/** What the page, the plant's worker and the planner's worker tell each other. */
import type { PlanFeedback } from "dojo-sim";
import type { Pull } from "../protocol.ts";
import type { StageFrame, StageInfo } from "../stage/stage.ts";
import type { BalanceSettings } from "./settings.ts";

/** The page to the plant. */
export type Command =
  /** The way to the planner. Comes first. */
  | { readonly kind: "planner"; readonly port: MessagePort }
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
  /** Plans per second by the clock, while it plays. */
  readonly plansPerSecond: number;
  /** Mean time of a plan, in ms. */
  readonly planTime: number;
  /** Simulated over real time. */
  readonly realTime: number;
  readonly plans: number;
  readonly pushes: number;
  /** Whether it stands as the task asks, where it is to go. */
  readonly isKept: boolean;
}

/** The plant to the page. */
export type Report =
  | {
      readonly kind: "scene";
      readonly run: number;
      readonly info: StageInfo;
      readonly frame: BalanceFrame;
      /** Dimensions of the places that it can be told to go to: the floor, a line along x, or none. */
      readonly goals: 0 | 1 | 2;
    }
  | { readonly kind: "frame"; readonly run: number; readonly frame: BalanceFrame }
  | { readonly kind: "fault"; readonly run: number; readonly message: string };

/** A plan that begins `delay` steps after the one at which the plant is in this state. */
export interface PlanRequest {
  readonly state: Float64Array;
  readonly step: number;
  readonly delay: number;
}

export interface PlanReply {
  /** The step of the plant from which it is to be followed. */
  readonly begins: number;
  readonly feedback: PlanFeedback;
  readonly horizon: Float32Array;
  /** In ms. */
  readonly took: number;
}

/** The plant to the planner. */
export type PlannerCommand =
  | { readonly kind: "start"; readonly run: number; readonly settings: BalanceSettings }
  | { readonly kind: "change"; readonly run: number; readonly settings: BalanceSettings; readonly step: number }
  | { readonly kind: "plan"; readonly run: number; readonly request: PlanRequest };

/** The planner to the plant. */
export type PlannerReport =
  | { readonly kind: "plan"; readonly run: number; readonly reply: PlanReply }
  | { readonly kind: "fault"; readonly run: number; readonly message: string };
