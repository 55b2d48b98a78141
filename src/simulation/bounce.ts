/**
 * Bounces within a step (docs/decisions/0016-bounce.md). Contacts with restitution that approach fast enough have no part in the equations of a
 * step until they touch. A step in which one touches is taken in stages:
 *   free          the step without the contacts that may bounce: v_f, and with it when each touches       (equations/bounce.ts)
 *   compression   an impact at z ⊕ θ h v_f that brings every approach to rest, by impulses γ_c         (equations/impact.ts)
 *   restitution   the same impact with (1 + e G) γ_c given, and whatever more it takes for nothing to approach
 *   position      the step with the impacts' impulses for the rest of its time, (1 − θ) p, and all contacts: it says where bodies end
 * Where nothing touches, the free step is the step. Else the next state has the positions of the last stage and the velocities of the third, momenta kept on the way. It remembers nothing else.
 * Which contacts may bounce is chosen where the step begins, and holds for all its parts and for gradients.
 */
import type { Target } from "../codegen/index.ts";
import { bodyParameterNames, contactParameterNames } from "../equations/index.ts";
import { type NodePlace, nextLayout, type System } from "../kernels/index.ts";
import type { Matrix3 } from "../math/index.ts";
import type { Attempt } from "./attempts.ts";
import { BounceMaps, contactNodes, type GateScale } from "./bounceMaps.ts";
import { copyInto } from "./copyInto.ts";
import { bodyEnergy } from "./energy.ts";
import { Impacts, type Touch } from "./impacts.ts";
import { defaultGradientPath, type PathParameter } from "./pathParameter.ts";
import { addContactImpulse } from "./readings.ts";
import { type HoldName, holdNames } from "./route.ts";
import type { StepOptions } from "./stepReport.ts";
import { changedSpin } from "./timestepChange.ts";
import { componentsOf } from "./units.ts";

/**
 * While the step is free of a contact, its half-space lies so far behind: in lengths V h of a step, with V = g h or a part of its speed, and in
 * distances of its body from the origin. At a gradient's κ' of 0.1 it then pushes with 1e-7 m V.
 */
const awaySteps = 1e6;
const slowFraction = 0.01;
const awayHeights = 10;
/** A contact may bounce in a step if its gap is less than so many times what its approach and gravity make of it in one. */
const reach = 10;
/** Where there is no gravity, approaches slower than this part of a body's size per step do not bounce. */
const crawl = 1e-6;
/** Threshold, in units of V, of contacts that have no part in an impact. */
const farThreshold = -1e6;
/** Points of gradients lie on the path to this fraction of κ. */
const pathTolerance = 1e-9;
/** Where the whole restitution makes energy, by more than κ leaves open times this, these parts of it are tried, and one between two. */
const restitutionShares = [0.97, 0.9, 0.75, 0.5, 0.25, 0];
const safety = 0.99;
const noiseMargin = 10;
const smallestKappa = 1e-8;
const offsetParameter = contactParameterNames.indexOf("offset");

/** What gradients need of a step, or part of one, with a bounce: the points of its stages, at their κ. */
export interface BounceRecord extends GateScale {
  readonly free: Float64Array;
  readonly compression: Float64Array;
  readonly restitution: Float64Array;
  readonly position: Float64Array;
  readonly touches: readonly Touch[];
  /** The part of the restitution that was given. */
  readonly share: number;
  /** For each body the contact whose time of impact is its own; −1 where no impact reaches it. */
  readonly leaders: Int32Array;
  /** Whole impulses of the contacts that bounce, three each; zero of the others. */
  readonly impulses: Float64Array;
  /** Force and torque that stand for the impulses in the last stage, six per body. */
  readonly wrench: Float64Array;
  /** Orientations and velocities of the bodies as the next state has them, ten numbers per body. */
  readonly turned: Float64Array;
}

/** What takes the stages that are steps. */
export interface StageTaker {
  readonly system: System;
  attempt(state: Float64Array, options: StepOptions, attempts: readonly Attempt[]): boolean;
  /** V of the step last attempted (units.ts). */
  speed(): number;
  inertia(body: number): Matrix3;
  /** The point that stands in memory. */
  point(): Float64Array;
}

