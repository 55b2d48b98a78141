/**
 * One step of a mechanism as a cone problem: the unknowns are the bodies' next velocities and the joints' impulses (a),
 * and the cone variables of contacts, limits and joint friction (b, c). Everything lies in the system's memory.
 */
import { type ConeStart, coneRoles, frictionPlace } from "../../equations/index.ts";
import { directionCount, given, type NodePlace, type System, totals } from "../../kernels/index.ts";
import { largerOf, velocityAt } from "../../math/index.ts";
import { type Cone, type ConeProblem, type Direction, type Measures, newMeasures } from "../../solver/index.ts";
import { AngleTurns } from "../runs/angleTurns.ts";
import type { ConePoint } from "../runs/continuation.ts";
import { type StartFactors, scatterContacts } from "./attempts.ts";
import { NearContacts } from "./nearContacts.ts";
import { PredictedStart } from "./predictedStart.ts";
import { StepUnits } from "./units.ts";

/** Smallest friction coefficient that ξ starts with, and slack with which joint limits start (radians, radii of gyration). */
const smallestCoefficient = 1e-3;
const limitSlack = 0.1;
/**
 * W: complementarity of a joint's warm start as a part of the cold start's. An arm under random torques takes 4.8 iterations instead of
 * 7.3, a falling Atlas 7 instead of 8.5. Contacts start cold: warm ones save as much again but jam one step in a hundred of stacks.
 */
const warmth = 0.05;
/** How a cone starts. */
const startKinds = {
  ...{ normal: 0, limit: 1, box: 2 },
  ...{ friction: 3, linearFriction: 4, linearMargin: 5 },
} as const satisfies Readonly<Record<ConeStart, number>>;

/**
 * Gradients of gaps, slips and joints are kept while the residual falls to this part of itself (and what a short step leaves of it) and
 * distances are as near to their slacks as this, until μ is as small as `endgame`: Newton's last steps get their own. A third of the evaluations is
 * saved, for 1% more iterations. Without the distances, an A1 that lands at 20 Hz takes 11.3 iterations instead of 7.3.
 */
const contraction = 0.3;
const gapError = 0.3;
/** So do those that land on the central path, from this fraction of κ on: a hold at κ' = 0.1 takes 3.5 iterations of an arm instead of 5.4. */
const nearPath = 0.3;

