/**
 * Solves one step, or one part of one: the first attempt and its retries from other starts, on the way by which points for gradients
 * are kept. Everything beyond the first attempt is counted.
 */
import type { System } from "../../kernels/index.ts";
import { InteriorPoint } from "../../solver/index.ts";
import { copyInto } from "../copyInto.ts";
import type { ConePoint } from "../runs/continuation.ts";
import { type Attempt, firstInSi, foldedKappa, foldsBelow, scatterContacts, usualAttempts } from "./attempts.ts";
import { coneVariablesOf, KeptPoints } from "./keptPoints.ts";
import { NewtonFinish } from "./newtonFinish.ts";
import { kappaOf } from "./pathParameter.ts";
import { leavesEndOpen, PathSchedule } from "./pathSchedule.ts";
import { Pause } from "./pause.ts";
import { RestingStart } from "./restingStart.ts";
import { type HoldName, holdNames } from "./route.ts";
import { SmoothingNewton } from "./smoothingNewton.ts";
import { Squeeze } from "./squeeze.ts";
import { StepProblem } from "./stepProblem.ts";
import { reportSolveInto, type StepOptions, type StepReport } from "./stepReport.ts";

/** s: how far from the boundary a step starts that goes on from the hold of the last one, with contacts or with joints' cones alone. */
const holdMargins = { contacts: 4, joints: 2 };
/** Short steps in a row after which a predicted start is given up: contacts that share their load and slide jam one in ten. */
const predictedJam = 2;
/** Steps whose starts are not predicted after that: a snake, two of whose contacts share each joint's load, jams in seven steps of ten. */
const jamPauses = { first: 0, again: 12 };
const risingIterations = 25;
const lastUsual = usualAttempts.length - 1;

export class StepSolve {
  readonly problem: StepProblem;
  readonly solver: InteriorPoint;
  /** What `hold` and `alsoHold` have kept. */
  readonly kept: Readonly<Record<HoldName, KeptPoints>> = {
    hold: new KeptPoints(),
    alsoHold: new KeptPoints(),
  };
  /** Whether attempts relax their matrix where they jam, and end above the folds of their path: heaps do. */
  relaxes = false;
  /** Called for each of the points with its number, while it stands evaluated in memory. */
  onKept: ((substep: number, name: HoldName) => void) | undefined;
  /** Natural units of the cones, one array per substep, to be used instead of the step's own: see `naturalUnits`. */
  fixedUnits: readonly Float64Array[] | undefined;
  /** Which part of the step is being solved. */
  substep = 0;

  /** Newton's method on the central path, of mechanisms with limbs whose cones are all limits. */
  private readonly smoothing: SmoothingNewton | undefined;
  /** Newton's method from predicted starts and from holds. */
  readonly newton: NewtonFinish;
  /** Leaves out predicted starts after they have jammed, in steps that keep no points for gradients. */
  readonly jams = new Pause(jamPauses);
  /** Views of the first point that is kept. */
  private held: ConePoint | undefined;
  private readonly system: System;
  private readonly report: StepReport;
  /** What keeps opposing contacts from pressing ever harder, of mechanisms with contacts. */
  private readonly squeeze: Squeeze | undefined;
  private readonly schedule: PathSchedule;
  /** There for mechanisms with contacts whose starts are not predicted. */
  readonly resting: RestingStart | undefined;
  /** Whether contacts far away are left out, from the start or once the points for gradients are kept; and whether one of them was crossed. */
  private leaves = false;
  private crossed = false;
  /** Whether contacts near by are chosen from the start. */
  private isPicked = false;
  /** How many points the attempt at hand has kept. */
  private keptNow = 0;
  private readonly onHold = (index: number): boolean => {
    const { stops, returns, end } = this.schedule.route;
    const isLast = index === stops.length - 1;
    const { keeps } = stops[index];
    if (keeps) this.keepPoint(keeps);
    if (returns && index === 0) this.problem.keepAside();
    this.schedule.weigh(isLast ? end : stops[index + 1].units);
    if (returns && isLast) {
      this.problem.goAside();
      return true;
    }
    if (!isLast) return false;
    const { contacts } = this.problem;
    const leaves = contacts !== undefined && keeps !== undefined && this.leaves;
    if (leaves && !this.isPicked) contacts.find();
    if (leaves) this.problem.takeNear(contacts, this.isPicked);
    if (!this.isPicked || !this.newton.placeFromHold()) return leaves;
    return !this.newton.finishFromHold();
  };

  /** Cone variables about which the last steps say nothing, one number each; left out where contacts stay what they are. */
  private fresh: Uint8Array | undefined;

  /** Counts iterations and retries in the report. */
  constructor(system: System, report: StepReport) {
    this.system = system;
    this.report = report;
    this.problem = new StepProblem(system);
    this.solver = new InteriorPoint(this.problem);
    this.schedule = new PathSchedule(system, this.problem, this.kept, () => this.naturalUnits);
    const hasContacts = system.mechanism.contacts.length > 0 || system.touch !== undefined;
    const { prediction } = this.problem;
    this.smoothing = SmoothingNewton.of(system, this.problem);
    this.newton = new NewtonFinish(this.problem, this.schedule, report);
    this.squeeze = hasContacts ? new Squeeze(system, this.problem) : undefined;
    const { contacts } = this.problem;
    if (this.squeeze && !prediction && (system.touch || !contacts))
      this.resting = new RestingStart(system, this.problem, this.solver, this.schedule, report, this.squeeze);
  }

