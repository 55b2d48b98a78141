/**
 * One step of a mechanism as a cone problem: the unknowns are the bodies' next velocities and the joints' impulses (a),
 * and the cone variables of contacts, limits and joint friction (b, c). Everything lies in the system's memory.
 */
import { directionCount, given, type NodePlace, type System } from "../../kernels/index.ts";
import type { Cone, ConeProblem, Direction, Measures } from "../../solver/index.ts";
import { AngleTurns } from "../runs/angleTurns.ts";
import type { StartFactors } from "./attempts.ts";
import { ConeStarts } from "./coneStarts.ts";
import { LastPairs } from "./lastPairs.ts";
import { NearContacts } from "./nearContacts.ts";
import { PredictedStart } from "./predictedStart.ts";
import { StepLists } from "./stepLists.ts";
import { StepMeasures } from "./stepMeasures.ts";
import { StepUnits } from "./units.ts";

/** Number of the direction that holds a point put aside. */
const aside = directionCount - 1;

export class StepProblem implements ConeProblem {
  /** Cones of joints, gears and contacts, and those of contacts between shapes that touch now (slots that are bound). */
  readonly cones: Cone[];
  /** The nodes whose cones these are. */
  readonly nodes: NodePlace[];
  readonly b: Float64Array;
  readonly c: Float64Array;
  readonly weight: Float64Array;
  readonly residual: Float64Array;
  readonly measures: Measures;
  readonly eigenvalues: Float64Array;
  readonly eigenvaluesBefore: Float64Array;
  readonly units: StepUnits;
  readonly turns: AngleTurns;
  /** v* of the step (units.ts), once it has started. */
  changeOfSpeed = 0;
  /** Residual that counts as solved, in the units of its rows. */
  residualTolerance = 1e-8;
  readonly pairs: LastPairs;
  /** The start of steps that go on, predicted from the last one; undefined where the mechanism has no such prediction. */
  readonly prediction: PredictedStart | undefined;
  /** Which contacts are near enough to take part; undefined where all of them always do. */
  readonly contacts: NearContacts | undefined;
  private readonly runPrepare: () => void;
  private readonly runWeights: () => void;
  /** Rids the memory of what a diverged solve left in it: padding that is multiplied by zero must be finite. */
  readonly clean: () => void;
  /** Remembers the current point in a second place. */
  readonly keepAside: () => void;
  private readonly startAndLook: () => void;
  private readonly runSurvey: () => void;
  /** Whether weights are the natural units of the step, and whether the lists know them as they are. */
  private isNatural = false;
  private isWeighed = false;
  /** The lists of all contacts, those of the contacts near by, and whichever of the two is in use. */
  private readonly allLists: StepLists;
  private readonly nearLists: StepLists;
  private lists: StepLists;
  /** Whether the residual at the start is there already. */
  private isSurveyed = false;
  private handedOut = 0;
  /** Whether the matrix is to be factored with the next direction, or kept. */
  private isToFactor = false;
  private isToKeep = false;
  /** Whether no cone takes part, and the point has been looked at when it was advanced to; and whether it stands at the end of the direction. */
  private isEvaluated = false;
  private isThere = false;
  private readonly system: System;
  readonly reading: StepMeasures;
  degree: number;
  /** The version of the bound slots that cones and nodes were taken from (kernels/elimination/boundSlots.ts). */
  private arrangement = 0;
  readonly starts: ConeStarts;

  constructor(system: System) {
    const { f64, places, unknowns, coneSize, equalities } = system;
    const view = (start: number, length: number): Float64Array => f64.subarray(start, start + length);
    this.system = system;
    this.cones = [...system.cones];
    this.nodes = [...system.nodes];
    this.reading = new StepMeasures(system);
    this.measures = this.reading.values;
    this.residual = view(places.residual, unknowns + equalities);
    this.b = view(places.coneB, coneSize);
    this.c = view(places.coneC, coneSize);
    this.pairs = new LastPairs(system);
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
    this.keepAside = system.runner(`keep.${aside}`);
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
    for (const node of touch.boundNodes) cone = this.starts.plan(node, cone);
    for (const bound of touch.boundCones) cones.push(bound);
    this.degree = cones.length;
  }

  /** One of the system's directions: the solver needs two, and one is left for whoever measures. */
  newDirection(): Direction {
    const { f64, unknowns, coneSize } = this.system;
    const { directions } = this.system.solver;
    const number = this.handedOut++;
    if (number >= aside) throw new RangeError(`a step problem has ${directions.length - 1} directions, all in use`);
    this.allLists.add(number);
    this.nearLists.add(number);
    const view = (start: number, length: number): Float64Array => f64.subarray(start, start + length);
    const { a, b, c } = directions[number];
    return { number, a: view(a, unknowns), b: view(b, coneSize), c: view(c, coneSize) } as NumberedDirection;
  }

