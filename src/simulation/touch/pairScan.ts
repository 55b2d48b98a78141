/**
 * Which of the pairs near by (nearPairs.ts) may come together on the ways that they go. Lower bounds of their distances, the cheapest first:
 *   1. the bound that is kept of the pair, less the ways that both have gone since;
 *   2. the distance of balls that hold the shapes;
 *   3. n·p − h_a(n) − h_b(−n), n the direction along which they were apart before, p from origin to origin, h how far a shape reaches.
 * What is found anew is kept. They are compared with what both may go, and the last one with the *relative way* of free flight, which no point
 * of the smaller shape exceeds, seen from the other:
 *   s = h (|u| + |Ω| R),      u and Ω the relative velocities where the smaller one is, R its size.
 * On the way, pairs are noticed that may have been in each other since the state before by more than a part of their thickness (fastPairs.ts).
 * This loop goes over all pairs of a robot in every step, so it is one function over flat memory.
 */
import { coreKind, coreSize, type SupportCore } from "../../geometry/index.ts";
import { bodyStateSize, poseSize } from "../../math/index.ts";
import { worldIndex } from "../../mechanism/index.ts";
import type { NearPairs } from "./nearPairs.ts";
import { frameSize, type ShapeMotion, spinSize } from "./shapeMotion.ts";

/** A kind of core that shapes have which are not bounded, or not convex. */
const noCore = 255;
/** Part of their thickness by which shapes may graze each other on their way. */
export const GRAZE = 0.5;

export class PairScan {
  /** Pairs of which no bound exceeds their ways, by their numbers in the list; and the bound of each by 3, or by 1 where there is none. */
  count = 0;
  pairs = new Int32Array(64);
  known = new Float64Array(64);
  /** Their relative ways. */
  ways = new Float64Array(64);
  /** Pairs that may have passed through themselves on the last way; and lower bounds of their distances where it began. */
  suspects = 0;
  suspected = new Int32Array(64);
  before = new Float64Array(64);

  private readonly body: Int32Array;
  private readonly size: Float64Array;
  private readonly thickness: Float64Array;
  // of each shape: the kind of its core, its half sizes and radius, and the radius of a ball that holds it
  private readonly kind: Uint8Array;
  private readonly halfX: Float64Array;
  private readonly halfY: Float64Array;
  private readonly halfZ: Float64Array;
  private readonly radius: Float64Array;
  private readonly ball: Float64Array;
  private readonly points: readonly Float64Array[];

  /** `size`: of each shape's farthest point from its origin; `thickness`: see fastPairs.ts. */
  constructor(
    cores: readonly (SupportCore | undefined)[],
    body: Int32Array,
    size: ArrayLike<number>,
    thickness: Float64Array,
  ) {
    this.body = body;
    this.thickness = thickness;
    // what has no end is not turned over a kilometre
    this.size = Float64Array.from(size, (value) => Math.min(value, 1e3));
    const numbers = (of: (core: SupportCore) => number): Float64Array =>
      Float64Array.from(cores, (core) => (core ? of(core) : Number.NaN));
    this.kind = Uint8Array.from(cores, (core) => core?.kind ?? noCore);
    this.halfX = numbers(({ x }) => x);
    this.halfY = numbers(({ y }) => y);
    this.halfZ = numbers(({ z }) => z);
    this.radius = numbers(({ radius }) => radius);
    this.ball = numbers((core) => coreSize(core) + core.radius);
    this.points = cores.map((core) => core?.points ?? new Float64Array(0));
  }

  /** With what shapes may go besides the ways that they have gone, and how much of that is no matter of speed. */
  run(near: NearPairs, motion: ShapeMotion, moves: Float64Array, margins: Float64Array): void {
    const { first, second, bound, direction, count } = near;
    const { kind, ball, radius, thickness } = this;
    const { travelled, travelledBefore, lastWay, frames, framed, now } = motion;
    if (this.pairs.length < count) this.grow(near.first.length);
    const { pairs, known, ways, suspected, before } = this;
    let found = 0;
    let suspects = 0;
    for (let i = 0; i < count; i++) {
      const a = first[i];
      const b = second[i];
      const gone = travelled[a] + travelled[b];
      const way = moves[a] + moves[b];
      if (bound[i] > gone + way) continue;
      const went = lastWay[a] + lastWay[b];
      const thick = Math.min(thickness[a], thickness[b]);
      const wasApart = bound[i] - travelledBefore[a] - travelledBefore[b];
      if (went > thick && !(wasApart + GRAZE * thick > went)) {
        before[suspects] = wasApart;
        suspected[suspects++] = i;
      }
      if (kind[a] === noCore || kind[b] === noCore) {
        this.relativeWay(motion, a, b, found);
        known[found] = bound[i] - gone;
        pairs[found++] = i;
        continue;
      }
      if (framed[a] !== now) motion.frame(a);
      if (framed[b] !== now) motion.frame(b);
      const p = frameSize * a;
      const q = frameSize * b;
      const dx = frames[q] - frames[p];
      const dy = frames[q + 1] - frames[p + 1];
      const dz = frames[q + 2] - frames[p + 2];
      const centres = Math.sqrt(dx * dx + dy * dy + dz * dz);
      const apart = centres - ball[a] - ball[b];
      if (apart > way) {
        bound[i] = apart + gone;
        continue;
      }

      // the direction in the world, and in both frames; from origin to origin where nothing is known yet
      const d = 3 * i;
      if (Number.isNaN(direction[d])) {
        const per = centres > 0 ? 1 / centres : 1;
        for (let k = 0; k < 3; k++)
          direction[d + k] = per * (frames[p + 3 + k] * dx + frames[p + 6 + k] * dy + frames[p + 9 + k] * dz);
      }
      const ax = direction[d];
      const ay = direction[d + 1];
      const az = direction[d + 2];
      const x = frames[p + 3] * ax + frames[p + 4] * ay + frames[p + 5] * az;
      const y = frames[p + 6] * ax + frames[p + 7] * ay + frames[p + 8] * az;
      const z = frames[p + 9] * ax + frames[p + 10] * ay + frames[p + 11] * az;
      along[0] = ax;
      along[1] = ay;
      along[2] = az;
      this.reachAlong(a);
      const ofA = along[3];
      along[0] = -(frames[q + 3] * x + frames[q + 6] * y + frames[q + 9] * z);
      along[1] = -(frames[q + 4] * x + frames[q + 7] * y + frames[q + 10] * z);
      along[2] = -(frames[q + 5] * x + frames[q + 8] * y + frames[q + 11] * z);
      this.reachAlong(b);
      const separation = x * dx + y * dy + z * dz - ofA - along[3] - radius[a] - radius[b];
      if (bound[i] < separation + gone) bound[i] = separation + gone;
      if (separation > way) continue;
      this.relativeWay(motion, a, b, found);
      if (separation > ways[found] + margins[a] + margins[b]) continue;
      known[found] = separation;
      pairs[found++] = i;
    }
    this.count = found;
    this.suspects = suspects;
  }

