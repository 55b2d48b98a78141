/**
 * Primal-dual interior-point solver. [paper pc_algo]
 *   find a, b, c   with   E(a, b, c) = 0,   b∘c = κe,   b, c ∈ K
 * One iteration, R the Jacobian and r(κ) the residual (E, b∘c − κe), κ_t the κ asked for:
 *   Δ_aff ← −R⁻¹ r(κ_t)                      α_aff ← ConeSearch(Δ_aff), τ = 1
 *   σ, κ  ← Center                           Δ ← −R⁻¹ (r(κ) + Δb_aff∘Δc_aff)
 *   α     ← ConeSearch(Δ), τ ≥ 0.999, in the neighbourhood        w ← Update(w, Δ, α)
 * Every departure from the printed loop is explained in the file of the function that makes it; those of the loop itself:
 *
 * DEPARTURE(acceptance): the printed loop halves α until r_vio or κ_vio falls. Both tests together fail on 6% of the steps, and
 * "or" jams when κ must rise to its target; the cone search and the neighbourhood are enough. Only a point outside the domain of
 * E (`advance` says so, or NaN) is taken back.
 * DEPARTURE(gate): where the predictor gets nowhere (α_aff < 0.3) its second-order term says nothing and is left out; where the
 * corrected step is short (α < 0.5) the uncorrected one is tried too and the longer is kept (failures at c_f = 10: 0.8 → 0.05%).
 * DEPARTURE(holds): the solve can stop exactly on the central path at larger κs on its way down, as waypoints.
 *
 * Without cones this is Newton's method with full steps, halved only while the residual grows more than tenfold. Where a step has brought
 * the residual so far down that it will arrive with the same matrix, *chord* steps with the factors of that one follow.
 */
import { centering } from "./centering.ts";
import { Leg } from "./leg.ts";
import { FIRST_CUT, isOnBoundary, LARGEST_CUT, MOST_SHRINKS, offCentre } from "./neighbourhood.ts";
import {
  newResult,
  newSettings,
  type Settings,
  type SolveOptions,
  type SolveResult,
  type SolveStatus,
  settleInto,
  takeMeasures,
} from "./options.ts";
import type { ConeProblem, Direction } from "./problem.ts";

/** An inexact solve aims this far below κ. [paper pc_algo, κ_tol/5] */
const UNDERSHOOT = 0.2;
/** Below this α_aff the second-order term is left out; below the next α the plain step is tried. Measured. */
const CORRECTION_GATE = 0.3;
const CORRECTION_FALLBACK = 0.5;
/** β. [paper pc_algo] */
const BACKTRACK = 0.5;
const MOST_BACKTRACKS = 30;
/** The growth of the residual that a full Newton step is allowed without cones, and how often it is halved for it. */
const ALLOWED_GROWTH = 10;
const MOST_DAMPINGS = 5;
/**
 * A chord step leaves about twice the part of the residual that the step before it has left. It is taken where that is no more than this, in
 * tolerances, and for polishing where it is about what rounding leaves. Taken earlier, chord steps are no cheaper than Newton's.
 */
const CHORD_END = 0.3;
const POLISHED = 3e-5;
/** A step shorter than this is none. */
const SMALLEST_STEP = 1e-8;
/**
 * After the second step in a row below this length the solve aims this much above μ, without the second-order term: a jam comes
 * of cones that are close to their boundary while the residual is still large. Half of all jams dissolve. More short steps in a row than
 * the options allow are given up; the caller tries again from elsewhere.
 */
const JAM_STEP = 0.1;
const JAM_START = 2;
const JAM_AIM = 10;
/**
 * Where the matrix may be relaxed, a jam is left by iterations that aim at the μ that there is, with a part of the coupling that keeps the
 * problem from being monotone: where the path folds Newton's matrix is singular, and relaxed ones lead past it. The parts take turns: with
 * none of it the iterates may swing. After so many jams the solve is given up.
 */
const RELAXED_LENGTH = 6;
const RELAXED_PARTS = [0.5, 0] as const;
const MOST_RELAXATIONS = 3;
/** A second-order term below this part of the allowed deviation is not worth a second solve: 6% fewer solves, same iterations. */
const NEGLIGIBLE = 0.5;
/** A recentred cone's smallest eigenvalue is at least this part of the κ aimed at, or as near as so many iterations bring it. */
const CENTRED = 0.5;
const MOST_RECENTRINGS = 3;

export class InteriorPoint {
  /** The result of the last solve; the same object every time. */
  readonly result: SolveResult = newResult();

  private readonly problem: ConeProblem;
  private readonly settings: Settings = newSettings();
  private readonly affine: Direction;
  private readonly corrected: Direction;
  /** Whichever of the two the step goes along. */
  private direction: Direction;

  private readonly leg = new Leg();
  private firstMu = 0.5;
  private shortSteps = 0;
  /** Relaxed iterations that are left, and jams before. */
  private relaxed = 0;
  private relaxations = 0;
  private isPolishing = false;
  /** The cone that has last been found too near its boundary. */
  private lastOff = 0;
  private largestViolation = 0.5;

