/**
 * Divides a step so that no part of it is off by more than a tolerance, in metres and radians, and so that bodies touch where a part ends.
 *
 *   size      the error of a part of h is estimated by how the accelerations a change, K h³ |a − a₋|/h₋: one solve per part. What turns with
 *             an angular momentum J ω turns by θ with sin θ = h ω, which is too far by |h ω|³/6 though no acceleration changes. Where a₋ is
 *             not known, at the start of a run and after an impact, the part is compared with two of half its size, which are then taken.
 *             A part that is off by more is tried again with a smaller size, and the next one has the size that this one asks for.
 *   impacts   a contact that is open where a part begins and presses where it ends has been met on the way. The part is then taken up to
 *             the moment at which the gap closes, by the speed of the approach and gravity; the next one starts in touch, and a contact
 *             that is in touch stops at the beginning of a step.
 *   ends      no part is shorter than 1/1024 of the step, and one that is as short is taken as it is: impacts that come ever faster do
 *             not keep it busy.
 * Forces act for the mean of two parts that meet (equations/node.ts, drive.ts), momenta stay. Everything follows from the state, the options and the
 * pace that the last step has left.
 */
import { bodyParameterNames } from "../../equations/index.ts";
import type { NodePlace, System } from "../../kernels/index.ts";
import { angularVelocityAt, bodyStateSize, poseSize, stateOffsets, velocityAt } from "../../math/index.ts";
import { BounceMaps } from "../bounce/bounceMaps.ts";
import { copyInto } from "../copyInto.ts";
import type { StepOptions } from "../step/stepReport.ts";
import type { PartBefore } from "./drive.ts";
import type { ImpulseSums } from "./impulseSums.ts";
import { copyPaceInto, newPace, type Pace, partBeforeOf, smallestPart } from "./pace.ts";
import type { StepDivision } from "./stepDivision.ts";

/** Fractions of the time step. */
const smallest = smallestPart;
const mostParts = 4 / smallest;
/** What a part that ends before the step leaves of it, at least: no rest is too short to be a part, and none is dropped. */
const leastRest = smallest / 2;
/** K: a twelfth for what the integrator leaves, and as much for dampers at 0.65 of their centring. */
const jerkFactor = 1 / 6;
/** What a part aims at below the tolerance, and by how much sizes change at once. */
const safety = 0.9;
const slowest = 0.2;
const fastest = 3;
/** A ratio of sizes beyond which the change of accelerations says too little. */
const mostRatio = 3;
/** Approaches that go no further within a part than this share of the tolerance are smooth, and impacts that leave no more of one are at its end. */
const smooth = 0.1;
/** How long before an impact the last long part ends, in smallest ones; and what follows a part that could not be smaller. */
const brink = 1.5;
const regrown = 4;
/** So often a part is cut for an impact. */
const mostCuts = 4;

/** What takes the parts. */
export interface PartTaker {
  readonly system: System;
  readonly impulses: ImpulseSums;
  /**
   * Takes a part of this number, a fraction of the time step, from a state of an interval, in seconds, into `out`; memory holds the solved part afterwards. `warm`: it goes
   * on from the last whole step.
   */
  takePart(
    number: number,
    from: Float64Array,
    interval: number,
    size: number,
    before: PartBefore,
    out: Float64Array,
    options: StepOptions,
    warm?: boolean,
  ): boolean;
  /** The state that the last part started from, in its own interval. */
  readonly partStart: Float64Array;
  /** Whether a contact is left to bounces, and whether anything bounced in the part last taken: at its own moment, as bounces do. */
  bounces(contact: number): boolean;
  hasBounced(): boolean;
}

export class AdaptiveStep {
  /** Where the step ends, in the interval of its last part. */
  readonly end: Float64Array;
  /** Sizes of its parts. */
  readonly parts = new Float64Array(mostParts);
  count = 0;
  /** What it leaves. */
  readonly pace: Pace;

  private readonly taker: PartTaker;
  private readonly maps: BounceMaps;
  private readonly whole: Float64Array;
  private readonly half: Float64Array;
  private readonly other: Float64Array;
  private readonly accelerations: Float64Array;
  private readonly free: Float64Array;
  /** The part that led to where the next one begins, and the first of two halves. */
  private readonly before: { before: number; drive: ArrayLike<number> | undefined } = { before: 1, drive: undefined };
  private readonly firstHalf = { before: 1 };
  /** The fraction of the part last taken after which the first contact is met, if it is to be cut there; and whether it has an impact. */
  private cut = Number.NaN;
  private hasImpact = false;

