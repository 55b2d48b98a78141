/**
 * One step of a mechanism as a cone problem: the unknowns are the bodies' next velocities and the joints' impulses (a),
 * and the cone variables of contacts, limits and joint friction (b, c). Everything lies in the system's memory.
 */
import { directionCount, given, type NodePlace, type System, totals } from "../../kernels/index.ts";
import { type Cone, type ConeProblem, type Direction, type Measures, newMeasures } from "../../solver/index.ts";
import { AngleTurns } from "../runs/angleTurns.ts";
import type { ConePoint } from "../runs/continuation.ts";
import { type StartFactors, scatterContacts } from "./attempts.ts";
import { ConeStarts } from "./coneStarts.ts";
import { LastPairs } from "./lastPairs.ts";
import { NearContacts } from "./nearContacts.ts";
import { PredictedStart } from "./predictedStart.ts";
import { StepLists } from "./stepLists.ts";
import { StepUnits } from "./units.ts";

/**
 * Gradients of gaps, slips and joints are kept while the residual falls to this part of itself (and what a short step leaves of it) and
 * distances are as near to their slacks as this, until μ is as small as `endgame`: Newton's last steps get their own. A third of the evaluations is
 * saved, for 1% more iterations. Without the distances, an A1 that lands at 20 Hz takes 11.3 iterations instead of 7.3.
 */
const contraction = 0.3;
const gapError = 0.3;
/** So do those that land on the central path, from this fraction of κ on: a hold at κ' = 0.1 takes 3.5 iterations of an arm instead of 5.4. */
const nearPath = 0.3;

const totalCount = Object.keys(totals).length;
/** Number of the direction that holds a point put aside. */
const aside = directionCount - 1;

export class StepProblem implements ConeProblem {
  /** Those of joints, gears and contacts, and of slots that are bound. */
  readonly cones: Cone[];
  /** Nodes that have them. */
  readonly nodes: NodePlace[];
  readonly b: Float64Array;
  readonly c: Float64Array;
  readonly weight: Float64Array;
  readonly residual: Float64Array;
  readonly measures: Measures = newMeasures();
  readonly eigenvalues: Float64Array;
  readonly eigenvaluesBefore: Float64Array;
  readonly units: StepUnits;
  readonly turns: AngleTurns;
  /** v* of the step (units.ts), once it has started. */
  changeOfSpeed = 0;
  /** Residual that counts as solved, in the units of its rows. */
  residualTolerance = 1e-8;
  /** μ below which gradients are not kept. */
  endgame = 1e-5;
  /** Whether a warm start differs from a cold one. */
  readonly startsWarm: boolean;
  readonly pairs: LastPairs;
  /** Of mechanisms that have one. */
  readonly prediction: PredictedStart | undefined;
  /** Of mechanisms whose contacts may be left out. */
  readonly contacts: NearContacts | undefined;
  private readonly runPrepare: () => void;
  private readonly runKeepAside: () => void;
  private readonly runWeights: () => void;
  /** Rids the memory of what a diverged solve left in it: padding that is multiplied by zero must be finite. */
  readonly clean: () => void;
  private readonly startAndLook: () => void;
  private readonly runSurvey: () => void;
  /** Whether weights are the natural units of the step, and whether the lists know them as they are. */
  private isNatural = false;
  private isWeighed = false;
  /** For all contacts, for those near by, and whichever of the two is in use. */
  private readonly allLists: StepLists;
  private readonly nearLists: StepLists;
  private lists: StepLists;
  /** Whether the residual at the start is there already. */
  private isSurveyed = false;
  private handedOut = 0;
  /** Of the residual where the last direction was found, NaN before the first; and how far the solver went along it. */
  private violationBefore = Number.NaN;
  private lastAlpha = 0.5;
  /** Whether the matrix is to be factored with the next direction, or kept; and whether gradients are to be found anew before. */
  private isToFactor = false;
  private isToKeep = false;
  private renewsGradients = true;
  /** Whether no cone takes part, and the point has been looked at when it was advanced to; and whether it stands at the end of the direction. */
  private isEvaluated = false;
  private isThere = false;
  /** |ω₊|² of the fastest body where it was last evaluated. */
  private turnSquare = 0.5;
  /** κ at which the solver is to land exactly, or 0; no integer from the start, or V8 compiles all this anew when one is first given. */
  private centre = -0;

