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
import { bodyParameterNames } from "../equations/index.ts";
import { nextLayout, type System } from "../kernels/index.ts";
import type { Matrix3 } from "../math/index.ts";
import { InteriorPoint, type SolveOptions, type SolveResult } from "../solver/index.ts";
import type { AngleTurns } from "./angleTurns.ts";
import { type Attempt, farAttempts, firstInSi, usualAttempts } from "./attempts.ts";
import { Bounce, type BounceRecord, type StageTaker } from "./bounce.ts";
import type { RunMemory, WarmMemory } from "./continuation.ts";
import { copyInto } from "./copyInto.ts";
import { ImpulseSums } from "./impulseSums.ts";
import { lockedJoint } from "./locks.ts";
import { Passage } from "./passage.ts";
import { defaultGradientPath, type PathParameter } from "./pathParameter.ts";
import { type ConeUnits, type HoldName, holdNames, type Route, routes, type Stop, settlingRoute } from "./route.ts";
import { Squeeze } from "./squeeze.ts";
import { isSteppable } from "./stateChecks.ts";
import { StepProblem } from "./stepProblem.ts";
import type { StepOptions, StepReport } from "./stepReport.ts";
import { changeIntervalInto } from "./timestepChange.ts";

/** κ' of simulation in units of each cone: hover 1e-8 g h², creep below 1e-8 g h a contact. */
const defaultKappa = 1e-8;
const defaultTolerance = 1e-8;
/** The step is halved at most this often. */
const deepestHalving = 6;
/** Far starts come after so many sizes of substeps: robots with fast limbs need those, and get them sooner. */
const farTrial = 2;

/** s: how far from the boundary a step starts that goes on from the hold of the last one, with contacts or with joints' cones alone. */
const holdMargins = { contacts: 4, joints: 2 };
/** Least κ' of such a hold: below, contacts are as sharp as at the end. */
const smoothHold = 0.05;
/** Turns of gears that are not known. */
const noTurns = new Float64Array(0);
/** Squeeze from which contacts are brought back to the path, and from which they are loosened, in units of m v*. */
const squeezed = 1;
const mostSqueeze = 10;
/** κ' at which a retry settles. */
const settlingKappa = 1e-2;

/** Points on the central path that steps have kept for gradients. */
export interface KeptPoints {
  /** One per substep: state, unknowns, b, c, turns. */
  readonly points: Float64Array[];
  /** How many of them the last step has kept. */
  count: number;
  /** Whether the last attempt was to keep its point above its end. */
  isAbove: boolean;
  /** What the last step has kept of bounces, one per substep; undefined where nothing bounced. */
  readonly bounces: (BounceRecord | undefined)[];
}

export class Stepper {
  readonly problem: StepProblem;
  readonly solver: InteriorPoint;
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

  /** What `hold` and `alsoHold` have kept. */
  readonly kept: Readonly<Record<HoldName, KeptPoints>> = {
    hold: { points: [], count: 0, isAbove: false, bounces: [] },
    alsoHold: { points: [], count: 0, isAbove: false, bounces: [] },
  };
  /** Called for each of the points with its number, while it stands evaluated in memory. */
  onKept: ((substep: number, name: HoldName) => void) | undefined;
  /** Natural units of the cones, one array a substep, to be used instead of the step's own: see `naturalUnits`. */
  fixedUnits: readonly Float64Array[] | undefined;