  constructor(taker: PartTaker) {
    const { mechanism } = taker.system;
    const { stateSize } = mechanism;
    this.taker = taker;
    this.maps = new BounceMaps(taker.system, false);
    this.end = new Float64Array(stateSize);
    this.whole = new Float64Array(stateSize);
    this.half = new Float64Array(stateSize);
    this.other = new Float64Array(stateSize);
    this.pace = newPace(mechanism);
    this.accelerations = new Float64Array(6 * mechanism.bodies.length);
    this.free = new Float64Array(6 * mechanism.bodies.length);
  }

  division({ before, drive }: PartBefore): StepDivision {
    return { parts: Array.from(this.parts.subarray(0, this.count)), before, drive: drive && Array.from(drive) };
  }

  /** The step from a state of an interval, both in seconds; `warm` where it is taken whole. False where a part could not be solved. */
  take(
    state: Float64Array,
    h: number,
    interval: number,
    tolerance: number,
    options: StepOptions,
    given: Pace,
    warm: boolean,
  ): boolean {
    const { taker, end, pace, parts, before } = this;
    copyPaceInto(pace, given);
    Object.assign(before, partBeforeOf(given));
    end.set(state);
    taker.impulses.clear();
    this.count = 0;
    let done = 0;
    let from = interval;
    let cuts = 0;
    for (let size = this.firstSize(1); done < 1 && this.count < mostParts - 2; ) {
      const solved = taker.takePart(this.count, end, from, size, before, this.whole, options, warm && size === 1);
      const duration = ((pace.part + size) / 2) * h;
      if (solved) this.lookForImpacts(size * h, duration, tolerance);
      const cut = solved ? this.cutFor(size) : size;
      const left = 1 - done;
      if (cut < size && cuts < mostCuts && left - cut >= leastRest) {
        size = cut;
        cuts++;
        continue;
      }
      const canShrink = size > smallest && left >= smallest + leastRest;
      if (!solved && !canShrink) return false;
      if (pace.hasAccelerations && !this.hasImpact && solved) {
        const error = this.errorOf(size, duration, h);
        if (error > tolerance && canShrink) {
          size = shrunk(size * Math.min(0.7, this.growth(tolerance, error)), left);
          continue;
        }
        this.accept(this.whole, size);
        pace.accelerations.set(this.accelerations);
        pace.guess = Math.min(1, size * this.growth(tolerance, error));
      } else if (solved && size < 2 * smallest) {
        this.accept(this.whole, size);
        pace.hasAccelerations = false;
        pace.guess = regrown * smallest;
      } else {
        taker.impulses.mark();
        const error = solved ? this.takeHalves(from, size, h, options) : Number.POSITIVE_INFINITY;
        if (!(error <= tolerance) && canShrink) {
          taker.impulses.undo();
          size = shrunk(size / 2, left);
          continue;
        }
        // the sums have both halves already
        end.set(this.other);
        parts[this.count++] = size / 2;
        parts[this.count++] = size / 2;
        pace.part = size / 2;
        pace.accelerations.set(this.accelerations);
        pace.hasAccelerations = !taker.hasBounced();
        pace.guess = Math.min(1, (size / 2) * this.growth(tolerance, error));
      }
      done += size;
      from = pace.part * h;
      before.before = pace.part;
      before.drive = undefined;
      cuts = 0;
      if (1 - done < leastRest / 2) done = 1;
      else size = this.firstSize(1 - done);
    }
    pace.timestep = h;
    return done === 1;
  }

  /** Where a part of this size is to end instead, if a contact is met in it: a smallest part before the impact, then at it. */
  private cutFor(size: number): number {
    const { cut, pace } = this;
    if (!(cut < 1)) return size;
    if (cut * size > (1 + brink) * smallest) return cut * size - brink * smallest;
    return pace.part > 2 * smallest && cut * size > smallest ? smallest : size;
  }

  /** The size to try: equal parts of what is left. */
  private firstSize(left: number): number {
    const count = Math.ceil(left / Math.max(this.pace.guess, smallest) - 1e-9);
    return left / Math.max(1, count);
  }

  private accept(state: Float64Array, size: number): void {
    this.end.set(state);
    this.parts[this.count++] = size;
    this.pace.part = size;
    this.taker.impulses.add();
  }

  /** The factor by which the size may change for an error of third order. */
  private growth(tolerance: number, error: number): number {
    return Math.min(fastest, Math.max(slowest, safety * Math.cbrt(tolerance / error)));
  }

  /** Takes the part in two halves, into `other`; how far they are from the whole. */
  private takeHalves(from: number, size: number, h: number, options: StepOptions): number {
    const { taker, end, half, other, whole, before, firstHalf } = this;
    const part = (size / 2) * h;
    firstHalf.before = size / 2;
    if (!taker.takePart(this.count, end, from, size / 2, before, half, options)) return Number.POSITIVE_INFINITY;
    taker.impulses.add();
    if (!taker.takePart(this.count + 1, half, part, size / 2, firstHalf, other, options))
      return Number.POSITIVE_INFINITY;
    taker.impulses.add();
    this.readAccelerations(other, part);
    return distance(whole, other);
  }

