/**
 * Takes one step: the solver's first attempt, its retries from other starts, and, when a step has no solution (fast links,
 * rolling faster than half a turn a step), two steps of half the size, and so on. Everything beyond the first attempt is
 * counted and reported.
 *
 * A state's velocities are means over its *interval*, the time step as a rule. A body that spins faster than √2/h has no such mean;
 * who says in which interval a state is written gets the next one in the longest of h, h/2, h/4 … that can express it, and the
 * step after that starts with substeps of that size.
 */
import type { Target } from "../../codegen/index.ts";
import type { System } from "../../kernels/index.ts";
import type { InteriorPoint } from "../../solver/index.ts";
import { Bounce } from "../bounce/bounce.ts";
import type { BounceHold } from "../bounce/bounceHold.ts";
import type { StageTaker } from "../bounce/bounceRecord.ts";
import { mayBounce } from "../bounce/stepContacts.ts";
import { DividedSteps, type PartSolver } from "../division/dividedSteps.ts";
import type { PartBefore } from "../division/drive.ts";
import { ImpulseSums } from "../division/impulseSums.ts";
import type { StepDivision } from "../division/stepDivision.ts";
import type { AngleTurns } from "../runs/angleTurns.ts";
import { RunHistory } from "../runs/runHistory.ts";
import { StepReadings } from "../runs/stepReadings.ts";
import { lockedJoint } from "../states/locks.ts";
import { isSteppable } from "../states/stateChecks.ts";
import { StateWriter } from "../states/stateWriter.ts";
import { type Attempt, farAttempts, usualAttempts } from "./attempts.ts";
import { GainWatch } from "./gainWatch.ts";
import { newPoint, pointInto } from "./keptPoints.ts";
import { leavesEndOpen } from "./pathSchedule.ts";
import type { StepProblem } from "./stepProblem.ts";
import type { StepOptions, StepReport } from "./stepReport.ts";
import { StepSolve } from "./stepSolve.ts";

/** The step is halved at most this often. */
const deepestHalving = 6;
/** Far starts come after so many sizes of substeps: robots with fast limbs need those, and get them sooner. */
const farTrial = 2;

export class Stepper {
  readonly report: StepReport = {
    status: "solved",
    iterations: 0,
    retries: 0,
    substeps: 1,
    interval: 0,
    residualViolation: 0.5,
    complementarityViolation: 0.5,
    lockedJoint: undefined,
    precision: undefined,
  };

  /** Solves what a step consists of, and keeps points for gradients. */
  readonly solve: StepSolve;
  /** What the last step has left for the next. */
  readonly history: RunHistory;
  readonly writer: StateWriter;
  /** Looks at what links gain that whip. */
  readonly watch: GainWatch;
  /** What contacts and joints have given in the last step. */
  readonly readings: StepReadings;
  /** What part of a step its own are, where one is taken as several with features of their own. */
  part = 1;
  /** The number of equal parts in which steps are taken, and in no other: for what is compared with a step that took as many. */
  heldParts: number | undefined;

  private readonly system: System;
  /** There for mechanisms with contacts that may bounce. */
  private readonly bounce: Bounce | undefined;
  /** Whether contacts were out of the way in the last step, or bounced. */
  hadStages = false;
  /** Whether the step was last solved with an end that is too fast to be written. */
  private isTooFast = false;
  /** Whether anything bounced in the part last attempted. */
  private hasBounced = false;
  private readonly impulses: ImpulseSums;
  private readonly work: Float64Array;
  /** Where the part that is being taken began. */
  private readonly before: Float64Array;
  private readonly divided: DividedSteps;

  constructor(system: System, target: Target) {
    this.system = system;
    this.solve = new StepSolve(system, this.report);
    this.history = new RunHistory(system, this.solve, this.report);
    this.work = new Float64Array(system.mechanism.stateSize);
    this.before = new Float64Array(system.mechanism.stateSize);
    this.watch = new GainWatch(system);
    this.readings = new StepReadings(system);
    this.impulses = new ImpulseSums(system, this.readings);
    this.report.interval = system.f64[system.places.globals];
    this.writer = new StateWriter(system);
    this.divided = new DividedSteps(system, this.partSolver(), this.writer, this.impulses);
    if (mayBounce(system)) this.bounce = new Bounce(this.stageTaker(), target);
  }

  /** Takes the stages of bounces that are steps. */
  private stageTaker(): StageTaker {
    return {
      system: this.system,
      writer: this.writer,
      readings: this.readings,
      attempt: (state, options, attempts) => {
        this.readings.begin();
        return this.solve.attempt(state, options, false, attempts);
      },
      speed: () => this.solve.problem.units.speed,
      smoothed: (path) => this.solve.smoothed(path),
      point: () => pointInto(newPoint(this.system), this.system),
      part: () => this.solve.substep,
    };
  }

