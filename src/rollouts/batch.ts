/**
 * What a batch of rollouts shares with its workers. All arrays lie in shared memory: workers read starts and inputs and write states
 * and counts in place, and messages carry no numbers. Each takes the next rollout that nobody has begun, by an atomic counter.
 */
import type { MechanismDescription } from "../mechanism/index.ts";
import type { StepOptions } from "../simulation/index.ts";

/** Options that can be sent to another thread. */
export type SharedStepOptions = Omit<StepOptions, "onIteration">;

export interface Batch {
  readonly id: number;
  readonly count: number;
  readonly steps: number;
  /** Numbers from one rollout's start or inputs to the next's; 0 where all have the same. */
  readonly startStride: number;
  readonly inputStride: number;
  /** Whether all states are kept, or the last alone. */
  readonly keepsAll: boolean;
  readonly starts: Float64Array;
  readonly inputs: Float64Array;
  readonly states: Float64Array;
  /** The next rollout; then the solved steps of each; then the iterations of each. */
  readonly counts: Int32Array;
}

/** Places in `Batch.counts`. */
export const nextRollout = 0;
export const solvedSteps = (rollout: number): number => 1 + rollout;
export const iterationSum = (count: number, rollout: number): number => 1 + count + rollout;

/** A rollout that ended early. */
export interface RolloutFailure {
  readonly rollout: number;
  /** The step that was not solved. */
  readonly step: number;
  /** Its status, or what its state's fault says. */
  readonly reason: string;
}

export type Request =
  | { readonly kind: "mechanism"; readonly description: MechanismDescription; readonly options: SharedStepOptions }
  | { readonly kind: "batch"; readonly batch: Batch };

export type Answer =
  | { readonly kind: "ready" }
  | { readonly kind: "done"; readonly id: number; readonly failures: readonly RolloutFailure[] }
  | { readonly kind: "fault"; readonly message: string };

export function sharedFloats(length: number): Float64Array {
  return new Float64Array(new SharedArrayBuffer(8 * length));
}

/** The array itself where it is shared already, else a shared copy. */
export function asShared(values: Float64Array): Float64Array {
  if (values.buffer instanceof SharedArrayBuffer) return values;
  const copy = sharedFloats(values.length);
  copy.set(values);
  return copy;
}