  /** Reads accelerations of the part last taken, over the duration for which forces acted. */
  private readAccelerations(next: Float64Array, duration: number): void {
    const { accelerations, taker } = this;
    const { partStart } = taker;
    for (let body = 0, at = stateOffsets.velocity; at < next.length; body++, at += bodyStateSize) {
      for (let k = 0; k < 6; k++) accelerations[6 * body + k] = (next[at + k] - partStart[at + k]) / duration;
    }
  }

  /** K h³ |a − a₋|/h₋, and |h ω|³/6 more of turns: the largest of all bodies. */
  private errorOf(size: number, duration: number, h: number): number {
    const { accelerations, pace, whole } = this;
    this.readAccelerations(whole, duration);
    const part = size * h;
    const factor = jerkFactor * part ** 2 * Math.min(mostRatio, size / pace.part);
    let largest = 0;
    for (let body = 0, at = 0; at < accelerations.length; body++, at += 6) {
      const spin = part * lengthOf(whole, angularVelocityAt(body));
      const turn = factor * changeOf(accelerations, pace.accelerations, at + 3) + spin ** 3 / 6;
      largest = Math.max(largest, factor * changeOf(accelerations, pace.accelerations, at), turn);
    }
    return largest;
  }

  /** Looks, after a part has been taken, which contacts press that were open where it began, and when the first of them is met. */
  private lookForImpacts(size: number, duration: number, tolerance: number): void {
    const { taker, free, maps } = this;
    const { nodes: contacts } = maps;
    this.cut = Number.NaN;
    this.hasImpact = taker.hasBounced();
    if (contacts.length === 0) return;
    let isPredicted = false;
    for (let i = 0; i < contacts.length; i++) {
      if (taker.bounces(i) || !isPressed(taker.system, contacts[i], size)) continue;
      // without the contact, bodies would go on as they do, and fall
      if (!isPredicted) this.predictFree(duration);
      isPredicted = true;
      const touch = maps.touch(i, taker.partStart, free, size, { parts: 1, slowest: 1 });
      const way = touch.number("approach") * size;
      if (!(way > smooth * tolerance)) continue;
      this.hasImpact = true;
      const time = touch.number("time");
      if (time > 0 && (1 - time) * way > smooth * tolerance && !(time >= this.cut)) this.cut = time;
    }
  }

  private predictFree(duration: number): void {
    const { free, taker } = this;
    const { f64, places } = taker.system;
    for (let body = 0; 6 * body < free.length; body++) {
      copyInto(free, 6 * body, taker.partStart, velocityAt(body), 6);
      const share = f64[places.bodyParameters + bodyParameterNames.length * (body + 1) - 1];
      for (let k = 0; k < 3; k++) free[6 * body + k] += duration * share * f64[places.globals + 1 + k];
    }
  }
}

function lengthOf(a: Float64Array, at: number): number {
  return Math.hypot(a[at], a[at + 1], a[at + 2]);
}

/** The change between two vectors that lie at the same place. */
function changeOf(a: Float64Array, b: Float64Array, at: number): number {
  return Math.hypot(a[at] - b[at], a[at + 1] - b[at + 1], a[at + 2] - b[at + 2]);
}

/** A smaller size, of what is left: with a rest that can be a part. */
function shrunk(size: number, left: number): number {
  return Math.max(smallest, Math.min(size, left - leastRest));
}

/** Whether a contact's impulse is more to its body than its gap. */
function isPressed({ f64, places }: System, { cone, bodies }: NodePlace, h: number): boolean {
  const mass = f64[places.bodyParameters + bodyParameterNames.length * bodies[1]];
  return h * f64[places.coneB + cone] > mass * f64[places.coneC + cone];
}

/** How far the bodies of two states are apart, m and rad. */
function distance(a: Float64Array, b: Float64Array): number {
  let largest = 0;
  for (let at = 0; at < a.length; at += bodyStateSize) {
    const moved = Math.hypot(a[at] - b[at], a[at + 1] - b[at + 1], a[at + 2] - b[at + 2]);
    let same = 0;
    for (let k = stateOffsets.orientation; k < poseSize; k++) same += a[at + k] * b[at + k];
    const sign = same < 0 ? -1 : 1;
    let turned = 0;
    for (let k = stateOffsets.orientation; k < poseSize; k++) turned += (a[at + k] - sign * b[at + k]) ** 2;
    largest = Math.max(largest, moved, 2 * Math.sqrt(turned));
  }
  return largest;
}
