/**
 * Bounces within a step (docs/decisions/0016-bounce.md). Contacts with restitution that approach fast enough have no part in the equations of a
 * step until they touch. A step in which one touches is taken in stages:
 *   free          the step without the contacts that may bounce: v_f, and with it when each touches       (equations/bounce.ts)
 *   compression   an impact at z ⊕ θ h v_f that brings every approach to rest, by impulses γ_c         (equations/impact.ts)
 *   restitution   the same impact with (1 + e G) γ_c given, and whatever more it takes for nothing to approach
 *   position      the step with the impacts' impulses for the rest of its time, (1 − θ) p, and all contacts: it says where bodies end
 * Where nothing touches, the free step is the step. Else the next state has the positions of the last stage and the velocities of the third, momenta kept on the way. It remembers nothing else.
 * Which contacts may bounce is chosen where the step begins, and where each of its parts does; differences hold it (bounceContacts.ts). Here the stages are
 * put together, and the restitution is cut where it would make energy; bounceImpact.ts takes the stages after the free one.
 */
import type { Target } from "../../codegen/index.ts";
import { jointRates } from "../../coordinates/index.ts";
import { nextLayout } from "../../kernels/index.ts";
import { bodyAt, poseSize, velocityAt } from "../../math/index.ts";
import { copyInto } from "../copyInto.ts";
import { bodyEnergy } from "../states/energy.ts";
import { type Rotor, rotorsOf } from "../states/rotorEnergy.ts";
import { mostIntervals } from "../states/stateWriter.ts";
import type { Attempt } from "../step/attempts.ts";
import { capContacts } from "../step/contactCap.ts";
import { isStepEnd, type PathParameter } from "../step/pathParameter.ts";
import type { StepOptions } from "../step/stepReport.ts";
import { BounceContacts } from "./bounceContacts.ts";
import type { BounceHold } from "./bounceHold.ts";
import { BounceImpact } from "./bounceImpact.ts";
import type { BounceRecord, StageTaker } from "./bounceRecord.ts";
import type { Touch } from "./impacts.ts";

/** Points of gradients lie on the path to this fraction of κ. */
const pathTolerance = 1e-9;
/** Where the whole restitution makes energy, by more than κ leaves open times this, these parts of it are tried, and one between two. */
const noiseMargin = 10;
const restitutionShares = [0.97, 0.7, 0];
const safety = 0.99;
/** Stands in place of a part where all of them make energy: the step is taken with all contacts in its equations, and nothing bounces. */
const inelastic = -1;
const smallestKappa = 1e-8;
const none: readonly PathParameter[] = [];

/**
 * What contacts do in a step, and the part of the restitution that is given; none where nothing bounces. Both are those of the sharp step,
 * wherever on the central path the step itself ends: smooth contacts that carry a load cannot be told from others that are near.
 */
interface Choice {
  readonly roles: readonly Touch["role"][];
  readonly share: number | undefined;
  /** Bodies that the last stage pushes apart. */
  readonly groups: Int32Array | undefined;
}

export class Bounce {
  /** What gradients need of the part of a step last taken, if it bounced: one for each point that the step is to keep. */
  readonly records: (BounceRecord | undefined)[] = [];
  /** Whether anything has bounced in the part last taken. */
  hasBounced = false;

  private readonly taker: StageTaker;
  private readonly contacts: BounceContacts;
  private readonly impact: BounceImpact;
  /** Velocities of the free step. */
  private readonly free: Float64Array;
  /** Length of the step whose end is read, in parts or not. */
  private whole = 0;
  /** States whose energy is asked for: of the part, and as it would be written at the end. */
  private readonly next: Float64Array;
  private readonly written: Float64Array;
  private readonly rotors: readonly Rotor[];

  constructor(taker: StageTaker, target: Target) {
    this.taker = taker;
    this.contacts = new BounceContacts(taker);
    this.impact = new BounceImpact(taker, this.contacts, target);
    const { bodies, stateSize } = taker.system.mechanism;
    this.free = new Float64Array(6 * bodies.length);
    this.next = new Float64Array(stateSize);
    this.written = new Float64Array(stateSize);
    this.rotors = rotorsOf(taker.system);
  }

