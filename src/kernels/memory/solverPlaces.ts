/** Points, directions and numbers of the solver in the system's memory (solverLists.ts has what is done to them). */

import { bodyStateSize } from "../../math/index.ts";
import { totalStarts } from "../cones/coneKernels.ts";
import { unitNumbers } from "../cones/unitKernels.ts";
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
  /** Weights of cones at every entry, e, weight·e, 1/weight, b∘c and Δb∘Δc. */
  readonly weight: number;
  readonly identity: number;
  readonly unit: number;
  readonly scale: number;
  readonly product: number;
  readonly second: number;
  /** Smallest eigenvalue of every pair in units of its weight, at the first entry, now and at the point that an iteration starts from. */
  readonly eigenvalue: number;
  readonly eigenvalueBefore: number;
  /** β and γ, by which smoothed cones measure b and c. */
  readonly beta: number;
  readonly gamma: number;
  /** 1/tolerance of every row. */
  readonly perTolerance: number;
  readonly units: UnitPlaces;
  readonly near: NearPlaces;
  /** Cone variables of the last solved step, and slacks of the one before it. */
  readonly last: Readonly<Record<"b" | "c" | "before", number>>;
  /** Numbers of limits that are smoothed: γ/(V h) as a quotient. */
  readonly smooth: Readonly<Record<"stretch" | "divisor", number>>;
  /** The state at the end of the step, as states are written. */
  readonly nextState: number;
}

/** Places of the step's units (unitKernels.ts): numbers, and tables of bodies, rows and cones. */
export interface UnitPlaces {
  readonly numbers: number;
  /** Radius of gyration of every body, how much it counts for the units, and the parameters of bodies that the tables are for. */
  readonly gyration: number;
  readonly share: number;
  readonly built: number;
  /** a, b, c of every row. */
  readonly perSpeed: number;
  readonly perRounding: number;
  readonly fixed: number;
  /** d at every entry of every cone, and the natural unit. */
  readonly perSquare: number;
  readonly natural: number;
  /** Change of speed per unit of every row's residual, and what is asked of every body. */
  readonly perResidual: number;
  readonly asked: number;
}

/** Whether each contact is near, and whether it took part last (startKernels.ts). */
export interface NearPlaces {
  readonly found: number;
  readonly chosen: number;
}

export function reserveSolver(
  memory: MemoryPlan,
  { unknowns, coneSize, rows, bodies, bodyParameters, contacts }: Readonly<Record<SizeName, number>>,
): SolverPlaces {
  const vector = (): number => memory.reserve(coneSize);
  const ofRows = (): number => memory.reserve(rows);
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
    weight: vector(),
    identity: vector(),
    unit: vector(),
    scale: vector(),
    product: vector(),
    eigenvalue: vector(),
    eigenvalueBefore: vector(),
    second: vector(),
    beta: vector(),
    gamma: vector(),
    perTolerance: ofRows(),
    units: {
      numbers: memory.reserve(unitNumbers.count),
      gyration: memory.reserve(bodies),
      share: memory.reserve(bodies),
      built: memory.reserve(bodyParameters),
      ...{ perSpeed: ofRows(), perRounding: ofRows(), fixed: ofRows() },
      ...{ perSquare: vector(), natural: vector() },
      ...{ perResidual: ofRows(), asked: memory.reserve(bodies) },
    },
    smooth: { stretch: vector(), divisor: vector() },
    nextState: memory.reserve(bodyStateSize * bodies),
    last: { b: vector(), c: vector(), before: vector() },
    near: { found: memory.reserve(contacts), chosen: memory.reserve(contacts) },
  };
}

type SizeName = "unknowns" | "coneSize" | "rows" | "bodies" | "bodyParameters" | "contacts";
