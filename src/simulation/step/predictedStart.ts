/**
 * A start that knows what will touch. The step is linearised at the old velocities and solved without any cone, the *free* step; then
 * contacts and limits near by push each other towards the central path, by Gauss–Seidel sweeps over what they answer to each other
 * (kernels/cones/portVisits.ts); velocities and impulses of that are where the solver starts, with every pair moved onto the path (pathPairs.ts) at
 *   μ₀ = Σ (dx/β)²,  between 0.005 and 0.1,
 * dx the step of the last sweep: what the sweeps have not settled is left to the interior point. Where they have, Newton's method goes on
 * from the μ of the sweeps (pathNewton.ts). Where points for gradients are kept, it
 * starts at their κ', and once there, sweeps with the same answers lead on to the end. Impulses go on from those of the last step, so that of several solutions the one continuous with it is predicted.
 *
 * DEPARTURE(prediction): the paper starts every solve from the same point.
 *
 * Of mechanisms with joints whose cones are contacts with the world (cones of friction, or none) and limits of joints and gears, with loops or
 * without; of trees, with contacts that are bound at run time too. Ranges of gears are left out of the sweeps.
 */
import { frictionPlace } from "../../equations/index.ts";
import {
  type ContactResponse,
  type LimitResponse,
  portNumbers,
  type System,
  sweepNumbers,
} from "../../kernels/index.ts";
import { type PathPoint, placeFriction, placeOrthant } from "./pathPairs.ts";
import type { Predictable } from "./predictable.ts";
import { PredictedSlots } from "./predictedSlots.ts";

/** Bounds of μ₀. */
const leastMu = 0.005;
/** μ of the sweeps; and the square of the last one's step from which on Newton's method goes on from there (pathNewton.ts). */
const sweepMu = 1e-4;
const settledSquare = 3e-3;
const mostMu = 0.1;
/** Sweeps, unless the square of one's step, in units of the cones, is as small as μ before. */
const mostSweeps = 8;
/** With contacts that are bound at run time: of a humanoid's steps with some, 60% settle instead of 46%, for a third more of sweeps. */
const mostSweepsWithSlots = 12;
/** From a hold, sweeps are tried where those before it were no more than this many, and go on after two whose square is no more than that. */
const mostSweepsBefore = 5;
const settlingSquare = 0.15;
/** Limits take part in the sweeps from here on, after the free step (radians, radii of gyration); the others stay half as far away. */
const reach = 0.1;
/** Least distance of a contact that is out of the sweeps, though it takes part in the solve, in units of V h. */
const farAway = 5;
const smallestCoefficient = 1e-3;
/** Square of a sweep's step, in units of the cones, from which sweeps lead nowhere. */
const runaway = 1e4;

/** Where a cone lies: its number, its first entry, its row of the residual. */
interface ConePlace {
  readonly cone: number;
  readonly at: number;
  readonly row: number;
}

interface LimitSide extends ConePlace {
  readonly response: LimitResponse;
  readonly run: () => void;
  /** Unit of the coordinate. */
  readonly length: number;
}

/** One side of a gear's range; `place`: of the step of its length. */
interface GearSide extends ConePlace {
  readonly sign: 1 | -1;
  readonly place: number;
}

interface ContactPorts extends ConePlace {
  readonly index: number;
  readonly response: ContactResponse;
  /** Of its friction coefficient in memory. */
  readonly coefficient: number;
}

export class PredictedStart {
  private readonly system: System;
  private readonly problem: Predictable;
  private readonly responses: NonNullable<System["responses"]>;
  private readonly limits: readonly LimitSide[];
  private readonly gears: readonly GearSide[];
  private readonly contacts: readonly ContactPorts[];
  /** Those that are bound at run time. */
  private readonly slots: PredictedSlots | undefined;
  /** Which limits and then contacts are in the sweeps, 1 or 0; and the numbers of those that are. */
  private readonly isNear: Uint8Array;
  private readonly near: Int32Array;
  private nearCount = 0;
  private fixedCount = 0;
  private readonly point: PathPoint;
  /** μ at which it has landed, and whether the sweeps had settled. */
  get mu(): number {
    return this.point.mu;
  }
  hasSettled = false;
  /** How many there were. */
  private sweeps = 0;
  private readonly run: Readonly<
    Record<"factor" | "rhs" | "solve" | "responses" | "begin" | "visit" | "end", () => void>
  >;

  static of(system: System, problem: Predictable): PredictedStart | undefined {
    return system.responses ? new PredictedStart(system, problem, system.responses) : undefined;
  }

