/**
 * How hard contacts press compared with what the step's momentum calls for, γ/(m v*).
 *
 * Where opposing contacts see each other inside their friction cones (a box in a wedge, an object in a grip), they can squeeze what is
 * between them with any force: nothing in the equations but γ φ ≤ κ bounds it. What is stuck does not move, so there γ = κ/φ. The distance
 * at the beginning of a step decides, and it is the memory of the squeeze. A solve that ends off the central path, or rounding, makes
 * such a distance a little smaller or larger from step to step, and creep, which opens it again, is slow. Left to itself a box of 1 kg comes
 * to press with 1e6 N, at distances that are no longer resolved.
 *
 * So contacts that press with more than m v* end on the path (`InteriorPoint.recentre`), and those that press with more than ten times
 * that go on to a smaller γ φ, at which they press with m v* where they stand. Both are solutions below κ as before. A contact that must
 * press so hard, behind a lever or against a slim wedge, does so in either.
 */
import type { System } from "../../kernels/index.ts";
import type { InteriorPoint } from "../../solver/index.ts";
import type { PathSchedule } from "./pathSchedule.ts";
import type { StepProblem } from "./stepProblem.ts";
import { reportSolveInto, type StepReport } from "./stepReport.ts";

/** Squeeze from which contacts are brought back to the path, and from which they are loosened, in units of m v*. */
const squeezed = 1;
const mostSqueeze = 10;
/** A solve ends at about this part of its κ. */
const landing = 0.2;

export class Squeeze {
  private readonly system: System;
  private readonly problem: StepProblem;
  /** Place of every contact's normal impulse in b and c. */
  private readonly offsets: number[] = [];
  private arrangement = -1;

  constructor(system: System, problem: StepProblem) {
    this.system = system;
    this.problem = problem;
  }

  /** Keeps the squeeze in bounds after a solve. `isFinished`: Newton's method has solved it, without the interior point. */
  relieve(solver: InteriorPoint, schedule: PathSchedule, report: StepReport, isFinished: boolean): void {
    const { problem } = this;
    if (this.largest <= squeezed) return;
    const { instructions } = schedule;
    // where the interior point has not brought it here, it takes over
    schedule.dropStops();
    if (isFinished) solver.solve(instructions);
    report.iterations += solver.recentre();
    reportSolveInto(report, solver.result);
    const before = this.largest;
    if (before <= mostSqueeze) return;
    // from where it stands, to less of a squeeze; what other forces hold in place stays, and so does the point
    problem.keepAside();
    schedule.weigh("natural");
    this.loosen(mostSqueeze, schedule.endOfSolve);
    const { status, iterations } = solver.solve(instructions);
    report.iterations += iterations;
    if (status === "solved" && this.largest < before) {
      reportSolveInto(report, solver.result);
      return;
    }
    problem.clean();
    problem.goAside();
    problem.evaluate();
  }

  /** Finds the contacts that there are, where others come and go. */
  private takeContacts(): void {
    const version = this.system.touch?.version ?? 0;
    if (version === this.arrangement) return;
    this.arrangement = version;
    this.offsets.length = 0;
    for (const { kind, cone } of this.problem.nodes) if (kind === "contact") this.offsets.push(cone);
  }

  /** The largest γ/(m v*) of all contacts. */
  private get largest(): number {
    this.takeContacts();
    const { offsets, problem } = this;
    const perUnit = this.perUnit();
    let largest = 0;
    for (let i = 0; i < offsets.length; i++) {
      const squeeze = problem.b[offsets[i]] / (perUnit * problem.units.natural[offsets[i]]);
      if (squeeze > largest) largest = squeeze;
    }
    return largest;
  }

  /** Lowers the weights of contacts beyond `most`, so that a solve to κ leaves them with m v* where they stand. */
  private loosen(most: number, kappa: number): void {
    this.takeContacts();
    const { offsets, problem } = this;
    const { b, c, weight, units } = problem;
    const perUnit = this.perUnit();
    problem.setWeights((at) => {
      const called = perUnit * units.natural[at];
      const isSqueezed = offsets.includes(at) && b[at] > most * called;
      return isSqueezed ? (c[at] * called) / (landing * kappa) : weight[at];
    });
  }

  /** m v* of a contact whose complementarity unit m V² h is 1. */
  private perUnit(): number {
    const { f64, places } = this.system;
    const { changeOfSpeed, units } = this.problem;
    return changeOfSpeed / (units.speed * units.speed * f64[places.globals]);
  }
}
