/**
 * Steps in parts of unequal sizes: those that an error tolerance asks for (adaptiveStep.ts), or those that are given. Where two parts meet,
 * momenta stay, and forces act for half of each (equations/node.ts, drive.ts).
 */
import type { System } from "../../kernels/index.ts";
import type { AngleTurns } from "../runs/angleTurns.ts";
import type { RunHistory } from "../runs/runHistory.ts";
import type { StateWriter } from "../states/stateWriter.ts";
import type { StepOptions, StepReport } from "../step/stepReport.ts";
import type { StepSolve } from "../step/stepSolve.ts";
import { AdaptiveStep, type PartTaker } from "./adaptiveStep.ts";
import { MeetingParts, type PartBefore } from "./drive.ts";
import type { ImpulseSums } from "./impulseSums.ts";
import { changePace, clearPace, newPace, type Pace, partBeforeOf } from "./pace.ts";
import type { StepDivision } from "./stepDivision.ts";

/** The shortest interval in which an end that is too fast is written, as halvings of the time step. */
const deepestHalving = 6;

/** What solves the parts: the stepper. */
export interface PartSolver {
  readonly report: StepReport;
  readonly history: RunHistory;
  readonly solve: StepSolve;
  readonly turns: AngleTurns;
  attempt(state: Float64Array, options: StepOptions, warm: boolean): boolean;
  isBouncing(contact: number): boolean;
  hasBounced(): boolean;
  /** Whether contacts were out of the way in the step: a bad start for the next. */
  hadStages(): boolean;
}

export class DividedSteps {
  /** Length of the last part of the last step, s. */
  lastPart = 0;

  /** Memory of parts that follow on others. */
  readonly meeting: MeetingParts;

  private readonly system: System;
  private readonly solver: PartSolver;
  private readonly writer: StateWriter;
  private readonly impulses: ImpulseSums;
  private readonly work: Float64Array;
  /** The state that a part starts from. */
  private readonly partStart: Float64Array;
  private lazyAdaptive: AdaptiveStep | undefined;
  private given: StepDivision | undefined;
  private isAdapted = false;
  private readonly left: Pace;

  constructor(system: System, solver: PartSolver, writer: StateWriter, impulses: ImpulseSums) {
    this.system = system;
    this.meeting = new MeetingParts(system);
    this.solver = solver;
    this.writer = writer;
    this.impulses = impulses;
    this.work = new Float64Array(system.mechanism.stateSize);
    this.partStart = new Float64Array(system.mechanism.stateSize);
    this.left = newPace(system.mechanism);
  }

  /** Is called before a step, be it divided or not. */
  begin(timestep: number): void {
    this.lastPart = timestep;
    this.given = undefined;
    this.isAdapted = false;
  }

  /** The parts of the last step, where a tolerance or its options divided it. */
  get division(): StepDivision | undefined {
    const { lazyAdaptive: adaptive } = this;
    if (!this.isAdapted || !adaptive) return this.given;
    const last = partBeforeOf(this.solver.history.pace);
    return adaptive.count === 1 && last.before === 1 && !last.drive ? undefined : adaptive.division(last);
  }

