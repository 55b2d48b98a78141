/** What the solver is told of one solve: where on the central path it ends, by which waypoint, and in which units of the cones. */
import type { System } from "../../kernels/index.ts";
import type { SolveOptions } from "../../solver/index.ts";
import type { PathParameter } from "./pathParameter.ts";
import type { StepProblem } from "./stepProblem.ts";
import type { Precision, StepOptions } from "./stepReport.ts";

/**
 * Units of the cones in which κ counts:
 *   natural   those of the step (units.ts), in which every start is central
 *   si        1
 *   shaped    the natural ones over their smallest: an SI κ is 1/h times as much to a contact's gap as to its slip, so on the way to one
 *             the cones keep the proportions of the start, and change them where they are near
 */
export type ConeUnits = "natural" | "shaped" | "si";

/**
 * κ' of simulation in units of each cone (hover κ' g h², creep below κ' g h per contact), and the relative residual that counts as solved.
 */
const ends = {
  exact: { kappa: 1e-8, tolerance: 1e-8 },
  fast: { kappa: 1e-4, tolerance: 1e-4 },
} as const satisfies Record<Precision, object>;
/**
 * κ' of exact steps in which few shapes of loose bodies touch something: what is gripped creeps in proportion to it. Heaps, and robots whose
 * own limbs touch, would take more iterations with it (decision 0030).
 */
const gripKappa = 1e-9;
const manyBound = 20;
/** Largest κ' at which what acts at a distance is too little to count, below the tolerance of that κ'. */
const sharpKappa = 1e-4;
/** κ' at which a retry settles, which sorts out how redundant contacts share their load. How near the path it does, as a fraction of κ; and waypoints to a κ in SI. */
const settling = { kappa: 1e-2, tolerance: 0.1 };
const waypoint = 0.5;
/** Gradients want their point on the path to this fraction of κ. */
const pointTolerance = 1e-9;

export class PathSchedule {
  /** The solver's options, one object for all solves. */
  readonly instructions: { -readonly [K in keyof SolveOptions]: SolveOptions[K] } = {};
  /** κ at which the step ends. */
  end = 0.5;
  /** Whether that is a κ in SI. */
  isInSi = false;

  private readonly system: System;
  private readonly problem: StepProblem;
  private readonly naturalUnits: () => Float64Array;
  /** κ and tolerance of the waypoint, if there is one. */
  private readonly holds: number[] = [];
  private readonly holdTolerances: number[] = [];
  private last: ConeUnits = "natural";

  /** `naturalUnits`: what κ' = 1 is in SI, at every entry of every cone. */
  constructor(system: System, problem: StepProblem, naturalUnits: () => Float64Array) {
    this.system = system;
    this.problem = problem;
    this.naturalUnits = naturalUnits;
    this.instructions.holds = this.holds;
    this.instructions.holdTolerances = this.holdTolerances;
    this.instructions.onHold = () => this.weigh(this.last);
  }

  /** Where a step ends; it prepares the problem for it. */
  begin(options: StepOptions): void {
    const { problem } = this;
    const usual = ends[options.precision ?? "exact"];
    const usualEnd = this.usualEnd(options);
    this.end = options.kappa ?? options.relativeKappa ?? usualEnd;
    this.isInSi = options.kappa !== undefined;
    problem.units.finestKappa = Math.min(ends.exact.kappa, usualEnd);
    problem.prepare(options.tolerance ?? usual.tolerance);
  }

  /** Whether the end is so far down that nothing acts at a distance there. */
  get endsSharp(): boolean {
    return this.end <= sharpKappa;
  }

  /** κ at which the solve ends that the instructions are for. */
  get endOfSolve(): number {
    return this.instructions.kappa ?? ends.exact.kappa;
  }

  /** Sets the instructions of the next solve of the step, and weighs the cones as it begins. `settle`: at the waypoint of retries. */
  instruct(options: StepOptions, settle: boolean): void {
    const { instructions, isInSi, end } = this;
    instructions.kappa = end;
    instructions.exact = options.exact;
    instructions.pathTolerance = options.pathTolerance;
    instructions.maxIterations = options.maxIterations;
    this.goBy(isInSi, settle && end < settling.kappa);
  }

  /** Sets those of a solve that ends exactly on the path, at a κ in SI or in natural units, and weighs the cones. */
  instructPoint(kappa: number, isInSi: boolean, maxIterations: number | undefined): void {
    const { instructions } = this;
    instructions.kappa = kappa;
    instructions.exact = true;
    instructions.pathTolerance = pointTolerance;
    instructions.maxIterations = maxIterations;
    this.goBy(isInSi, false);
  }

  /** To a κ in SI by the same κ in shaped units; or by κ' at which retries settle. */
  private goBy(isInSi: boolean, settles: boolean): void {
    const { instructions, holds, holdTolerances } = this;
    holds.length = holdTolerances.length = isInSi || settles ? 1 : 0;
    if (isInSi || settles) {
      holds[0] = isInSi ? (instructions.kappa as number) : settling.kappa;
      holdTolerances[0] = isInSi ? waypoint : settling.tolerance;
    }
    this.last = isInSi ? "si" : "natural";
    this.weigh(isInSi ? "shaped" : "natural");
  }

  /** The solves that follow go to the end without a waypoint. */
  dropStops(): void {
    this.holds.length = 0;
  }

  /** What κ' = 1 is in SI where the cones are shaped as they are in the step, at its smallest cone. */
  get smallestUnit(): number {
    const natural = this.naturalUnits();
    let smallest = Number.POSITIVE_INFINITY;
    for (const { offset } of this.problem.cones) smallest = Math.min(smallest, natural[offset]);
    return smallest;
  }

  weigh(units: ConeUnits): void {
    const { problem } = this;
    const natural = this.naturalUnits();
    if (units === "si") problem.setWeights(() => 1);
    else if (units === "natural" && natural === problem.units.natural) problem.weighNaturally();
    else {
      const unit = units === "shaped" ? this.smallestUnit : 1;
      problem.setWeights((at) => natural[at] / unit);
    }
  }

  /** κ' at which a step ends that is not told where. */
  private usualEnd({ precision = "exact" }: StepOptions): number {
    const bound = this.system.touch?.bound.length ?? 0;
    const isGrip = bound > 0 && bound < manyBound && !this.problem.prediction && precision !== "fast";
    return isGrip ? gripKappa : ends[precision].kappa;
  }

  /** κ of a point for gradients: in natural units it counts in velocities of |g| h, wherever there is gravity. */
  kappaOf({ kappa, relativeKappa }: PathParameter): number {
    return kappa ?? (relativeKappa as number) * this.problem.units.partOfWeight;
  }

  /** Whether a point for gradients lies above the end of the step, in every cone. */
  isAboveEnd(path: PathParameter): boolean {
    const { problem, end, isInSi } = this;
    const kappa = this.kappaOf(path);
    if (problem.cones.length === 0) return false;
    if ((path.kappa !== undefined) === isInSi) return kappa > end;
    if (!isInSi) return true;
    const natural = this.naturalUnits();
    return problem.cones.every(({ offset }) => kappa * natural[offset] > end);
  }
}

/** Whether the options leave it open where on the central path a step ends, and how small its residual is: the usual one may be said. */
export function leavesEndOpen({ kappa, relativeKappa, tolerance, precision = "exact", exact }: StepOptions): boolean {
  const isUsual = tolerance === undefined || tolerance === ends.exact.tolerance;
  const isGiven = kappa !== undefined || relativeKappa !== undefined || !isUsual;
  return !isGiven && !exact && precision === "exact";
}
