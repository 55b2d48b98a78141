/**
 * Solves one step, or one part of one: the first attempt and its retries from other starts, on the way by which points for gradients
 * are kept. Everything beyond the first attempt is counted.
 */
import type { System } from "../../kernels/index.ts";
import { InteriorPoint, type SolveOptions, type SolveResult } from "../../solver/index.ts";
import { copyInto } from "../copyInto.ts";
import type { ConePoint } from "../runs/continuation.ts";
import { firstInSi, foldedKappa, foldsBelow, usualAttempts } from "./attempts.ts";
import { coneVariablesOf, KeptPoints } from "./keptPoints.ts";
import { Passage } from "./passage.ts";
import { PathNewton } from "./pathNewton.ts";
import { kappaOf, type PathParameter } from "./pathParameter.ts";
import type { PredictedStart } from "./predictedStart.ts";
import { type ConeUnits, type HoldName, type Route, routes, type Stop, settlingRoute } from "./route.ts";
import { SmoothingNewton } from "./smoothingNewton.ts";
import { Squeeze } from "./squeeze.ts";
import { StepProblem } from "./stepProblem.ts";
import type { Precision, StepOptions, StepReport } from "./stepReport.ts";

/**
 * κ' of simulation in units of each cone (hover κ' g h², creep below κ' g h per contact), the relative residual that counts as solved, and μ
 * below which Newton's steps have gradients of their own.
 */
const ends = {
  exact: { kappa: 1e-8, tolerance: 1e-8, endgame: 1e-5 },
  fast: { kappa: 1e-4, tolerance: 1e-4, endgame: 1e-2 },
} as const satisfies Record<Precision, object>;
/**
 * κ' of exact steps in which few shapes of loose bodies touch something: what is gripped creeps in proportion to it. Heaps, and robots whose
 * own limbs touch, would take more iterations with it (decision 0030).
 */