export class Bounce {
  /** Of the part of a step last taken: what gradients need, if it bounced and they were asked for. */
  readonly records: Record<HoldName, BounceRecord | undefined> = { hold: undefined, alsoHold: undefined };
  /** Iterations of impacts in the part last taken, and whether anything has bounced in it. */
  iterations = 0;
  hasBounced = false;

  private readonly taker: StageTaker;
  private readonly target: Target;
  private readonly maps: BounceMaps;
  private readonly contacts: readonly NodePlace[];
  /** Memory indices of the coefficients; −1 where there is none. */
  private readonly restitution: Int32Array;
  /** What each body is connected to. */
  private readonly components: Int32Array;
  private readonly slowest: number;
  /** h of the whole step, and what may bounce in it. */
  private wholeStep = 0;
  private readonly mayBounce: Uint8Array;
  /** Of the part that is being taken. */
  private readonly roles: Touch["role"][];
  private readonly isAway: Uint8Array;
  private readonly saved: Float64Array;
  private readonly free: Float64Array;
  private readonly wrench: Float64Array;
  private readonly moved: Float64Array;
  private readonly velocities: Float64Array;
  private readonly leaders: Int32Array;
  /** Part of the restitution that makes no energy: 1 but for rare impacts of bodies that turn far within the step. */
  private share = 1;
  private record: BounceRecord | undefined;
  private lazyImpacts: Impacts | undefined;

  constructor(taker: StageTaker, target: Target) {
    const { system } = taker;
    const { mechanism, parameters, dataEnd } = system;
    const count = mechanism.bodies.length;
    this.taker = taker;
    this.target = target;
    this.maps = new BounceMaps(system, false);
    this.contacts = contactNodes(system);
    this.restitution = Int32Array.from(
      mechanism.contacts,
      ({ name }) => parameters.get(`contacts.${name}.restitution`) ?? -1,
    );
    this.components = componentsOf(mechanism);
    this.slowest = crawl * Math.max(...mechanism.bodies.map(({ gyration }) => gyration));
    this.mayBounce = new Uint8Array(this.contacts.length);
    this.roles = this.contacts.map(() => "none");
    this.isAway = new Uint8Array(this.contacts.length);
    this.saved = new Float64Array(dataEnd);
    this.free = new Float64Array(6 * count);
    this.wrench = new Float64Array(6 * count);
    this.moved = new Float64Array(6 * count);
    this.velocities = new Float64Array(6 * count);
    this.leaders = new Int32Array(count);
  }

  /** A step of h begins: chooses, from its state, which contacts may bounce in it. */
  begin(state: Float64Array, h: number): void {
    const { f64 } = this.taker.system;
    const { restitution, free, mayBounce } = this;
    this.wholeStep = h;
    this.readVelocities(state);
    for (let i = 0; i < restitution.length; i++) {
      const isElastic = restitution[i] >= 0 && f64[restitution[i]] > 0;
      mayBounce[i] = isElastic && this.isFast(i, state, free) ? 1 : 0;
    }
  }

  /** Whether a contact approaches fast enough to bounce, or leaves as fast, and is near enough to be met in a step that is some times as fast. */
  private isFast(contact: number, state: Float64Array, free: Float64Array): boolean {
    const touch = this.maps.touch(contact, state, free, this.h, this.gate);
    const { f64, places } = this.taker.system;
    const g = Math.hypot(f64[places.globals + 1], f64[places.globals + 2], f64[places.globals + 3]);
    const approach = touch.number("approach");
    const slow = g * this.wholeStep + this.slowest / this.wholeStep;
    if (!(touch.number("gate") > 0) && !(-approach > slow)) return false;
    const way = this.wholeStep * (Math.abs(approach) + g * this.wholeStep);
    return touch.number("gap") < reach * way;
  }