  private readonly system: System;
  /** Of mechanisms with contacts that may bounce. */
  private readonly bounce: Bounce | undefined;
  /** Whether contacts were out of the way in the last step, or bounced. */
  private hadStages = false;
  private substep = 0;
  private readonly impulses: ImpulseSums;
  private readonly work: Float64Array;
  /** Where the last step ended, and where it began; NaN before the first. */
  private readonly last: Float64Array;
  private readonly first: Float64Array;
  /** Its interval, if the next one may start from its cone variables. */
  private lastInterval = Number.NaN;
  /** What the next step is to go on from, whatever the last one was. */
  private given: RunMemory | undefined;
  private isNear = false;
  /** κ' at which it held. */
  private lastHold = Number.NaN;
  /** Of mechanisms with contacts. */
  private readonly squeeze: Squeeze | undefined;
  /** Of mechanisms with limbs. */
  private readonly passage: Passage | undefined;
  private readonly instructions: { -readonly [K in keyof SolveOptions]: SolveOptions[K] } = {};
  private route: Route = routes.natural.none;
  /** κ and tolerance of every stop of the route. */
  private readonly holds: number[] = [];
  private readonly holdTolerances: number[] = [];
  private readonly onHold = (index: number): boolean => {
    const { stops, returns, end } = this.route;
    const isLast = index === stops.length - 1;
    const { keeps } = stops[index];
    if (keeps) this.keepPoint(keeps);
    if (returns && index === 0) this.problem.keepAside();
    this.weigh(isLast ? end : stops[index + 1].units);
    if (!(returns && isLast)) return false;
    this.problem.goAside();
    return true;
  };

  private onIteration: StepOptions["onIteration"];
  /** Whether μ counts in natural units from the start. */
  private isNatural = true;
  private readonly watch = (progress: SolveResult): void => {
    if (this.isNatural) this.passage?.watch(progress.mu);
    this.onIteration?.(progress);
  };

  constructor(system: System, target: Target) {
    this.system = system;
    this.problem = new StepProblem(system);
    this.solver = new InteriorPoint(this.problem);
    const hasLimbs = system.nodes.some(({ kind, multipliers }) => kind === "joint" && multipliers > 0);
    this.passage = hasLimbs && this.problem.cones.length > 0 ? new Passage(this.problem) : undefined;
    this.squeeze = system.mechanism.contacts.length > 0 ? new Squeeze(system, this.problem) : undefined;
    this.work = new Float64Array(system.mechanism.stateSize);
    this.first = new Float64Array(system.mechanism.stateSize).fill(Number.NaN);
    this.last = new Float64Array(system.mechanism.stateSize).fill(Number.NaN);
    this.impulses = new ImpulseSums(system);
    if (system.mechanism.contacts.some(({ restitution }) => restitution !== null))
      this.bounce = new Bounce(this.stageTaker(), target);
  }

  /** Takes the stages of bounces that are steps. */
  private stageTaker(): StageTaker {
    return {
      system: this.system,
      attempt: (state, options, attempts) => this.attempt(state, options, false, attempts),
      speed: () => this.problem.units.speed,
      inertia: (body) => this.inertia(body),
      point: () => this.pointInto(this.newPoint()),
    };
  }

  /** Counts the turns of its angles. */
  get turns(): AngleTurns {
    return this.problem.turns;
  }

  /** Where the last step ended; undefined where that is not known. */
  get lastState(): Float64Array | undefined {
    return Number.isNaN(this.last[0]) ? undefined : this.last;
  }

  /** What a step carries on that starts where the last one ended; undefined before the first. */
  save(): RunMemory | undefined {
    if (this.given) return this.given;
    const { problem, report } = this;
    if (!this.lastState) return undefined;
    const { turns } = problem;
    const run = { angles: turns.values.slice(), gears: turns.gearTurns(), interval: report.interval };
    return { ...run, warm: Number.isNaN(this.lastInterval) ? undefined : this.saveWarm() };
  }

  private saveWarm(): WarmMemory {
    const { problem, passage, lastHold: kappa } = this;
    const { stateSize } = this.system.mechanism;
    const { unknowns, coneSize } = this.system;
    const at = stateSize + unknowns;
    const hold = Number.isNaN(kappa) ? undefined : this.kept.hold.points[0].slice(at, at + 2 * coneSize);
    return {
      state: this.last.slice(),
      timestep: this.lastInterval,
      end: problem.startsWarm ? problem.lastPair() : undefined,
      passage: passage?.save(),
      hold: hold && { kappa, b: hold.subarray(0, coneSize), c: hold.subarray(coneSize) },
    };
  }

