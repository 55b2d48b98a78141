/** Points, directions and numbers of the solver in the system's memory (solverLists.ts has what is done to them). */
import { totalStarts } from "../cones/coneKernels.ts";
import type { MemoryPlan } from "./memory.ts";

/** The saved point, the predictor, the corrector, one for whoever measures, and a point put aside. */
export const directionCount = 5;

export interface DirectionPlaces {
  readonly a: number;
  readonly b: number;
  readonly c: number;
}

/** Where the solver's vectors and numbers lie. */
export interface SolverPlaces {
  readonly directions: readonly DirectionPlaces[];
  readonly alpha: number;
  /** κ, the centre, and μ of smoothed cones. */
  readonly given: number;
  readonly totals: number;
  readonly totalStarts: number;
  /** weight·e, 1/weight at every entry, b∘c and Δb∘Δc. */
  readonly unit: number;
  readonly scale: number;
  readonly product: number;
  readonly second: number;
  /** β and γ, by which smoothed cones measure b and c. */
  readonly beta: number;
  readonly gamma: number;
  /** 1/tolerance of every row. */
  readonly perTolerance: number;
}

export function reserveSolver(memory: MemoryPlan, unknowns: number, coneSize: number, rows: number): SolverPlaces {
  const vector = (): number => memory.reserve(coneSize);
  return {
    directions: Array.from({ length: directionCount }, () => ({
      a: memory.reserve(unknowns),
      b: vector(),
      c: vector(),
    })),
    alpha: memory.reserve(1),
    given: memory.reserve(3),
    totals: memory.reserve(2 * totalStarts.length),
    totalStarts: memory.reserve(2 * totalStarts.length),
    unit: vector(),
    scale: vector(),
    product: vector(),
    second: vector(),
    beta: vector(),
    gamma: vector(),
    perTolerance: memory.reserve(rows),
  };
}