  /** Computes what stays the same during the step, once state, input and parameters are in memory. */
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
    this.reading.readRows();
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
    if (!contacts || !this.leavesOut) return false;
    const contact = contacts.contactOf[i];
    return contact >= 0 && contacts.slots[contact] === 0;
  }

  /**
   * The solver's start: velocities of the last step, no impulses; every cone on the central path at the natural scale of the
   * step (or at `least` times its weight, if that is more), distances no smaller than those of free flight. `leaves`: contacts far away
   * take no part.
   */
  start(factors: StartFactors, least: number, leaves = false): void {
    const { units, weight, contacts, starts, cones } = this;
    if (cones.length === 0) {
      this.startAndLook();
      this.isEvaluated = true;
      return;
    }
    if (!this.isSurveyed) this.survey();
    this.isSurveyed = false;

    if (leaves && contacts) this.takeNear(contacts);
    // μ: the largest of all cones, so that none starts closer to its boundary than it should
    const change = Math.max(units.speed, factors.change * this.changeOfSpeed);
    const ratio = (factors.impulse * factors.length * change * change) / (units.speed * units.speed);
    let natural = 0;
    for (let i = 0; i < cones.length; i++) {
      const at = cones[i].offset;
      natural = Math.max(natural, (ratio * units.natural[at]) / weight[at]);
    }
    const growth = natural < least ? Math.sqrt(least / natural) : 1;
    const mu = Math.max(natural, least);

    // c by kind of cone, b = product / c
    const length = factors.length * growth * this.system.f64[this.system.places.globals] * change;
    for (let i = 0; i < cones.length; i++) {
      if (this.isOut(i)) continue;
      starts.place(i, mu * weight[cones[i].offset], length, growth);
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
    if (!this.isSurveyed) this.survey();
    this.isSurveyed = false;
    const { contacts } = this;
    if (contacts && leaves) this.takeNear(contacts);
    else if (isPicked) contacts?.write();
    else contacts?.pick();
    return prediction.start(mu, finishes);
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
    this.reading.readRows();
  }

  /** Reads what a list has measured that ends with a look, the evaluation of the residual; false where the point has left the domain of the equations. */
  readSmoothed(): boolean {
    this.reading.readRows();
    return this.reading.turnsLessThanHalf() && Number.isFinite(this.measures.residualViolation);
  }

  /**
   * A full Newton step towards μ, after which all pairs are inside their cones (pathNewton.ts), and a look at where that is: false where it
   * has left the domain of the equations.
   */
  stepToPath(mu: number): boolean {
    const { lists } = this;
    const { f64, solver } = this.system;
    f64[solver.given + given.kappa] = f64[solver.given + given.mu] = mu;
    f64[solver.alpha] = 1;
    lists.finish();
    this.reading.readCones(this.degree);
    return this.readSmoothed();
  }

  private setCentre(centre: number): void {
    this.system.f64[this.system.solver.given + given.centre] = centre;
  }

  /** `evaluate`, and `measure` at κ = 0. */
  evaluateAndMeasure(): void {
    this.setCentre(0);
    this.isSurveyed = false;
    this.lists.lookAndMeasure();
    this.reading.readRows();
    this.reading.readCones(this.degree);
  }

  measure(centre: number): void {
    this.setCentre(centre);
    if (this.cones.length > 0) this.lists.measure();
    this.reading.readCones(this.degree);
  }

  /** Notes that the matrix is to be factored; that is done with the first direction, in one call. */
  factor(): boolean {
    this.isToFactor = true;
    return true;
  }

  /** Keeps the factors of an earlier point for the next direction, where no cone takes part. */
  keepFactors(): void {
    this.isToKeep = true;
  }

  /** Lets friction follow the normal impulse by this part only, in the matrix (coneStarts.ts). */
  relax(part: number): void {
    this.starts.relax(this.cones.length, part);
  }

  solve(kappa: number, corrected: boolean, out: Direction): void {
    const { degree } = this;
    const { firstPredict, predict, correct } = this.lists;
    const { number } = out as NumberedDirection;
    if (degree === 0) {
      this.stepWithoutCones();
      return;
    }
    this.system.f64[this.system.solver.given + given.kappa] = kappa;
    if (this.isToFactor) {
      this.isToFactor = false;
      firstPredict();
      if (corrected || number !== 1) (corrected ? correct : predict)[number]();
    } else (corrected ? correct : predict)[number]();
    this.reading.readDirection(degree, corrected);
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

  /** Goes back to the point put aside. */
  goAside(): void {
    const { f64, places, solver, unknowns, coneSize } = this.system;
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
    this.isEvaluated = this.degree === 0;
    if (this.isEvaluated) {
      if (!(this.isThere && alpha === 1)) this.lists.advanceAndLook[number]();
      this.isThere = false;
      return this.reading.turnsLessThanHalf();
    }
    this.lists.advance[number]();
    this.reading.readCones(this.degree);
    return this.reading.turnsLessThanHalf();
  }
}

/** A direction of the system, and which one. */
type NumberedDirection = Direction & { readonly number: number };
