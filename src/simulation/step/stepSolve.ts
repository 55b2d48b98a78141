/**
 * Solves one step, or one part of one: the first attempt and its retries from other starts. Everything beyond the first attempt is counted.
 * Points for gradients are found once it is solved (gradientPoints.ts).
 */
import type { System } from "../../kernels/index.ts";
import { InteriorPoint } from "../../solver/index.ts";
import { copyInto } from "../copyInto.ts";
import { type Attempt, firstInSi, foldedKappa, foldsBelow, scatterContacts, usualAttempts } from "./attempts.ts";
import { GradientPoints } from "./gradientPoints.ts";
import { KeptPoints } from "./keptPoints.ts";
import { NewtonFinish } from "./newtonFinish.ts";
import type { PathParameter } from "./pathParameter.ts";
import { leavesEndOpen, PathSchedule } from "./pathSchedule.ts";
import { Pause } from "./pause.ts";
import { RestingStart } from "./restingStart.ts";
import { SmoothingNewton } from "./smoothingNewton.ts";
import { Squeeze } from "./squeeze.ts";
import { StepProblem } from "./stepProblem.ts";
import { reportSolveInto, type StepOptions, type StepReport } from "./stepReport.ts";

/** Short steps in a row after which a predicted start is given up: contacts that share their load and slide jam one in ten. */
const predictedJam = 2;
/** Steps whose starts are not predicted after that: a snake, two of whose contacts share each joint's load, jams in seven steps of ten. */
const jamPauses = { first: 0, again: 12 };
const risingIterations = 25;
const lastUsual = usualAttempts.length - 1;

export class StepSolve {
  readonly problem: StepProblem;
  readonly solver: InteriorPoint;
  /** Points for gradients that the last step has kept, in the order in which its options name them. */
  readonly kept: KeptPoints[] = [];
  /** Whether attempts relax their matrix where they jam, and end above the folds of their path: heaps do. */
  relaxes = false;
  /** Called for each part of a step that keeps points, once it is solved. */
  onKept: ((substep: number) => void) | undefined;
  /** Natural units of the cones, one array per substep, to be used instead of the step's own: see `naturalUnits`. */
  fixedUnits: readonly Float64Array[] | undefined;
  /** Which part of the step is being solved. */
  substep = 0;

  /** Newton's method on the central path, of mechanisms with limbs whose cones are all limits. */
  private readonly smoothing: SmoothingNewton | undefined;
  /** Newton's method from predicted starts. */
  readonly newton: NewtonFinish;
  /** Leaves out predicted starts after they have jammed. */
  readonly jams = new Pause(jamPauses);
  private readonly system: System;
  private readonly report: StepReport;
  /** What keeps opposing contacts from pressing ever harder, of mechanisms with contacts. */
  private readonly squeeze: Squeeze | undefined;
  private readonly schedule: PathSchedule;
  /** There for mechanisms with contacts whose starts are not predicted. */
  readonly resting: RestingStart | undefined;
  /** Whether contacts far away are left out; and whether one of them was crossed. */
  private leaves = false;
  private crossed = false;
  /** Whether the start of the last attempt was predicted; and whether Newton's method has solved the step on the central path. */
  private isPredicted = false;
  private isSmoothed = false;
  private readonly points: GradientPoints;

  /** Counts iterations and retries in the report. */
  constructor(system: System, report: StepReport) {
    this.system = system;
    this.report = report;
    this.problem = new StepProblem(system);
    this.solver = new InteriorPoint(this.problem);
    this.schedule = new PathSchedule(system, this.problem, () => this.naturalUnits);
    const hasContacts = system.mechanism.contacts.length > 0 || system.touch !== undefined;
    const { prediction } = this.problem;
    this.smoothing = SmoothingNewton.of(system, this.problem);
    this.newton = new NewtonFinish(this.problem, this.schedule, report);
    this.squeeze = hasContacts ? new Squeeze(system, this.problem) : undefined;
    const { contacts } = this.problem;
    if (this.squeeze && !prediction && (system.touch || !contacts))
      this.resting = new RestingStart(system, this.problem, this.solver, this.schedule, report, this.squeeze);
    this.points = new GradientPoints(system, this.problem, this.solver, this.schedule, hasContacts);
  }

  /** Whether a step can start from the pairs of the last one. */
  get keepsPairs(): boolean {
    return [this.problem.prediction, this.smoothing, this.resting].some((start) => start !== undefined);
  }