  private constructor(system: System, problem: Predictable, responses: NonNullable<System["responses"]>) {
    this.system = system;
    this.problem = problem;
    this.responses = responses;
    const { limits, gears, contacts } = conesOf(system, responses);
    this.limits = limits;
    this.gears = gears;
    this.contacts = contacts;
    this.isNear = new Uint8Array(limits.length + contacts.length);
    const { length } = this.isNear;
    this.slots = responses.slots && new PredictedSlots(system, problem, responses.slots, length);
    this.near = new Int32Array(length + (this.slots?.visits ?? 0));
    const { solver, coneSize, f64 } = system;
    const view = (start: number): Float64Array => f64.subarray(start, start + coneSize);
    this.point = { b: problem.b, c: problem.c, beta: view(solver.beta), gamma: view(solver.gamma), mu: 1 };
    const { runner } = system;
    this.run = {
      factor: runner("free.factor"),
      rhs: runner("free.rhs"),
      solve: runner("free.solve"),
      responses: runner(system.has("near.responses") ? "near.responses" : "responses"),
      begin: runner("ports.begin"),
      visit: runner("ports.visit"),
      end: runner("ports.end"),
    };
  }

  /** Whether the step that is prepared can be predicted: not with very many contacts that are bound at run time. */
  isPossible(): boolean {
    return this.slots?.prepare() ?? true;
  }

  /**
   * From the residual at the old velocities without impulses, which is in memory; the weights of the cones are those of the step. `mu`: where
   * it is to land, if not where the sweeps have settled. False where they run away, as they may over contacts between limbs.
   */
  start(mu: number | undefined, finishes: boolean): boolean {
    this.takeFreeStep();
    this.gather();
    this.begin(mu ?? sweepMu);
    const square = this.sweep(mu ?? sweepMu);
    if (this.nearCount > this.fixedCount && !(square < runaway)) return false;
    this.hasSettled = square <= settledSquare;
    this.point.mu = mu ?? (this.hasSettled && finishes ? sweepMu : Math.min(mostMu, Math.max(leastMu, square)));
    this.land();
    this.predictSlacks();
    this.placeJoints();
    this.placeContacts();
    this.slots?.place(this.point);
    return true;
  }

  /**
   * From a solution on the central path further up, which `start` has led to, to pairs from which Newton's method may go on to the end: ports
   * answer to changes of their impulses as they did before. False where the sweeps do not settle, and all is as it was.
   */
  goOn(): boolean {
    if (this.sweeps > mostSweepsBefore || this.nearCount > this.fixedCount) return false;
    this.gatherSolved();
    this.begin(sweepMu);
    const { w, size } = this.responses;
    // rates are those of the solution, and w is what changes
    this.system.f64.fill(0, w, w + size);
    this.hasSettled = this.sweep(sweepMu, settlingSquare) <= settledSquare;
    if (!this.hasSettled) return false;
    this.point.mu = sweepMu;
    this.placeJoints();
    this.placeContacts();
    return true;
  }

  /** Without cones: those of joints and gears neither push nor yield, and those of contacts are in none of the lists. */
  private takeFreeStep(): void {
    const { limits, gears, run } = this;
    for (let i = 0; i < limits.length; i++) this.neutralise(limits[i].at);
    for (let i = 0; i < gears.length; i++) this.neutralise(gears[i].at);
    this.problem.linearise();
    run.factor();
    run.rhs();
    run.solve();
  }

  private neutralise(at: number): void {
    const { problem, system } = this;
    problem.b[at] = 0;
    problem.c[at] = 1;
    system.f64[system.places.coneRhs + at] = 0;
  }

  /** Ports near by, with their rates after the free step and the last impulses. */
  private gather(): void {
    const { system, problem, limits, contacts, isNear, near, run } = this;
    const { f64, places } = system;
    const { residual, weight, lastPair } = problem;
    const { slots } = problem.contacts ?? {};
    const h = f64[places.globals];
    let count = 0;
    for (let i = 0; i < limits.length; i++) {
      const { response, run: respond, at, row, length } = limits[i];
      const { numbers, sign, motion } = response;
      const rate = sign * f64[motion] - residual[row] / h;
      isNear[i] = h * rate <= reach * length ? 1 : 0;
      if (isNear[i] === 0) continue;
      near[count++] = i;
      respond();
      f64[numbers + portNumbers.x] = lastPair.b[at];
      f64[numbers + portNumbers.free] = rate;
      f64[numbers + portNumbers.sign] = sign;
      f64[numbers + portNumbers.perUnit] = h / weight[at];
    }
    run.responses();
    for (let i = 0; i < contacts.length; i++) {
      const { index, response, at, row, coefficient } = contacts[i];
      const { numbers } = response;
      const number = limits.length + i;
      isNear[number] = !slots || slots[index] === 1 ? 1 : 0;
      if (isNear[number] === 0) continue;
      near[count++] = number;
      f64[numbers + portNumbers.x] = lastPair.b[at];
      f64[numbers + portNumbers.free] = this.rateOf(response, 0) - residual[row] / h;
      f64[numbers + portNumbers.sign] = 1;
      f64[numbers + portNumbers.perUnit] = h / weight[at];
      if (response.ports === 1) continue;
      f64[numbers + portNumbers.coefficient] = f64[coefficient];
      f64[numbers + portNumbers.perUnit + 1] = 1 / weight[at + 1];
      for (let k = 1; k <= 2; k++) {
        f64[numbers + portNumbers.x + k] = lastPair.b[at + 1 + k];
        f64[numbers + portNumbers.free + k] = this.rateOf(response, k) - residual[row + 1 + k];
      }
    }
    this.nearCount = this.slots?.gather(near, count) ?? count;
    this.fixedCount = count;
  }