  private readonly system: System;
  /** What lists have found, two lanes each. */
  private readonly lanes: Float64Array;
  private readonly perTolerance: Float64Array;
  degree: number;
  /** For which slots all this is (kernels/elimination/boundSlots.ts). */
  private arrangement = 0;

  private readonly starts: ConeStarts;

  constructor(system: System) {
    const { f64, places, unknowns, coneSize, equalities } = system;
    const view = (start: number, length: number): Float64Array => f64.subarray(start, start + length);
    this.system = system;
    this.cones = [...system.cones];
    this.nodes = [...system.nodes];
    this.lanes = view(system.solver.totals, 2 * totalCount);
    this.residual = view(places.residual, unknowns + equalities);
    this.b = view(places.coneB, coneSize);
    this.c = view(places.coneC, coneSize);
    this.pairs = new LastPairs(system);
    this.perTolerance = view(system.solver.perTolerance, unknowns + equalities);
    this.degree = this.cones.length;
    const count = this.cones.length + (system.touch?.nodes.reduce((sum, { roles }) => sum + roles.length, 0) ?? 0);
    this.weight = view(system.solver.weight, coneSize);
    this.eigenvalues = view(system.solver.eigenvalue, coneSize);
    this.eigenvaluesBefore = view(system.solver.eigenvalueBefore, coneSize);
    this.units = new StepUnits(system);
    this.turns = new AngleTurns(system);
    this.allLists = new StepLists(system, "");
    this.nearLists = new StepLists(system, "near.");
    this.lists = this.allLists;
    this.contacts = NearContacts.of(system);
    this.runPrepare = system.runner("prepare");
    this.runKeepAside = system.runner(`keep.${aside}`);
    this.runWeights = system.runner("weights");
    this.clean = system.runner("clean");
    this.startAndLook = system.runner("start", "look");
    this.runSurvey = system.runner("survey");
    // direction 0 is the saved point
    this.newDirection();
    this.starts = new ConeStarts(system, this, this.residual, count);
    let cone = 0;
    for (const node of system.nodes) cone = this.starts.plan(node, cone);
    this.prediction = PredictedStart.of(system, this);
    this.startsWarm = this.prediction !== undefined || this.cones.some((_, i) => this.starts.isOfJoint(i));
  }

  /** Takes the slots that are bound now, if they are not those of the last step. */
  private takeArrangement(): void {
    const { system, cones, nodes } = this;
    const { touch } = system;
    if (!touch || touch.version === this.arrangement) return;
    this.arrangement = touch.version;
    nodes.length = system.nodes.length;
    cones.length = system.cones.length;
    let cone = cones.length;
    for (const node of touch.boundNodes) nodes.push(node);
    for (const bound of touch.boundCones) cones.push(bound);
    for (const node of touch.boundNodes) cone = this.starts.plan(node, cone);
    this.degree = cones.length;
  }

  /** One of the system's directions: the solver needs two, and one is left for whoever measures. */
  newDirection(): Direction {
    const { f64, unknowns, coneSize } = this.system;
    const { directions } = this.system.solver;
    const number = this.handedOut++;
    if (number >= aside) throw new RangeError(`a step problem has ${directions.length - 1} directions, all in use`);
    const { a, b, c } = directions[number];
    const direction: NumberedDirection = {
      number,
      a: f64.subarray(a, a + unknowns),
      b: f64.subarray(b, b + coneSize),
      c: f64.subarray(c, c + coneSize),
    };
    this.allLists.add(number);
    this.nearLists.add(number);
    return direction;
  }