const noCones: readonly Cone[] = [];
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
  weight: Float64Array;
  readonly residual: Float64Array;
  readonly measures: Measures = newMeasures();
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
  /** Of trees that have one. */
  readonly prediction: PredictedStart | undefined;
  /** Of mechanisms whose contacts may be left out. */
  readonly contacts: NearContacts | undefined;
  private readonly runPrepare: () => void;
  private readonly runKeep: () => void;
  private readonly runKeepAside: () => void;
  /** For all contacts, for those near by, and whichever of the two is in use. */
  private readonly allLists: Lists;
  private readonly nearLists: Lists;
  private lists: Lists;
  /** Whether the residual at the start is there already. */
  private isSurveyed = false;
  private handedOut = 0;
  /** Of the residual where the last direction was found, NaN before the first; and how far the solver went along it. */
  private violationBefore = Number.NaN;
  private lastAlpha = 1;
  /** κ at which the solver is to land exactly, or 0. */
  private centre = 0;

  private readonly system: System;
  private readonly unknown: Float64Array;
  /** What lists have found, two lanes each. */
  private readonly lanes: Float64Array;
  private readonly perTolerance: Float64Array;
  /** Pairs of the last step, and slacks of the one before it if that led to it. */
  private readonly last: ConePoint;
  private readonly before: Float64Array;
  private hasBefore = false;
  degree: number;
  /** Weights of as many cones as there can be; and for which slots all this is (kernels/elimination/boundSlots.ts). */
  private readonly allWeights: Float64Array;
  private arrangement = 0;

  // how each cone starts: its kind, its place, the row that knows its distance, the contact's normal impulse and coefficient
  private readonly startKind: Int32Array;
  private readonly startOffset: Int32Array;
  private readonly startRow: Int32Array;
  private readonly startNormal: Int32Array;
  private readonly startCoefficient: Int32Array;
  private readonly startLength: Float64Array;
  /** Friction coefficients while others are in their place. */
  private readonly coefficients: Float64Array;

  constructor(system: System) {
    const { f64, places, unknowns, coneSize, equalities } = system;
    const view = (start: number, length: number): Float64Array => f64.subarray(start, start + length);
    this.system = system;
    this.cones = [...system.cones];
    this.nodes = [...system.nodes];
    this.unknown = view(places.unknown, unknowns);
    this.lanes = view(system.solver.totals, 2 * totalCount);
    this.residual = view(places.residual, unknowns + equalities);
    this.b = view(places.coneB, coneSize);
    this.c = view(places.coneC, coneSize);
    this.last = { b: new Float64Array(coneSize), c: new Float64Array(coneSize) };
    this.before = new Float64Array(coneSize);
    this.perTolerance = view(system.solver.perTolerance, unknowns + equalities);
    // rows of slots that nothing is bound to are zero, and stay so
    this.perTolerance.fill(1, unknowns + system.fixedEqualities);
    this.degree = this.cones.length;
    const count = this.cones.length + (system.touch?.nodes.reduce((sum, { roles }) => sum + roles.length, 0) ?? 0);
    this.allWeights = new Float64Array(count);
    this.weight = this.allWeights.subarray(0, this.cones.length);
    this.units = new StepUnits(system);
    this.turns = new AngleTurns(system);
    this.allLists = new Lists(system, "");
    this.nearLists = new Lists(system, "near.");
    this.lists = this.allLists;
    this.contacts = NearContacts.of(system);
    this.runPrepare = system.runner("prepare");
    this.runKeep = system.runner("keep.0");
    this.runKeepAside = system.runner(`keep.${aside}`);
    // direction 0 is the saved point
    this.newDirection();
    this.startKind = new Int32Array(count);
    this.startOffset = new Int32Array(count);
    this.startRow = new Int32Array(count);
    this.startNormal = new Int32Array(count);
    this.startCoefficient = new Int32Array(count);
    this.startLength = new Float64Array(count);
    this.coefficients = new Float64Array(count);
    let cone = 0;
    for (const node of system.nodes) cone = this.planStart(node, cone);
    this.prediction = PredictedStart.of(system, this);
    this.startsWarm = this.prediction !== undefined || this.startKind.subarray(0, cone).some(isOfJoint);
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
    for (const node of touch.boundNodes) cone = this.planStart(node, cone);
    this.weight = this.allWeights.subarray(0, cones.length);
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
    this.units.update(this.perTolerance, residualTolerance);
    this.runPrepare();
    // the turns are among what is prepared, and gears need those of angles
    if (this.turns.updateAngles()) this.runPrepare();
    if (this.turns.updateGears()) this.runPrepare();
    if (!this.units.lacksScale || this.cones.length === 0) return;
    this.evaluateStart();
    this.units.raise(this.residual, this.perTolerance, residualTolerance);
  }

  /** The residual at the velocities of the last step, without any impulse. */
  private evaluateStart(): void {
    this.startVelocities();
    this.b.fill(0);
    this.c.fill(0);
    this.evaluate();
  }

  /** All contacts take part from here on. */
  takeAll(): void {
    this.lists = this.allLists;
    this.degree = this.cones.length;
  }

  /** Only contacts near by take part from here on, as the residual in memory has them; those that are picked already if `isPicked`. */
  takeNear(contacts: NearContacts, goesOn: boolean, isPicked = false): void {
    // what is known of the start serves this choice, and whatever comes of it
    this.isSurveyed = false;
    if (!isPicked) contacts.pick(goesOn, this.units);
    contacts.leaveOthers();
    this.lists = this.nearLists;
    this.degree = this.cones.length - contacts.leftCones;
  }

  /** Finds where contacts are before the start, which then need not do it again. */
  survey(): void {
    this.takeAll();
    this.evaluateStart();
    this.changeOfSpeed = this.units.changeOfSpeed(this.residual);
    this.isSurveyed = true;
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
   * joints then move towards the pairs that `remember` kept. `near`: contacts far away take no part, and whether the step goes on decides
   * how far that is.
   */
  start(factors: StartFactors, least: number, warm = false, near?: { readonly goesOn: boolean }): void {
    const { b, c, residual, units, weight, contacts } = this;
    this.violationBefore = Number.NaN;
    if (this.cones.length === 0) {
      this.startVelocities();
      return;
    }
    if (!this.isSurveyed) this.survey();
    this.isSurveyed = false;

    // μ: the largest of all cones, so that none starts closer to its boundary than it should
    if (near && contacts) this.takeNear(contacts, near.goesOn);
    const change = Math.max(units.speed, factors.change * this.changeOfSpeed);
    const ratio = (factors.impulse * factors.length * change * change) / (units.speed * units.speed);
    let mu = 0;
    for (let i = 0; i < weight.length; i++) mu = Math.max(mu, (ratio * units.natural[i]) / weight[i]);
    const growth = mu < least ? Math.sqrt(least / mu) : 1;
    mu = Math.max(mu, least);

    // c by kind of cone, b = product / c
    const length = factors.length * growth * this.system.f64[this.system.places.globals] * change;
    const { startKind, startOffset, startRow, startNormal, startCoefficient, startLength } = this;
    for (let i = 0; i < weight.length; i++) {
      if (this.isOut(i)) continue;
      const product = mu * weight[i];
      let slack: number;
      switch (startKind[i]) {
        case startKinds.normal: // E = s − φ at s = 0
          slack = Math.max(-residual[startRow[i]], length);
          break;
        case startKinds.limit:
          slack = Math.max(-residual[startRow[i]], limitSlack * growth * startLength[i]);
          break;
        case startKinds.box: // F h + f and F h − f start at F h: E = −2 F h where both are zero
          slack = (-2 * product) / residual[startRow[i]];
          break;
        case startKinds.friction:
          slack = product / this.frictionBound(startNormal[i], startCoefficient[i]);
          break;
        case startKinds.linearFriction:
          slack = (8 * product) / this.frictionBound(startNormal[i], startCoefficient[i]);
          break;
        default:
          slack = this.frictionBound(startNormal[i], startCoefficient[i]) / 2;
      }
      c[startOffset[i]] = slack;
      b[startOffset[i]] = product / slack;
      if (warm && isOfJoint(startKind[i])) this.warmUp(i);
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
    if (contacts && leaves) this.takeNear(contacts, true);
    else if (isPicked) contacts?.write();
    else contacts?.pick(true, this.units);
    return prediction.start(mu, finishes);
  }

  /** Moves a cold pair of a contact down the path, at the distance where it is. */
  lower(i: number, factor: number): void {
    const { offset, size } = this.cones[i];
    const side = this.startKind[i] === startKinds.linearMargin ? this.c : this.b;
    for (let k = offset; k < offset + size; k++) side[k] *= factor;
  }

  /** Shares the impulses of the start unevenly among the contacts; equal seeds share alike. */
  scatter(seed: number): void {
    scatterContacts(this.nodes, this.b, this.c, seed);
  }

  /**
   * Blends the last step's pair into the cold start (b₀, c₀) of a limit, friction or effort: in units of it, with x = b/b₀ and
   * y = c/c₀, the pair with
   *   x y = W   and   x − y = z,   z = (last b)/b₀ − (distance predicted, or last c)/c₀:
   * what was pressed stays pressed, what was free stays free.
   */
  private warmUp(i: number): void {
    const { b, c, last } = this;
    const at = this.startOffset[i];
    const slack = this.startKind[i] === startKinds.limit ? -this.residual[this.startRow[i]] : last.c[at];
    const z = last.b[at] / b[at] - slack / c[at];
    const larger = largerOf(z, warmth);
    const x = z > 0 ? larger : warmth / larger;
    b[at] *= x;
    c[at] *= warmth / x;
  }

  /**
   * Keeps the cone variables of a solved step for a warm start of the next, those of slots where that is predicted; `goesOn`: it went on from
   * the one that was kept.
   */
  remember({ b, c }: ConePoint, goesOn: boolean): void {
    const { last, before } = this;
    const size = this.system.fixedConeSize;
    if (goesOn) copyInto(before, last.c, size);
    this.hasBefore = goesOn;
    copyInto(last.b, b, size);
    copyInto(last.c, c, size);
    if (!this.prediction) return;
    // nobody asks for those of slots that are not bound
    const bound = this.system.touch?.boundCones ?? noCones;
    for (let i = 0; i < bound.length; i++) {
      const { offset, size: entries } = bound[i];
      for (let k = offset; k < offset + entries; k++) {
        last.b[k] = b[k];
        last.c[k] = c[k];
      }
    }
  }

  /** Nothing is known any more of these cone variables: another contact has taken their place. */
  forget(at: number, size: number): void {
    this.last.b.fill(0, at, at + size);
    this.last.c.fill(0, at, at + size);
  }

  /** Those last kept. */
  get lastPair(): ConePoint {
    return this.last;
  }

  /** Slacks of the step before that, where it led to it. */
  get slacksBefore(): Float64Array | undefined {
    return this.hasBefore ? this.before : undefined;
  }

  /** Goes on from what another run has kept. */
  recallPairs(last: ConePoint, before: Float64Array | undefined): void {
    const size = this.prediction ? this.system.coneSize : this.system.fixedConeSize;
    copyInto(this.last.b, last.b, size);
    copyInto(this.last.c, last.c, size);
    if (before) copyInto(this.before, before, this.system.fixedConeSize);
    this.hasBefore = before !== undefined;
  }

  startVelocities(): void {
    const { unknown } = this;
    const { f64, places, mechanism } = this.system;
    const { length } = mechanism.bodies;
    for (let k = 6 * length; k < unknown.length; k++) unknown[k] = 0;
    for (let i = 0; i < length; i++) {
      const from = places.state + velocityAt(i);
      for (let k = 0; k < 6; k++) unknown[6 * i + k] = f64[from + k];
    }
    this.turns.startLengths(unknown);
  }

  /** c_f γ of a contact whose normal impulse has its start. */
  private frictionBound(normal: number, coefficient: number): number {
    return Math.max(this.system.f64[coefficient], smallestCoefficient) * this.b[normal];
  }

  /** How the cones of a node start; the first is that of this number. */
  private planStart(node: NodePlace, first: number): number {
    const { unknowns, mechanism } = this.system;
    let cone = first;
    let row = unknowns + node.equality;
    let coordinate = 0;
    for (const role of node.roles) {
      this.startKind[cone] = startKinds[role.start];
      this.startOffset[cone] = this.cones[cone].offset;
      this.startRow[cone] = row + role.startRow;
      this.startNormal[cone] = node.cone;
      if (node.kind === "contact") this.startCoefficient[cone] = this.coefficientOf(node);
      // slack of a sliding limit in units of its child: the cones of a node are in the order of its coordinates
      this.startLength[cone] = 1;
      if (role === coneRoles.limit && node.kind === "joint") {
        const limited = mechanism.joints[node.index].coordinates;
        const sides = limited.flatMap((c) => [c.lower, c.upper].filter((side) => side !== null).map(() => c));
        if (sides[coordinate++].motion === "translation")
          this.startLength[cone] = mechanism.bodies[node.bodies[1]].gyration;
      }
      row += role.rows.length;
      cone++;
    }
    return cone;
  }

  /** Where a contact's friction coefficient lies. */
  private coefficientOf({ index, parameters }: NodePlace): number {
    const { mechanism, touch } = this.system;
    const { contacts } = mechanism;
    if (index >= contacts.length && touch) return touch.coefficients[index - contacts.length];
    return parameters + frictionPlace(contacts[index].feature);
  }

  /** Rids the memory of what a diverged solve left in it: padding that is multiplied by zero must be finite. */
  clean(): void {
    const { f64 } = this.system;
    const { length } = f64;
    // x − x is zero of finite numbers alone: eight at a time, since all of the memory is looked at
    for (let i = 0; i < length; i += 8) {
      if (i + 8 <= length) {
        const one = f64[i] - f64[i] + (f64[i + 1] - f64[i + 1]);
        const two = f64[i + 2] - f64[i + 2] + (f64[i + 3] - f64[i + 3]);
        const three = f64[i + 4] - f64[i + 4] + (f64[i + 5] - f64[i + 5]);
        const four = f64[i + 6] - f64[i + 6] + (f64[i + 7] - f64[i + 7]);
        if (one + two + (three + four) === 0) continue;
      }
      for (let k = i; k < i + 8 && k < length; k++) if (!Number.isFinite(f64[k])) f64[k] = 0;
    }
  }

  /** The solver's κ targets are in units of these: unit = weight·e, scale = 1/weight. */
  takeWeights(): void {
    const { cones, weight } = this;
    const { f64 } = this.system;
    const { unit, scale } = this.system.solver;
    for (let i = 0; i < weight.length; i++) {
      const { offset, size } = cones[i];
      const reciprocal = 1 / weight[i];
      f64[unit + offset] = weight[i];
      for (let k = offset; k < offset + size; k++) f64[scale + k] = reciprocal;
    }
  }

  evaluate(): void {
    this.lists.look();
    this.readRows();
  }

  /** After a list that ends with a look: false where the point has left the domain of the equations. */
  readSmoothed(): boolean {
    this.readRows();
    return this.turnsLessThanHalf() && Number.isFinite(this.measures.residualViolation);
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
    lists.linearise();
    lists.factor();
    lists.finish();
    this.readCones();
    return this.readSmoothed();
  }

  private readRows(): void {
    const { measures } = this;
    measures.residual = this.largest(totals.residual);
    measures.residualViolation = this.largest(totals.residualViolation);
    measures.gapViolation = this.largest(totals.gap);
  }

  measure(centre: number): void {
    this.system.f64[this.system.solver.given + given.centre] = centre;
    this.centre = centre;
    this.lists.measure();
    this.readCones();
  }

  linearise(): void {
    this.lists.linearise();
  }

  factor(): boolean {
    this.runKeep();
    const { lists } = this;
    if (!this.system.keepsGradients || this.gradientsAreOld()) lists.linearise();
    lists.factor();
    return true;
  }

  /**
   * Friction is not monotone because its bound c_f γ follows the normal impulse. Relaxed, it follows by a part of c_f in the matrix; the
   * equations keep theirs. To be called with 1 after each other part, before anything is evaluated.
   */
  relax(part: number): void {
    const { startKind, startCoefficient, coefficients } = this;
    const { f64 } = this.system;
    for (let i = 0; i < this.cones.length; i++) {
      if (startKind[i] !== startKinds.friction && startKind[i] !== startKinds.linearMargin) continue;
      const at = startCoefficient[i];
      if (part === 1) f64[at] = coefficients[i];
      else {
        coefficients[i] = f64[at];
        f64[at] *= part;
      }
    }
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
    const { measures } = this;
    const { degree } = this;
    this.system.f64[this.system.solver.given + given.kappa] = kappa;
    (corrected ? this.lists.correct : this.lists.predict)[(out as NumberedDirection).number]();
    if (this.degree === 0) return;
    measures.boundary = this.smallest(totals.boundary);
    measures.slope = this.sum(totals.slope) / degree;
    measures.curvature = this.sum(totals.curvature) / degree;
    if (!corrected) measures.secondOrder = this.largest(totals.second);
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
    const { a, b, c } = solver.directions[aside];
    f64.copyWithin(places.unknown, a, a + unknowns);
    f64.copyWithin(places.coneB, b, b + coneSize);
    f64.copyWithin(places.coneC, c, c + coneSize);
  }

  /** The equations live where every |ψ₊| < 1. */
  advance(alpha: number, direction: Direction): boolean {
    const { f64, solver } = this.system;
    f64[solver.alpha] = alpha;
    this.lastAlpha = alpha;
    this.lists.advance[(direction as NumberedDirection).number]();
    if (this.degree > 0) this.readCones();
    return this.turnsLessThanHalf();
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

/** The lists that iterations run, of contacts near by or of all where there is no difference. */
class Lists {
  readonly look: () => void;
  readonly measure: () => void;
  readonly factor: () => void;
  readonly linearise: () => void;
  /** Of mechanisms with a prediction. */
  readonly finish: () => void;
  /** By the number of the direction. */
  readonly predict: (() => void)[] = [];
  readonly correct: (() => void)[] = [];
  readonly advance: (() => void)[] = [];
  private readonly runner: (name: string) => () => void;

  constructor(system: System, prefix: string) {
    this.runner = (name) => system.runner(system.has(prefix + name) ? prefix + name : name);
    this.look = this.runner("look");
    this.measure = this.runner("measure");
    this.factor = this.runner("factor");
    this.linearise = this.runner("linearise");
    this.finish = this.runner("finish");
  }

  add(number: number): void {
    this.predict[number] = this.runner(`predict.${number}`);
    this.correct[number] = this.runner(`correct.${number}`);
    this.advance[number] = this.runner(`advance.${number}`);
  }
}

/** A loop: for arrays as short as these `set` takes longer. */
function copyInto(out: Float64Array, from: Float64Array, length: number): void {
  for (let i = 0; i < length; i++) out[i] = from[i];
}

/** Whether a cone belongs to a joint's limit, friction or effort. */
function isOfJoint(kind: number): boolean {
  return kind === startKinds.limit || kind === startKinds.box;
}
