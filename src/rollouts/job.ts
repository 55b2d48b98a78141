/**
 * A rollout as plain data, and what comes of it. Whatever runs many rollouts takes jobs and gives outcomes: the pool of threads beside
 * this file, or a queue that many machines read. None of them changes an outcome by a bit.
 */
import { ArgumentError, type Mechanism, optionNamesOf, requireOptionNames } from "../mechanism/index.ts";
import type { Continuation, StepOptions } from "../simulation/index.ts";

export interface RolloutJob {
  readonly start: Float64Array;
  readonly steps: number;
  /** Input after input, one per step. Default zero. */
  readonly inputs?: Float64Array | undefined;
  /** Parameters that differ from the description's, by their names in `parameterNames`. */
  readonly parameters?: Readonly<Record<string, number>> | undefined;
  /** What the run that led to the start has left: that of another outcome, of a trajectory or of a simulation. Default: a cold start. */
  readonly continuation?: Continuation | undefined;
  /** Whether the outcome is to bring its continuation, so that another job goes on from it to the bit. Default false. */
  readonly continues?: boolean | undefined;
  /** Which states are wanted. Default "final". */
  readonly keep?: "final" | "all" | undefined;
  /** Whether faults of the start, as `checkState` lists them, end it before its first step. Default: where it has no continuation. */
  readonly check?: boolean | undefined;
}

const jobFields = optionNamesOf<RolloutJob>()("start steps inputs parameters continuation continues keep check");

export interface RolloutOutcome {
  /** The last state that was reached; or, with `keep: "all"`, `steps` + 1 states, the start first, NaN where none was reached. */
  readonly states: Float64Array;
  /** As many as `steps`, unless it failed. */
  readonly solvedSteps: number;
  /** Iterations of all its steps. */
  readonly iterations: number;
  /** Continuation of the last state, where the job asked for it and did not fail. */
  readonly continuation?: Continuation | undefined;
  /** Why it ended early, if it did. */
  readonly failure?: RolloutEnd | undefined;
}

export interface RolloutEnd {
  /** The step that was not solved. */
  readonly step: number;
  /** Its status, or what its state's fault says. */
  readonly reason: string;
}

/** Options that can be sent to another thread or machine. */
export type SharedStepOptions = Omit<StepOptions, "onIteration" | "continuation">;

/** A job that has no outcome: it cannot be begun, or whatever ran it broke down. */
export class RolloutError extends Error {
  /** Its place among the jobs of the call; undefined where none of them is at fault. */
  readonly job: number | undefined;

  constructor(message: string, job?: number) {
    super(`rollouts: ${job === undefined ? "" : `job ${job}: `}${message}`);
    this.name = "RolloutError";
    this.job = job;
  }
}

/** Numbers in the states of an outcome. */
export function keptSize(
  { stateSize }: { readonly stateSize: number },
  { steps, keep }: Pick<RolloutJob, "steps" | "keep">,
): number {
  return keep === "all" ? (steps + 1) * stateSize : stateSize;
}

export function requireSteps(path: string, steps: number): void {
  if (Number.isInteger(steps) && steps >= 0) return;
  throw new ArgumentError("out-of-range", path, `${steps}: give a whole number, 0 or more`);
}

/** Throws where sizes do not fit the mechanism. */
export function requireJob(path: string, { stateSize, inputSize }: Mechanism, job: RolloutJob): void {
  requireOptionNames(path, job, jobFields);
  const { start, steps, inputs } = job;
  requireSteps(`${path}.steps`, steps);
  if (start.length !== stateSize) {
    throw new ArgumentError("wrong-size", `${path}.start`, `has ${start.length} numbers; give a state of ${stateSize}`);
  }
  if (inputs === undefined || inputs.length === steps * inputSize) return;
  const message = `has ${inputs.length} numbers; give ${steps * inputSize}, ${inputSize} per step`;
  throw new ArgumentError("wrong-size", `${path}.inputs`, message);
}