  /** Writes the relative way of a pair. */
  private relativeWay(motion: ShapeMotion, a: number, b: number, to: number): void {
    const { body, size } = this;
    const smaller = size[a] <= size[b] ? a : b;
    motion.place(smaller);
    relative.fill(0);
    this.addVelocity(motion, body[a], smaller, -1);
    this.addVelocity(motion, body[b], smaller, 1);
    const speed = Math.sqrt(relative[0] * relative[0] + relative[1] * relative[1] + relative[2] * relative[2]);
    const spin = Math.sqrt(relative[3] * relative[3] + relative[4] * relative[4] + relative[5] * relative[5]);
    this.ways[to] = motion.timestep * (speed + size[smaller] * spin);
  }

  /** Adds the velocity of a body where a shape is, and its angular velocity, to the relative ones. */
  private addVelocity(motion: ShapeMotion, body: number, shape: number, sign: number): void {
    if (body === worldIndex) return;
    motion.spin(body);
    const { spins, state, poses } = motion;
    const at = bodyStateSize * body;
    const s = spinSize * body;
    const p = poseSize * shape;
    const x = poses[p] - state[at];
    const y = poses[p + 1] - state[at + 1];
    const z = poses[p + 2] - state[at + 2];
    relative[0] += sign * (state[at + 7] + spins[s + 1] * z - spins[s + 2] * y);
    relative[1] += sign * (state[at + 8] + spins[s + 2] * x - spins[s] * z);
    relative[2] += sign * (state[at + 9] + spins[s] * y - spins[s + 1] * x);
    relative[3] += sign * spins[s];
    relative[4] += sign * spins[s + 1];
    relative[5] += sign * spins[s + 2];
  }

  /** h of a shape's core along the first three numbers, in its own frame, into the fourth. */
  private reachAlong(shape: number): void {
    const dx = Math.abs(along[0]);
    const dy = Math.abs(along[1]);
    const dz = Math.abs(along[2]);
    switch (this.kind[shape]) {
      case coreKind.point:
        along[3] = 0;
        return;
      case coreKind.segment:
        along[3] = this.halfZ[shape] * dz;
        return;
      case coreKind.box:
        along[3] = this.halfX[shape] * dx + this.halfY[shape] * dy + this.halfZ[shape] * dz;
        return;
      case coreKind.cylinder:
        along[3] = this.halfX[shape] * Math.sqrt(dx * dx + dy * dy) + this.halfZ[shape] * dz;
        return;
      case coreKind.ellipsoid: {
        const x = this.halfX[shape] * dx;
        const y = this.halfY[shape] * dy;
        const z = this.halfZ[shape] * dz;
        along[3] = Math.sqrt(x * x + y * y + z * z);
        return;
      }
      default:
        this.reachOfPoints(shape);
    }
  }

  private reachOfPoints(shape: number): void {
    const points = this.points[shape];
    let most = Number.NEGATIVE_INFINITY;
    for (let i = 0; i < points.length; i += 3) {
      const height = points[i] * along[0] + points[i + 1] * along[1] + points[i + 2] * along[2];
      if (height > most) most = height;
    }
    along[3] = most;
  }

  private grow(length: number): void {
    this.pairs = new Int32Array(length);
    this.known = new Float64Array(length);
    this.ways = new Float64Array(length);
    this.suspected = new Int32Array(length);
    this.before = new Float64Array(length);
  }
}

/** A direction, and h of it: numbers that functions hand each other are objects unless they lie in memory. */
const along = new Float64Array(4);
/** Velocity and angular velocity of one shape seen from another. */
const relative = new Float64Array(6);