  /** What differences hold of it. */
  get hold(): BounceHold {
    return this.contacts.hold;
  }

  /** Iterations of impacts in the part last taken. */
  get iterations(): number {
    return this.impact.iterations;
  }

  /** A step of h begins, which is a `part` of the one whose end is read: chooses, from its state, which contacts may bounce in it. */
  begin(state: Float64Array, h: number, part: number): void {
    this.whole = h / part;
    this.contacts.begin(state, h);
  }

  /** Whether a contact may bounce in the step. */
  isBouncing(contact: number): boolean {
    return this.contacts.isBouncing(contact);
  }

  /** Whether a contact is fast enough to bounce in the step, or part of one, from this state. */
  concerns(state: Float64Array): boolean {
    return this.contacts.concerns(state);
  }

  /**
   * Takes the step, or part of one, that concerns it. Afterwards memory holds the next poses, the velocities and the contacts' impulses.
   * False where a stage was not solved.
   */
  take(state: Float64Array, options: StepOptions, attempts: readonly Attempt[]): boolean {
    const { free, taker, contacts, impact } = this;
    this.hasBounced = false;
    this.records.length = 0;
    impact.iterations = 0;
    let isTaken = false;
    const choice = contacts.hold.value(contacts.nameInPart("choice"), () => {
      const sharp = isSmooth(options) ? this.choose(state, sharpened(options), attempts) : undefined;
      isTaken = sharp === undefined;
      return sharp ?? this.choose(state, options, attempts);
    });
    if (!choice || !(isTaken || this.takeFree(state, options, attempts))) return false;
    const { share } = choice;
    if (share === undefined) {
      contacts.readGaps(state, free);
      return true;
    }
    if (share === inelastic) return taker.attempt(state, options, attempts);
    this.hasBounced = true;
    contacts.roles = choice.roles;
    const { points = none, ...own } = options;
    const ownFree = free.slice();
    // of a sharp impact that has just been taken it is there
    let end = isTaken && points.some(isStepEnd) ? impact.record : undefined;
    for (let i = 0; i < points.length; i++) {
      if (isStepEnd(points[i])) continue;
      this.records[i] = this.smoothed(
        state,
        { ...own, ...taker.smoothed(points[i]), exact: true, pathTolerance },
        choice,
        attempts,
      );
      free.set(ownFree);
      isTaken = false;
    }
    if (!isTaken) {
      if (!this.takeFree(state, own, attempts)) return false;
      const point = points.some(isStepEnd) ? taker.point() : undefined;
      if (!impact.take(state, free, share, choice.groups, own, attempts, point)) return false;
      if (point) end = impact.record;
    }
    if (end) for (const point of [end.free, end.position]) capContacts(point, taker.system);
    for (let i = 0; i < points.length; i++) if (isStepEnd(points[i])) this.records[i] = end;
    return true;
  }

  /** The impact at another κ, with the choice of the sharp one. */
  private smoothed(
    state: Float64Array,
    options: StepOptions,
    { share = 0, groups }: Choice,
    attempts: readonly Attempt[],
  ): BounceRecord | undefined {
    const { free, taker, impact } = this;
    if (!this.takeFree(state, options, attempts)) return undefined;
    const isTaken = impact.take(state, free, share, groups, options, attempts, taker.point());
    return isTaken ? impact.record : undefined;
  }

  /** What the step does, from its free stage on, which is left in memory; undefined where a stage was not solved. */
  private choose(state: Float64Array, options: StepOptions, attempts: readonly Attempt[]): Choice | undefined {
    const { contacts, free } = this;
    if (!this.takeFree(state, options, attempts)) return undefined;
    const roles = contacts.rolesOf(state, free);
    if (!roles.includes("bounces")) return { roles, share: undefined, groups: undefined };
    contacts.roles = roles;
    const { points = none, ...own } = options;
    const share = this.takeSafely(state, own, attempts, points.some(isStepEnd) ? this.taker.point() : undefined);
    return share === undefined ? undefined : { roles, share, groups: this.impact.groups };
  }

