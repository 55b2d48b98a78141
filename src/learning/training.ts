/** What all methods of training take and give. */
import { ArgumentError } from "../mechanism/index.ts";
import type { PolicyKind } from "./policy.ts";
import type { TrainedPolicy } from "./trainedPolicy.ts";

export interface TrainingProgress {
  /** Updates so far, and of all. */
  readonly update: number;
  readonly updates: number;
  /** Of the update: the return of its episode, or the mean of its episodes. */
  readonly return: number;
  /** Steps simulated and differentiated so far. */
  readonly evaluations: number;
}

export interface TrainingOptions {
  /** Equal seeds give the same policy, to the bit. */
  readonly seed: number;
  /** Default "linear". */
  readonly policy?: PolicyKind;
  /** Of the network. Default 32. */
  readonly hiddenUnits?: number;
  /** Called after each update; returning false ends the training. */
  readonly onUpdate?: (progress: TrainingProgress) => boolean | undefined;
}

export interface Training {
  /** The last policy, not the best. */
  readonly policy: TrainedPolicy;
  /** Of each update. */
  readonly returns: readonly number[];
  /** Steps simulated and differentiated. */
  readonly evaluations: number;
  /** Updates that were left out, since the gradient was too large or not finite or a step was not solved. */
  readonly skipped: number;
}

/** A training that pauses after each update; it ends, with what it has, where it is sent false. */
export type TrainingRun = Generator<TrainingProgress, Training, boolean | undefined>;

/** Runs it to its end. */
export function finished(run: TrainingRun, onUpdate: TrainingOptions["onUpdate"]): Training {
  for (let next = run.next(); ; ) {
    if (next.done) return next.value;
    next = run.next(onUpdate?.(next.value));
  }
}

export function requireCount(path: string, value: number): void {
  if (Number.isInteger(value) && value >= 1) return;
  throw new ArgumentError("out-of-range", path, `${value}: give a whole number, 1 or more`);
}

export function requirePositive(path: string, value: number): void {
  if (value > 0) return;
  throw new ArgumentError("out-of-range", path, `${value}: give a positive number`);
}