  /** After state, input and parameters are in memory: what stays the same during the step. */
  prepare(residualTolerance: number): void {
    this.residualTolerance = residualTolerance;
    this.takeArrangement();
    this.takeAll();
    this.isSurveyed = false;
    if (this.units.update(residualTolerance)) this.isNatural = this.isWeighed = true;
    else this.weighNaturally();
    this.runPrepare();
    // the turns are among what is prepared, and gears need those of angles
    if (this.turns.updateAngles()) this.runPrepare();
    if (this.turns.updateGears()) this.runPrepare();
    if (!this.units.lacksScale || this.cones.length === 0) return;
    this.survey();
    this.units.raise(this.residual);
    this.isSurveyed = false;
  }

  /** All contacts take part from here on. */
  takeAll(): void {
    this.lists = this.allLists;
    this.degree = this.cones.length;
  }

  /** Only contacts near by take part from here on, as they were last found; those that are picked already if `isPicked`. */
  takeNear(contacts: NearContacts, isPicked = false): void {
    // what is known of the start serves this choice, and whatever comes of it
    this.isSurveyed = false;
    if (!isPicked) contacts.pick();
    contacts.leaveOthers();
    this.lists = this.nearLists;
    this.degree = this.cones.length - contacts.leftCones;
  }

  /** Evaluates the velocities of the last step without any impulse, and finds v* and where contacts are; the start need not do it again. */
  survey(): void {
    this.takeAll();
    this.runSurvey();
    this.readRows();
    this.changeOfSpeed = this.units.changeOfSpeed;
    this.isSurveyed = true;
  }

  /** Whether contacts far away are left out now. */
  get leavesOut(): boolean {
    return this.lists !== this.allLists;
  }

  /** Whether cone i belongs to a contact that takes no part. */
  isOut(i: number): boolean {
    const { contacts } = this;
    if (!contacts || this.lists === this.allLists) return false;
    const contact = contacts.contactOf[i];
    return contact >= 0 && contacts.slots[contact] === 0;
  }

  /**
   * The solver's start: velocities of the last step, no impulses; every cone on the central path at the natural scale of the
   * step (or at `least` times its weight, if that is more), distances no smaller than those of free flight. Warm, the cones of
   * joints then move towards the pairs that `remember` kept. `leaves`: contacts far away take no part.
   */
  start(factors: StartFactors, least: number, warm = false, leaves = false): void {
    const { units, weight, contacts, starts, cones } = this;
    this.violationBefore = Number.NaN;
    if (this.cones.length === 0) {
      this.startAndLook();
      this.isEvaluated = true;
      return;
    }
    if (!this.isSurveyed) this.survey();
    this.isSurveyed = false;

    // μ: the largest of all cones, so that none starts closer to its boundary than it should
    if (leaves && contacts) this.takeNear(contacts);
    const change = Math.max(units.speed, factors.change * this.changeOfSpeed);
    const ratio = (factors.impulse * factors.length * change * change) / (units.speed * units.speed);
    let mu = 0;
    for (let i = 0; i < cones.length; i++) {
      const at = cones[i].offset;
      mu = Math.max(mu, (ratio * units.natural[at]) / weight[at]);
    }
    const growth = mu < least ? Math.sqrt(least / mu) : 1;
    mu = Math.max(mu, least);

    // c by kind of cone, b = product / c
    const length = factors.length * growth * this.system.f64[this.system.places.globals] * change;
    for (let i = 0; i < cones.length; i++) {
      if (this.isOut(i)) continue;
      starts.place(i, mu * weight[cones[i].offset], length, growth);
      if (warm && starts.isOfJoint(i)) starts.warm(i, this.pairs.last);
    }
  }

  /**
   * The start of a step that goes on, where there is a prediction: on the central path at `mu`, or as far down as is predicted. `leaves`:
   * contacts far away take no part; `isPicked`: those near by are known, since one was crossed; `finishes`: Newton's method may go on from
   * there (pathNewton.ts). False where nothing is predicted.
   */
  startPredicted(
    prediction: PredictedStart,
    mu: number | undefined,
    leaves: boolean,
    isPicked = false,
    finishes = false,
  ): boolean {
    this.violationBefore = Number.NaN;
    if (!this.isSurveyed) this.survey();
    this.isSurveyed = false;
    const { contacts } = this;
    if (contacts && leaves) this.takeNear(contacts);
    else if (isPicked) contacts?.write();
    else contacts?.pick();
    return prediction.start(mu, finishes);
  }

