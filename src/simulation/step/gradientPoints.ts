/**
 * Points for gradients of a step, or of a part of one, once it is solved: its end, with contacts no stiffer than gradients can take
 * (contactCap.ts); or a point on the central path at a larger κ, *smoothed*. That is found by a second solve, which has the step's preparation,
 * its survey and what contacts answer to each other already. Starts, in turn:
 *   smoothed    by Newton's method on the central path (smoothingNewton.ts), where it has solved the step and there are no contacts
 *   again       sweeps at κ from the impulses of the end, with the answers that the step's own prediction has found
 *   predicted   as a step that goes on
 *   cold        as any step
 *   onward      from a point further up, at the usual smoothing
 * Afterwards memory is what it was, to the bit: a run knows nothing of its gradients.
 */
import type { System } from "../../kernels/index.ts";
import { type InteriorPoint, newResult } from "../../solver/index.ts";
import { copyInto } from "../copyInto.ts";
import { type Attempt, farAttempts, firstInSi, scatterContacts, usualAttempts } from "./attempts.ts";
import { capContacts } from "./contactCap.ts";
import { type KeptPoints, pointInto } from "./keptPoints.ts";
import { isStepEnd, type PathParameter, usualSmoothing } from "./pathParameter.ts";
import type { PathSchedule } from "./pathSchedule.ts";
import type { SmoothingNewton } from "./smoothingNewton.ts";
import type { StepProblem } from "./stepProblem.ts";
import type { StepOptions } from "./stepReport.ts";

/** So many far starts are tried for a point that no usual one leads to. */
const farStarts = 4;
/** Short steps in a row after which a predicted start is given up. */
const predictedJam = 2;

/** How the step was solved that points are found of. */
export interface SolvedManner {
  /** Whether it went on from the last one, and whether its own start was predicted. */
  readonly isWarm: boolean;
  readonly isPredicted: boolean;
  /** What has solved it without the interior point, of mechanisms whose cones are all limits. */
  readonly smoothing: SmoothingNewton | undefined;
  /** Whether attempts relax their matrix where they jam. */
  readonly relaxes: boolean;
}

export class GradientPoints {
  private readonly system: System;
  private readonly problem: StepProblem;
  private readonly solver: InteriorPoint;
  private readonly schedule: PathSchedule;
  private readonly attempts: readonly Attempt[];
  private readonly hasContacts: boolean;
  /** The end of the step: its point, what the solver said of it, and which contacts took part. */
  private readonly unknown: Float64Array;
  private readonly b: Float64Array;
  private readonly c: Float64Array;
  private readonly result = newResult();
  private readonly slots: Uint8Array;
  private leftOut = false;
  /** Whether memory has left the end. */
  private isAway = false;
  private iterations = 0;

  constructor(
    system: System,
    problem: StepProblem,
    solver: InteriorPoint,
    schedule: PathSchedule,
    hasContacts: boolean,
  ) {
    this.system = system;
    this.problem = problem;
    this.solver = solver;
    this.schedule = schedule;
    this.hasContacts = hasContacts;
    this.attempts = hasContacts ? [...usualAttempts, ...farAttempts.slice(0, farStarts)] : usualAttempts;
    this.unknown = new Float64Array(system.unknowns);
    this.b = new Float64Array(system.coneSize);
    this.c = new Float64Array(system.coneSize);
    this.slots = new Uint8Array(system.mechanism.contacts.length);
  }

  /** Keeps the points that a step was asked for, in the place of one of its substeps; the step stands solved in memory. Returns the iterations that this took. */
  keep(
    paths: readonly PathParameter[],
    kept: readonly KeptPoints[],
    substep: number,
    manner: SolvedManner,
    { maxIterations }: StepOptions,
  ): number {
    const { system, schedule } = this;
    this.isAway = false;
    this.iterations = 0;
    for (let i = 0; i < paths.length; i++) {
      const path = paths[i];
      const isEnd = isStepEnd(path);
      if (isEnd || !schedule.isAboveEnd(path)) this.comeBack();
      else if (!this.find(path, manner, maxIterations)) {
        kept[i].lose(substep);
        continue;
      }
      const point = pointInto(kept[i].take(system, substep), system);
      if (isEnd) capContacts(point, system);
    }
    this.comeBack();
    return this.iterations;
  }

