/** What a step is asked for, and what it says of itself. */
import { optionNamesOf } from "../../mechanism/index.ts";
import type { SolveOptions, SolveResult, SolveStatus } from "../../solver/index.ts";
import type { StepDivision } from "../division/stepDivision.ts";
import type { Continuation } from "../runs/continuation.ts";
import type { PathParameter } from "./pathParameter.ts";

export const precisions = ["exact", "fast"] as const;
export type Precision = (typeof precisions)[number];

/** Where on the central path the step ends, by `kappa` or by `relativeKappa`: default that of `precision`. */
export interface StepOptions extends PathParameter {
  /**
   * How far down the central path a step goes, and how small its residual must be, where κ and tolerance do not say: "exact", 1e-8 in units of
   * each cone and row, or "fast", 1e-4: a robot at 100 Hz then hovers by 0.1 µm and creeps by 10 µm/s; one step in a hundred differs by more
   * than 1.6 cm/s from the exact one, by up to 13 cm/s of those that were measured (docs/solver.md). Distances are positive in both.
   * Default "exact".
   */
  readonly precision?: Precision | undefined;
  /** Land exactly on the central path at kappa. Default false. */
  readonly exact?: boolean | undefined;
  /** How exactly, relative to kappa. Default 1e-3. */
  readonly pathTolerance?: number | undefined;
  /**
   * Largest error of any part of the step, metres and radians: it is divided until it is kept, impacts of contacts at the ends of parts.
   * Inputs and states stay on the time step. Default none: the step is taken whole.
   */
  readonly errorTolerance?: number | undefined;
  /** Takes the step in these parts instead of choosing them: what `simulation.division` was. Default none. */
  readonly division?: StepDivision | undefined;
  /** Relative residual that counts as solved. Default that of `precision`. */
  readonly tolerance?: number | undefined;
  /** @internal Points to be kept for gradients, once the step is solved. Default none. */
  readonly points?: readonly PathParameter[] | undefined;
  /** Iterations of one attempt. Default 30. */
  readonly maxIterations?: number | undefined;
  /**
   * Interval over which the state's velocities are means: what the step that led to it has reported. Given, a step that ends too fast
   * for the time step is written in a shorter interval; left out, it is the time step, and such a step is `tooFast`.
   */
  readonly interval?: number | undefined;
  /**
   * What the run that led to the state has left to be carried on; `interval` is then its own, unless given. Left out, a step from the
   * very state that the last one led to goes on from there, and any other is cold.
   */
  readonly continuation?: Continuation | undefined;
  /** Accept a step that ends beyond |ω| = √2/h, for those who only want its configuration. Default false. */
  readonly allowTooFast?: boolean | undefined;
  /** Retries and substeps when the first attempt fails. Default true. */
  readonly fallback?: boolean | undefined;
  readonly onIteration?: SolveOptions["onIteration"];
}

export const stepOptionNames = optionNamesOf<Omit<StepOptions, "points">>()(
  "kappa relativeKappa precision exact pathTolerance errorTolerance division tolerance maxIterations",
  "interval continuation allowTooFast fallback onIteration",
);

/** How a step ended. */
export type StepStatus = SolveStatus | "tooFast" | "outOfMemory";

/** What a step did. One object per simulation, overwritten by the next step. */
export interface StepReport {
  /**
   * `tooFast`: solved, but a body ends beyond |ω| = √2/h, from where no further step of this size exists. `outOfMemory`: more touches at once than
   * there is memory for; the next state is the one before.
   */
  status: StepStatus;
  /** Iterations of all attempts and substeps. */
  iterations: number;
  /** Attempts beyond the first, over all substeps. */
  retries: number;
  /** 1, or the number of substeps it took. */
  substeps: number;
  /** Interval over which the velocities of the next state are means: the time step, or less where a body is too fast for it. */
  interval: number;
  /** max |residual| / tolerance of the last attempt; solved means ≤ 1, or at rounding. */
  residualViolation: number;
  /** max ‖b∘c‖ in units of the cones. */
  complementarityViolation: number;
  /** The joint's name where a step failed with three hinges in a row that are near their lock. The status is `singular` then, or `tooFast`. */
  lockedJoint: string | undefined;
  /**
   * Where shapes touch: by what their friction coefficients were multiplied in a step that found no solution with all of it, as happens in
   * large heaps that are wedged. 1 as a rule.
   */
  frictionScale?: number | undefined;
  /** "fast" for a step that found no solution to the precision that it was asked for; undefined as a rule. */
  precision?: Precision | undefined;
  /** Where shapes touch: how deep the deepest overlap is that the step leaves, m. Rounding as a rule. */
  overlap?: number | undefined;
}

/** Field by field, which is quicker than `Object.assign`. */
export function copyReportInto(out: StepReport, report: Readonly<StepReport>): void {
  out.status = report.status;
  out.iterations = report.iterations;
  out.retries = report.retries;
  out.substeps = report.substeps;
  out.interval = report.interval;
  out.residualViolation = report.residualViolation;
  out.complementarityViolation = report.complementarityViolation;
  out.lockedJoint = report.lockedJoint;
  out.precision = report.precision;
  if (report.frictionScale === undefined) return;
  out.frictionScale = report.frictionScale;
  out.overlap = report.overlap;
}

/** How the last solve of the step has ended. */
export function reportSolveInto(
  out: StepReport,
  { status, residualViolation, complementarityViolation }: SolveResult,
): void {
  out.status = status;
  out.residualViolation = residualViolation;
  out.complementarityViolation = complementarityViolation;
}