  /** One time step, or part of one; and its points for gradients. */
  attempt(state: Float64Array, options: StepOptions, warm = false, attempts = usualAttempts): boolean {
    const isSolved = this.solve(state, options, warm, attempts);
    if (isSolved && options.points) this.keepPoints(options.points, options, warm);
    return isSolved;
  }

  /** By Newton's method where it can do without the interior point, or from one start after the other. */
  private solve(state: Float64Array, options: StepOptions, warm: boolean, attempts: readonly Attempt[]): boolean {
    const { problem, report, system, schedule } = this;
    copyInto(system.f64, system.places.state, state, 0, state.length);
    schedule.begin(options);
    problem.units.goesOn = warm;
    if (problem.prediction) problem.prediction.endKappa = schedule.end;
    this.newton.pause.begin(warm);
    this.jams.begin(warm);
    this.leaves = problem.contacts !== undefined && this.canLeave(options);
    this.crossed = this.isPredicted = this.isSmoothed = false;
    if (warm && this.smoothing && this.canSmooth(options)) {
      const isSolved = this.smooth(this.smoothing, options);
      if (isSolved && this.staysClear()) {
        this.isSmoothed = true;
        return true;
      }
      if (isSolved) this.takeCrossed();
      report.retries++;
      problem.clean();
    }
    return this.fromStarts(options, warm, attempts);
  }

  /**
   * A warm start comes before the cold ones and takes the place of none: a failure replayed from a cold start fails too. A residual that
   * stalls has no root near: only substeps or far starts will help.
   */
  private fromStarts(options: StepOptions, warm: boolean, attempts: readonly Attempt[]): boolean {
    const { problem, report } = this;
    const { result } = this.solver;
    const end = options.fallback === false || problem.cones.length === 0 ? 1 : attempts.length;
    let number = warm ? -1 : 0;
    for (let tries = 0; number < end; tries++) {
      if (tries > 0) report.retries++;
      const isWarm = number < 0;
      const attempt = attempts[Math.max(0, number)];
      this.instruct(options, attempt);
      if (isWarm && this.resting?.solve(options)) return true;
      const finishes = isWarm && this.newton.mayFinish(options);
      const isPredicted = isWarm && this.startPredicted(finishes);
      this.isPredicted = isPredicted;
      if (!isPredicted) this.startOnPath(attempt, number <= 0 && attempts === usualAttempts);
      // where nothing makes it warm, it is the first cold one
      if (isWarm && !isPredicted) number = 0;
      const isFinished = finishes && isPredicted && this.newton.finish(options);
      if (
        isFinished ||
        this.descend(options, isPredicted, finishes, number === lastUsual && attempts === usualAttempts)
      ) {
        if (!options.exact && options.kappa === undefined)
          this.squeeze?.relieve(this.solver, this.schedule, report, isFinished);
        if (!this.leaves || this.staysClear()) return true;
        this.takeCrossed();
        continue;
      }
      if (isPredicted) this.jams.fail();
      problem.clean();
      // nothing fails for want of a contact: the cold starts that count have all of them
      const mayLack = this.leaves;
      this.leaves = false;
      if (mayLack && number >= 0) continue;
      if (!mayLack && result.stalled && number >= 0 && attempts === usualAttempts) return false;
      number++;
    }
    return false;
  }

  /** Makes the next attempt take all contacts, after one that was left out has been crossed. */
  private takeCrossed(): void {
    this.crossed = true;
    this.leaves = false;
  }

  /** What the next solve is told. */
  private instruct(options: StepOptions, { settle, relaxesAbove }: Attempt): void {
    const { schedule } = this;
    const { instructions } = schedule;
    schedule.instruct(options, settle);
    instructions.onIteration = options.onIteration;
    instructions.relaxesAbove = this.relaxes ? 0 : this.squeeze && relaxesAbove;
  }

  /** False where nothing is predicted. `finishes`: Newton's method may go on from there. */
  private startPredicted(finishes: boolean): boolean {
    const { problem } = this;
    const { prediction } = problem;
    if (!prediction?.isPossible() || !this.jams.isOver()) return false;
    return problem.startPredicted(prediction, undefined, this.leaves, this.crossed, finishes);
  }