  /** Goes to a smoothed point; false where none of its starts leads there. */
  private find(path: PathParameter, manner: SolvedManner, maxIterations: number | undefined): boolean {
    if (this.findFrom(path, manner, maxIterations)) return true;
    const { kappa, relativeKappa = 0 } = path;
    const isFurtherDown = kappa === undefined && relativeKappa < usualSmoothing;
    if (!isFurtherDown || !this.findFrom({ relativeKappa: usualSmoothing }, manner, maxIterations)) return false;
    this.schedule.instructPoint(this.schedule.kappaOf(path), false, maxIterations);
    return this.solves(undefined, undefined);
  }

  /** Goes there from one start after another. */
  private findFrom(path: PathParameter, manner: SolvedManner, maxIterations: number | undefined): boolean {
    const { problem, schedule, attempts } = this;
    const { prediction } = problem;
    const isInSi = path.kappa !== undefined;
    const kappa = schedule.kappaOf(path);
    // where starts are predicted, κ counts in the natural units that the cones have there
    const natural = isInSi ? kappa / schedule.smallestUnit : kappa;
    const { smoothing } = manner;
    if (smoothing && !isInSi && !this.hasContacts) {
      this.goToEnd();
      schedule.weigh("natural");
      smoothing.begin();
      const isThere = smoothing.solveFromEnd(kappa);
      this.iterations += smoothing.result.iterations;
      if (isThere) return true;
    }
    const instruct = (): void => schedule.instructPoint(kappa, isInSi, maxIterations);
    if (manner.isPredicted && prediction) {
      this.goToEnd();
      schedule.weigh("natural");
      problem.takeWeights();
      const isThere = prediction.goOnAt(natural);
      instruct();
      if (isThere && this.solves(predictedJam, undefined)) return true;
    }
    if (manner.isWarm && prediction?.isPossible()) {
      this.goToEnd();
      schedule.weigh("natural");
      const isThere = problem.startPredicted(prediction, natural, false);
      instruct();
      if (isThere && this.solves(predictedJam, undefined)) return true;
    }
    for (let i = 0; i < attempts.length; i++) {
      const { start, scatter, relaxesAbove } = attempts[i];
      this.goToEnd();
      instruct();
      problem.start(isInSi && i === 0 ? firstInSi : start, kappa);
      scatterContacts(problem, scatter);
      const relaxes = manner.relaxes ? 0 : relaxesAbove;
      if (this.solves(undefined, this.hasContacts ? relaxes : undefined)) return true;
    }
    return false;
  }

  private solves(jamLength: number | undefined, relaxesAbove: number | undefined): boolean {
    const { solver } = this;
    const { instructions } = this.schedule;
    instructions.jamLength = jamLength;
    instructions.relaxesAbove = relaxesAbove;
    instructions.onIteration = undefined;
    const { status, iterations } = solver.solve(instructions);
    this.iterations += iterations;
    return status === "solved";
  }

  /** The end of the step, with all contacts; what a solve has left of numbers that are none is gone. */
  private goToEnd(): void {
    const { problem } = this;
    if (this.isAway) {
      problem.clean();
      this.place();
    } else this.leave();
    problem.takeAll();
  }

  private leave(): void {
    const { system, problem, slots } = this;
    const { f64, places } = system;
    this.isAway = true;
    copyInto(this.unknown, 0, f64, places.unknown, this.unknown.length);
    copyInto(this.b, 0, f64, places.coneB, this.b.length);
    copyInto(this.c, 0, f64, places.coneC, this.c.length);
    Object.assign(this.result, this.solver.result);
    this.leftOut = problem.leavesOut;
    if (problem.contacts) slots.set(problem.contacts.slots);
  }

  private place(): void {
    const { f64, places } = this.system;
    copyInto(f64, places.unknown, this.unknown, 0, this.unknown.length);
    copyInto(f64, places.coneB, this.b, 0, this.b.length);
    copyInto(f64, places.coneC, this.c, 0, this.c.length);
  }

  /** Memory as it was when the step was solved, evaluated. */
  private comeBack(): void {
    if (!this.isAway) return;
    const { problem } = this;
    const { contacts } = problem;
    this.goToEnd();
    this.isAway = false;
    contacts?.restore(this.slots);
    contacts?.write();
    if (contacts && this.leftOut) problem.takeNear(contacts, true);
    this.place();
    problem.evaluate();
    Object.assign(this.solver.result, this.result);
  }
}