  /** Moves a cold pair of a contact down the path, at the distance where it is. */
  lower(i: number, factor: number): void {
    const { offset, size } = this.cones[i];
    const side = this.starts.impulseOf(i);
    for (let k = offset; k < offset + size; k++) side[k] *= factor;
  }

  /** Shares the impulses of the start unevenly among the contacts; equal seeds share alike. */
  scatter(seed: number): void {
    scatterContacts(this.nodes, this.b, this.c, seed);
  }

  get lastPair(): ConePoint {
    return this.pairs.last;
  }

  /** Weights that are not the natural ones, by place of each cone's first entry. */
  setWeights(weightAt: (at: number) => number): void {
    for (const { offset, size } of this.cones) this.weight.fill(weightAt(offset), offset, offset + size);
    this.isNatural = this.isWeighed = false;
  }

  weighNaturally(): void {
    if (this.isNatural) return;
    this.weight.set(this.units.natural);
    this.isNatural = true;
    this.isWeighed = false;
  }

  takeWeights(): void {
    if (!this.isWeighed) this.runWeights();
    this.isWeighed = true;
  }

  evaluate(): void {
    if (!this.isEvaluated) this.lists.look();
    this.isEvaluated = false;
    this.readRows();
  }

  /** After a list that ends with a look: false where the point has left the domain of the equations. */
  readSmoothed(): boolean {
    this.readRows();
    return this.turnsLessThanHalf() && Number.isFinite(this.measures.residualViolation);
  }

  /**
   * A full Newton step towards μ, after which all pairs are inside their cones (pathNewton.ts), and a look at where that is: false where it
   * has left the domain of the equations. `keeps`: with the gradients of ports as they are, where they can be kept.
   */
  stepToPath(mu: number, keeps: boolean): boolean {
    const { lists } = this;
    const { f64, solver } = this.system;
    f64[solver.given + given.kappa] = f64[solver.given + given.mu] = mu;
    f64[solver.alpha] = 1;
    (keeps && this.system.keepsGradients ? lists.finish.kept : lists.finish.anew)();
    this.readCones();
    return this.readSmoothed();
  }

  private readRows(): void {
    const { measures } = this;
    measures.residual = this.largest(totals.residual);
    measures.residualViolation = this.largest(totals.residualViolation);
    measures.gapViolation = this.largest(totals.gap);
    this.turnSquare = this.largest(totals.turn);
  }

  /** `evaluate`, and `measure` at κ = 0. */
  evaluateAndMeasure(): void {
    this.setCentre(0);
    this.lists.lookAndMeasure();
    this.readRows();
    this.readCones();
  }

  private setCentre(centre: number): void {
    this.system.f64[this.system.solver.given + given.centre] = centre;
    this.centre = centre;
  }

  measure(centre: number): void {
    this.setCentre(centre);
    if (this.cones.length > 0) this.lists.measure();
    this.readCones();
  }

  linearise(): void {
    this.lists.linearise();
  }

  /** With the first direction, in one call. */
  factor(): boolean {
    this.isToFactor = true;
    this.renewsGradients = !this.system.keepsGradients || this.gradientsAreOld();
    return true;
  }

  /** Where no cone takes part. */
  keepFactors(): void {
    this.isToKeep = true;
  }

  /** See coneStarts.ts. */
  relax(part: number): void {
    this.starts.relax(this.cones.length, part);
  }

  /** Whether kept gradients have become too far off for the next step. */
  private gradientsAreOld(): boolean {
    const { residualViolation, gapViolation, mu, pathDistance } = this.measures;
    const expected = (1 - this.lastAlpha + contraction) * this.violationBefore;
    this.violationBefore = residualViolation;
    if (this.degree === 0 || mu <= this.endgame || pathDistance <= nearPath * this.centre) return true;
    return !(residualViolation <= expected && gapViolation <= gapError);
  }

