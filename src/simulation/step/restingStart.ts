/**
 * The start of a step in which nothing happens: the velocities and cone variables with which the last one ended. Bodies that lie on each
 * other are pushed in every step as in the one before, so this point is next to the solution, and one iteration of the interior point ends
 * there: from a start that knows nothing it takes four, and seven of a house of cards. Something happens where the residual is large at that
 * point, or where there are contacts that were not there before.
 *
 * One iteration is taken in any case: what a step answers to small changes of its input is right to first order then.
 *
 * DEPARTURE(resting): the paper starts every solve from the same point.
 */
import type { System } from "../../kernels/index.ts";
import { bodyStateSize, stateOffsets } from "../../math/index.ts";
import type { InteriorPoint } from "../../solver/index.ts";
import { copyInto } from "../copyInto.ts";
import type { PathSchedule } from "./pathSchedule.ts";
import type { Squeeze } from "./squeeze.ts";
import type { StepProblem } from "./stepProblem.ts";
import { reportSolveInto, type StepOptions, type StepReport } from "./stepReport.ts";

/** Residual up to which the end of the last step is a start, relative to the momenta of the step; and how many iterations it may take from there. */
const mostResidual = 0.3;
const mostIterations = 2;
/** Impulses of joints are not known at the start: of mechanisms that have any, bodies rest that are no faster than this part of V (units.ts). */
const stillness = 1e-3;

export class RestingStart {
  private readonly system: System;
  private readonly problem: StepProblem;
  private readonly solver: InteriorPoint;
  private readonly schedule: PathSchedule;
  private readonly report: StepReport;
  private readonly squeeze: Squeeze;
  private readonly begin: () => void;
  private readonly hasMultipliers: boolean;

  constructor(
    system: System,
    problem: StepProblem,
    solver: InteriorPoint,
    schedule: PathSchedule,
    report: StepReport,
    squeeze: Squeeze,
  ) {
    this.system = system;
    this.problem = problem;
    this.solver = solver;
    this.schedule = schedule;
    this.report = report;
    this.squeeze = squeeze;
    this.begin = system.runner("start");
    this.hasMultipliers = system.unknowns > 6 * system.mechanism.bodies.length;
  }

  /** Whether the step is solved from where the last one ended; its iterations are counted in any case. */
  solve({ kappa, exact }: StepOptions): boolean {
    const { problem, solver, schedule } = this;
    const { instructions } = schedule;
    if (problem.degree === 0 || kappa !== undefined || exact || !schedule.endsSharp) return false;
    if (!this.place()) return false;
    const { maxIterations } = instructions;
    instructions.maxIterations = Math.min(mostIterations, maxIterations ?? mostIterations);
    instructions.leastIterations = 1;
    const { status, iterations } = solver.solve(instructions);
    instructions.maxIterations = maxIterations;
    instructions.leastIterations = undefined;
    this.report.iterations += iterations;
    reportSolveInto(this.report, solver.result);
    if (status === "solved") this.squeeze.relieve(solver, schedule, this.report, false);
    else problem.clean();
    return status === "solved";
  }

  /** Goes to where the last step ended; false where that is not near the solution. */
  private place(): boolean {
    const { problem } = this;
    const { b, c, pairs, measures } = problem;
    // v* of this step, which bounds how hard contacts may squeeze (squeeze.ts)
    problem.survey();
    this.begin();
    copyInto(b, 0, pairs.last.b, 0, b.length);
    copyInto(c, 0, pairs.last.c, 0, c.length);
    problem.takeWeights();
    problem.evaluateAndMeasure();
    // pairs of contacts that are new are zero
    if (!(measures.smallestEigenvalue > 0)) return false;
    if (measures.residualViolation * problem.residualTolerance <= mostResidual) return true;
    return this.hasMultipliers && this.isStill();
  }

  /** Whether all bodies are slow where the step begins. */
  private isStill(): boolean {
    const { f64, places, mechanism } = this.system;
    const most = (stillness * this.problem.units.speed) ** 2;
    for (let i = 0; i < mechanism.bodies.length; i++) {
      const v = places.state + bodyStateSize * i + stateOffsets.velocity;
      const w = places.state + bodyStateSize * i + stateOffsets.angularVelocity;
      const spin = f64[w] ** 2 + f64[w + 1] ** 2 + f64[w + 2] ** 2;
      const square = f64[v] ** 2 + f64[v + 1] ** 2 + f64[v + 2] ** 2 + mechanism.bodies[i].gyration ** 2 * spin;
      if (!(square <= most)) return false;
    }
    return true;
  }
}
