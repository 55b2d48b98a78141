/**
 * What a solve is told and what it answers. Every κ here is a plain number in units of each cone's weight:
 * the target of a cone is κ·weight·e. Constants without a paper label were measured: docs/decisions/0007.
 */
import type { Measures } from "./problem.ts";

/** A solve that does not converge is a result, never an exception. */
export type SolveStatus = "solved" | "iterationLimit" | "noProgress" | "singular";

export interface SolveOptions {
  /** Where the solution lies. Not exact: ‖b∘c‖ < κ, aimed at κ/5. Exact: b∘c = κe. Default 1e-8. */
  readonly kappa?: number | undefined;
  /** Land on the central path at κ instead of anywhere below it. Default false. */
  readonly exact?: boolean | undefined;
  /** Exact means ‖b∘c − κe‖ ≤ pathTolerance·κ. Default 1e-3. */
  readonly pathTolerance?: number | undefined;
  /** Larger κs at which to stop exactly on the way down, in the order they are to be reached. Default none. */
  readonly holds?: readonly number[] | undefined;
  /** pathTolerance of the holds. Default 1e-6. */
  readonly holdTolerance?: number | undefined;
  /** One for each hold, where they differ. Default holdTolerance for all. */
  readonly holdTolerances?: readonly number[] | undefined;
  /**
   * Called at each hold with its index. The problem is evaluated there and not factored; the callback may factor and solve
   * for its own ends but must leave the point and its residual as they are. It may change the cones' weights for what follows, or go to another point and return true.
   */
  readonly onHold?: ((index: number) => unknown) | undefined;
  /** Called after each iteration with the (reused) result so far. */
  readonly onIteration?: ((progress: SolveResult) => void) | undefined;
  /** Iterations for everything, holds included. Default 30. */
  readonly maxIterations?: number | undefined;
  /** Iterations that it takes in any case, where it starts so near the solution that it need not take any. Default 0. */
  readonly leastIterations?: number | undefined;
  /** Smallest eigenvalue of every cone as a fraction of their mean; 0 asks only for strictly inside. Default 0.01. */
  readonly neighbourhood?: number | undefined;
  /** τ: the step goes this fraction of the way to the boundary, more as the solve gets close. Default 0.999. */
  readonly boundaryFraction?: number | undefined;
  /** Use Mehrotra's second-order term. Default true. */
  readonly correction?: boolean | undefined;
  /** More than so many short steps in a row are given up. Default 8; fewer where another start is at hand that will not jam. */
  readonly jamLength?: number | undefined;
  /** The matrix of a problem that is not monotone is relaxed for some iterations where the solve jams at a μ above this. Default Infinity. */
  readonly relaxesAbove?: number | undefined;
  /** Iterations after convergence, left out once the residual is at rounding. Default 0 with cones, 1 without. */
  readonly polish?: number | undefined;
}

/** One object per solver, overwritten by the next solve. Violations are those of the point the problem is left at. */
export interface SolveResult {
  status: SolveStatus;
  iterations: number;
  /** Right-hand sides solved: two per iteration with cones, one without or where the corrector would change nothing. */
  linearSolves: number;
  /** max |residual|, in the problem's units. [paper eq:r_vio] */
  residual: number;
  /** max |residual| / tolerance; solved means ≤ 1, or as far down as rounding lets full steps take it. */
  residualViolation: number;
  /** max 2|residual| / slack over the gap rows; solved means ≤ 1, so that every distance is positive. */
  gapViolation: number;
  /** max ‖b∘c − κe‖/weight when exact (or holding), max ‖b∘c‖/weight when not. [paper eq:kappa_vio] */
  complementarityViolation: number;
  /** Mean of (b·c)/weight over the degree. [paper eq:centering_1] */
  mu: number;
  /** κ the last direction aimed at, and the length of the step taken along it. */
  kappa: number;
  alpha: number;
  /** The residual stopped falling although everything else was in place: another start will hardly help. */
  stalled: boolean;
}

/** The options with nothing left out. */
export interface Settings {
  kappa: number;
  exact: boolean;
  pathTolerance: number;
  holds: readonly number[];
  holdTolerance: number;
  holdTolerances: readonly number[];
  onHold: ((index: number) => unknown) | undefined;
  onIteration: ((progress: SolveResult) => void) | undefined;
  maxIterations: number;
  leastIterations: number;
  neighbourhood: number;
  boundaryFraction: number;
  correction: boolean;
  jamLength: number;
  relaxesAbove: number;
  polish: number;
}

const noHolds: readonly number[] = [];

/** Fills `settings` from options and defaults without allocating. */
export function settleInto(settings: Settings, options: SolveOptions, hasCones: boolean): void {
  settings.kappa = options.kappa ?? 1e-8;
  settings.exact = options.exact ?? false;
  settings.pathTolerance = options.pathTolerance ?? 1e-3;
  settings.holds = options.holds ?? noHolds;
  settings.holdTolerance = options.holdTolerance ?? 1e-6;
  settings.holdTolerances = options.holdTolerances ?? noHolds;
  settings.onHold = options.onHold;
  settings.onIteration = options.onIteration;
  settings.maxIterations = options.maxIterations ?? 30;
  settings.leastIterations = options.leastIterations ?? 0;
  settings.neighbourhood = options.neighbourhood ?? 0.01;
  settings.boundaryFraction = options.boundaryFraction ?? 0.999;
  settings.correction = options.correction ?? true;
  settings.jamLength = options.jamLength ?? 8;
  settings.relaxesAbove = options.relaxesAbove ?? Number.POSITIVE_INFINITY;
  settings.polish = options.polish ?? (hasCones ? 0 : 1);
}

export function newSettings(): Settings {
  const settings = {} as Settings;
  settleInto(settings, {}, true);
  return settings;
}

/** What the problem has measured at its point: r_vio, κ_vio ← Violation(w). */
export function takeMeasures(result: SolveResult, measures: Measures): void {
  result.residual = measures.residual;
  result.residualViolation = measures.residualViolation;
  result.gapViolation = measures.gapViolation;
  result.complementarityViolation = measures.complementarityViolation;
}

export function newResult(): SolveResult {
  return {
    status: "solved",
    iterations: 0,
    linearSolves: 0,
    residual: 0.5,
    residualViolation: 0.5,
    gapViolation: 0.5,
    complementarityViolation: 0.5,
    mu: 0.5,
    kappa: 0.5,
    alpha: 0.5,
    stalled: false,
  };
}