  /** Whether a step can start from the pairs of the last one. */
  get keepsPairs(): boolean {
    return [this.problem.prediction, this.smoothing, this.resting].some((start) => start !== undefined);
  }

  /** One time step: by Newton's method where it can do without the interior point, or from one start after the other. */
  attempt(state: Float64Array, options: StepOptions, warm = false, attempts = usualAttempts): boolean {
    const { problem, report, system, schedule } = this;
    copyInto(system.f64, system.places.state, state, 0, state.length);
    schedule.begin(options);
    problem.units.goesOn = warm;
    if (problem.prediction) problem.prediction.endKappa = schedule.end;
    this.newton.pause.begin(warm);
    this.jams.begin(warm);
    this.leaves = problem.contacts !== undefined && this.canLeave(options);
    this.crossed = false;
    if (warm && this.smoothing && this.canSmooth(options)) {
      const isSolved = this.smooth(this.smoothing, options);
      if (isSolved && this.staysClear()) return true;
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
      this.keptNow = 0;
      const isWarm = number < 0;
      const attempt = attempts[Math.max(0, number)];
      this.instruct(options, attempt);
      if (isWarm && this.resting?.solve(options)) return true;
      const finishes = isWarm && this.newton.mayFinish(options);
      const isPredicted = isWarm && this.startPredicted(options, finishes);
      if (!isPredicted) this.startOnPath(attempt, options, number <= 0 && attempts === usualAttempts);
      // where nothing makes it warm, it is the first cold one
      if (isWarm && !isPredicted && !(options.hold && this.startFromHold())) number = 0;
      const isFinished = finishes && isPredicted && this.newton.finish(options);
      if (
        isFinished ||
        this.descend(options, isPredicted, finishes, number === lastUsual && attempts === usualAttempts)
      ) {
        if (!options.exact && options.kappa === undefined)
          this.squeeze?.relieve(this.solver, this.schedule, report, isFinished);
        if (!this.leaves || this.staysClear()) {
          this.keepEnd(options);
          return true;
        }
        this.takeCrossed();
        continue;
      }
      if (isPredicted && options.hold === undefined) this.jams.fail();
      problem.clean();
      if (isPredicted && this.keptNow > 0 && this.hasKeptAll() && this.solveEnd(options)) return true;
      // nothing fails for want of a contact: the cold starts that count have all of them
      const mayLack = this.leaves;
      this.leaves = false;
      if (mayLack && number >= 0) continue;
      if (!mayLack && result.stalled && number >= 0 && attempts === usualAttempts) return false;
      number++;
    }
    return false;
  }

  /** Whether the attempt has come past all points that it was to keep above its end. */
  private hasKeptAll(): boolean {
    const { hold, alsoHold } = this.kept;
    return this.keptNow === (hold.isAbove ? 1 : 0) + (alsoHold.isAbove ? 1 : 0);
  }

  /**
   * The end by itself, as a step that keeps no point finds it from its prediction. The central path from the points that are kept may fold on
   * its way down, where contacts of sliding feet have two answers: A1 under random torques met such folds in one of 200 steps with
   * gradients, at κ' about 5e-3, and was taken in up to 64 parts.
   */
  private solveEnd(options: StepOptions): boolean {
    const { kept, schedule, problem } = this;
    const above = holdNames.map((name) => kept[name].isAbove);
    const plain = { ...options, hold: undefined, alsoHold: undefined, fallback: false };
    this.report.retries++;
    schedule.begin(plain);
    this.leaves = problem.contacts !== undefined && this.canLeave(plain);
    this.crossed = false;
    const isSolved = this.fromStarts(plain, true, usualAttempts);
    if (!isSolved) schedule.begin(options);
    holdNames.forEach((name, i) => {
      kept[name].isAbove = above[i];
    });
    return isSolved;
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
    instructions.onHold = this.onHold;
    instructions.onIteration = options.onIteration;
    instructions.relaxesAbove = this.relaxes ? 0 : this.squeeze && relaxesAbove;
  }

  /** False where nothing is predicted. `finishes`: Newton's method may go on from there. */
  private startPredicted({ hold }: StepOptions, finishes: boolean): boolean {
    const { problem } = this;
    const { prediction } = problem;
    if (!prediction?.isPossible() || (hold === undefined && !this.jams.isOver())) return false;
    const leaves = this.leaves && hold === undefined;
    return problem.startPredicted(prediction, hold && kappaOf(hold), leaves, this.crossed, finishes);
  }