  /** The next step goes on as if that had been the last one; as the first one ever if it is left out. */
  restore(memory: RunMemory | undefined): void {
    const { problem, system } = this;
    const { stateSize } = system.mechanism;
    this.given = memory;
    this.first.fill(Number.NaN);
    this.last.fill(Number.NaN);
    this.lastInterval = this.lastHold = Number.NaN;
    this.passage?.clear();
    if (!memory) return;
    const { angles, gears, warm } = memory;
    problem.turns.goOnFrom(angles, gears);
    if (!warm || (problem.startsWarm && !warm.end)) return;
    this.last.set(warm.state);
    this.lastInterval = warm.timestep;
    if (warm.end) problem.remember(warm.end);
    if (warm.passage) this.passage?.restore(warm.passage);
    if (!warm.hold) return;
    const { b, c, kappa } = warm.hold;
    this.lastHold = kappa;
    const { points } = this.kept.hold;
    points[0] ??= this.newPoint();
    points[0].set(b, stateSize + system.unknowns);
    points[0].set(c, stateSize + system.unknowns + system.coneSize);
  }

  /** The next step starts near these angles, whatever its state, and warm where it would have done so anyway. */
  startNear(angles: Float64Array): void {
    this.problem.turns.goOnFrom(angles, noTurns);
    this.isNear = true;
  }

  /** What a step from this state carries on, if it is one that the last step led to, or started from. */
  memoryOf(state: Float64Array): RunMemory | undefined {
    if (this.given || isSame(this.last, state)) return this.save();
    const { turns } = this.problem;
    if (!isSame(this.first, state)) return undefined;
    return { angles: turns.start.slice(), gears: turns.gearTurns(), interval: undefined, warm: undefined };
  }

  /** From the state into `next`; input, wrenches and parameters are in memory. */
  step(state: Float64Array, next: Float64Array, options: StepOptions): boolean {
    if (!this.given && !this.isNear) this.countFrom(state);
    this.given = undefined;
    this.isNear = false;
    const solved = this.take(state, next, options);
    // loops over all numbers: only those who need them pay for them
    if (this.problem.turns.isNeeded) this.first.set(state);
    if (this.problem.turns.isNeeded || this.problem.cones.length > 0) this.last.set(next);
    return solved;
  }

  /** Turns go on where the state is the one that the last step led to, or started from; elsewhere nothing is known of them. */
  private countFrom(state: Float64Array): void {
    const { turns } = this.problem;
    if (!turns.isNeeded) return;
    if (isSame(this.last, state)) turns.goOn();
    else if (isSame(this.first, state)) turns.rewind();
    else turns.forget();
  }