  solve(kappa: number, corrected: boolean, out: Direction): void {
    const { measures, degree } = this;
    const { firstPredict, predict, correct } = this.lists;
    const { number } = out as NumberedDirection;
    if (degree === 0) {
      this.stepWithoutCones();
      return;
    }
    this.system.f64[this.system.solver.given + given.kappa] = kappa;
    if (this.isToFactor) {
      this.isToFactor = false;
      (this.renewsGradients ? firstPredict.anew : firstPredict.kept)();
      if (corrected || number !== 1) (corrected ? correct : predict)[number]();
    } else (corrected ? correct : predict)[number]();
    measures.boundary = this.smallest(totals.boundary);
    measures.slope = this.sum(totals.slope) / degree;
    measures.curvature = this.sum(totals.curvature) / degree;
    if (!corrected) measures.secondOrder = this.largest(totals.second);
  }

  /** The first direction, the point at its end and a look there in one call: as a rule, the solver goes all the way. */
  private stepWithoutCones(): void {
    const { f64, solver } = this.system;
    const { newton, chord } = this.lists;
    f64[solver.given + given.kappa] = 0;
    f64[solver.alpha] = 1;
    (this.isToKeep ? chord : newton)();
    this.isToKeep = this.isToFactor = false;
    this.isThere = true;
  }

  /** Row of the residual and slack of every distance that must come out positive. */
  get gaps(): System["gaps"] {
    return this.system.gaps;
  }

  /** Of every row of the residual, for the step last prepared. */
  tolerances(): Float64Array {
    return this.perTolerance.map((reciprocal) => 1 / reciprocal);
  }

  private readCones(): void {
    const { measures } = this;
    measures.mu = this.sum(totals.mu) / Math.max(1, this.degree);
    measures.complementarityViolation = this.largest(totals.violation);
    measures.pathDistance = this.largest(totals.path);
    measures.smallestEigenvalue = this.smallest(totals.eigenvalue);
  }

  // totals have two lanes
  private sum(total: number): number {
    return this.lanes[2 * total] + this.lanes[2 * total + 1];
  }

  private largest(total: number): number {
    return Math.max(this.lanes[2 * total], this.lanes[2 * total + 1]);
  }

  private smallest(total: number): number {
    return Math.min(this.lanes[2 * total], this.lanes[2 * total + 1]);
  }

  /** Remembers the current point in a second place, and goes back to it. */
  keepAside(): void {
    this.runKeepAside();
  }

  goAside(): void {
    const { f64, places, solver, unknowns, coneSize } = this.system;
    // gradients that are kept are those of elsewhere
    this.violationBefore = Number.NaN;
    const { a, b, c } = solver.directions[aside];
    f64.copyWithin(places.unknown, a, a + unknowns);
    f64.copyWithin(places.coneB, b, b + coneSize);
    f64.copyWithin(places.coneC, c, c + coneSize);
  }

  /** The equations live where every |ψ₊| < 1. */
  advance(alpha: number, direction: Direction): boolean {
    const { f64, solver } = this.system;
    const { number } = direction as NumberedDirection;
    f64[solver.alpha] = alpha;
    this.lastAlpha = alpha;
    this.isEvaluated = this.degree === 0;
    if (this.isEvaluated) {
      if (!(this.isThere && alpha === 1)) this.lists.advanceAndLook[number]();
      this.isThere = false;
      return this.turnsLessThanHalf();
    }
    this.lists.advance[number]();
    this.readCones();
    return this.turnsLessThanHalf();
  }

  /** Whether a step can start from where this one has ended, as stateChecks.ts has it: what is solved is finite, and its quaternions are rotations. */
  get isSteppable(): boolean {
    const { f64, places } = this.system;
    const h = f64[places.globals];
    return h * h * this.turnSquare < 2;
  }

  private turnsLessThanHalf(): boolean {
    const { f64, places } = this.system;
    const h = f64[places.globals];
    return 0.25 * h * h * this.largest(totals.turn) < 1;
  }
}

/** A direction of the system, and which one. */
interface NumberedDirection extends Direction {
  readonly number: number;
}