  /** Starts on the central path, at the scale of this attempt. `isFirst`: it is the first of the usual ones. */
  private startOnPath(attempt: Attempt, { hold }: StepOptions, isFirst: boolean): void {
    const { problem, schedule } = this;
    const factors = isFirst && schedule.isInSi ? firstInSi : attempt.start;
    problem.start(factors, schedule.highest, this.leaves && hold === undefined);
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
    this.isPicked = isPredicted;
    instructions.jamLength = isPredicted ? predictedJam : undefined;
    solver.solve(instructions);
    report.iterations += result.iterations;
    const mayRise = (this.relaxes || isLast) && this.hasKeptAll() && leavesEndOpen(options);
    if (mayRise && result.status !== "solved" && result.mu < foldsBelow) this.rise();
    reportSolveInto(report, result);
    return result.status === "solved";
  }

  /** Keeps the end for gradients, where it is what they were asked for. */
  private keepEnd(options: StepOptions): void {
    const hasCones = this.problem.cones.length > 0;
    for (let i = 0; i < holdNames.length; i++) {
      const name = holdNames[i];
      if (options[name] !== undefined && !(this.kept[name].isAbove && hasCones)) this.keepPoint(name);
    }
  }

  /** Whether contacts far away may be left out: where the end is sharp, and no point for gradients itself. */
  private canLeave({ kappa, exact, hold, alsoHold }: StepOptions): boolean {
    // parts of a step are there for what is hard
    if (kappa !== undefined || exact || !this.schedule.endsSharp || this.report.substeps > 1) return false;
    if (hold && !(this.kept.hold.isAbove && hold.kappa === undefined)) return false;
    return alsoHold === undefined || this.kept.alsoHold.isAbove;
  }

  /** Whether the solve has crossed none of the contacts that were left out. */
  private staysClear(): boolean {
    return this.problem.contacts?.staysClear() ?? true;
  }

  /**
   * Whether a step that goes on can do without the interior point: its end, and what it keeps on the way, lie on the natural path, and no
   * contact is near.
   */
  private canSmooth({ exact, hold, alsoHold }: StepOptions): boolean {
    if (exact || alsoHold !== undefined || (hold !== undefined && !this.kept.hold.isAbove)) return false;
    const { contacts } = this.problem;
    if (this.system.touch && this.system.touch.bound.length > 0) return false;
    if (this.system.mechanism.contacts.length === 0) return true;
    if (!contacts || !this.leaves || hold !== undefined) return false;
    this.problem.survey();
    return contacts.isFarAway;
  }

  /** Newton's method on the central path: at the hold, then to the end (smoothingNewton.ts). */
  private smooth(smoothing: SmoothingNewton, options: StepOptions): boolean {
    const { report } = this;
    const { end } = this.schedule;
    const { result } = smoothing;
    const { hold } = options;
    this.schedule.weigh("natural");
    const { contacts } = this.problem;
    if (contacts) this.problem.takeNear(contacts);
    smoothing.begin();
    if (hold) {
      const held = smoothing.hold(this.heldPair(), kappaOf(hold), options);
      report.iterations += result.iterations;
      reportSolveInto(report, result);
      if (!held) return false;
      this.keepPoint("hold");
    }
    const solved = hold ? smoothing.solveFromHold(end, options) : smoothing.solveFromLast(end, options);
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

  /**
   * Cone variables of the last step's hold, on the path at κ', moved along it to s²κ': κ' is smooth enough for contacts to start so, and
   * s keeps what changes in this step from running into the boundary. s = 2, 3, 4, 6: 12.2, 12.0, 11.9, 12.3 iterations of A1, 12.4
   * cold; s = 1, 2, 3: 7.3, 7.2, 7.6 of the Panda, which touches nothing, 8.4 cold.
   */
  private startFromHold(): boolean {
    const { b, c } = this.problem;
    const { mechanism, coneSize } = this.system;
    const touches = mechanism.contacts.length > 0 || this.system.touch !== undefined;
    const margin = touches ? holdMargins.contacts : holdMargins.joints;
    const held = this.heldPair();
    const { fresh } = this;
    for (let i = 0; i < coneSize; i++) {
      if (fresh?.[i]) continue;
      b[i] = margin * held.b[i];
      c[i] = margin * held.c[i];
    }
    return true;
  }

  /** These cone variables start cold in the next step: another contact has taken their place. */
  startCold(at: number, size: number): void {
    this.fresh ??= new Uint8Array(this.system.coneSize);
    this.fresh.fill(1, at, at + size);
    this.problem.pairs.forget(at, size);
  }

  /** Forgets which cone variables were to start cold: they have been through a step. */
  allKnown(): void {
    this.fresh?.fill(0);
  }

  /** Cone variables of the last step's hold. */
  private heldPair(): ConePoint {
    this.held ??= coneVariablesOf(this.kept.hold.points[0], this.system);
    return this.held;
  }

  /** What κ' = 1 is in SI, at every entry of every cone, in the step that is being taken. */
  get naturalUnits(): Float64Array {
    return this.fixedUnits?.[this.substep] ?? this.problem.units.natural;
  }

  /** Keeps the current point, in the place of the current substep. */
  private keepPoint(name: HoldName): void {
    this.keptNow++;
    this.kept[name].keep(this.system, this.substep);
    this.onKept?.(this.substep, name);
  }
}
