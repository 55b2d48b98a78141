/**
 * Newton's method from a predicted start whose sweeps have settled (predictedStart.ts), down to κ: full steps with one solve each, where the interior
 * point takes two and stops before the first boundary. μ falls to 0.003 of itself per step. Pairs stay where a step has brought them;
 * only those that have left their cone are moved onto the central path at μ. So contacts that share a load, whose impulses the path alone
 * determines, need not find their places on it: as for the interior point, b∘c may end anywhere below κ.
 *
 * DEPARTURE(path-newton): the paper solves every step by the interior point, to which what is not solved here is left.
 */
import { newResult, type SolveOptions, type SolveResult, type SolveStatus, takeMeasures } from "../../solver/index.ts";
import type { StepProblem } from "./stepProblem.ts";

/** μ falls by this factor per step, and aims this far below κ in the end. */
const descent = 3e-3;
const undershoot = 0.2;
const mostIterations = 6;
/** A residual that grows by more than this in a step will hardly come down again. */
const mostGrowth = 100;

type Watch = Pick<SolveOptions, "maxIterations" | "onIteration">;

export class PathNewton {
  /** Result of the last solve; the same object every time. */
  readonly result: SolveResult = newResult();
  private readonly problem: StepProblem;

  constructor(problem: StepProblem) {
    this.problem = problem;
  }

  /** Solves to the end at κ from a start on the path at μ. */
  solve(from: number, kappa: number, { maxIterations = mostIterations, onIteration }: Watch): boolean {
    const { problem, result } = this;
    const { measures } = problem;
    result.alpha = 1;
    result.iterations = result.linearSolves = 0;
    result.mu = from;
    problem.takeWeights();
    problem.evaluateAndMeasure();
    const most = Math.min(maxIterations, mostIterations);
    const least = undershoot * kappa;
    let before = Number.POSITIVE_INFINITY;
    for (;;) {
      const { residualViolation, gapViolation, pathDistance } = measures;
      if (residualViolation <= 1 && gapViolation <= 1 && pathDistance <= kappa) return this.report("solved");
      if (result.iterations >= most) return this.report("iterationLimit");
      if (residualViolation > mostGrowth * before) return this.report("noProgress");
      before = residualViolation;
      result.mu = result.kappa = Math.max(least, descent * result.mu);
      const isInDomain = problem.stepToPath(result.mu);
      result.iterations++;
      result.linearSolves++;
      if (!isInDomain) return this.report("noProgress");
      if (!onIteration) continue;
      this.report("iterationLimit");
      onIteration(result);
    }
  }

  private report(status: SolveStatus): boolean {
    const { result } = this;
    result.status = status;
    takeMeasures(result, this.problem.measures);
    return status === "solved";
  }
}