  private take(state: Float64Array, next: Float64Array, options: StepOptions): boolean {
    const { report } = this;
    report.iterations = report.retries = 0;
    report.substeps = 1;
    report.lockedJoint = undefined;
    this.substep = 0;
    const h = this.system.f64[this.system.places.globals];
    const { interval } = options;
    report.interval = h;
    const parts = interval === undefined ? 1 : Math.round(h / interval);
    let tooFast = false;
    this.hadStages = false;
    this.bounce?.begin(state, h);
    const warm = parts === 1 && this.isContinued(state, h, options);
    this.lastInterval = this.lastHold = Number.NaN;
    for (const name of holdNames) this.kept[name].count = this.kept[name].bounces.length = 0;
    if (parts === 1 && this.attemptWhole(state, options, warm)) {
      this.writeNext(next);
      tooFast = !(options.allowTooFast || isSteppable(this.system.mechanism, next, h));
      if (!tooFast) this.remember(h, options);
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
      const longest = this.writeLongest(next, h, count, interval === undefined ? 1 : count);
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
    this.problem.turns.rewind();
    if (options.fallback !== false) this.attempt(state, { ...options, fallback: false });
    report.iterations = iterations;
    this.writeNext(next);
    if (!next.every(Number.isFinite)) next.set(state);
  }

  /** The state in `work`, of interval h/count, in the longest of h, h/2, … h/most that can express it; 0 if none can. */
  private writeLongest(next: Float64Array, h: number, count: number, most: number): number {
    for (let parts = 1; parts <= most; parts *= 2) {
      next.set(this.work);
      if (this.changeInterval(next, h / count, h / parts) && isSteppable(this.system.mechanism, next, h / parts))
        return h / parts;
    }
    return 0;
  }

  /** Returns whether the interval `to` can express every body's momentum. */
  private changeInterval(state: Float64Array, from: number, to: number): boolean {
    let fits = true;
    if (from === to) return fits;
    for (const { index } of this.system.mechanism.bodies) {
      if (!changeIntervalInto(state, index, this.inertia(index), from, to)) fits = false;
    }
    return fits;
  }

  /**
   * Whether this step goes on where the last one ended, so that it can start warm. A κ that is given has a start of its own, and so has
   * a hold that the last step did not make.
   */
  private isContinued(state: Float64Array, h: number, options: StepOptions): boolean {
    const { kappa, relativeKappa, hold } = options;
    if (h !== this.lastInterval || kappa !== undefined || relativeKappa !== undefined) return false;
    if (hold && (hold.kappa !== undefined || kappaOf(hold) !== this.lastHold)) return false;
    return isSame(this.last, state);
  }

  private remember(h: number, { kappa, relativeKappa, hold }: StepOptions): void {
    if (kappa !== undefined || relativeKappa !== undefined || this.problem.cones.length === 0) return;
    if (this.hadStages) return;
    if (this.problem.startsWarm) this.problem.remember(this.problem);
    this.lastInterval = h;
    if (hold && hold.kappa === undefined && kappaOf(hold) >= smoothHold) this.lastHold = kappaOf(hold);
  }

  /** One time step, from one start after the other. A residual that stalls has no root near: only substeps or far starts will help. */
  private attempt(state: Float64Array, options: StepOptions, warm = false, attempts = usualAttempts): boolean {
    const { problem, solver, report, system } = this;
    const { result } = solver;
    system.f64.set(state, system.places.state);
    problem.prepare(options.tolerance ?? defaultTolerance);
    const { hold, alsoHold } = options;
    const { kept } = this;
    const kappa = options.kappa ?? options.relativeKappa ?? defaultKappa;
    kept.hold.isAbove = hold !== undefined && this.passes(hold, options);
    kept.alsoHold.isAbove = alsoHold !== undefined && kept.hold.isAbove && this.passes(alsoHold, options);
    const highest = hold && kept.hold.isAbove ? kappaOf(hold) : kappa;
    const inSi = (options.kappa ?? hold?.kappa) !== undefined;
    // a warm start comes before the cold ones and takes the place of none: a failure replayed from a cold start fails too
    const first = warm ? -1 : 0;
    const end = options.fallback === false || problem.cones.length === 0 ? 1 : attempts.length;
    for (let i = first; i < end; i++) {
      const { start, settle, scatter } = attempts[Math.max(0, i)];
      if (i > first) report.retries++;
      this.instruct(options, kappa, settle);
      problem.start(
        i <= 0 && inSi && attempts === usualAttempts ? firstInSi : start,
        highest,
        i < 0 && hold === undefined,
      );
      if (scatter > 0) problem.scatter(scatter);
      // where nothing makes it warm, it is the first cold one
      if (i < 0 && !this.startWarm(hold)) i = 0;
      this.passage?.clear();
      solver.solve(this.instructions);
      report.iterations += result.iterations;
      this.reportSolve();
      if (result.status === "solved") {
        if (!options.exact && options.kappa === undefined) this.relieve();
        const hasCones = problem.cones.length > 0;
        if (hold !== undefined && !(kept.hold.isAbove && hasCones)) this.keepPoint("hold");
        if (alsoHold !== undefined && !(kept.alsoHold.isAbove && hasCones)) this.keepPoint("alsoHold");
        return true;
      }
      problem.clean();
      if (result.stalled && i >= 0 && attempts === usualAttempts) break;
    }
    return false;
  }

  /** The time step, or one of its parts, in stages where something may bounce in it. */
  private attemptWhole(state: Float64Array, options: StepOptions, warm = false, attempts = usualAttempts): boolean {
    const { bounce, report, substep } = this;
    if (!bounce?.concerns(state)) return this.attempt(state, options, warm, attempts);
    // contacts that are far away in this step are a bad start for the next
    this.hadStages = true;
    const solved = bounce.take(state, options, attempts);
    report.iterations += bounce.iterations;
    if (!bounce.hasBounced) return solved;
    for (const name of holdNames) {
      if (!options[name]) continue;
      const kept = this.kept[name];
      const record = solved ? bounce.records[name] : undefined;
      kept.bounces[substep] = record;
      // the point of the free step is not that of this one
      kept.count = record ? substep + 1 : Math.min(kept.count, substep);
      kept.points[substep] ??= this.newPoint();
      if (record) kept.points[substep].set(record.position);
    }
    return solved;
  }

  private reportSolve(): void {
    const { report } = this;
    const { status, residualViolation, complementarityViolation } = this.solver.result;
    report.status = status;
    report.residualViolation = residualViolation;
    report.complementarityViolation = complementarityViolation;
  }

  /** Keeps the squeeze of opposing contacts in bounds: squeeze.ts. */
  private relieve(): void {
    const { problem, solver, report, instructions, squeeze } = this;
    if (!squeeze || squeeze.largest <= squeezed) return;
    report.iterations += solver.recentre();
    this.reportSolve();
    const before = squeeze.largest;
    if (before <= mostSqueeze) return;
    // from where it stands, to less of a squeeze; what other forces hold in place stays, and so does the point
    problem.keepAside();
    this.weigh("natural");
    squeeze.loosen(mostSqueeze, instructions.kappa ?? defaultKappa);
    this.holds.length = 0;
    const { status, iterations } = solver.solve(instructions);
    report.iterations += iterations;
    if (status === "solved" && squeeze.largest < before) {
      this.reportSolve();
      return;
    }
    problem.clean();
    problem.goAside();
    problem.evaluate();
  }

  /** Goes on from the last step, of which the problem may have taken joints already; false where it has nothing to give. */
  private startWarm(hold: PathParameter | undefined): boolean {
    if (hold) return this.startFromHold();
    return this.passage?.start() || this.problem.startsWarm;
  }

  /**
   * Cone variables of the last step's hold, on the path at κ', moved along it to s²κ': κ' is smooth enough for contacts to start so, and
   * s keeps what changes in this step from running into the boundary. s = 2, 3, 4, 6: 12.2, 12.0, 11.9, 12.3 iterations of A1, 12.4
   * cold; s = 1, 2, 3: 7.3, 7.2, 7.6 of the Panda, which touches nothing, 8.4 cold.
   */
  private startFromHold(): boolean {
    const { b, c } = this.problem;
    const { mechanism, unknowns, coneSize } = this.system;
    const margin = mechanism.contacts.length > 0 ? holdMargins.contacts : holdMargins.joints;
    const kept = this.kept.hold.points[0];
    for (let i = 0, at = mechanism.stateSize + unknowns; i < coneSize; i++, at++) {
      b[i] = margin * kept[at];
      c[i] = margin * kept[at + coneSize];
    }
    return true;
  }

  /** Whether the solve comes past the hold on its way to the end. */
  private passes(hold: PathParameter, { kappa, relativeKappa = defaultKappa }: StepOptions): boolean {
    if (hold.kappa !== undefined) return kappa === undefined || hold.kappa > kappa;
    const above = kappaOf(hold);
    if (kappa === undefined) return above > relativeKappa;
    const units = this.naturalUnits;
    for (let i = 0; i < units.length; i++) if (above * units[i] <= kappa) return false;
    return true;
  }

  /** What κ' = 1 is in SI, cone by cone, in the step that is being taken. */
  get naturalUnits(): Float64Array {
    return this.fixedUnits?.[this.substep] ?? this.problem.units.natural;
  }

  private weigh(units: ConeUnits): void {
    const { weight } = this.problem;
    if (units === "si") {
      weight.fill(1);
      return;
    }
    const natural = this.naturalUnits;
    let unit = 1;
    if (units === "shaped") {
      unit = Number.POSITIVE_INFINITY;
      for (let i = 0; i < natural.length; i++) unit = Math.min(unit, natural[i]);
    }
    for (let i = 0; i < weight.length; i++) weight[i] = natural[i] / unit;
  }

  /** Sets the route and fills the solver's options, which are one object for all solves. */
  private instruct(options: StepOptions, end: number, settle: boolean): void {
    const { instructions, holds, holdTolerances } = this;
    const { hold } = options;
    const ends = options.kappa === undefined ? routes.natural : routes.si;
    const holding = this.kept.alsoHold.isAbove ? ends.two : ends.one;
    if (hold && this.kept.hold.isAbove) this.route = hold.kappa === undefined ? holding.natural : holding.si;
    else this.route = settle && options.kappa === undefined && end < settlingKappa ? settlingRoute : ends.none;
    const { stops } = this.route;
    holds.length = holdTolerances.length = stops.length;
    for (let i = 0; i < stops.length; i++) {
      holds[i] = kappaAt(stops[i], options, end);
      holdTolerances[i] = stops[i].tolerance;
    }
    instructions.holds = holds;
    instructions.holdTolerances = holdTolerances;
    instructions.onHold = this.onHold;
    instructions.kappa = end;
    instructions.exact = options.exact;
    instructions.pathTolerance = options.pathTolerance;
    instructions.maxIterations = options.maxIterations;
    this.onIteration = options.onIteration;
    const first = stops.length > 0 ? stops[0].units : this.route.end;
    this.isNatural = first === "natural";
    this.weigh(first);
    instructions.onIteration = this.passage ? this.watch : options.onIteration;
  }

  private newPoint(): Float64Array {
    const { mechanism, unknowns, coneSize, turns } = this.system;
    return new Float64Array(mechanism.stateSize + unknowns + 2 * coneSize + turns.indices.length);
  }

  /** Keeps the current point, in the place of the current substep. */
  private keepPoint(name: HoldName): void {
    const slot = this.substep;
    const { points } = this.kept[name];
    points[slot] ??= this.newPoint();
    this.kept[name].count = slot + 1;
    this.pointInto(points[slot]);
    this.onKept?.(slot, name);
  }

  /** State, unknowns, b, c, turns as they stand in memory. */
  private pointInto(kept: Float64Array): Float64Array {
    const { f64, places, unknowns, coneSize, mechanism } = this.system;
    const { indices } = this.system.turns;
    const { stateSize } = mechanism;
    const turns = stateSize + unknowns + 2 * coneSize;
    copyInto(kept, 0, f64, places.state, stateSize);
    copyInto(kept, stateSize, f64, places.unknown, unknowns);
    copyInto(kept, stateSize + unknowns, f64, places.coneB, coneSize);
    copyInto(kept, stateSize + unknowns + coneSize, f64, places.coneC, coneSize);
    for (let i = 0; i < indices.length; i++) kept[turns + i] = f64[indices[i]];
    return kept;
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
    this.problem.turns.rewind();
    report.substeps = count;
    this.changeInterval(work, interval, h / count);
    f64[places.globals] = h / count;
    this.impulses.clear();
    let solved = true;
    for (let k = 0; k < count && solved; k++) {
      this.substep = k;
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

/** Two states, bit by bit but for the sign of zero; NaN is like nothing. */
function isSame(a: Float64Array, b: Float64Array): boolean {
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

/** Its number, in whichever units. */
function kappaOf({ kappa, relativeKappa }: PathParameter): number {
  return kappa ?? relativeKappa ?? defaultGradientPath.relativeKappa;
}

function kappaAt({ kappa }: Stop, options: StepOptions, end: number): number {
  if (kappa === "settling") return settlingKappa;
  const path = kappa === "end" ? undefined : options[kappa];
  return path ? kappaOf(path) : end;
}
