/**
 * One leg of a solve: it aims at κ = target and ends within `radius` of the central path at κ = centre. Here is what says that it has
 * arrived, up to rounding, and what says that it never will.
 */
import type { SolveResult } from "./options.ts";
import type { Measures } from "./problem.ts";

/**
 * A hold this loose, as a fraction of κ, is a waypoint: it need not satisfy E any better than this many tolerances. Over the scenes of
 * benchmarks/robustness that takes holds at an SI κ of 3e-4 from 13.9 iterations (p99 58) to 12.0 (29), and exact solves at 1e-5
 * from 6.2 to 5.2, with no more failures.
 */
const APPROACH = 0.3;
const APPROACH_RESIDUAL = 1e9;
/** A point on the path to this fraction of κ that no longer halves the deviation is limited by rounding, not by the method. */
const ROUNDING_LIMITED = 1e-3;
/**
 * A residual that full steps no longer halve counts as rounding up to this many tolerances: redundant loops hold impulses far
 * larger than their motion needs, and the impulse of a hard impact is known only to the rounding of positions over the slack.
 */
const RESIDUAL_ROUNDING = 1e3;
/** μ within this factor of its target, and the residual not halved in more than this many iterations: a stall. */
const STALL_MU = 10;
const STALL_LENGTH = 5;
/** A solve that wants to leave the domain of E more than this many times in a row is given up too. */
const MOST_CUTS = 3;

export class Leg {
  target = 0.5;
  centre = 0.5;
  radius = 0.5;
  /** Whether any cone takes part in it. */
  hasCones = false;
  /** Whether its last step took the factors of an earlier one. */
  isChord = false;
  /** How many steps in a row had to be shortened, since they led out of the domain of E. */
  cuts = 0;
  private previousViolation = 0.5;
  private previousResidual = 0.5;
  private bestResidual = 0.5;
  private stalls = 0;

  begin(target: number, centre: number, radius: number): void {
    this.target = target;
    this.centre = centre;
    this.radius = radius;
    this.previousViolation = Infinity;
    this.previousResidual = Infinity;
    this.bestResidual = Infinity;
    this.stalls = this.cuts = 0;
  }

  /** Remembers the violations of the point that a step starts from. */
  remember({ complementarityViolation, residualViolation }: SolveResult): void {
    this.previousViolation = complementarityViolation;
    this.previousResidual = residualViolation;
  }

  /** What a step with the same factors is expected to leave of the residual. */
  chordResidual({ residualViolation }: SolveResult): number {
    return 2 * residualViolation * (residualViolation / this.previousResidual);
  }

  hasArrived(result: SolveResult, { pathDistance }: Measures): boolean {
    const { centre, radius } = this;
    // whether every cone is within `radius` of the path, give or take rounding
    const isOnPath = pathDistance <= radius;
    if (centre > 0 && radius >= APPROACH * centre && result.residualViolation <= APPROACH_RESIDUAL) return isOnPath;
    if (!(result.gapViolation <= 1)) return false;
    if (!(result.residualViolation <= 1 || this.isResidualAtRounding(result))) return false;
    if (isOnPath) return true;
    const isClose = result.complementarityViolation <= ROUNDING_LIMITED * centre;
    return isClose && result.alpha === 1 && result.complementarityViolation > 0.5 * this.previousViolation;
  }

  /** A full step no longer brings the residual down, and it is small: impulses and distances are rounded, not wrong. */
  private isResidualAtRounding({ residualViolation, complementarityViolation, alpha }: SolveResult): boolean {
    // while the complementarity still falls, what is left is of second order and the next step will take it
    const rests = !this.hasCones || complementarityViolation > 0.5 * this.previousViolation;
    const falls = residualViolation <= 0.5 * this.previousResidual;
    return alpha === 1 && !this.isChord && rests && !falls && residualViolation <= RESIDUAL_ROUNDING;
  }

  /** Whether the residual stays where it was although μ has arrived, or E is left again and again: no solution is the likely reason. */
  hasStalled(result: SolveResult): boolean {
    if (this.cuts > MOST_CUTS) {
      result.stalled = true;
      return true;
    }
    if (this.hasCones && result.mu > STALL_MU * Math.max(this.target, this.centre)) return false;
    if (result.residualViolation < 0.5 * this.bestResidual) {
      this.bestResidual = result.residualViolation;
      this.stalls = 0;
    } else this.stalls++;
    result.stalled = this.stalls > STALL_LENGTH && this.bestResidual > RESIDUAL_ROUNDING;
    return result.stalled;
  }
}