  /** Whether a contact is fast enough to bounce in the step, or part of one, from this state. */
  concerns(state: Float64Array): boolean {
    const { isAway, mayBounce, free, h, wholeStep } = this;
    let any = false;
    if (h !== wholeStep) this.readVelocities(state);
    for (let i = 0; i < isAway.length; i++) {
      // a whole step has just been looked at
      isAway[i] = mayBounce[i] && (h === wholeStep || this.isFast(i, state, free)) ? 1 : 0;
      if (isAway[i]) any = true;
    }
    return any;
  }

  /**
   * Takes the step, or part of one, that concerns it. Afterwards memory holds the next poses, the velocities and the contacts' impulses.
   * False where a stage was not solved.
   */
  take(state: Float64Array, options: StepOptions, attempts: readonly Attempt[]): boolean {
    const { free, taker } = this;
    const { f64, dataEnd } = taker.system;
    this.hasBounced = false;
    this.records.hold = this.records.alsoHold = undefined;
    this.iterations = 0;
    copyInto(this.saved, 0, f64, 0, dataEnd);
    if (!this.takeFree(state, options, attempts)) return false;
    if (!this.assignRoles(state)) {
      this.readGaps(state, free);
      return true;
    }
    this.hasBounced = true;
    const { hold, alsoHold, ...sharp } = options;
    const holds = { hold, alsoHold };
    if (!this.takeSafely(state, sharp, attempts)) return false;
    if (!hold && !alsoHold) return true;
    const sharpFree = free.slice();
    for (const name of holdNames) {
      const path = holds[name];
      if (!path) continue;
      const smooth = { ...sharp, ...pathOf(path), exact: true, pathTolerance };
      if (this.takeFree(state, smooth, attempts) && this.takeImpact(state, smooth, attempts, taker.point()))
        this.records[name] = this.record;
      free.set(sharpFree);
    }
    return this.takeImpact(state, sharp, attempts);
  }

  /** From the free step on: with the whole restitution, or with as much of it as makes no energy. */
  private takeSafely(state: Float64Array, options: StepOptions, attempts: readonly Attempt[]): boolean {
    const most = this.energyOf(this.free) + this.energyNoise(options);
    const excess = (share: number): number => {
      this.share = share;
      return this.takeImpact(state, options, attempts) ? this.energyOf(undefined) - most : Number.NaN;
    };
    // the last share that makes energy, and the first that does not
    let above = { share: 1, excess: excess(1) };
    if (!(above.excess > 0)) return above.excess <= 0;
    for (const share of restitutionShares) {
      const below = { share, excess: excess(share) };
      if (below.excess > 0 && share > 0) {
        above = below;
        continue;
      }
      if (Number.isNaN(below.excess) || below.excess > 0) return below.excess > 0;
      // between them, on the safe side of a straight line
      const part = (safety * below.excess) / (below.excess - above.excess);
      if (excess(below.share + part * (above.share - below.share)) <= 0) return true;
      return excess(below.share) <= 0;
    }
    return false;
  }

  /** Kinetic energy and gravity's, of the poses in memory and of these velocities; those of the next state if there are none. */
  private energyOf(velocities: Float64Array | undefined): number {
    const { taker, leaders, h } = this;
    const { f64, places, mechanism } = taker.system;
    const next = new Float64Array(mechanism.stateSize);
    for (let body = 0; body < leaders.length; body++) {
      copyInto(next, 13 * body, f64, places.next + nextLayout.size * body, 7);
      if (velocities) copyInto(next, 13 * body + 7, velocities, 6 * body, 6);
      else copyInto(next, 13 * body + 7, f64, places.unknown + 6 * body, 6);
    }
    const at = (body: number, parameter: number): number =>
      f64[places.bodyParameters + bodyParameterNames.length * body + parameter];
    const { kinetic, gravity } = bodyEnergy(
      {
        mechanism,
        timestep: h,
        gravity: [f64[places.globals + 1], f64[places.globals + 2], f64[places.globals + 3]],
        mass: (body) => at(body, 0),
        gravityScale: (body) => at(body, bodyParameterNames.length - 1),
        inertia: (body) => taker.inertia(body),
      },
      next,
    );
    return kinetic + gravity;
  }

