/** What all methods of training take and give. */
import { ArgumentError, optionNamesOf } from "../mechanism/index.ts";
import type { PolicyKind } from "./policy.ts";
import type { TrainedPolicy } from "./trainedPolicy.ts";

export interface TrainingProgress {
  /** Updates so far, and of all. */
  readonly update: number;
  readonly updates: number;
  /** Return of the update: that of its episode, or the mean of its episodes. */
  readonly return: number;
  /** Steps simulated and differentiated so far. */
  readonly evaluations: number;
}

/** Plain data. */
export interface SearchOptions {
  /** Equal seeds give the same policy, to the bit. */
  readonly seed: number;
  /** Default "linear". */
  readonly policy?: PolicyKind;
  /** Hidden units of the network. Default 32. */
  readonly hiddenUnits?: number;
}

export interface ProgressOptions {
  /** Called after each update; returning false ends the training. */
  readonly onUpdate?: (progress: TrainingProgress) => boolean | undefined;
}

/** `method` is the name of the method itself, where settings come as data (methods.ts). */
export const searchOptionNames = optionNamesOf<SearchOptions & ProgressOptions & { readonly method: string }>()(
  "method seed policy hiddenUnits onUpdate",
);

export interface Training {
  /** The last policy, not the best; of a run that diverged the best. */
  readonly policy: TrainedPolicy;
  /** Returns of each update. */
  readonly returns: readonly number[];
  /** Evaluations up to each update. */
  readonly spent: readonly number[];
  /** Steps simulated and differentiated. */
  readonly evaluations: number;
  /** Updates that were left out, since the gradient was too large or not finite or a step was not solved. */
  readonly skipped: number;
  /** Why the run was ended early; absent where it was not. */
  readonly divergence?: string;
}

/** A training that pauses after each update; it ends, with what it has, where it is sent false. */
export type TrainingRun = Generator<TrainingProgress, Training, boolean | undefined>;

export function requireCount(path: string, value: number): void {
  if (Number.isInteger(value) && value >= 1) return;
  throw new ArgumentError("out-of-range", path, `${value}: give a whole number, 1 or more`);
}

export function requirePositive(path: string, value: number): void {
  if (value > 0) return;
  throw new ArgumentError("out-of-range", path, `${value}: give a positive number`);
}

export function requireShare(path: string, value: number): void {
  if (value >= 0 && value <= 1) return;
  throw new ArgumentError("out-of-range", path, `${value}: give a number from 0 to 1`);
}
