import type { PartBefore } from "./drive.ts";

/**
 * The parts that a step is taken in, as fractions of the time step. Between a part of h₋ and one of h forces act for (h₋ + h)/2: momenta are
 * those of the middles of the parts (equations/node.ts). So the first part has to know the one that led to the state.
 */
export interface StepDivision extends PartBefore {
  /** They add up to 1. */
  readonly parts: readonly number[];
  /** The part that led to the state: 1 of a whole step, and the smallest part, 1/1024, where that is not known. */
  readonly before: number;
  /** Inputs of the step that led to the state, then force and torque on each body. Default: those of the step itself. */
  readonly drive?: readonly number[] | undefined;
}

/** How much longer forces act in part k than it lasts, as a fraction of the time step. */
export function leadOf({ parts, before }: Pick<StepDivision, "parts" | "before">, k: number): number {
  return ((k === 0 ? before : parts[k - 1]) - parts[k]) / 2;
}