  /**
   * The step in the parts that its tolerance asks for, or in those that are given. `warm`: a step that is taken whole after all goes on from the last
   * one.
   */
  take(state: Float64Array, next: Float64Array, options: StepOptions, warm: boolean): boolean {
    const { system } = this;
    const { report, history } = this.solver;
    const h = system.f64[system.places.globals];
    const interval = options.interval ?? h;
    const { division, errorTolerance = 0 } = options;
    const { pace } = history;
    changePace(pace, h);
    if (division) {
      if (!this.takeParts(state, h, interval, division, options)) return this.giveUp(h);
    } else {
      this.isAdapted = this.adaptive.take(state, h, interval, errorTolerance, options, pace, warm);
      this.solver.solve.substep = 0;
      if (!this.isAdapted) return this.giveUp(h);
    }
    const last = division ? division.parts[division.parts.length - 1] : this.adaptive.pace.part;
    const end = division ? this.work : this.adaptive.end;
    report.substeps = division ? division.parts.length : this.adaptive.count;
    if (division) this.given = division;
    // cone variables are those of the last part, from which no whole step starts; features of shapes go on from it
    if (!(division && last === 1) && !this.solver.hadStages()) history.remember(last * h, options, warm);
    this.impulses.restore();
    const longest = this.writer.writeLongest(
      next,
      end,
      h,
      last * h,
      options.interval === undefined ? 1 : 2 ** deepestHalving,
    );
    if (!(options.allowTooFast || longest > 0)) return this.giveUp(h);
    report.interval = options.allowTooFast ? h : longest;
    this.lastPart = last * h;
    if (division) this.keepPart(last);
    else history.keepPace(this.adaptive.pace);
    return true;
  }

  /** The part that led to the state of a step that is to be divided; undefined of any other step. */
  partBefore({ division, errorTolerance }: StepOptions): PartBefore | undefined {
    return division ?? (errorTolerance === undefined ? undefined : partBeforeOf(this.solver.history.pace));
  }

  /** A step ends that was taken in equal parts, though it may have been to be divided otherwise: then `before` is the part before it. */
  endIn(count: number, last: PartBefore | undefined): void {
    const { f64, places } = this.system;
    this.lastPart = f64[places.globals] / count;
    if (last === undefined) return;
    const { before, drive } = last;
    const parts = new Array<number>(count).fill(1 / count);
    if (before !== 1 / count || drive) this.given = { parts, before, drive: drive && Array.from(drive) };
    this.keepPart(1 / count);
  }

  /** What is left to the next step where sizes are to be found anew after a part of this one. */
  private keepPart(part: number): void {
    const { left } = this;
    clearPace(left, part);
    left.timestep = this.system.f64[this.system.places.globals];
    this.solver.history.keepPace(left);
  }

  /** Leaves the step to those that are not divided. */
  private giveUp(h: number): false {
    const { f64, places } = this.system;
    f64[places.globals] = h;
    this.isAdapted = false;
    this.solver.history.forget();
    this.solver.solve.substep = 0;
    this.solver.turns.rewind();
    return false;
  }

  /** Takes all parts; the state that they lead to is in `work`. */
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
      this.solver.solve.substep = k;
      const from = k === 0 ? interval : parts[k - 1] * h;
      const last = k === 0 ? division : { before: parts[k - 1] };
      if (!this.takePart(work, from, parts[k], last, work, options)) return false;
      this.impulses.add();
    }
    this.solver.solve.substep = 0;
    return true;
  }

  /** One part of a divided step, a fraction of it, from a state of an interval, in seconds. */
  private takePart(
    from: Float64Array,
    interval: number,
    size: number,
    before: PartBefore,
    out: Float64Array,
    options: StepOptions,
    warm = false,
  ): boolean {
    const { partStart } = this;
    const { f64, places } = this.system;
    const h = f64[places.globals];
    partStart.set(from);
    this.writer.changeInterval(partStart, interval, size * h);
    this.meeting.begin(before, size, h);
    f64[places.globals] = size * h;
    const solved = this.solver.attempt(partStart, options, warm);
    if (solved) this.writer.writeNext(out);
    f64[places.globals] = h;
    this.meeting.end();
    return solved;
  }

  private get adaptive(): AdaptiveStep {
    this.lazyAdaptive ??= new AdaptiveStep(this.partTaker());
    return this.lazyAdaptive;
  }

  private partTaker(): PartTaker {
    const { system, impulses, partStart } = this;
    return {
      ...{ system, impulses, partStart },
      takePart: (number, from, interval, size, before, out, options, warm) => {
        this.solver.solve.substep = number;
        return this.takePart(from, interval, size, before, out, options, warm);
      },
      bounces: (contact) => this.solver.isBouncing(contact),
      hasBounced: () => this.solver.hasBounced(),
    };
  }
}
