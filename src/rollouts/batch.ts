/** Many rollouts of one length as arrays. In shared memory workers read and write them in place: messages carry no numbers. */
import { ArgumentError, type Mechanism } from "../mechanism/index.ts";
import { keptSize, type RolloutEnd, type RolloutOutcome, requireSteps } from "./job.ts";
import type { PostedRollout } from "./rolloutKind.ts";

export interface RolloutBatch {
  readonly steps: number;
  /** State after state, one per rollout; or one for all. */
  readonly starts: Float64Array;
  /** Input after input, `steps` per rollout; or `steps` for all. Default zero. */
  readonly inputs?: Float64Array;
  /** Which states are wanted. Default "final". */
  readonly keep?: "final" | "all";
  /** Whether faults of a start end its rollout before the first step. Default true. */
  readonly check?: boolean;
}

export interface RolloutResults {
  readonly count: number;
  /**
   * One state per rollout, the last that was reached; or, with `keep: "all"`, `steps` + 1 per rollout, NaN where it was not reached. In
   * shared memory where threads did the work.
   */
  readonly states: Float64Array;
  /** Solved steps of each rollout: `steps`, unless it failed. */
  readonly solvedSteps: Int32Array;
  /** Iterations of all its steps. */
  readonly iterations: Int32Array;
  /** Rollouts that ended early, in their order. */
  readonly failures: readonly RolloutFailure[];
}

/** A rollout that ended early. */
export interface RolloutFailure extends RolloutEnd {
  readonly rollout: number;
}

/** A batch as jobs whose arrays are parts of larger ones. */
export interface BatchArrays {
  /** Jobs in shared memory, with the place where their states go. */
  readonly jobs: readonly PostedRollout[];
  readonly states: Float64Array;
  /** The part of `states` that belongs to each job. */
  readonly into: readonly Float64Array[];
}

/** Throws where sizes do not fit the mechanism or each other. */
export function batchArrays(
  mechanism: Mechanism,
  { steps, starts, inputs, keep, check }: RolloutBatch,
  isShared: boolean,
): BatchArrays {
  const { stateSize, inputSize } = mechanism;
  requireSteps("steps", steps);
  const startCount = wholeCount("starts", starts.length, stateSize, "a state");
  const inputCount = inputs ? wholeCount("inputs", inputs.length, steps * inputSize, `${steps} inputs`) : 1;
  const count = Math.max(startCount, inputCount);
  if (Math.min(startCount, inputCount) !== count && Math.min(startCount, inputCount) !== 1) {
    const message = `of ${inputCount} rollouts, with starts of ${startCount}; give as many of both, or one for all`;
    throw new ArgumentError("wrong-size", "inputs", message);
  }
  const ownStarts = isShared ? asShared(starts) : starts;
  const ownInputs = inputs && isShared ? asShared(inputs) : inputs;
  const part = (array: Float64Array, i: number, of: number): Float64Array => {
    const size = array.length / of;
    return of === 1 ? array : array.subarray(i * size, (i + 1) * size);
  };
  const states = newFloats(count * keptSize(mechanism, { steps, keep }), isShared);
  const into = Array.from({ length: count }, (_, i) => part(states, i, count));
  const jobs = into.map((own, i) => ({
    start: part(ownStarts, i, startCount),
    steps,
    inputs: ownInputs && part(ownInputs, i, inputCount),
    keep,
    check,
    into: isShared ? own : undefined,
  }));
  return { jobs, states, into };
}

export function resultsOf({ states }: BatchArrays, outcomes: readonly RolloutOutcome[]): RolloutResults {
  return {
    count: outcomes.length,
    states,
    solvedSteps: Int32Array.from(outcomes, ({ solvedSteps }) => solvedSteps),
    iterations: Int32Array.from(outcomes, ({ iterations }) => iterations),
    failures: outcomes.flatMap(({ failure }, rollout) => (failure ? [{ rollout, ...failure }] : [])),
  };
}

export function newFloats(length: number, isShared: boolean): Float64Array {
  return isShared ? new Float64Array(new SharedArrayBuffer(8 * length)) : new Float64Array(length);
}

/** The array itself where it is shared already, else a shared copy. */
function asShared(values: Float64Array): Float64Array {
  if (values.buffer instanceof SharedArrayBuffer) return values;
  const copy = newFloats(values.length, true);
  copy.set(values);
  return copy;
}

/** How many times `each` fits; all of nothing is one for all. */
function wholeCount(path: string, length: number, each: number, what: string): number {
  if (each === 0 && length === 0) return 1;
  const count = length / each;
  if (Number.isInteger(count) && count > 0) return count;
  throw new ArgumentError("wrong-size", path, `has ${length} numbers; give a multiple of ${each}, ${what} per rollout`);
}
