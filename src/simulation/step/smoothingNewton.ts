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
 * Limits on tilt are no part of it, since steps of ropes with them fail one time in six. Contacts and boxes (friction and effort of joints) are none either: from the last step they go back and forth between sticking and
 * slipping, one step in four of a walker and two in three of a chain with friction. What it does not solve in eight iterations is left
 * to the interior point.
 */
import { coneRoles } from "../../equations/index.ts";
import { given, type NodePlace, type System, unitNumbers } from "../../kernels/index.ts";
import { newResult, type SolveOptions, type SolveResult, type SolveStatus, takeMeasures } from "../../solver/index.ts";
import { runnerWith } from "./stepLists.ts";
import type { StepProblem } from "./stepProblem.ts";

/**
 * γ of a length in units of V h, and of an angle in units of V h/r, r the child's radius of gyration. Of 0.15 to 2 for an arm, this
 * takes the fewest iterations at κ' = 0.1; to the end all take the same. Without r, a robot of a millimetre fails in every second step.
 */
const stretch = 5;
const angularStretch = 0.8;
/** μ from which it goes down to κ, and by which factor it falls per iteration. */
const firstMu = 1e-4;
const descent = 1e-2;
/** A chord step follows where the residual is no more than this, in the units of its rows, and this part of the one before. */
const chordResidual = 3e-4;
const chordContraction = 0.02;
const mostIterations = 8;

type Watch = Pick<SolveOptions, "maxIterations" | "onIteration">;

export class SmoothingNewton {
  /** Result of the last solve; the same object every time. */
  readonly result: SolveResult = newResult();

  private readonly system: System;
  private readonly problem: StepProblem;
  private readonly runNewton: () => void;
  private readonly runChord: () => void;
  /** Velocities of the last step and pairs at μ, from its pairs, and a look there. */
  private readonly startFromLast: () => void;
  /** Pairs at another μ, from where they stand, and a look there. */
  private readonly startFromHere: () => void;
  /** Where the cone variables of limits lie. */
  private readonly limits: Int32Array;
  /** The joint of each that is an angle. */
  private readonly hinges: readonly (NodePlace | undefined)[];
  /** The version of the tables of units that its own are for. */
  private version = -1;

  /** Undefined where the mechanism has no joints, or no cones, or others than limits. */
  static of(system: System, problem: StepProblem): SmoothingNewton | undefined {
    const isLimited = system.nodes.every(
      ({ kind, roles }) => kind === "contact" || roles.every((role) => role.isPredictable && role !== coneRoles.tilt),
    );
    return isLimited && system.has("newton") ? new SmoothingNewton(system, problem) : undefined;
  }

  private constructor(system: System, problem: StepProblem) {
    this.system = system;
    this.problem = problem;
    // without contacts, of which none takes part
    const runner = runnerWith(system, "near.");
    this.runNewton = runner("linearise", "factor", "newton");
    this.runChord = runner("chord");
    this.startFromLast = runner("start", "smooth.last", "look");
    this.startFromHere = runner("smooth.here", "look");
    const limited = system.nodes.filter(({ kind, roles }) => kind !== "contact" && roles.length > 0);
    this.limits = Int32Array.from(limited.flatMap(({ cone, roles }) => roles.map((_, i) => cone + i)));
    this.hinges = limited.flatMap((node) => anglesOf(system, node).map((isAngle) => (isAngle ? node : undefined)));
  }

  /** To be called before the first solve of a step that is prepared, in natural units. */
  begin(): void {
    const { problem, limits, hinges } = this;
    const { units } = problem;
    problem.takeWeights();
    if (this.version === units.version) return;
    this.version = units.version;
    const { f64, solver } = this.system;
    for (let k = 0; k < limits.length; k++) {
      const node = hinges[k];
      f64[solver.smooth.stretch + limits[k]] = node ? angularStretch : stretch;
      f64[solver.smooth.divisor + limits[k]] = node ? units.lengthOf(node) : 1;
    }
  }

  /** Solves to the end at κ from the pairs of the last step. */
  solve(kappa: number, options: Watch): boolean {
    return this.descend(this.startFromLast, Math.max(kappa, firstMu), kappa, options);
  }

  /** Solves for the point of the path at κ, from the end of a step. */
  solveFromEnd(kappa: number): boolean {
    return this.descend(this.startFromHere, kappa, kappa, {});
  }

  private descend(
    start: () => void,
    from: number,
    kappa: number,
    { maxIterations = mostIterations, onIteration }: Watch,
  ): boolean {
    const { problem, result } = this;
    const { f64, solver } = this.system;
    const { measures } = problem;
    f64[solver.alpha] = result.alpha = 1;
    result.iterations = result.linearSolves = 0;
    result.mu = f64[solver.units.numbers + unitNumbers.mu] = from;
    start();
    problem.readSmoothed();
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
      result.mu = descent * result.mu < 2 * kappa ? kappa : descent * result.mu;
      f64[solver.given + given.kappa] = f64[solver.given + given.mu] = result.kappa = result.mu;
      if (isChord) this.runChord();
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
    result.status = status;
    takeMeasures(result, this.problem.measures);
    result.complementarityViolation = result.mu;
    return status === "solved";
  }
}

/** Whether each of a node's limits bounds an angle of a joint: they are in the order of its coordinates. */
function anglesOf({ mechanism }: System, { kind, index, roles }: NodePlace): boolean[] {
  if (kind !== "joint") return roles.map(() => false);
  return mechanism.joints[index].coordinates.flatMap(({ lower, upper, motion }) =>
    [lower, upper].filter((side) => side !== null).map(() => motion === "rotation"),
  );
}