  /** Rate of a contact's port in the step that is in memory. */
  private rateOf({ body, gradient }: ContactResponse, port: number): number {
    const { f64, places } = this.system;
    const row = gradient + 6 * port;
    const step = places.step + 6 * body;
    let rate = 0;
    for (let k = 0; k < 6; k++) rate += f64[row + k] * f64[step + k];
    return rate;
  }

  /** Impulses and rates of a solution, of the same ports. */
  private gatherSolved(): void {
    const { system, point, limits, contacts, near, fixedCount } = this;
    const { f64, places } = system;
    const { b, c } = point;
    const h = f64[places.globals];
    for (let j = 0; j < fixedCount; j++) {
      const number = near[j];
      const { response, at } = number < limits.length ? limits[number] : contacts[number - limits.length];
      const { numbers } = response;
      f64[numbers + portNumbers.x] = b[at];
      f64[numbers + portNumbers.free] = c[at] / h;
      if (number < limits.length || contacts[number - limits.length].response.ports === 1) continue;
      for (let k = 1; k <= 2; k++) {
        f64[numbers + portNumbers.x + k] = b[at + 1 + k];
        f64[numbers + portNumbers.free + k] = c[at + 1 + k];
      }
    }
  }

  /** Before sweeps at μ. */
  private begin(mu: number): void {
    const { system, near, nearCount, run } = this;
    const { w, size, shared } = this.responses;
    system.f64[shared + sweepNumbers.mu] = mu;
    system.pick(near, nearCount);
    system.f64.fill(0, w, w + size);
    run.begin();
  }

  /** Returns the square of the last sweep's step; the second one's where that is above `most`. */
  private sweep(mu: number, mostOfSecond = Number.POSITIVE_INFINITY): number {
    const { system, nearCount, run } = this;
    const { f64 } = system;
    const square = this.responses.shared + sweepNumbers.square;
    const most = nearCount > this.fixedCount ? mostSweepsWithSlots : mostSweeps;
    for (let sweep = 1; ; sweep++) {
      f64[square] = 0;
      run.visit();
      const isLost = sweep === 2 && f64[square] > mostOfSecond;
      if (sweep < most && f64[square] > mu && !isLost) continue;
      run.end();
      this.sweeps = sweep;
      return f64[square];
    }
  }

  /** The step with the impulses of the sweeps. */
  private land(): void {
    const { system, limits, contacts, near, fixedCount, run } = this;
    const { f64, places, unknowns } = system;
    run.rhs();
    for (let j = 0; j < fixedCount; j++) {
      const number = near[j];
      if (number < limits.length) {
        const { push, sign, numbers } = limits[number].response;
        f64[push] += sign * f64[numbers + portNumbers.x];
        continue;
      }
      const { force, direction, ports, numbers } = contacts[number - limits.length].response;
      for (let port = 0, d = direction; port < ports; port++, d += 6) {
        const impulse = f64[numbers + portNumbers.x + port];
        for (let k = 0; k < 6; k++) f64[force + k] += f64[d + k] * impulse;
      }
    }
    this.slots?.push();
    run.solve();
    for (let i = 0; i < unknowns; i++) f64[places.unknown + i] += f64[places.step + i];
  }

  /** Slacks and slips of what is not in the sweeps, after the step that is in memory. */
  private predictSlacks(): void {
    const { system, problem, limits, gears, contacts, isNear } = this;
    const { f64, places } = system;
    const { residual, c } = problem;
    const h = f64[places.globals];
    for (let i = 0; i < limits.length; i++) {
      const { response, at, row } = limits[i];
      if (isNear[i] === 0) c[at] = response.sign * h * f64[response.motion] - residual[row];
    }
    for (let i = 0; i < gears.length; i++) {
      const { sign, place, at, row } = gears[i];
      c[at] = sign * f64[place] - residual[row];
    }
    for (let i = 0; i < contacts.length; i++) {
      const { response, cone, at, row } = contacts[i];
      // too far away for the sweeps, and for the solve too, perhaps
      if (isNear[limits.length + i] === 1 || problem.isOut(cone)) continue;
      c[at] = h * this.rateOf(response, 0) - residual[row];
      if (response.ports === 1) continue;
      for (let k = 1; k <= 2; k++) c[at + 1 + k] = this.rateOf(response, k) - residual[row + 1 + k];
    }
  }

