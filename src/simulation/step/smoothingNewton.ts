/**
 * Newton's method on the central path, for steps of limbs that go on from the last one and whose cones are all limits of joints or gears:
 * of arms, and of robots in flight, whose contacts are left out.
 * Every pair follows from one number z,
 *   b/β − c/γ = z,   (b/β)(c/γ) = μ,        βγ the natural unit of the cone,
 * so that no step has to stop at a boundary: full steps, while μ falls to the κ asked for. The linear system is that of the interior point.
 * z starts from the last impulses, and from distances that change as they did in the last step. An arm takes 3.1 iterations with one solve
 * each instead of 4.5 with two (decision 0018).
 *
 * DEPARTURE(smoothing): the paper solves every step by the interior point.
 *
 * A *chord* step uses the factors of the step before. It comes last, where that has brought the residual down as Newton's method does.
 * Contacts and boxes (friction and effort of joints) are no part of it: from the last step they go back and forth between sticking and
 * slipping, one step in four of a walker and two in three of a chain with friction. What it does not solve in eight iterations is left
 * to the interior point.
 */
import { given, type NodePlace, type System } from "../../kernels/index.ts";
import { largerOf } from "../../math/index.ts";
import { newResult, type SolveOptions, type SolveResult, type SolveStatus } from "../../solver/index.ts";
import type { ConePoint } from "../runs/continuation.ts";
import type { StepProblem } from "./stepProblem.ts";

/**
 * γ of a length in units of V h, and of an angle in units of V h/r, r the child's radius of gyration. Of 0.15 to 2 for an arm, this
 * takes the fewest iterations at holds; to the end all take the same. Without r, a robot of a millimetre fails in every second step.
 */
const stretch = 5;
const angularStretch = 0.8;
/** μ from which it goes down to κ, and by which factor it falls per iteration, from the last step. From a hold of this one it aims at κ at once. */
const firstMu = 1e-4;
const descent = 1e-2;
/** A chord step follows where the residual is no more than this, in the units of its rows, and this part of the one before. */
const chordResidual = 3e-4;
const chordContraction = 0.02;
const mostIterations = 8;

type Watch = Pick<SolveOptions, "maxIterations" | "onIteration">;

export class SmoothingNewton {
  /** Of the last solve; the same object every time. */
  readonly result: SolveResult = newResult();

  private readonly system: System;
  private readonly problem: StepProblem;
  /** With gradients that are found anew, and that are kept. */
  private readonly runNewton: () => void;
  private readonly runKept: () => void;
  private readonly runChord: () => void;
  /** Where the cone variables of limits lie. */
  private readonly limits: Int32Array;
  /** Of those that are angles, the joint. */
  private readonly hinges: readonly (NodePlace | undefined)[];
  private readonly beta: Float64Array;
  private readonly gamma: Float64Array;
  private readonly product: Float64Array;

  /** Undefined where the mechanism has no joints, or no cones, or others than limits. */
  static of(system: System, problem: StepProblem): SmoothingNewton | undefined {
    const isLimited = system.nodes.every(
      ({ kind, roles }) => kind === "contact" || roles.every((role) => role.isPredictable),
    );
    return isLimited && system.has("newton") ? new SmoothingNewton(system, problem) : undefined;
  }

  private constructor(system: System, problem: StepProblem) {
    const { f64, solver, coneSize } = system;
    this.system = system;
    this.problem = problem;
    // without contacts, of which none takes part
    const runner = (...names: string[]): (() => void) =>
      system.runner(...names.map((name) => (system.has(`near.${name}`) ? `near.${name}` : name)));
    this.runNewton = runner("linearise", "factor", "newton");
    this.runKept = runner("factor", "newton");
    this.runChord = runner("chord");
    const limited = system.nodes.filter(({ kind, roles }) => kind !== "contact" && roles.length > 0);
    this.limits = Int32Array.from(limited.flatMap(({ cone, roles }) => roles.map((_, i) => cone + i)));
    this.hinges = limited.flatMap((node) => anglesOf(system, node).map((isAngle) => (isAngle ? node : undefined)));
    const view = (start: number): Float64Array => f64.subarray(start, start + coneSize);
    this.beta = view(solver.beta);
    this.gamma = view(solver.gamma);
    this.product = view(solver.product);
  }

