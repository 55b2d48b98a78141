/** What the page tells the worker that runs a robot and the one that trains, and what they report. */
import type { Pull } from "../protocol.ts";
import type { StageFrame, StageInfo } from "../stage/stage.ts";
import type { PolicySettings } from "./settings.ts";

/** To the robot. Policies are JSON, as training writes them. */
export type Command =
  /** Another robot; without a policy nothing acts. */
  | { readonly kind: "start"; readonly run: number; readonly robot: string; readonly policy?: string }
  /** Another policy for the same robot. */
  | { readonly kind: "policy"; readonly policy: string }
  | { readonly kind: "restart" }
  | { readonly kind: "play"; readonly playing: boolean }
  /** A push from a random side. */
  | { readonly kind: "push"; readonly impulse: number }
  | { readonly kind: "pull"; readonly pull: Pull | null };

/** The present. */
export interface PolicyFrame extends StageFrame {
  /** Seconds since the start. */
  readonly time: number;
  /** Distance along x since the start, m, and how fast it grows, m/s. */
  readonly distance: number;
  readonly speed: number;
  /** How often it was started, pushed, and fell. */
  readonly starts: number;
  readonly pushes: number;
  readonly falls: number;
  readonly hasFallen: boolean;
}

export type Report =
  | { readonly kind: "scene"; readonly run: number; readonly info: StageInfo; readonly frame: PolicyFrame }
  | { readonly kind: "frame"; readonly run: number; readonly frame: PolicyFrame }
  | { readonly kind: "fault"; readonly run: number; readonly message: string };

/** To the trainer. */
export type TrainerCommand =
  | { readonly kind: "train"; readonly run: number; readonly settings: PolicySettings; readonly workers: number }
  /** After the update under way. */
  | { readonly kind: "stop" }
  | { readonly kind: "continue" };

/** How far a training is. */
export interface TrainingReport {
  /** Evaluations up to each update so far, and the return of its episodes. */
  readonly spent: readonly number[];
  readonly returns: readonly number[];
  readonly updates: number;
  readonly seconds: number;
  /** As it is now. */
  readonly policy: string;
  /** Nothing is left to do; why, where it ended early. */
  readonly isDone: boolean;
  readonly divergence?: string;
  /** Mean return from starts that training has not seen, once it is done. */
  readonly score?: number;
}

export type TrainerReport =
  | { readonly kind: "progress"; readonly run: number; readonly training: TrainingReport }
  | { readonly kind: "stopped"; readonly run: number }
  | { readonly kind: "fault"; readonly run: number; readonly message: string };