  /** Starts on the central path, at the scale of this attempt. `isFirst`: it is the first of the usual ones. */
  private startOnPath(attempt: Attempt, isFirst: boolean): void {
    const { problem, schedule } = this;
    const factors = isFirst && schedule.isInSi ? firstInSi : attempt.start;
    problem.start(factors, schedule.end, this.leaves);
    scatterContacts(problem, attempt.scatter);
  }

  /** Solves by the interior point, from where the problem stands; where Newton's method has moved a predicted start, from that start again. */
  private descend(options: StepOptions, isPredicted: boolean, finishes: boolean, isLast: boolean): boolean {
    const { problem, solver, report } = this;
    const { instructions } = this.schedule;
    const { result } = solver;
    const { prediction } = problem;
    if (finishes && isPredicted && prediction && this.newton.hasMoved) {
      this.newton.giveUp();
      problem.startPredicted(prediction, undefined, this.leaves, this.crossed);
    }
    instructions.jamLength = isPredicted ? predictedJam : undefined;
    solver.solve(instructions);
    report.iterations += result.iterations;
    const mayRise = (this.relaxes || isLast) && leavesEndOpen(options);
    if (mayRise && result.status !== "solved" && result.mu < foldsBelow) this.rise();
    reportSolveInto(report, result);
    return result.status === "solved";
  }

  /** Finds points for gradients and keeps them in the place of the current substep; the step stays where it is. */
  private keepPoints(paths: readonly PathParameter[], options: StepOptions, isWarm: boolean): void {
    const { isPredicted, relaxes, substep } = this;
    const manner = { isWarm, isPredicted, relaxes, smoothing: this.isSmoothed ? this.smoothing : undefined };
    this.report.iterations += this.points.keep(paths, this.kept, substep, manner, options);
    this.onKept?.(substep);
  }

  /** Where a smoothed point lies in the units of the step last attempted. */
  smoothed(path: PathParameter): PathParameter {
    const relativeKappa = path.kappa === undefined ? this.schedule.kappaOf(path) : undefined;
    return { kappa: path.kappa, relativeKappa };
  }

  /** A step begins that is to keep so many points. */
  begin(count: number): void {
    const { kept } = this;
    this.substep = 0;
    while (kept.length < count) kept.push(new KeptPoints());
    kept.length = count;
    for (let i = 0; i < count; i++) kept[i].clear();
  }

  /** Whether contacts far away may be left out: where the end is sharp. */
  private canLeave({ kappa, exact }: StepOptions): boolean {
    // parts of a step are there for what is hard
    return !(kappa !== undefined || exact || !this.schedule.endsSharp || this.report.substeps > 1);
  }

  /** Whether the solve has crossed none of the contacts that were left out. */
  private staysClear(): boolean {
    return this.problem.contacts?.staysClear() ?? true;
  }

  /** Whether a step that goes on can do without the interior point: its end lies on the natural path, and no contact is near. */
  private canSmooth({ exact }: StepOptions): boolean {
    if (exact || (this.system.touch && this.system.touch.bound.length > 0)) return false;
    const { contacts } = this.problem;
    if (this.system.mechanism.contacts.length === 0) return true;
    if (!contacts || !this.leaves) return false;
    this.problem.survey();
    return contacts.isFarAway;
  }

  /** Newton's method on the central path to the end (smoothingNewton.ts). */
  private smooth(smoothing: SmoothingNewton, options: StepOptions): boolean {
    const { report } = this;
    const { result } = smoothing;
    this.schedule.weigh("natural");
    const { contacts } = this.problem;
    if (contacts) this.problem.takeNear(contacts);
    smoothing.begin();
    const solved = smoothing.solve(this.schedule.end, options);
    report.iterations += result.iterations;
    reportSolveInto(report, result);
    return solved;
  }

  /** Goes a little up the path again from where a solve has met a fold of it; not from a cone's boundary, where rounding may have left it. */
  private rise(): void {
    const { problem, solver, report, schedule } = this;
    const { instructions } = schedule;
    problem.measure(foldedKappa);
    if (!(problem.measures.smallestEigenvalue > 0)) return;
    schedule.dropStops();
    instructions.kappa = foldedKappa;
    instructions.maxIterations = risingIterations;
    report.iterations += solver.solve(instructions).iterations;
  }

  /** What κ' = 1 is in SI, at every entry of every cone, in the step that is being taken. */
  get naturalUnits(): Float64Array {
    return this.fixedUnits?.[this.substep] ?? this.problem.units.natural;
  }
}