  /** What a κ leaves open of an impact's energy. */
  private energyNoise({ kappa, relativeKappa = smallestKappa }: StepOptions): number {
    const { taker, contacts, h } = this;
    const { mechanism } = taker.system;
    const mass = mechanism.bodies.reduce((sum, body) => sum + body.mass, 0);
    const each = kappa === undefined ? relativeKappa * mass * taker.speed() ** 2 : kappa / h;
    return noiseMargin * contacts.length * Math.max(each, 0);
  }

  private get h(): number {
    const { f64, places } = this.taker.system;
    return f64[places.globals];
  }

  private get gate(): GateScale {
    return { parts: this.wholeStep / this.h, slowest: this.slowest / this.wholeStep };
  }

  /** Whether a contact's impulse is more to its body than its gap. */
  private isClosed(contact: number): boolean {
    const { f64, places } = this.taker.system;
    const { cone, bodies } = this.contacts[contact];
    const mass = f64[places.bodyParameters + bodyParameterNames.length * bodies[1]];
    return this.h * f64[places.coneB + cone] > mass * f64[places.coneC + cone];
  }

  /** The step without the contacts that are away. */
  private takeFree(state: Float64Array, options: StepOptions, attempts: readonly Attempt[]): boolean {
    const { taker, free } = this;
    const { f64, places } = taker.system;
    const solved = this.attemptWithout(state, options, attempts);
    if (solved) copyInto(free, 0, f64, places.unknown, free.length);
    return solved;
  }

  /** An attempt in which the half-spaces of contacts that are away lie far behind. */
  private attemptWithout(state: Float64Array, options: StepOptions, attempts: readonly Attempt[]): boolean {
    const { contacts, isAway, saved, taker, h } = this;
    const { f64, places } = taker.system;
    const g = Math.hypot(f64[places.globals + 1], f64[places.globals + 2], f64[places.globals + 3]);
    for (let i = 0; i < contacts.length; i++) {
      if (!isAway[i]) continue;
      const { bodies, parameters } = contacts[i];
      const at = 13 * bodies[1];
      const speed = Math.hypot(state[at + 7], state[at + 8], state[at + 9]);
      const height = Math.hypot(state[at], state[at + 1], state[at + 2]);
      f64[parameters + offsetParameter] -= awaySteps * h * (g * h + slowFraction * speed) + awayHeights * height;
    }
    const solved = taker.attempt(state, options, attempts);
    for (let i = 0; i < contacts.length; i++) {
      const index = contacts[i].parameters + offsetParameter;
      if (isAway[i]) f64[index] = saved[index];
    }
    return solved;
  }

  /** After the free step: what bounces, and what stands in the way; false where nothing bounces. */
  private assignRoles(state: Float64Array): boolean {
    const { contacts, isAway, roles, restitution, free, h } = this;
    for (let i = 0; i < contacts.length; i++) {
      // what has restitution and is not touched yet will be met in a step of its own
      roles[i] = restitution[i] < 0 || (!isAway[i] && this.isClosed(i)) ? "supports" : "none";
      if (!isAway[i]) continue;
      const touch = this.maps.touch(i, state, free, h, this.gate);
      const time = touch.number("time");
      // where the path touches and comes back within the step, no impact is needed
      if (touch.number("ahead") <= 0 && time >= 0 && time <= 1) roles[i] = "bounces";
    }
    return roles.includes("bounces");
  }

  /** The gaps of the contacts that were away, where readers look: nothing has touched. */
  private readGaps(state: Float64Array, velocities: Float64Array): void {
    const { contacts, isAway, h } = this;
    const { f64, places, unknowns } = this.taker.system;
    for (let i = 0; i < contacts.length; i++) {
      if (!isAway[i]) continue;
      f64[places.coneC + contacts[i].cone] = this.maps.touch(i, state, velocities, h, this.gate).number("ahead");
      f64[places.residual + unknowns + contacts[i].equality] = 0;
    }
  }