  /** Takes the parts of divided steps. */
  private partSolver(): PartSolver {
    const { report, history, solve, turns } = this;
    return {
      ...{ report, history, solve, turns },
      attempt: (state, options, warm) => this.attemptWhole(state, options, warm),
      isBouncing: (contact) => this.bounce?.isBouncing(contact) ?? false,
      hasBounced: () => this.hasBounced,
      hadStages: () => this.hadStages,
    };
  }

  /** The parts of the last step, where a tolerance or its options divided it. */
  get division(): StepDivision | undefined {
    return this.divided.division;
  }

  /** Length of the last part of the last step, s: the step itself where it was taken whole. */
  get lastPart(): number {
    return this.divided.lastPart;
  }

  /** What gradients hold of bounces, which differences are to hold too; none where nothing bounces. */
  get bounceHold(): BounceHold | undefined {
    return this.bounce?.hold;
  }

  get problem(): StepProblem {
    return this.solve.problem;
  }

  get solver(): InteriorPoint {
    return this.solve.solver;
  }

  /** Counts the turns of its angles. */
  get turns(): AngleTurns {
    return this.solve.problem.turns;
  }

  /** Steps from the state into `next`; input, wrenches and parameters are in memory. */
  step(state: Float64Array, next: Float64Array, options: StepOptions): boolean {
    this.history.begin(state);
    const solved = this.take(state, next, options);
    this.history.end(state, next);
    return solved;
  }

  private take(state: Float64Array, next: Float64Array, options: StepOptions): boolean {
    const { report } = this;
    report.iterations = report.retries = 0;
    report.lockedJoint = report.precision = undefined;
    this.isTooFast = this.watch.hasSeen = false;
    if (this.takeTo(state, next, options) || this.takeUnwatched(state, next, options)) return true;
    const h = this.system.f64[this.system.places.globals];
    report.lockedJoint = lockedJoint(this.system.mechanism, state, h);
    const isOpen = !this.isTooFast && report.lockedJoint === undefined && options.fallback !== false;
    // shapes that touch have their own ways out
    if (isOpen && !this.system.touch && leavesEndOpen(options)) {
      report.retries++;
      this.turns.rewind();
      if (this.takeTo(state, next, { ...options, precision: "fast" })) {
        report.precision = "fast";
        return true;
      }
    }
    this.writeBest(state, next, options, h / partsOf(options, h));
    if (this.isTooFast) report.status = "tooFast";
    else if (report.lockedJoint !== undefined) report.status = "singular";
    else if (report.status === "solved") report.status = "noProgress";
    return false;
  }

  /** The step to the precision that the options say: whole, or in the fewest parts that are solved. */
  private takeTo(state: Float64Array, next: Float64Array, options: StepOptions): boolean {
    const { report, history } = this;
    report.substeps = 1;
    this.solve.begin(options.points?.length ?? 0);
    const h = this.system.f64[this.system.places.globals];
    const { interval } = options;
    report.interval = h;
    const parts = partsOf(options, h);
    this.hadStages = false;
    this.bounce?.begin(state, h, this.part);
    const warm = parts === 1 && history.isContinued(h, options);
    history.forget();
    this.divided.begin(h);
    const { division } = options;
    // one that follows on another whole one is taken as steps are that nothing divides, and goes on from it
    const isWhole = division?.parts.length === 1 && division.before === 1;
    const isDivided = (options.errorTolerance !== undefined || division) && !isWhole;
    if (isDivided && this.divided.take(state, next, options, warm)) return true;
    // as if there were no tolerance, but that forces act for the mean of the parts that meet
    const before = this.divided.partBefore(options);
    const isTried = division?.parts.length === 1 && !isWhole;
    if (parts === 1 && (this.heldParts ?? 1) === 1 && !isTried && this.attemptAfter(before, state, options, warm)) {
      this.writer.writeNext(next);
      const steppable = this.hadStages ? isSteppable(this.system.mechanism, next, h) : this.problem.reading.isSteppable;
      this.isTooFast = !(options.allowTooFast || steppable);
      const goesOn = !(this.isTooFast || (this.isWatched(options, 1) && this.watch.gains(state, next, 1)));
      if (steppable && goesOn) history.endsSteppable(h);
      if (goesOn && !this.hadStages) history.remember(h, options, warm);
      if (goesOn) this.divided.endIn(1, before);
      if (goesOn) return true;
    }
    for (const { count, attempts } of this.trials(parts, options)) {
      if (!this.substeps(state, options, h / parts, count, attempts, before)) continue;
      this.divided.endIn(count, before);
      const longest = this.writer.writeEnd(next, this.work, h, h / count, interval === undefined ? 1 : count);
      this.isTooFast = !(options.allowTooFast || longest > 0);
      // finer steps end as fast (tried): the motion needs a smaller time step
      if (this.isTooFast && interval === undefined) break;
      if (this.isTooFast) continue;
      report.interval = options.allowTooFast ? h : longest;
      return true;
    }
    return false;
  }

  /** Whether the step, or each of its parts, is taken in more parts where links gain energy in it. */
  private isWatched(options: StepOptions, count: number): boolean {
    return this.heldParts === undefined && !this.hadStages && this.watch.concerns(options, count);
  }