  /** Before the first solve of a step that is prepared, in natural units: velocities of the last step, no impulses. */
  begin(): void {
    const { problem, limits, hinges, beta, gamma, system } = this;
    const { units } = problem;
    problem.takeWeights();
    problem.startVelocities();
    const length = units.speed * system.f64[system.places.globals];
    const { unit } = system.solver;
    for (let k = 0; k < limits.length; k++) {
      const i = limits[k];
      const node = hinges[k];
      gamma[i] = node ? (angularStretch * length) / units.lengthOf(node) : stretch * length;
      beta[i] = system.f64[unit + i] / gamma[i];
    }
  }

  /** To the end at κ from the pairs of the last step. */
  solveFromLast(kappa: number, options: Watch): boolean {
    const mu = Math.max(kappa, firstMu);
    this.place(this.problem.lastPair, mu, true);
    return this.solve(mu, kappa, descent, options);
  }

  /** At κ, from the pairs of the last step there. */
  hold(last: ConePoint, kappa: number, options: Watch): boolean {
    this.place(last, kappa, true);
    return this.solve(kappa, kappa, 1, options);
  }

  /** To the end at κ from where it has held, at first with the gradients of there. */
  solveFromHold(kappa: number, options: Watch): boolean {
    this.place(this.problem, kappa, false);
    return this.solve(kappa, kappa, 1, options, this.system.keepsGradients);
  }

  /** Pairs at μ, from others; slacks may change as they did in the last step. */
  private place({ b, c }: ConePoint, mu: number, goesOn: boolean): void {
    const { limits, beta, gamma, product, problem } = this;
    const last = problem.lastPair.c;
    const before = goesOn ? problem.pairs.slacksBefore : undefined;
    for (let k = 0; k < limits.length; k++) {
      const i = limits[k];
      const slack = before ? c[i] + (last[i] - before[i]) : c[i];
      const z = b[i] / beta[i] - slack / gamma[i];
      const larger = largerOf(z, mu);
      const smaller = mu / larger;
      problem.b[i] = beta[i] * (z < 0 ? smaller : larger);
      problem.c[i] = gamma[i] * (z < 0 ? larger : smaller);
      product[i] = problem.b[i] * problem.c[i];
    }
  }

  private solve(
    from: number,
    kappa: number,
    fall: number,
    { maxIterations = mostIterations, onIteration }: Watch,
    keepsGradients = false,
  ): boolean {
    const { problem, result } = this;
    const { f64, solver } = this.system;
    const { measures } = problem;
    f64[solver.alpha] = result.alpha = 1;
    result.iterations = result.linearSolves = 0;
    result.mu = from;
    problem.evaluate();
    const most = Math.min(maxIterations, mostIterations);
    let before = Number.NaN;
    for (;;) {
      const { residualViolation, gapViolation } = measures;
      const isAtEnd = result.mu <= kappa;
      if (isAtEnd && residualViolation <= 1 && gapViolation <= 1) return this.report("solved");
      if (result.iterations >= most) return this.report("iterationLimit");
      const isChord =
        isAtEnd && residualViolation <= Math.min(chordResidual / problem.residualTolerance, chordContraction * before);
      before = residualViolation;
      // rounding must not leave it just above κ: that would be one more iteration
      result.mu = fall * result.mu < 2 * kappa ? kappa : fall * result.mu;
      f64[solver.given + given.kappa] = f64[solver.given + given.mu] = result.kappa = result.mu;
      if (isChord) this.runChord();
      else if (keepsGradients && result.iterations === 0) this.runKept();
      else this.runNewton();
      result.iterations++;
      result.linearSolves++;
      if (!problem.readSmoothed()) return this.report("noProgress");
      if (onIteration) {
        this.report("iterationLimit");
        onIteration(result);
      }
    }
  }

  private report(status: SolveStatus): boolean {
    const { result } = this;
    const { residual, residualViolation, gapViolation } = this.problem.measures;
    result.status = status;
    result.residual = residual;
    result.residualViolation = residualViolation;
    result.gapViolation = gapViolation;
    result.complementarityViolation = result.mu;
    return status === "solved";
  }
}

/** Of each of a node's limits, whether it bounds an angle of a joint: they are in the order of its coordinates. */
function anglesOf({ mechanism }: System, { kind, index, roles }: NodePlace): boolean[] {
  if (kind !== "joint") return roles.map(() => false);
  return mechanism.joints[index].coordinates.flatMap(({ lower, upper, motion }) =>
    [lower, upper].filter((side) => side !== null).map(() => motion === "rotation"),
  );
}