  /** Compression, restitution and position, from the free velocities. Keeps a record where the point of the free step is given. */
  private takeImpact(
    state: Float64Array,
    options: StepOptions,
    attempts: readonly Attempt[],
    free?: Float64Array,
  ): boolean {
    const { taker, contacts, wrench, leaders, impacts } = this;
    const { f64, places, mechanism } = taker.system;
    const { solver } = impacts;
    const touches = this.findTouches(state);
    this.placeBodies(state, touches);
    solver.iterations = 0;
    impacts.giveThresholds(touches);
    if (!solver.solve(options)) return false;
    const compression = free && solver.point();
    impacts.giveImpulses(touches);
    if (!solver.solve(options)) return false;
    const restitution = free && solver.point();
    this.iterations += solver.iterations;

    this.makeWrench(state, touches);
    for (let k = 0; k < wrench.length; k++) f64[places.wrench + k] += wrench[k];
    const placed = this.takePosition(state, options, attempts);
    copyInto(f64, places.wrench, this.saved, places.wrench, wrench.length);
    if (!placed || !this.carryVelocities(state, touches)) return false;
    if (free && compression && restitution) {
      const impulses = Float64Array.from(
        touches.flatMap(({ contact, role }) => (role === "bounces" ? impacts.impulseOf(contact) : [0, 0, 0])),
      );
      const kept = {
        share: this.share,
        impulses,
        leaders: leaders.slice(),
        wrench: wrench.slice(),
        turned: this.turned(),
      };
      this.record = {
        ...{ free, compression, restitution, position: taker.point(), touches },
        ...kept,
        ...this.gate,
      };
    }
    // where readers look: velocities, and what contacts have given in all
    for (let body = 0; body < leaders.length; body++)
      if (leaders[body] >= 0) copyInto(f64, places.unknown + 6 * body, this.velocities, 6 * body, 6);
    for (const { contact, role } of touches) {
      if (role !== "bounces") continue;
      const at = places.coneB + contacts[contact].cone;
      addContactImpulse(mechanism.contacts[contact].model, f64, at, impacts.impulseOf(contact));
    }
    return true;
  }

  /** The last stage, without the contacts that have bounced unless it leads into them again. */
  private takePosition(state: Float64Array, options: StepOptions, attempts: readonly Attempt[]): boolean {
    const { isAway, roles, taker, moved, h } = this;
    const { f64, places } = taker.system;
    const flying = isAway.slice();
    let touches = false;
    for (let i = 0; i < isAway.length; i++) isAway[i] = roles[i] === "bounces" ? 1 : 0;
    let placed = this.attemptWithout(state, options, attempts);
    copyInto(moved, 0, f64, places.unknown, moved.length);
    for (let i = 0; i < isAway.length && placed; i++) {
      if (isAway[i] && !(this.maps.touch(i, state, moved, h, this.gate).number("ahead") > 0)) touches = true;
    }
    if (touches) placed = taker.attempt(state, options, attempts);
    else if (placed) this.readGaps(state, moved);
    isAway.set(flying);
    return placed;
  }

  private findTouches(state: Float64Array): Touch[] {
    const { leaders, components, roles, contacts, free, h } = this;
    const times = new Float64Array(leaders.length).fill(Number.POSITIVE_INFINITY);
    leaders.fill(-1);
    return roles.map((role, contact): Touch => {
      if (role === "none") {
        const threshold = farThreshold * this.taker.speed();
        return { contact, role, threshold, gain: 0, time: 0 };
      }
      const touch = this.maps.touch(contact, state, free, h, this.gate);
      if (role === "supports") return { contact, role, threshold: -touch.number("ahead") / h, gain: 0, time: 0 };
      const time = touch.number("time");
      const component = components[contacts[contact].bodies[1]];
      for (let body = 0; body < leaders.length; body++) {
        if (components[body] !== component || times[body] <= time) continue;
        times[body] = time;
        leaders[body] = contact;
      }
      return { contact, role, threshold: 0, gain: this.share * touch.number("gain"), time };
    });
  }