  constructor(problem: ConeProblem) {
    this.problem = problem;
    this.affine = problem.newDirection();
    this.corrected = problem.newDirection();
    this.direction = this.affine;
  }

  /** Solves from where the problem stands; afterwards the problem stands at the answer, evaluated and not factored. */
  solve(options: SolveOptions = {}): SolveResult {
    const { problem, result, settings } = this;
    this.leg.hasCones = problem.degree > 0;
    settleInto(settings, options, this.leg.hasCones);
    result.iterations = result.linearSolves = 0;
    result.alpha = 1;
    result.stalled = false;
    this.largestViolation = 0;
    this.shortSteps = this.relaxed = this.relaxations = this.lastOff = 0;
    this.isPolishing = false;
    problem.takeWeights();
    problem.evaluate();

    // the holds, largest κ first, then the end
    const { holds, holdTolerance, holdTolerances, kappa } = settings;
    for (let index = 0; index < holds.length && problem.degree > 0; index++) {
      if (!this.descend(holds[index], holds[index], (holdTolerances[index] ?? holdTolerance) * holds[index]))
        return result;
      if (settings.onHold?.(index) === true) problem.evaluate();
      // the callback may have changed the weights for what follows, and which cones take part
      problem.takeWeights();
      this.leg.hasCones = problem.degree > 0;
    }
    const arrived = settings.exact
      ? this.descend(kappa, kappa, settings.pathTolerance * kappa)
      : this.descend(UNDERSHOOT * kappa, 0, kappa);
    if (arrived) this.polish();
    return result;
  }

  /** Iterates until the point is within `radius` of the central path at `centre`. */
  private descend(target: number, centre: number, radius: number): boolean {
    const { result, settings, leg } = this;
    leg.begin(target, centre, radius);
    this.problem.measure(centre);
    this.report();
    if (!(this.problem.measures.smallestEigenvalue > 0) && isOnBoundary(this.problem)) return this.stop("noProgress");
    this.firstMu = result.mu;
    while (result.iterations < settings.leastIterations || !this.hasArrived()) {
      if (result.iterations >= settings.maxIterations) return this.stop("iterationLimit");
      if (!this.iterate()) return false;
      if (leg.hasStalled(result) && !this.hasArrived()) return this.stop("noProgress");
    }
    result.status = "solved";
    return true;
  }

  /** One pass of the loop of pc_algo; false, with the reason in the status, when no step could be taken. */
  private iterate(): boolean {
    if (!this.isFinite()) return this.stop("noProgress");
    if (this.relaxed > 0) {
      this.relaxed--;
      this.shortSteps = 0;
    } else if (this.shortSteps >= JAM_START && this.result.mu > this.settings.relaxesAbove && this.problem.relax) {
      if (this.relaxations++ === MOST_RELAXATIONS) return this.stop("noProgress");
      this.relaxed = RELAXED_LENGTH;
      this.shortSteps = 0;
    }
    const alpha = this.relaxed > 0 ? this.relaxedStep() : this.plainStep();
    if (Number.isNaN(alpha)) return this.stop("singular");
    this.shortSteps = alpha < JAM_STEP ? this.shortSteps + 1 : 0;
    if (alpha < SMALLEST_STEP || this.shortSteps > this.settings.jamLength) return this.stop("noProgress");
    return this.update(alpha);
  }

  /** Sets the direction and returns the step length; NaN where there is none. */
  private plainStep(): number {
    const { leg } = this;
    leg.isChord = this.willArriveByChord();
    if (leg.isChord) this.problem.keepFactors();
    else if (!this.problem.factor()) return NaN;
    return leg.hasCones ? this.predictAndCorrect() : this.newton();
  }

  /** Back to the path at the μ that there is, with a relaxed matrix. */
  private relaxedStep(): number {
    const { problem, result, settings, affine } = this;
    problem.relax?.(RELAXED_PARTS[this.relaxations % RELAXED_PARTS.length]);
    const factored = problem.factor();
    if (factored) this.solveFor(result.mu, false, affine);
    problem.relax?.(1);
    return factored ? Math.min(1, settings.boundaryFraction * problem.measures.boundary) : NaN;
  }

