/**
 * What a step has left for the next one: where it began and ended, its interval, and with what its cones may start warm. Whoever saves it
 * and hands it on goes on to the bit (continuation.ts).
 */
import type { System } from "../../kernels/index.ts";
import { readDrive } from "../division/drive.ts";
import { clearPace, copyOfPace, copyPaceInto, newPace, type Pace, smallestPart } from "../division/pace.ts";
import type { StepOptions, StepReport } from "../step/stepReport.ts";
import type { StepSolve } from "../step/stepSolve.ts";
import { copyOf, type RunMemory, type WarmMemory } from "./continuation.ts";

/** Turns of gears that are not known. */
const noTurns = new Float64Array(0);

export class RunHistory {
  /** What the step that is being taken goes on with, if its steps are divided. */
  readonly pace: Pace;
  /** Those of the ends of the last step and of the one before it; whether there are any. */
  private readonly lastPace: Pace;
  private readonly firstPace: Pace;
  private hasPace = false;
  private isPaced = false;
  private readonly system: System;
  private readonly solve: StepSolve;
  private readonly report: Readonly<StepReport>;
  /** Where the last step ended, and where it began; NaN before the first. */
  private readonly last: Float64Array;
  private readonly first: Float64Array;
  /** The interval in which a step can start from its end, if that is known. */
  private steppable = Number.NaN;
  /** Its interval, if the next one may start from its cone variables. */
  private lastInterval = Number.NaN;
  /** What the next step is to go on from, whatever the last one was. */
  private given: RunMemory | undefined;
  private isNear = false;
  /** Whether the step that is being taken starts where the last one ended. */
  private startsFromLast = false;
  /** Whether the step is solved once more. */
  private isAgain = false;

  constructor(system: System, solve: StepSolve, report: Readonly<StepReport>) {
    const { stateSize } = system.mechanism;
    this.system = system;
    this.solve = solve;
    this.report = report;
    this.pace = newPace(system.mechanism);
    this.lastPace = newPace(system.mechanism);
    this.firstPace = newPace(system.mechanism);
    this.first = new Float64Array(stateSize).fill(Number.NaN);
    this.last = new Float64Array(stateSize).fill(Number.NaN);
  }

  /** Whether cone variables of a step are kept for the next one. */
  private get keepsPairs(): boolean {
    return this.solve.keepsPairs;
  }

  /** Where the last step ended; undefined where that is not known. */
  get lastState(): Float64Array | undefined {
    return Number.isNaN(this.last[0]) ? undefined : this.last;
  }

  /** What a step carries on that starts where the last one ended; undefined before the first. */
  save(): RunMemory | undefined {
    if (this.given) return this.given;
    if (!this.lastState) return undefined;
    const { turns } = this.solve.problem;
    const pace = this.hasPace ? copyOfPace(this.lastPace) : undefined;
    const run = { angles: turns.values.slice(), gears: turns.gearTurns(), interval: this.report.interval, pace };
    return { ...run, warm: Number.isNaN(this.lastInterval) ? undefined : this.saveWarm() };
  }

  private saveWarm(): WarmMemory {
    const { problem } = this.solve;
    return {
      state: this.last.slice(),
      timestep: this.lastInterval,
      end: this.keepsPairs ? copyOf(problem.pairs.last) : undefined,
      before: this.keepsPairs ? problem.pairs.slacksBefore?.slice() : undefined,
      near: problem.contacts?.slots.slice(),
      pause: Math.max(0, this.solve.newton.pause.left),
      jams: Math.max(0, this.solve.jams.left),
    };
  }

  /** The next step goes on as if that had been the last one; as the first one ever if it is left out. */
  restore(memory: RunMemory | undefined): void {
    const { problem } = this.solve;
    this.given = memory;
    this.first.fill(Number.NaN);
    this.last.fill(Number.NaN);
    this.steppable = Number.NaN;
    this.lastInterval = Number.NaN;
    if (!memory) return;
    const { angles, gears, warm } = memory;
    problem.turns.goOnFrom(angles, gears);
    if (!warm || (this.keepsPairs && !warm.end)) return;
    this.last.set(warm.state);
    this.lastInterval = warm.timestep;
    if (warm.end) problem.pairs.recall(warm.end, warm.before);
    problem.contacts?.restore(warm.near);
    this.solve.newton.pause.left = warm.pause;
    this.solve.jams.left = warm.jams;
  }

  /** The next step starts near these angles, whatever its state, and warm where it would have done so anyway. */
  startNear(angles: Float64Array): void {
    this.solve.problem.turns.goOnFrom(angles, noTurns);
    this.isNear = true;
  }

  /** The step that was just solved will be solved once more, with other contacts: it goes on from where it has ended. */
  again(state: Float64Array): void {
    this.last.set(state);
    if (this.hasPace) copyPaceInto(this.lastPace, this.firstPace);
    this.steppable = Number.NaN;
    this.isAgain = true;
  }

  /** The step that is being taken ends in a state that this interval can go on from. */
  endsSteppable(interval: number): void {
    this.steppable = interval;
  }

  /** Whether a step in this interval is known to be able to start from this state. */
  isSteppable(state: Float64Array, interval: number): boolean {
    return interval === this.steppable && state.length === this.last.length && isSame(this.last, state);
  }

  /** Whether a step from this state goes on from a solved one, and a continuation would say so. */
  goesOnFrom(state: Float64Array): boolean {
    return !Number.isNaN(this.lastInterval) && isSame(this.last, state);
  }