  /** Puts the bodies into the memory of impacts as they are when the first impact reaches them. */
  private placeBodies(state: Float64Array, touches: readonly Touch[]): void {
    const { leaders, free, impacts, h } = this;
    const { f64, places } = impacts.solver.system;
    impacts.takeParameters();
    for (let body = 0; body < leaders.length; body++) {
      const time = leaders[body] < 0 ? 0 : touches[leaders[body]].time;
      const placed = this.maps.placing(body, state, free, h, time);
      const at = places.state + 13 * body;
      f64.set(placed.output("position"), at);
      f64.set(placed.output("orientation"), at + 3);
      f64.set(placed.output("velocity"), at + 7);
      f64.set(placed.output("spin"), at + 10);
    }
  }

  private makeWrench(state: Float64Array, touches: readonly Touch[]): void {
    const { wrench, impacts, h } = this;
    const { f64: values, places } = impacts.solver.system;
    wrench.fill(0);
    for (const { contact, role, time } of touches) {
      if (role !== "bounces") continue;
      const impulse = impacts.impulseOf(contact);
      const push = this.maps.wrench(contact, state, { values, at: places.state }, impulse, h, time);
      this.maps.eachSide(contact, (side, body) => {
        const part = push.output(side);
        for (let i = 0; i < 6; i++) wrench[6 * body + i] += part[i];
      });
    }
  }

  /** Velocities after the impact, of bodies that have moved on to their next poses: momenta stay. False where h is too long for one. */
  private carryVelocities(state: Float64Array, touches: readonly Touch[]): boolean {
    const { leaders, impacts, velocities, taker, free, h } = this;
    const { f64, places } = taker.system;
    const { f64: values, places: there } = impacts.solver.system;
    let fits = true;
    for (let body = 0; body < leaders.length; body++) {
      if (leaders[body] < 0) continue;
      const nextAt = places.next + nextLayout.size * body + nextLayout.orientation;
      const impactAt = there.state + 13 * body + 3;
      const velocityAt = there.unknown + 6 * body;
      const after = {
        impact: values.subarray(impactAt, impactAt + 4),
        next: f64.subarray(nextAt, nextAt + 4),
        velocity: values.subarray(velocityAt, velocityAt + 6),
      };
      const carried = this.maps.carrying(body, state, free, after, h, touches[leaders[body]].time);
      const [x, y, z] = carried.output("spin");
      const changed = changedSpin([x, y, z], taker.inertia(body), 0, h);
      if (!changed.fits) fits = false;
      velocities.set(carried.output("velocity"), 6 * body);
      velocities.set(changed.spin, 6 * body + 3);
    }
    return fits;
  }

  private turned(): Float64Array {
    const { f64, places } = this.taker.system;
    const out = new Float64Array(10 * this.leaders.length);
    for (let body = 0; body < this.leaders.length; body++) {
      copyInto(out, 10 * body, f64, places.next + nextLayout.size * body + nextLayout.orientation, 4);
      if (this.leaders[body] < 0) copyInto(out, 10 * body + 4, f64, places.unknown + 6 * body, 6);
      else copyInto(out, 10 * body + 4, this.velocities, 6 * body, 6);
    }
    return out;
  }

  private readVelocities(state: Float64Array): void {
    for (let body = 0; body < this.leaders.length; body++) copyInto(this.free, 6 * body, state, 13 * body + 7, 6);
  }

  /** Made when something bounces for the first time. */
  private get impacts(): Impacts {
    this.lazyImpacts ??= new Impacts(this.taker.system, this.target);
    return this.lazyImpacts;
  }
}

/** Where gradients are held. */
function pathOf({ kappa, relativeKappa }: PathParameter): PathParameter {
  return kappa === undefined
    ? { kappa, relativeKappa: relativeKappa ?? defaultGradientPath.relativeKappa }
    : { kappa, relativeKappa: undefined };
}