const gripKappa = 1e-9;
const manyBound = 20;
const endOf = ({ precision = "exact" }: StepOptions): (typeof ends)[Precision] => ends[precision];
/** s: how far from the boundary a step starts that goes on from the hold of the last one, with contacts or with joints' cones alone. */
const holdMargins = { contacts: 4, joints: 2 };
/** Squeeze from which contacts are brought back to the path, and from which they are loosened, in units of m v*. */
const squeezed = 1;
const mostSqueeze = 10;
/** Short steps in a row after which a predicted start is given up: contacts that share their load and slide jam one in ten. */
const predictedJam = 2;
/** Largest κ' at which what acts at a distance is too little to count, below the tolerance of that κ'. */
const sharpKappa = 1e-4;
/** Steps that go by before a method that has failed is tried again. */
const pauseLength = 6;
/** The same from holds: a humanoid fails there in 2 of 1000 steps, a snake whenever it tries. */
const pauseFromHold = 30;
const risingIterations = 25;
/** κ' at which a retry settles. */
const settlingKappa = 1e-2;

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
  /** Of mechanisms with limbs whose start is not predicted. */
  readonly passage: Passage | undefined;

  /** Of mechanisms with limbs whose cones are all limits. */
  private readonly smoothing: SmoothingNewton | undefined;
  /** Newton's method from predicted starts, and whether it had nothing to do with the last one. */
  private readonly finisher: PathNewton;
  private isUntouched = true;
  /** For how many more steps it is not tried: robots that lie on many contacts fail it in step after step. */
  pause = 0;
  /** Views of the first point that is kept. */
  private held: ConePoint | undefined;
  private readonly system: System;
  private readonly report: StepReport;
  /** Of mechanisms with contacts. */
  private readonly squeeze: Squeeze | undefined;
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
    if (returns && isLast) {
      this.problem.goAside();
      return true;
    }
    if (!isLast) return false;
    const { contacts } = this.problem;
    const leaves = contacts !== undefined && this.leavesAfterHold;
    if (leaves && !this.isPicked) contacts.find();
    if (leaves) this.problem.takeNear(contacts, this.isPicked);
    if (!this.placeFromHold()) return leaves;
    return !this.finishFromHold();
  };

  /** Whether contacts are left out after the last hold. */
  private leavesAfterHold = false;
  /** Whether contacts near by are chosen from the start. */
  private isPicked = false;
  private onIteration: StepOptions["onIteration"];
  /** Whether μ counts in natural units from the start. */
  private isNatural = true;
  private readonly watch = (progress: SolveResult): void => {
    if (this.isNatural) this.passage?.watch(progress.mu);
    this.onIteration?.(progress);
  };

  /** Cone variables about which the last steps say nothing, one number each; left out where contacts stay what they are. */
  private fresh: Uint8Array | undefined;

  /** Counts iterations and retries in the report. */
  constructor(system: System, report: StepReport) {
    this.system = system;
    this.report = report;
    this.problem = new StepProblem(system);
    this.solver = new InteriorPoint(this.problem);
    const hasLimbs = system.nodes.some(({ kind, multipliers }) => kind === "joint" && multipliers > 0);
    const hasContacts = system.mechanism.contacts.length > 0 || system.touch !== undefined;
    const { prediction, cones } = this.problem;
    const passes = hasLimbs && (cones.length > 0 || hasContacts) && !prediction;
    this.passage = passes ? new Passage(this.problem) : undefined;
    this.smoothing = SmoothingNewton.of(system, this.problem);
    this.finisher = new PathNewton(this.problem);
    this.squeeze = hasContacts ? new Squeeze(system, this.problem) : undefined;
  }

  /** One time step, from one start after the other. A residual that stalls has no root near: only substeps or far starts will help. */
  attempt(state: Float64Array, options: StepOptions, warm = false, attempts = usualAttempts): boolean {
    const { problem, solver, report, system } = this;
    const { result } = solver;
    copyInto(system.f64, system.places.state, state, 0, state.length);
    const usual = endOf(options);
    const kappa = options.kappa ?? options.relativeKappa ?? this.endKappa(options);
    problem.units.finestKappa = Math.min(ends.exact.kappa, this.endKappa(options));
    problem.prepare(options.tolerance ?? usual.tolerance);
    problem.endgame = usual.endgame;
    const { hold, alsoHold } = options;
    const { kept } = this;
    kept.hold.isAbove = hold !== undefined && this.passes(hold, options);
    kept.alsoHold.isAbove = alsoHold !== undefined && kept.hold.isAbove && this.passes(alsoHold, options);
    const highest = hold && kept.hold.isAbove ? kappaOf(hold) : kappa;
    const inSi = (options.kappa ?? hold?.kappa) !== undefined;
    const { contacts, prediction } = problem;
    problem.units.goesOn = warm;
    if (!warm || this.pause < 0) this.pause = 0;
    let leaves = contacts !== undefined && this.canLeave(options, kappa);
    this.leavesAfterHold = leaves && hold !== undefined;
    let crossed = false;
    if (warm && this.smoothing && this.canSmooth(options, leaves)) {
      if (this.smooth(this.smoothing, options, kappa)) {
        if (this.staysClear()) return true;
        leaves = false;
        crossed = true;
      }
      report.retries++;
      problem.clean();
    }
    // a warm start comes before the cold ones and takes the place of none: a failure replayed from a cold start fails too
    const first = warm ? -1 : 0;
    const end = options.fallback === false || problem.cones.length === 0 ? 1 : attempts.length;
    for (let i = first; i < end; i++) {
      const { start, settle, scatter } = attempts[Math.max(0, i)];
      if (i > first) report.retries++;
      this.instruct(options, kappa, settle);
      let finishes = i < 0 && prediction !== undefined && this.canFinish(options, kappa) && this.pause-- <= 0;
      const isPredicted =
        i < 0 &&
        prediction?.isPossible() === true &&
        problem.startPredicted(prediction, hold && kappaOf(hold), leaves && hold === undefined, crossed, finishes);
      finishes &&= isPredicted;
      if (!isPredicted)
        problem.start(
          i <= 0 && inSi && attempts === usualAttempts ? firstInSi : start,
          highest,
          i < 0 && hold === undefined,
          leaves && hold === undefined,
        );
      if (scatter > 0) problem.scatter(scatter);
      // where nothing makes it warm, it is the first cold one
      if (i < 0 && !isPredicted && !this.startWarm(hold)) i = 0;
      this.isPicked = isPredicted;
      this.instructions.jamLength = isPredicted ? predictedJam : undefined;
      this.instructions.relaxation = this.relaxes;
      this.passage?.clear();
      const isFinished = finishes && prediction !== undefined && this.finish(prediction, options, kappa);
      if (!isFinished) {
        if (finishes && prediction && !this.isUntouched) {
          this.pause = pauseLength;
          report.retries++;
          problem.clean();
          problem.startPredicted(prediction, undefined, leaves, crossed);
        }
        solver.solve(this.instructions);
        report.iterations += result.iterations;
        if (this.relaxes && result.status !== "solved" && result.mu < foldsBelow && leavesEndOpen(options)) this.rise();
        this.reportSolve();
      }
      if (isFinished || result.status === "solved") {
        if (!options.exact && options.kappa === undefined) this.relieve(isFinished);
        if (leaves && !this.staysClear()) {
          // once more, with all contacts
          crossed = true;
          leaves = this.leavesAfterHold = false;
          if (i === first) report.retries++;
          i--;
          continue;
        }
        const hasCones = problem.cones.length > 0;
        if (hold !== undefined && !(kept.hold.isAbove && hasCones)) this.keepPoint("hold");
        if (alsoHold !== undefined && !(kept.alsoHold.isAbove && hasCones)) this.keepPoint("alsoHold");
        return true;
      }
      problem.clean();
      if (leaves) {
        // nothing fails for want of a contact: the cold starts that count have all of them
        leaves = this.leavesAfterHold = false;
        if (i < 0) continue;
        if (i === first) report.retries++;
        i--;
        continue;
      }
      if (result.stalled && i >= 0 && attempts === usualAttempts) break;
    }
    return false;
  }

  /**
   * Whether contacts far away may be left out, from the start or once the points for gradients are kept: where the end is sharp, and no
   * such point itself.
   */
  private canLeave({ kappa, exact, hold, alsoHold }: StepOptions, end: number): boolean {
    // parts of a step are there for what is hard
    if (kappa !== undefined || exact || end > sharpKappa || this.report.substeps > 1) return false;
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
  private canSmooth({ exact, hold, alsoHold }: StepOptions, leaves: boolean): boolean {
    if (exact || alsoHold !== undefined || (hold !== undefined && !this.kept.hold.isAbove)) return false;
    const { contacts } = this.problem;
    if (this.system.touch && this.system.touch.bound.length > 0) return false;
    if (this.system.mechanism.contacts.length === 0) return true;
    if (!contacts || !leaves || hold !== undefined) return false;
    this.problem.survey();
    return contacts.isFarAway;
  }

  /** Whether Newton's method may take a predicted start to its end (pathNewton.ts): where it lies on the natural path, below the start. */
  private canFinish({ exact, kappa, hold }: StepOptions, end: number): boolean {
    return !exact && kappa === undefined && hold === undefined && end <= sharpKappa;
  }

  /** The point put aside, and pairs from which Newton's method may go on to the end; false where all is as it was. */
  private placeFromHold(): boolean {
    const { problem, instructions, route } = this;
    const { prediction, degree } = problem;
    if (!this.isPicked || !prediction || degree === 0 || route.end !== "natural" || instructions.exact) return false;
    if (this.endOfSolve > sharpKappa || this.pause-- > 0) return false;
    problem.keepAside();
    return prediction.goOn();
  }

  /** From there; false where that fails, at the point put aside. */
  private finishFromHold(): boolean {
    const { problem, finisher, instructions, report } = this;
    const isSolved = finisher.solve(problem.prediction?.mu ?? 1, this.endOfSolve, instructions, true);
    report.iterations += finisher.result.iterations;
    if (isSolved) return true;
    this.pause = pauseFromHold;
    report.retries++;
    problem.clean();
    problem.goAside();
    return false;
  }

  /** κ at which the current solve is to end. */
  private get endOfSolve(): number {
    return this.instructions.kappa ?? ends.exact.kappa;
  }

  /** False where it is left to the interior point: from the same start, if it `isUntouched`. */
  private finish(prediction: PredictedStart, options: StepOptions, kappa: number): boolean {
    const { finisher, report } = this;
    this.isUntouched = !prediction.hasSettled || this.problem.degree === 0;
    if (this.isUntouched) return false;
    const isSolved = finisher.solve(prediction.mu, kappa, options);
    report.iterations += finisher.result.iterations;
    this.reportSolve(finisher.result);
    return isSolved;
  }

  /** Newton's method on the central path: at the hold, then to the end (smoothingNewton.ts). */
  private smooth(smoothing: SmoothingNewton, options: StepOptions, kappa: number): boolean {
    const { report } = this;
    const { result } = smoothing;
    const { hold } = options;
    this.passage?.clear();
    this.weigh("natural");
    const { contacts } = this.problem;
    if (contacts) this.problem.takeNear(contacts);
    smoothing.begin();
    if (hold) {
      const held = smoothing.hold(this.heldPair(), kappaOf(hold), options);
      report.iterations += result.iterations;
      this.reportSolve(result);
      if (!held) return false;
      this.keepPoint("hold");
    }
    const solved = hold ? smoothing.solveFromHold(kappa, options) : smoothing.solveFromLast(kappa, options);
    report.iterations += result.iterations;
    this.reportSolve(result);
    return solved;
  }

  private reportSolve({ status, residualViolation, complementarityViolation } = this.solver.result): void {
    const { report } = this;
    report.status = status;
    report.residualViolation = residualViolation;
    report.complementarityViolation = complementarityViolation;
  }

  /** From where a solve has met a fold of the path, a little up again. */
  private rise(): void {
    const { solver, report, instructions } = this;
    this.holds.length = 0;
    instructions.kappa = foldedKappa;
    instructions.maxIterations = risingIterations;
    report.iterations += solver.solve(instructions).iterations;
  }

  /** Keeps the squeeze of opposing contacts in bounds: squeeze.ts. */
  private relieve(isFinished: boolean): void {
    const { problem, solver, report, instructions, squeeze } = this;
    if (!squeeze || squeeze.largest <= squeezed) return;
    // where the interior point has not brought it here, it takes over
    this.holds.length = 0;
    if (isFinished) solver.solve(instructions);
    report.iterations += solver.recentre();
    this.reportSolve();
    const before = squeeze.largest;
    if (before <= mostSqueeze) return;
    // from where it stands, to less of a squeeze; what other forces hold in place stays, and so does the point
    problem.keepAside();
    this.weigh("natural");
    squeeze.loosen(mostSqueeze, instructions.kappa ?? ends.exact.kappa);
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
    this.passage?.leaveOut(at, size);
    this.problem.pairs.forget(at, size);
  }

  /** After a step. */
  allKnown(): void {
    this.fresh?.fill(0);
  }

  /** Cone variables of the last step's hold. */
  private heldPair(): ConePoint {
    if (this.held) return this.held;
    this.held = coneVariablesOf(this.kept.hold.points[0], this.system);
    return this.held;
  }

  /** κ' at which a step ends that is not told where. */
  private endKappa(options: StepOptions): number {
    const { kappa } = endOf(options);
    const bound = this.system.touch?.bound.length ?? 0;
    const isGrip = bound > 0 && bound < manyBound && !this.problem.prediction && options.precision !== "fast";
    return isGrip ? gripKappa : kappa;
  }

  /** Whether the solve comes past the hold on its way to the end. */
  private passes(hold: PathParameter, options: StepOptions): boolean {
    const { kappa, relativeKappa = this.endKappa(options) } = options;
    if (hold.kappa !== undefined) return kappa === undefined || hold.kappa > kappa;
    const above = kappaOf(hold);
    if (kappa === undefined) return above > relativeKappa;
    return this.problem.cones.every(({ offset }) => above * this.naturalUnits[offset] > kappa);
  }

  /** What κ' = 1 is in SI, at every entry of every cone, in the step that is being taken. */
  get naturalUnits(): Float64Array {
    return this.fixedUnits?.[this.substep] ?? this.problem.units.natural;
  }

  private weigh(units: ConeUnits): void {
    const { problem, naturalUnits } = this;
    if (units === "si") problem.setWeights(() => 1);
    else if (units === "natural" && naturalUnits === problem.units.natural) problem.weighNaturally();
    else {
      const unit = units === "shaped" ? Math.min(...problem.cones.map(({ offset }) => naturalUnits[offset])) : 1;
      problem.setWeights((at) => naturalUnits[at] / unit);
    }
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
    if (holds.length !== stops.length) holds.length = holdTolerances.length = stops.length;
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

  /** Keeps the current point, in the place of the current substep. */
  private keepPoint(name: HoldName): void {
    this.kept[name].keep(this.system, this.substep);
    this.onKept?.(this.substep, name);
  }
}

/** Whether the options leave it open where on the central path a step ends. */
export function leavesEndOpen({ kappa, relativeKappa, tolerance, precision = "exact", exact }: StepOptions): boolean {
  const isGiven = kappa !== undefined || relativeKappa !== undefined || tolerance !== undefined;
  return !isGiven && !exact && precision === "exact";
}

function kappaAt({ kappa }: Stop, options: StepOptions, end: number): number {
  if (kappa === "settling") return settlingKappa;
  const path = kappa === "end" ? undefined : options[kappa];
  return path ? kappaOf(path) : end;
}
