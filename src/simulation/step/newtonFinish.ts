/**
 * Newton's method in place of the interior point (pathNewton.ts): from predicted starts, and from the points of the path that are kept for
 * gradients (holds) down to the end. After a failure it is not tried for some steps: robots that lie on many contacts fail it in step after
 * step.
 */
import { PathNewton } from "./pathNewton.ts";
import type { PathSchedule } from "./pathSchedule.ts";
import { Pause } from "./pause.ts";
import type { StepProblem } from "./stepProblem.ts";
import { reportSolveInto, type StepOptions, type StepReport } from "./stepReport.ts";

/** Steps that go by before it is tried again. */
const pauseLengths = { first: 1, again: 6 };
/** Steps that go by after a failure from a hold: a humanoid fails there in 2 of 1000 steps, a snake whenever it tries. */
const pauseFromHold = 30;

export class NewtonFinish {
  readonly pause = new Pause(pauseLengths);
  /** Whether it has gone on from the last predicted start. */
  hasMoved = false;
  readonly finisher: PathNewton;
  private readonly problem: StepProblem;
  private readonly schedule: PathSchedule;
  private readonly report: StepReport;

  constructor(problem: StepProblem, schedule: PathSchedule, report: StepReport) {
    this.finisher = new PathNewton(problem);
    this.problem = problem;
    this.schedule = schedule;
    this.report = report;
  }

  /**
   * Whether Newton's method may take a predicted start to its end (pathNewton.ts): where it lies on the natural path, below the start. Counts
   * down the pause.
   */
  mayFinish({ exact, kappa, hold }: StepOptions): boolean {
    if (!this.problem.prediction || exact || kappa !== undefined || hold !== undefined) return false;
    return this.schedule.endsSharp && this.pause.isOver();
  }

  /** The point put aside, and pairs from which Newton's method may go on to the end; false where all is as it was. */
  placeFromHold(): boolean {
    const { problem, schedule } = this;
    const { prediction, degree } = problem;
    if (!prediction || degree === 0) return false;
    if (schedule.route.end !== "natural" || schedule.instructions.exact || !schedule.endsSharp) return false;
    if (!this.pause.isOver()) return false;
    problem.keepAside();
    return prediction.goOn();
  }

  /** Goes on to the end from there; where that fails it returns false, at the point put aside. */
  finishFromHold(): boolean {
    const { problem, finisher, schedule, report } = this;
    const isSolved = finisher.solve(problem.prediction?.mu ?? 1, schedule.end, schedule.instructions);
    report.iterations += finisher.result.iterations;
    if (isSolved) return true;
    this.pause.fail(pauseFromHold);
    this.leave();
    problem.goAside();
    return false;
  }

  /** Goes on to the end from the predicted start; false where it is left to the interior point, whose start is the same unless it `hasMoved`. */
  finish(options: StepOptions): boolean {
    const { finisher, report, problem } = this;
    const { prediction } = problem;
    this.hasMoved = prediction?.hasSettled === true && problem.degree > 0;
    if (!prediction || !this.hasMoved) return false;
    const isSolved = finisher.solve(prediction.mu, this.schedule.end, options);
    report.iterations += finisher.result.iterations;
    reportSolveInto(report, finisher.result);
    return isSolved;
  }

  /** Pauses after a failure from the predicted start, longer where one is still remembered. */
  giveUp(): void {
    this.pause.fail();
    this.leave();
  }

  private leave(): void {
    this.report.retries++;
    this.problem.clean();
  }
}
