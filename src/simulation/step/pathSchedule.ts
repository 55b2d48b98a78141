/**
 * What the solver is told of one solve: where on the central path it ends, where it stops on the way and keeps points for gradients
 * (route.ts), and in which units of the cones.
 */
import type { System } from "../../kernels/index.ts";
import type { SolveOptions } from "../../solver/index.ts";
import type { KeptPoints } from "./keptPoints.ts";
import { kappaOf, type PathParameter } from "./pathParameter.ts";
import { type ConeUnits, type HoldName, type Route, routes, type Stop, settlingRoute } from "./route.ts";
import type { StepProblem } from "./stepProblem.ts";
import type { Precision, StepOptions } from "./stepReport.ts";

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
/** κ' at which a retry settles. */
const settlingKappa = 1e-2;

export class PathSchedule {
  /** The solver's options, one object for all solves. */
  readonly instructions: { -readonly [K in keyof SolveOptions]: SolveOptions[K] } = {};
  /** κ at which the step ends, and the largest κ that its solves come past. */
  end = 0.5;
  highest = 0.5;
  /** Whether the step ends, or keeps its first point, at a κ in SI. */
  isInSi = false;
  route: Route = routes.natural.none;

  private readonly system: System;
  private readonly problem: StepProblem;
  private readonly kept: Readonly<Record<HoldName, KeptPoints>>;
  private readonly naturalUnits: () => Float64Array;
  /** κ and tolerance of every stop of the route. */
  private readonly holds: number[] = [];
  private readonly holdTolerances: number[] = [];

  /** `naturalUnits`: what κ' = 1 is in SI, at every entry of every cone. */
  constructor(
    system: System,
    problem: StepProblem,
    kept: Readonly<Record<HoldName, KeptPoints>>,
    naturalUnits: () => Float64Array,
  ) {
    this.system = system;
    this.problem = problem;
    this.kept = kept;
    this.naturalUnits = naturalUnits;
  }

  /** Where a step ends, and which of its points lie above that; it prepares the problem for it. */
  begin(options: StepOptions): void {
    const { problem, kept } = this;
    const { hold, alsoHold } = options;
    const usual = ends[options.precision ?? "exact"];
    const usualEnd = this.usualEnd(options);
    this.end = options.kappa ?? options.relativeKappa ?? usualEnd;
    problem.units.finestKappa = Math.min(ends.exact.kappa, usualEnd);
    problem.prepare(options.tolerance ?? usual.tolerance);
    kept.hold.isAbove = hold !== undefined && this.passes(hold, options);
    kept.alsoHold.isAbove = alsoHold !== undefined && kept.hold.isAbove && this.passes(alsoHold, options);
    this.highest = hold && kept.hold.isAbove ? kappaOf(hold) : this.end;
    this.isInSi = (options.kappa ?? hold?.kappa) !== undefined;
  }

  /** Whether the end is so far down that nothing acts at a distance there. */
  get endsSharp(): boolean {
    return this.end <= sharpKappa;
  }

  /** κ at which the solve ends that the instructions are for. */
  get endOfSolve(): number {
    return this.instructions.kappa ?? ends.exact.kappa;
  }

  /** Sets route and instructions of the next solve, and weighs the cones as it begins. `settle`: on the way, where nothing is kept. */
  instruct(options: StepOptions, settle: boolean): void {
    const { instructions, holds, holdTolerances, end } = this;
    const { hold } = options;
    const ends = options.kappa === undefined ? routes.natural : routes.si;
    const holding = this.kept.alsoHold.isAbove ? ends.two : ends.one;
    if (hold && this.kept.hold.isAbove) this.route = hold.kappa === undefined ? holding.natural : holding.si;
    else this.route = settle && options.kappa === undefined && end < settlingKappa ? settlingRoute : ends.none;
    const { stops } = this.route;
    if (holds.length !== stops.length) holds.length = holdTolerances.length = stops.length;
    for (let i = 0; i < stops.length; i++) {
      holds[i] = kappaAt(stops[i], options, end);
      holdTolerances[i] = stops[i].tolerance;
    }
    instructions.holds = holds;
    instructions.holdTolerances = holdTolerances;
    instructions.kappa = end;
    instructions.exact = options.exact;
    instructions.pathTolerance = options.pathTolerance;
    instructions.maxIterations = options.maxIterations;
    this.weigh(this.first);
  }

  /** The solves that follow go to the end without a stop. */
  dropStops(): void {
    this.holds.length = 0;
  }

  /** Units in which the solve begins. */
  get first(): ConeUnits {
    const { stops, end } = this.route;
    return stops.length > 0 ? stops[0].units : end;
  }

  weigh(units: ConeUnits): void {
    const { problem } = this;
    const natural = this.naturalUnits();
    if (units === "si") problem.setWeights(() => 1);
    else if (units === "natural" && natural === problem.units.natural) problem.weighNaturally();
    else {
      const unit = units === "shaped" ? Math.min(...problem.cones.map(({ offset }) => natural[offset])) : 1;
      problem.setWeights((at) => natural[at] / unit);
    }
  }

  /** κ' at which a step ends that is not told where. */
  private usualEnd({ precision = "exact" }: StepOptions): number {
    const bound = this.system.touch?.bound.length ?? 0;
    const isGrip = bound > 0 && bound < manyBound && !this.problem.prediction && precision !== "fast";
    return isGrip ? gripKappa : ends[precision].kappa;
  }

  /** Whether the solve comes past the hold on its way to the end. */
  private passes(hold: PathParameter, { kappa }: StepOptions): boolean {
    if (hold.kappa !== undefined) return kappa === undefined || hold.kappa > kappa;
    const above = kappaOf(hold);
    if (kappa === undefined) return above > this.end;
    const natural = this.naturalUnits();
    return this.problem.cones.every(({ offset }) => above * natural[offset] > kappa);
  }
}

/** Whether the options leave it open where on the central path a step ends, and how small its residual is: the usual one may be said. */
export function leavesEndOpen({ kappa, relativeKappa, tolerance, precision = "exact", exact }: StepOptions): boolean {
  const isUsual = tolerance === undefined || tolerance === ends.exact.tolerance;
  const isGiven = kappa !== undefined || relativeKappa !== undefined || !isUsual;
  return !isGiven && !exact && precision === "exact";
}

function kappaAt({ kappa }: Stop, options: StepOptions, end: number): number {
  if (kappa === "settling") return settlingKappa;
  const path = kappa === "end" ? undefined : options[kappa];
  return path ? kappaOf(path) : end;
}