  /**
   * Takes the step from the free step on: with the whole restitution, or with as much of it as makes no energy. Which part it was; `inelastic` where all parts
   * make energy, undefined where a stage was not solved. `point` is that of the free step, if gradients are to be taken at its end.
   */
  private takeSafely(
    state: Float64Array,
    options: StepOptions,
    attempts: readonly Attempt[],
    point: Float64Array | undefined,
  ): number | undefined {
    const { free, impact } = this;
    const most = this.energyOf(free) + this.energyNoise(options);
    const excess = (share: number): number =>
      impact.take(state, free, share, undefined, options, attempts, point)
        ? this.energyOf(undefined) - most
        : Number.NaN;
    // the last share that makes energy, and the first that does not
    let above = { share: 1, excess: excess(1) };
    if (!(above.excess > 0)) return above.excess <= 0 ? 1 : undefined;
    for (const share of restitutionShares) {
      const below = { share, excess: excess(share) };
      if (Number.isNaN(below.excess)) return undefined;
      if (below.excess > 0) {
        above = below;
        continue;
      }
      // between them, on the safe side of a straight line
      const part = (safety * below.excess) / (below.excess - above.excess);
      const between = below.share + part * (above.share - below.share);
      if (excess(between) <= 0) return between;
      return excess(below.share) <= 0 ? below.share : undefined;
    }
    return inelastic;
  }

  /**
   * Kinetic energy, of rotors too, and gravity's, of the poses in memory and of these velocities; those of the next state if there are none. Spins as the end of
   * the step is written: where momenta stay, means over a longer interval are larger, and ½ ωᵀJω is up to twice as much near √2/h.
   */
  private energyOf(velocities: Float64Array | undefined): number {
    const { taker, contacts, whole, next, written, rotors } = this;
    const { f64, places, mechanism } = taker.system;
    const { h } = contacts;
    for (let body = 0; body < mechanism.bodies.length; body++) {
      copyInto(next, bodyAt(body), f64, places.next + nextLayout.size * body, poseSize);
      if (velocities) copyInto(next, velocityAt(body), velocities, 6 * body, 6);
      else copyInto(next, velocityAt(body), f64, places.unknown + 6 * body, 6);
    }
    const isWritten = h < whole && taker.writer.writeLongest(written, next, whole, h, mostIntervals) > 0;
    const end = isWritten ? written : next;
    const { kinetic, gravity } = bodyEnergy(taker.system, end, h);
    if (rotors.length === 0) return kinetic + gravity;
    const rates = jointRates(mechanism, end, h);
    return rotors.reduce(
      (sum, { coordinate, armature }) => sum + 0.5 * f64[armature] * rates[coordinate] ** 2,
      kinetic + gravity,
    );
  }

  /** What a κ leaves open of an impact's energy. */
  private energyNoise({ kappa, relativeKappa = smallestKappa }: StepOptions): number {
    const { taker, contacts } = this;
    const { mechanism } = taker.system;
    const mass = mechanism.bodies.reduce((sum, body) => sum + body.mass, 0);
    const each = kappa === undefined ? relativeKappa * mass * taker.speed() ** 2 : kappa / contacts.h;
    return noiseMargin * contacts.nodes.length * Math.max(each, 0);
  }

  /** The step without the contacts that are away. */
  private takeFree(state: Float64Array, options: StepOptions, attempts: readonly Attempt[]): boolean {
    const { taker, free, contacts } = this;
    const { f64, places } = taker.system;
    const solved = contacts.attemptWithout(state, options, attempts);
    if (solved) copyInto(free, 0, f64, places.unknown, free.length);
    if (solved) this.impact.keepFreeImpulses();
    return solved;
  }
}

/** Whether it is said where on the central path a step ends. */
function isSmooth({ kappa, relativeKappa }: StepOptions): boolean {
  return kappa !== undefined || relativeKappa !== undefined;
}

/** The same step at its usual end. */
function sharpened({
  points,
  kappa,
  relativeKappa,
  exact,
  pathTolerance,
  tolerance,
  ...rest
}: StepOptions): StepOptions {
  return rest;
}
