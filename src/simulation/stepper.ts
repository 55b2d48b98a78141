/**
 * Takes one step: the solver's first attempt, its retries from other starts, and, when a step has no solution (fast links,
 * rolling faster than half a turn a step), two steps of half the size, and so on. Everything beyond the first attempt is
 * counted and reported.
 *
 * A state's velocities are means over its *interval*, the time step as a rule. A body that spins faster than √2/h has no such mean;
 * who says in which interval a state is written gets the next one in the longest of h, h/2, h/4 … that can express it, and the
 * step after that starts with substeps of that size.
 */
import type { Target } from "../codegen/index.ts";
import { bodyParameterNames, leadOffset } from "../equations/index.ts";
import { nextLayout, type System } from "../kernels/index.ts";
import type { Matrix3 } from "../math/index.ts";
import type { InteriorPoint } from "../solver/index.ts";
import { AdaptiveStep, type PartTaker } from "./adaptiveStep.ts";
import type { AngleTurns } from "./angleTurns.ts";
import { type Attempt, farAttempts, usualAttempts } from "./attempts.ts";
import { Bounce } from "./bounce.ts";
import type { StageTaker } from "./bounceRecord.ts";
import { ImpulseSums } from "./impulseSums.ts";
import { lockedJoint } from "./locks.ts";
import { clearPace } from "./pace.ts";
import { holdNames } from "./route.ts";
import { RunHistory } from "./runHistory.ts";
import { isSteppable } from "./stateChecks.ts";
import { leadOf, type StepDivision } from "./stepDivision.ts";
import type { StepProblem } from "./stepProblem.ts";
import type { StepOptions, StepReport } from "./stepReport.ts";
import { StepSolve } from "./stepSolve.ts";
import { changeSpinInto } from "./timestepChange.ts";

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
  };

  /** Solves what a step consists of, and keeps points for gradients. */
  readonly solve: StepSolve;
  /** What the last step has left for the next. */
  readonly history: RunHistory;

  private readonly system: System;
  /** Of mechanisms with contacts that may bounce. */
  private readonly bounce: Bounce | undefined;
  /** Whether contacts were out of the way in the last step, or bounced. */
  private hadStages = false;
  private readonly impulses: ImpulseSums;
  private readonly work: Float64Array;
  /** The state that a part starts from. */
  private readonly partStart: Float64Array;
  /** Of those who have asked for a tolerance. */
  private lazyAdaptive: AdaptiveStep | undefined;
  private lastDivision: StepDivision | undefined;
  private isAdapted = false;
  private partBefore = 1;
  /** Length of the last part, s. */
  lastPart = 0;
  constructor(system: System, target: Target) {
    this.system = system;
    this.solve = new StepSolve(system, this.report);
    this.history = new RunHistory(system, this.solve, this.report);
    this.work = new Float64Array(system.mechanism.stateSize);
    this.partStart = new Float64Array(system.mechanism.stateSize);
    this.impulses = new ImpulseSums(system);
    if (system.mechanism.contacts.some(({ restitution }) => restitution !== null))
      this.bounce = new Bounce(this.stageTaker(), target);
  }

  /** Takes the stages of bounces that are steps. */
  private stageTaker(): StageTaker {
    return {
      system: this.system,
      attempt: (state, options, attempts) => this.solve.attempt(state, options, false, attempts),
      speed: () => this.solve.problem.units.speed,
      inertia: (body) => this.inertia(body),
      point: () => this.solve.pointInto(this.solve.newPoint()),
    };
  }

  /** The parts of the last step, where a tolerance or its options divided it. */
  get division(): StepDivision | undefined {
    const { lazyAdaptive: adaptive, partBefore } = this;
    if (!this.isAdapted || !adaptive) return this.lastDivision;
    return adaptive.count === 1 && partBefore === 1 ? undefined : adaptive.division(partBefore);
  }

  private get adaptive(): AdaptiveStep {
    const { system, impulses, partStart } = this;
    const taker: PartTaker = {
      ...{ system, impulses, partStart },
      takePart: (from, interval, size, lead, out, options) => this.takePart(from, interval, size, lead, out, options),
      bounces: (contact) => this.bounce?.isBouncing(contact) ?? false,
    };
    this.lazyAdaptive ??= new AdaptiveStep(taker);
    return this.lazyAdaptive;
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

  /** From the state into `next`; input, wrenches and parameters are in memory. */
  step(state: Float64Array, next: Float64Array, options: StepOptions): boolean {
    this.history.begin(state);
    const solved = this.take(state, next, options);
    this.history.end(state, next);
    return solved;
  }

  private take(state: Float64Array, next: Float64Array, options: StepOptions): boolean {
    const { report, history } = this;
    const { kept } = this.solve;
    report.iterations = report.retries = 0;
    report.substeps = 1;
    report.lockedJoint = undefined;
    this.solve.substep = 0;
    const h = this.system.f64[this.system.places.globals];
    const { interval } = options;
    report.interval = h;
    const parts = interval === undefined ? 1 : Math.round(h / interval);
    let tooFast = false;
    this.hadStages = false;
    this.bounce?.begin(state, h);
    const warm = parts === 1 && history.isContinued(state, h, options);
    history.forget();
    this.lastPart = h;
    this.lastDivision = undefined;
    this.isAdapted = false;
    for (const name of holdNames) kept[name].count = kept[name].bounces.length = 0;
    if ((options.errorTolerance !== undefined || options.division) && this.takeDivided(state, next, options))
      return true;
    if (parts === 1 && this.attemptWhole(state, options, warm)) {
      this.writeNext(next);
      tooFast = !(options.allowTooFast || isSteppable(this.system.mechanism, next, h));
      if (!tooFast && !this.hadStages) history.remember(h, options, warm);
      if (!tooFast) return true;
    }
    // without a fallback a state of a shorter interval is still stepped in that
    const most = options.fallback === false ? parts : 2 ** deepestHalving;
    // the parts that the state is written in, or halves; half of them; as few as can be, from far starts, if there are contacts; ever smaller parts
    const fewest = Math.max(2, parts);
    for (let trial = 0, finest = fewest; finest <= most; trial++) {
      const isFar = trial === farTrial;
      const count = isFar ? parts : finest;
      if (!isFar) finest *= 2;
      else if (this.system.mechanism.contacts.length === 0) continue;
      if (!this.substeps(state, options, h / parts, count, isFar ? farAttempts : usualAttempts)) continue;
      this.lastPart = h / count;
      const longest = this.writeLongest(next, this.work, h, h / count, interval === undefined ? 1 : count);
      tooFast = !(options.allowTooFast || longest > 0);
      // finer steps end as fast (tried): the motion needs a smaller time step
      if (tooFast && interval === undefined) break;
      if (tooFast) continue;
      report.interval = options.allowTooFast ? h : longest;
      return true;
    }
    this.writeBest(state, next, options, h / parts);
    if (tooFast) report.status = "tooFast";
    else if (report.status === "solved") report.status = "noProgress";
    report.lockedJoint = lockedJoint(this.system.mechanism, state, h);
    if (report.lockedJoint !== undefined && !tooFast) report.status = "singular";
    return false;
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
    if (options.fallback !== false) this.solve.attempt(state, { ...options, fallback: false });
    report.iterations = iterations;
    this.writeNext(next);
    if (!next.every(Number.isFinite)) next.set(state);
  }

  /** A state of interval `from` in the longest of h, h/2, … h/most that can express it; 0 if none can. */
  private writeLongest(next: Float64Array, state: Float64Array, h: number, from: number, most: number): number {
    for (let parts = 1; parts <= most; parts *= 2) {
      next.set(state);
      if (this.changeInterval(next, from, h / parts) && isSteppable(this.system.mechanism, next, h / parts))
        return h / parts;
    }
    return 0;
  }

  /** Returns whether the interval `to` can express every body's momentum. */
  private changeInterval(state: Float64Array, from: number, to: number): boolean {
    let fits = true;
    if (from === to) return fits;
    const { f64, places, mechanism } = this.system;
    for (let body = 0; body < mechanism.bodies.length; body++) {
      const inertia = places.bodyParameters + bodyParameterNames.length * body + 1;
      if (!changeSpinInto(state, 13 * body + 10, f64, inertia, from, to)) fits = false;
    }
    return fits;
  }

  /**
   * The step in the parts that its tolerance asks for, or in those that are given. What gradients hold at is kept afterwards, with the parts
   * that were chosen without.
   */
  private takeDivided(state: Float64Array, next: Float64Array, options: StepOptions): boolean {
    const { report, history, system } = this;
    const h = system.f64[system.places.globals];
    const interval = options.interval ?? h;
    const { hold, division: given, errorTolerance = 0 } = options;
    const { pace } = history;
    if (pace.timestep !== h) clearPace(pace, h);
    let division = given;
    if (!division) {
      this.partBefore = pace.part;
      this.isAdapted = this.adaptive.take(state, h, interval, errorTolerance, withoutHolds(options), pace);
      if (!this.isAdapted) return this.giveUp(h);
      division = hold && this.adaptive.division(pace.part);
      this.turns.rewind();
    }
    if (division && !this.takeParts(state, h, interval, division, options)) return this.giveUp(h);
    const last = division ? division.parts[division.parts.length - 1] : this.adaptive.pace.part;
    const end = division ? this.work : this.adaptive.end;
    report.substeps = division ? division.parts.length : this.adaptive.count;
    if (given) this.lastDivision = given;
    this.impulses.restore();
    const longest = this.writeLongest(next, end, h, last * h, options.interval === undefined ? 1 : 2 ** deepestHalving);
    if (!(options.allowTooFast || longest > 0)) return this.giveUp(h);
    report.interval = options.allowTooFast ? h : longest;
    this.lastPart = last * h;
    if (!given) history.keepPace(this.adaptive.pace);
    return true;
  }

  /** Leaves the step to those that are not divided. */
  private giveUp(h: number): false {
    const { f64, places } = this.system;
    f64[places.globals] = h;
    f64[places.globals + leadOffset] = 0;
    this.solve.substep = 0;
    this.turns.rewind();
    return false;
  }

  /** Into `work`. */
  private takeParts(
    state: Float64Array,
    h: number,
    interval: number,
    division: StepDivision,
    options: StepOptions,
  ): boolean {
    const { parts } = division;
    const { work } = this;
    work.set(state);
    this.impulses.clear();
    for (let k = 0; k < parts.length; k++) {
      this.solve.substep = k;
      const from = k === 0 ? interval : parts[k - 1] * h;
      if (!this.takePart(work, from, parts[k] * h, leadOf(division, k) * h, work, options)) return false;
      this.impulses.add();
    }
    this.solve.substep = 0;
    return true;
  }

  /** One part of a divided step, all in seconds. */
  private takePart(
    from: Float64Array,
    interval: number,
    size: number,
    lead: number,
    out: Float64Array,
    options: StepOptions,
  ): boolean {
    const { partStart } = this;
    const { f64, places } = this.system;
    const h = f64[places.globals];
    partStart.set(from);
    this.changeInterval(partStart, interval, size);
    f64[places.globals] = size;
    f64[places.globals + leadOffset] = lead;
    const solved = this.attemptWhole(partStart, options);
    if (solved) this.writeNext(out);
    f64[places.globals] = h;
    f64[places.globals + leadOffset] = 0;
    return solved;
  }

  /** The time step, or one of its parts, in stages where something may bounce in it. */
  private attemptWhole(state: Float64Array, options: StepOptions, warm = false, attempts = usualAttempts): boolean {
    const { bounce, report } = this;
    const { substep } = this.solve;
    if (!bounce?.concerns(state)) return this.solve.attempt(state, options, warm, attempts);
    // contacts that are far away in this step are a bad start for the next
    this.hadStages = true;
    const solved = bounce.take(state, options, attempts);
    report.iterations += bounce.iterations;
    if (!bounce.hasBounced) return solved;
    for (const name of holdNames) {
      if (!options[name]) continue;
      const kept = this.solve.kept[name];
      const record = solved ? bounce.records[name] : undefined;
      kept.bounces[substep] = record;
      // the point of the free step is not that of this one
      kept.count = record ? substep + 1 : Math.min(kept.count, substep);
      kept.points[substep] ??= this.solve.newPoint();
      if (record) kept.points[substep].set(record.position);
    }
    return solved;
  }

  /** The step in `count` equal parts, into `work`, written in their interval; where the step size changes, the interval momentum stays. */
  private substeps(
    state: Float64Array,
    options: StepOptions,
    interval: number,
    count: number,
    attempts: readonly Attempt[],
  ): boolean {
    const { f64, places } = this.system;
    const { work, report } = this;
    const h = f64[places.globals];
    work.set(state);
    this.turns.rewind();
    report.substeps = count;
    this.changeInterval(work, interval, h / count);
    f64[places.globals] = h / count;
    this.impulses.clear();
    let solved = true;
    for (let k = 0; k < count && solved; k++) {
      this.solve.substep = k;
      solved = this.attemptWhole(work, options, false, attempts);
      if (solved) this.writeNext(work);
      if (solved) this.impulses.add();
    }
    f64[places.globals] = h;
    if (!solved) return false;
    this.impulses.restore();
    return true;
  }

  inertia(body: number): Matrix3 {
    const { f64, places } = this.system;
    const at = places.bodyParameters + bodyParameterNames.length * body;
    const [xx, yy, zz, xy, xz, yz] = [f64[at + 1], f64[at + 2], f64[at + 3], f64[at + 4], f64[at + 5], f64[at + 6]];
    return [
      [xx, xy, xz],
      [xy, yy, yz],
      [xz, yz, zz],
    ];
  }

  /** Next poses, their quaternions freed of rounding, and velocities. */
  private writeNext(next: Float64Array): void {
    const { f64, places, mechanism } = this.system;
    for (let i = 0; i < mechanism.bodies.length; i++) {
      const pose = places.next + nextLayout.size * i;
      const velocity = places.unknown + 6 * i;
      const out = 13 * i;
      const w = f64[pose + 3];
      const x = f64[pose + 4];
      const y = f64[pose + 5];
      const z = f64[pose + 6];
      const scale = 1 / Math.sqrt(w * w + x * x + y * y + z * z);
      for (let k = 0; k < 3; k++) next[out + k] = f64[pose + k];
      for (let k = 3; k < 7; k++) next[out + k] = f64[pose + k] * scale;
      for (let k = 0; k < 6; k++) next[out + 7 + k] = f64[velocity + k];
    }
  }
}

function withoutHolds(options: StepOptions): StepOptions {
  return options.hold ? { ...options, hold: undefined, alsoHold: undefined } : options;
}
