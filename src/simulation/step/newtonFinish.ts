/**
 * Newton's method in place of the interior point, from predicted starts (pathNewton.ts). After a failure it is not tried for some steps: robots
 * that lie on many contacts fail it in step after step.
 */
import { PathNewton } from "./pathNewton.ts";
import type { PathSchedule } from "./pathSchedule.ts";
import { Pause } from "./pause.ts";
import type { StepProblem } from "./stepProblem.ts";
import { reportSolveInto, type StepOptions, type StepReport } from "./stepReport.ts";

/** Steps that go by before it is tried again. */
const pauseLengths = { first: 1, again: 6 };

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
  mayFinish({ exact, kappa }: StepOptions): boolean {
    if (!this.problem.prediction || exact || kappa !== undefined) return false;
    return this.schedule.endsSharp && this.pause.isOver();
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
    this.report.retries++;
    this.problem.clean();
  }
}