  /** Sets the direction and returns the step length; NaN when the direction is not finite. */
  private predictAndCorrect(): number {
    const { problem, result, settings, affine, corrected } = this;
    const { target, radius } = this.leg;
    const { measures } = problem;
    const { mu } = result;
    const tau = Math.max(settings.boundaryFraction, 1 - mu / this.firstMu);

    // Δ_aff ← −R⁻¹ r(κ_t), and its search with τ = 1
    this.solveFor(target, false, affine);
    const alphaAffine = Math.min(1, measures.boundary);
    const muAffine = mu + alphaAffine * (measures.slope + alphaAffine * measures.curvature);
    if (!Number.isFinite(muAffine)) return NaN;

    // a predictor that can be taken in full and lands where it aims needs no corrector
    if (tau * measures.boundary >= 1 && measures.secondOrder <= NEGLIGIBLE * radius) return 1;

    // μ, σ ← Center;   κ ← κ_t + σ(μ − κ_t)
    const sigma = centering(mu, muAffine, target);
    const jammed = this.shortSteps >= JAM_START;
    const kappa = Math.max(target + sigma * (mu - target), jammed ? JAM_AIM * mu : 0);

    // Δ ← −R⁻¹ (r(κ) + Δb_aff∘Δc_aff), and its search with τ ≥ 0.999
    const correct = settings.correction && !jammed && alphaAffine >= CORRECTION_GATE;
    this.solveFor(kappa, correct, corrected);
    const alpha = Math.min(1, tau * measures.boundary);
    if (!correct || alpha >= CORRECTION_FALLBACK) return alpha;

    // a short step: see whether the plain direction goes further (the predictor is no longer needed)
    this.solveFor(kappa, false, affine);
    const plain = Math.min(1, tau * measures.boundary);
    if (plain > alpha) return plain;
    this.direction = corrected;
    return alpha;
  }

  /** Whether the factors of the last iteration are as good as new ones: not where cones have changed them. */
  private willArriveByChord(): boolean {
    const { iterations, alpha } = this.result;
    if (this.leg.hasCones || iterations === 0 || alpha < 1) return false;
    return this.leg.chordResidual(this.result) <= (this.isPolishing ? POLISHED : CHORD_END);
  }

  /** A full Newton step, where there are no cones. */
  private newton(): number {
    this.solveFor(0, false, this.affine);
    return 1;
  }

  /** w ← Update(w, Δ, α), into the neighbourhood, and going back only from points at which E does not exist. */
  private update(longest: number): boolean {
    const { problem, result, direction, settings, leg } = this;
    const allowed = ALLOWED_GROWTH * Math.max(1, result.residualViolation);
    leg.remember(result);
    let alpha = longest;
    let cut = FIRST_CUT;
    let shrinks = 0;
    for (let tries = 0; tries <= MOST_BACKTRACKS; ) {
      if (problem.advance(alpha, direction)) {
        const off = shrinks < MOST_SHRINKS ? offCentre(problem, settings.neighbourhood, this.lastOff) : -1;
        if (off >= 0) {
          this.lastOff = off;
          alpha *= 1 - cut;
          cut = Math.min(2 * cut, LARGEST_CUT);
          shrinks++;
          continue;
        }
        problem.evaluate();
        this.report();
        const grew = !leg.hasCones && tries < MOST_DAMPINGS && result.residualViolation > allowed;
        if (this.isFinite() && !grew) {
          leg.cuts = tries > 0 && leg.hasCones ? leg.cuts + 1 : 0;
          result.alpha = alpha;
          result.iterations++;
          settings.onIteration?.(result);
          return true;
        }
      }
      alpha *= BACKTRACK;
      tries++;
    }
    this.goBack();
    return this.stop("noProgress");
  }

  /** Iterations beyond convergence; one that makes things worse is undone. */
  private polish(): void {
    const { result, settings } = this;
    this.isPolishing = true;
    for (let extra = 0; extra < settings.polish; extra++) {
      const before = result.residualViolation;
      const atRounding = before <= 2 * Number.EPSILON * this.largestViolation;
      if (atRounding || result.iterations >= settings.maxIterations) break;
      if (!this.iterate()) break;
      if (result.residualViolation > before || !this.hasArrived()) {
        this.goBack();
        break;
      }
    }
    result.status = "solved";
  }

  /**
   * Recentres after an inexact solve, whose cones may lie anywhere below κ: up to three more iterations, until none is far below the κ aimed at. Returns
   * how many there were.
   */
  recentre(): number {
    const { result, settings, problem } = this;
    const { iterations } = result;
    for (let extra = 0; extra < MOST_RECENTRINGS && result.iterations < settings.maxIterations; extra++) {
      if (problem.measures.smallestEigenvalue >= CENTRED * this.leg.target || !this.iterate()) break;
      if (this.hasArrived()) continue;
      this.goBack();
      break;
    }
    result.status = "solved";
    return result.iterations - iterations;
  }

  private solveFor(kappa: number, corrected: boolean, out: Direction): void {
    this.problem.solve(kappa, corrected, out);
    this.direction = out;
    this.result.kappa = kappa;
    this.result.linearSolves++;
  }

  /** r_vio, κ_vio ← Violation(w). */
  private report(): void {
    const { result } = this;
    const { measures } = this.problem;
    takeMeasures(result, measures);
    result.mu = measures.mu;
    if (result.residualViolation > this.largestViolation) this.largestViolation = result.residualViolation;
  }

  private hasArrived(): boolean {
    return this.leg.hasArrived(this.result, this.problem.measures);
  }

  private isFinite(): boolean {
    const { result } = this;
    return Number.isFinite(result.residualViolation) && Number.isFinite(result.complementarityViolation);
  }

  /** Goes back to the point that the last iteration started from. */
  private goBack(): void {
    this.problem.advance(0, this.direction);
    this.problem.evaluate();
    this.report();
  }

  private stop(status: SolveStatus): false {
    this.result.status = status;
    return false;
  }
}