  /** The step whatever links gain in it, if that is what has kept it from being solved: finer parts of it were not. */
  private takeUnwatched(state: Float64Array, next: Float64Array, options: StepOptions): boolean {
    const { watch } = this;
    if (!watch.hasSeen) return false;
    this.turns.rewind();
    watch.isOn = false;
    try {
      return this.takeTo(state, next, options);
    } finally {
      watch.isOn = true;
    }
  }

  /**
   * Parts to take a step in whose first attempt has failed: those that the state is written in, or halves; half of them; as few as can be, from
   * far starts, if there are contacts; ever smaller ones.
   */
  private *trials(parts: number, { fallback }: StepOptions): Iterable<{ count: number; attempts: readonly Attempt[] }> {
    const { system, heldParts } = this;
    const goesFar = system.mechanism.contacts.length > 0 || system.touch !== undefined;
    if (heldParts !== undefined) {
      if (heldParts > 1) yield { count: heldParts, attempts: usualAttempts };
      if (goesFar && fallback !== false) yield { count: heldParts, attempts: farAttempts };
      return;
    }
    // without a fallback a state of a shorter interval is still stepped in that
    const most = fallback === false ? parts : 2 ** deepestHalving;
    for (let trial = 0, count = Math.max(2, parts); count <= most; trial++) {
      const isFar = trial === farTrial;
      if (isFar && goesFar) yield { count: parts, attempts: farAttempts };
      if (isFar) continue;
      yield { count, attempts: usualAttempts };
      count *= 2;
    }
  }

  /** Nothing solved the step: where the first attempt got to, if that is a state at all. */
  private writeBest(state: Float64Array, next: Float64Array, options: StepOptions, interval: number): void {
    const { report } = this;
    const { iterations } = report;
    if (interval < this.system.f64[this.system.places.globals]) {
      next.set(state);
      report.interval = interval;
      return;
    }
    // without a fallback it was the last one, and stands in memory
    this.turns.rewind();
    this.readings.begin();
    // its iterations have been counted, and seen
    if (options.fallback !== false) this.solve.attempt(state, { ...options, fallback: false, onIteration: undefined });
    report.iterations = iterations;
    this.writer.writeNext(next);
    if (!next.every(Number.isFinite)) next.set(state);
  }

  /** The time step, or one of its parts, in stages where something may bounce in it. */
  private attemptWhole(state: Float64Array, options: StepOptions, warm = false, attempts = usualAttempts): boolean {
    const { bounce, report } = this;
    const { substep } = this.solve;
    this.hasBounced = false;
    this.readings.begin();
    if (!bounce?.concerns(state)) return this.solve.attempt(state, options, warm, attempts);
    // contacts that are far away in this step are a bad start for the next
    this.hadStages = true;
    const solved = bounce.take(state, options, attempts);
    report.iterations += bounce.iterations;
    if (!bounce.hasBounced) return solved;
    this.hasBounced = true;
    const { kept } = this.solve;
    for (let i = 0; i < kept.length; i++) {
      const record = solved ? bounce.records[i] : undefined;
      // the point of the free stage is not that of this one
      if (record) kept[i].bounce(record, this.system, substep);
      else kept[i].lose(substep);
    }
    return solved;
  }

  /** The step as a whole, after a part of another size where steps are divided; both are fractions of the step. */
  private attemptAfter(
    before: PartBefore | undefined,
    state: Float64Array,
    options: StepOptions,
    warm: boolean,
  ): boolean {
    const { f64, places } = this.system;
    const { meeting } = this.divided;
    if (before) meeting.begin(before, 1, f64[places.globals]);
    const solved = this.attemptWhole(state, options, warm);
    meeting.end();
    return solved;
  }

  /** The step in `count` equal parts, into `work`, written in their interval; where the step size changes, the interval momentum stays. */
  private substeps(
    state: Float64Array,
    options: StepOptions,
    interval: number,
    count: number,
    attempts: readonly Attempt[],
    partBefore: PartBefore | undefined,
  ): boolean {
    const { f64, places } = this.system;
    const { work, before, report } = this;
    const h = f64[places.globals];
    work.set(state);
    this.turns.rewind();
    report.substeps = count;
    this.writer.changeInterval(work, interval, h / count);
    f64[places.globals] = h / count;
    if (partBefore) this.divided.meeting.begin(partBefore, 1 / count, h);
    this.impulses.clear();
    let solved = true;
    for (let k = 0; k < count && solved; k++) {
      this.solve.substep = k;
      solved = this.attemptWhole(work, options, false, attempts);
      this.divided.meeting.end();
      if (!solved) break;
      before.set(work);
      this.writer.writeNext(work);
      this.impulses.add();
      solved = !(this.isWatched(options, count) && this.watch.gains(before, work, count));
    }
    f64[places.globals] = h;
    if (!solved) return false;
    this.impulses.restore();
    return true;
  }
}

/** The number of parts that a step is taken in at least: those that its state is written in. */
function partsOf({ interval }: StepOptions, h: number): number {
  return interval === undefined ? 1 : Math.round(h / interval);
}