  /** Pairs of limits and gears, on the central path. */
  private placeJoints(): void {
    const { system, limits, gears } = this;
    const h = system.f64[system.places.globals];
    for (let i = 0; i < limits.length; i++) {
      const { response, at, length } = limits[i];
      if (this.isNear[i] === 1) this.placeNear(at, response.numbers, h);
      else this.placeFar(at, (reach / 2) * length);
    }
    for (let i = 0; i < gears.length; i++) this.placeFar(gears[i].at, reach / 2);
  }

  private placeContacts(): void {
    const { system, problem, limits, contacts, point } = this;
    const { f64, places } = system;
    const { weight, units } = problem;
    const h = f64[places.globals];
    for (let i = 0; i < contacts.length; i++) {
      const { response, cone, at, coefficient } = contacts[i];
      const isNear = this.isNear[limits.length + i] === 1;
      const { numbers } = response;
      if (!isNear && problem.isOut(cone)) continue;
      if (isNear) this.placeNear(at, numbers, h);
      else this.placeFar(at, farAway * units.speed * h);
      if (response.ports === 1) continue;
      const bound = Math.max(f64[coefficient], smallestCoefficient) * point.b[at];
      const unit = weight[at + 1];
      if (isNear) {
        const x = numbers + portNumbers.x;
        const rate = numbers + portNumbers.rate;
        const answer = f64[numbers + portNumbers.own + 1];
        placeFriction(point, at + 1, unit, answer, bound, f64[x + 1], f64[x + 2], f64[rate + 1], f64[rate + 2]);
      } else {
        const answer = (units.speed * units.speed) / unit;
        placeFriction(point, at + 1, unit, answer, bound, 0, 0, point.c[at + 2], point.c[at + 3]);
      }
    }
  }

  private placeNear(at: number, numbers: number, h: number): void {
    const { f64 } = this.system;
    const answer = h * f64[numbers + portNumbers.own];
    const slack = h * f64[numbers + portNumbers.rate];
    placeOrthant(this.point, at, this.problem.weight[at], answer, f64[numbers + portNumbers.x], slack);
  }

  /** At the slack that it has. */
  private placeFar(at: number, least: number): void {
    const { point, problem } = this;
    const distance = Math.max(point.c[at], least);
    point.c[at] = point.gamma[at] = distance;
    point.beta[at] = problem.weight[at] / distance;
    point.b[at] = point.mu * point.beta[at];
  }
}

/** Where the cones of limits, gears and contacts lie. */
function conesOf(
  system: System,
  responses: NonNullable<System["responses"]>,
): { limits: LimitSide[]; gears: GearSide[]; contacts: ContactPorts[] } {
  const { mechanism, nodes, unknowns, cones, places } = system;
  const limits: LimitSide[] = [];
  const gears: GearSide[] = [];
  const contacts: ContactPorts[] = [];
  let first = 0;
  for (const { kind, index, roles, equality, parameters, multiplier, bodies } of nodes) {
    // literals without spreads have one hidden class each, so that loops over them look up nothing by name
    const at = (k: number): number => cones[first + k].offset;
    const row = unknowns + equality;
    if (kind === "contact") {
      const response = responses.contacts[index];
      const coefficient = parameters + frictionPlace(mechanism.contacts[index].feature);
      contacts.push({ cone: first, at: at(0), row, index, response, coefficient });
    } else if (kind === "joint" && roles.length > 0) {
      const { coordinates } = mechanism.joints[index];
      const sides = responses.limits.filter(({ joint }) => joint === index);
      sides.forEach((response, k) => {
        const isAngle = coordinates[response.coordinate].motion === "rotation";
        const length = isAngle ? 1 : mechanism.bodies[bodies[1]].gyration;
        const run = system.runner(response.list);
        limits.push({ cone: first + k, at: at(k), row: row + k, response, run, length });
      });
    } else if (kind === "gear" && roles.length > 0) {
      const gear = mechanism.gears[index];
      const signs = gear.kind === "range" ? [gear.lower === null ? 0 : 1, gear.upper === null ? 0 : -1] : [];
      signs
        .filter((sign) => sign !== 0)
        .forEach((sign, k) => {
          const place = places.step + multiplier;
          gears.push({ cone: first + k, at: at(k), row: row + k, sign: sign as 1 | -1, place });
        });
    }
    first += roles.length;
  }
  return { limits, gears, contacts };
}