  /** What a step from this state carries on, if it is one that the last step led to, or started from. */
  memoryOf(state: Float64Array): RunMemory | undefined {
    if (this.given || isSame(this.last, state)) return this.save();
    const { turns } = this.solve.problem;
    if (!isSame(this.first, state)) return undefined;
    const run = { angles: turns.start.slice(), gears: turns.gearTurns(), interval: undefined };
    return { ...run, pace: this.paceBefore, warm: undefined };
  }

  /** Turns go on where the state is the one that the last step led to, or started from; elsewhere nothing is known of them. */
  private countFrom(state: Float64Array): void {
    const { turns } = this.solve.problem;
    if (!turns.isNeeded) return;
    if (this.startsFromLast) turns.goOn();
    else if (isSame(this.first, state)) turns.rewind();
    else turns.forget();
  }

  /** Whether this step goes on where the last one ended, so that it can start warm. A κ that is given has a start of its own. */
  isContinued(h: number, { kappa, relativeKappa }: StepOptions): boolean {
    if (h !== this.lastInterval || kappa !== undefined || relativeKappa !== undefined) return false;
    return this.startsFromLast;
  }

  /** Remembers a step that was solved; `goesOn`: it went on from the one before. */
  remember(h: number, { kappa, relativeKappa }: StepOptions, goesOn: boolean): void {
    if (kappa !== undefined || relativeKappa !== undefined || this.solve.problem.cones.length === 0) return;
    const { problem } = this.solve;
    // slacks of the same step are none of the one before
    if (this.keepsPairs) problem.pairs.remember(goesOn && !this.isAgain);
    this.lastInterval = h;
  }

  /** Is called before a step. */
  begin(state: Float64Array): void {
    this.startsFromLast = isSame(this.last, state);
    this.takePace(state);
    if (!this.given && !this.isNear) this.countFrom(state);
    this.given = undefined;
    this.isNear = false;
  }

  /** Is called after it. */
  end(state: Float64Array, next: Float64Array): void {
    this.isAgain = false;
    if (this.solve.problem.turns.isNeeded || this.isPaced) this.first.set(state);
    this.last.set(next);
    this.hasPace = this.isPaced;
    this.isPaced = false;
  }

  /**
   * Finds the pace of a step from this state. Where a step led to it that was not divided, it is the end of a whole one; velocities of a state of which
   * nothing is known are those of the instant.
   */
  private takePace(state: Float64Array): void {
    const known = this.knownPace(state, this.startsFromLast);
    if (known) copyPaceInto(this.pace, known);
    else clearPace(this.pace, this.unknownPart(this.startsFromLast));
  }

  private knownPace(state: Float64Array, startsFromLast: boolean): Readonly<Pace> | undefined {
    const { given } = this;
    if (given || !this.hasPace) return given?.pace;
    if (startsFromLast) return this.lastPace;
    return isSame(this.first, state) ? this.firstPace : undefined;
  }

  /** The part that led to a state of which no pace is known, as a fraction of the step. */
  private unknownPart(startsFromLast: boolean): number {
    const { given } = this;
    return (given ? given.interval !== undefined : startsFromLast) ? 1 : smallestPart;
  }

  /** Length of the part that led to a state of this interval, s; `known` is the pace there, if that is known. */
  partAt(
    state: Float64Array,
    interval: number,
    known: Pick<Pace, "timestep" | "part"> | undefined,
    { errorTolerance }: StepOptions,
  ): number {
    const h = this.system.f64[this.system.places.globals];
    const startsFromLast = isSame(this.last, state);
    const pace = known ?? this.knownPace(state, startsFromLast);
    if (pace) return pace.part * (pace.timestep || h);
    return errorTolerance === undefined || interval !== h ? interval : this.unknownPart(startsFromLast) * h;
  }

  /** What the last step went on with, if it was divided. */
  get paceBefore(): Pace | undefined {
    return this.hasPace ? copyOfPace(this.firstPace) : undefined;
  }

  /** What a divided step leaves. */
  keepPace(left: Pace): void {
    copyPaceInto(this.firstPace, this.pace);
    copyPaceInto(this.lastPace, left);
    this.keepDrive();
    this.isPaced = true;
  }

  private keepDrive(): void {
    readDrive(this.lastPace.drive, this.system);
    this.lastPace.hasDrive = true;
  }

  /** The pace that the step last begun goes on with, in parts that its options give or in its own. */
  paceOf({ division }: StepOptions): Pace {
    const pace = copyOfPace(this.pace);
    if (!division) return pace;
    clearPace(pace, division.before);
    pace.hasDrive = division.drive !== undefined;
    if (division.drive) pace.drive.set(division.drive);
    return pace;
  }

  /** A step that was to be divided has ended undivided, or as several, the last of which has this length in seconds: it began with this pace. */
  endsInPart(state: Float64Array, pace: Pace, length: number): void {
    const { lastPace, system } = this;
    const h = system.f64[system.places.globals];
    this.first.set(state);
    copyPaceInto(this.firstPace, pace);
    clearPace(lastPace, length / h);
    lastPace.timestep = h;
    this.keepDrive();
    this.hasPace = true;
  }

  /** A step that was taken as several has ended: cone variables are those of its last part, and the next whole step starts without them. */
  startCold(): void {
    this.steppable = Number.NaN;
  }

  /** The next step starts cold, and goes on from nothing, unless `remember` comes after. */
  forget(): void {
    this.lastInterval = this.steppable = Number.NaN;
  }
}

/** Two states, bit by bit but for the sign of zero; NaN is like nothing. */
function isSame(a: Float64Array, b: Float64Array): boolean {
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}
