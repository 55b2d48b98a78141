/**
 * Which of the pairs near by (nearPairs.ts) may come together on the ways that they go. Lower bounds of their distances, the cheapest first:
 *   1. the bound that is kept of the pair, less the ways that both have gone since;
 *   2. the distance of balls that hold the shapes;
 *   3. n·p − h_a(n) − h_b(−n), n the direction along which they were apart before, fixed in one shape or in the other, p from origin to origin,
 *      h how far a shape reaches.
 * What is found anew is kept. They are compared with what both may go, and the last one with the *relative way* of free flight, which no point
 * of the smaller shape exceeds, seen from the other:
 *   s = h (|u| + |Ω| R),      u and Ω the relative velocities where the smaller one is, R its size.
 * On the way, pairs are noticed that may have been in each other since the state before by more than a part of their thickness (fastPairs.ts).
 * This loop goes over all pairs of a robot in every step, so it is one function over flat memory.
 */
import { coreKind, coreSize, placementSize, reachAlong, type SupportCore } from "../../geometry/index.ts";
import { bodyStateSize, poseSize } from "../../math/index.ts";
import { worldIndex } from "../../mechanism/index.ts";
import { directionSize } from "./keptSeparation.ts";
import type { NearPairs } from "./nearPairs.ts";
import { type ShapeMotion, spinSize } from "./shapeMotion.ts";

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
  /** How far each has gone, and may go. */
  private readonly far: Float64Array;
  // of each shape: the kind of its core, its radius, and the radius of a ball that holds it
  private readonly kind: Uint8Array;
  private readonly radius: Float64Array;
  private readonly ball: Float64Array;
  // a core is a box with a rim about z, h(n) = X|x| + Y|y| + Z|z| + ρ √(x² + y²), unless it is one of those that `cores` has
  private readonly boxX: Float64Array;
  private readonly boxY: Float64Array;
  private readonly boxZ: Float64Array;
  private readonly rim: Float64Array;
  private readonly cores: readonly (SupportCore | undefined)[];

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
    this.radius = numbers(({ radius }) => radius);
    this.ball = numbers((core) => coreSize(core) + core.radius);
    this.boxX = numbers(({ kind, x }) => (kind === coreKind.box ? x : 0));
    this.boxY = numbers(({ kind, y }) => (kind === coreKind.box ? y : 0));
    this.boxZ = numbers(({ kind, z }) => (kind < coreKind.ellipsoid ? z : 0));
    this.rim = numbers(({ kind, x }) => (kind === coreKind.cylinder ? x : 0));
    this.cores = cores.map((core) => (core && core.kind >= coreKind.ellipsoid ? core : undefined));
    this.far = new Float64Array(body.length);
  }

  /** Runs with what shapes may go besides the ways that they have gone, and how much of that is no matter of speed. */
  run(near: NearPairs, motion: ShapeMotion, moves: Float64Array, margins: Float64Array): void {
    const { first, second, bound, direction, count } = near;
    const { kind, ball, thickness, far } = this;
    const { travelled, travelledBefore, lastWay, frames, framed, now } = motion;
    if (this.pairs.length < count) this.grow(near.first.length);
    const { pairs, known, ways, suspected, before } = this;
    let found = 0;
    let suspects = 0;
    for (let i = 0; i < far.length; i++) far[i] = travelled[i] + moves[i];
    for (let i = 0; i < count; i++) {
      const a = first[i];
      const b = second[i];
      if (bound[i] > far[a] + far[b]) continue;
      const gone = travelled[a] + travelled[b];
      const way = moves[a] + moves[b];
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
      const p = placementSize * a;
      const q = placementSize * b;
      const dx = frames[q] - frames[p];
      const dy = frames[q + 1] - frames[p + 1];
      const dz = frames[q + 2] - frames[p + 2];
      const square = dx * dx + dy * dy + dz * dz;
      const balls = ball[a] + ball[b];
      if (square > (way + balls) * (way + balls)) {
        bound[i] = Math.sqrt(square) - balls + gone;
        continue;
      }

      // from origin to origin where nothing is known yet
      const d = directionSize * i;
      if (Number.isNaN(direction[d])) {
        const per = square > 0 ? 1 / Math.sqrt(square) : 1;
        for (let k = 0; k < 3; k++) {
          direction[d + k] = per * (frames[p + 3 + k] * dx + frames[p + 6 + k] * dy + frames[p + 9 + k] * dz);
          direction[d + 3 + k] = per * (frames[q + 3 + k] * dx + frames[q + 6 + k] * dy + frames[q + 9 + k] * dz);
        }
      }
      this.separate(frames, a, b, p, direction, d);
      let separation = apart[0];
      if (separation > way) {
        bound[i] = separation + gone;
        continue;
      }
      this.relativeWay(motion, a, b, found);
      const reach = ways[found] + margins[a] + margins[b];
      if (!(separation > reach)) {
        this.separate(frames, a, b, q, direction, d + 3);
        if (apart[0] > separation) separation = apart[0];
      }
      if (bound[i] < separation + gone) bound[i] = separation + gone;
      if (separation > way || separation > reach) continue;
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
    setVelocity(motion, body[a], smaller, 0);
    setVelocity(motion, body[b], smaller, 6);
    const x = velocities[6] - velocities[0];
    const y = velocities[7] - velocities[1];
    const z = velocities[8] - velocities[2];
    const u = velocities[9] - velocities[3];
    const v = velocities[10] - velocities[4];
    const w = velocities[11] - velocities[5];
    const speed = Math.sqrt(x * x + y * y + z * z);
    this.ways[to] = motion.timestep * (speed + size[smaller] * Math.sqrt(u * u + v * v + w * w));
  }

  /** How far two shapes are apart along the vector at direction[d …], which is fixed in the frame at f, into `apart`. */
  private separate(frames: Float64Array, a: number, b: number, f: number, direction: Float64Array, d: number): void {
    const { boxX, boxY, boxZ, rim, kind, radius } = this;
    const x = frames[f + 3] * direction[d] + frames[f + 4] * direction[d + 1] + frames[f + 5] * direction[d + 2];
    const y = frames[f + 6] * direction[d] + frames[f + 7] * direction[d + 1] + frames[f + 8] * direction[d + 2];
    const z = frames[f + 9] * direction[d] + frames[f + 10] * direction[d + 1] + frames[f + 11] * direction[d + 2];
    const p = placementSize * a;
    const q = placementSize * b;
    let along = x * (frames[q] - frames[p]) + y * (frames[q + 1] - frames[p + 1]) + z * (frames[q + 2] - frames[p + 2]);
    along -= radius[a] + radius[b];
    // the vector in both frames
    const u = frames[p + 3] * x + frames[p + 6] * y + frames[p + 9] * z;
    const v = frames[p + 4] * x + frames[p + 7] * y + frames[p + 10] * z;
    const w = frames[p + 5] * x + frames[p + 8] * y + frames[p + 11] * z;
    const r = frames[q + 3] * x + frames[q + 6] * y + frames[q + 9] * z;
    const s = frames[q + 4] * x + frames[q + 7] * y + frames[q + 10] * z;
    const t = frames[q + 5] * x + frames[q + 8] * y + frames[q + 11] * z;
    along -= boxX[a] * Math.abs(u) + boxY[a] * Math.abs(v) + boxZ[a] * Math.abs(w);
    along -= boxX[b] * Math.abs(r) + boxY[b] * Math.abs(s) + boxZ[b] * Math.abs(t);
    if (rim[a] > 0) along -= rim[a] * Math.sqrt(u * u + v * v);
    if (rim[b] > 0) along -= rim[b] * Math.sqrt(r * r + s * s);
    if (kind[a] >= coreKind.ellipsoid) along -= reachAlong(this.cores[a] as SupportCore, u, v, w);
    if (kind[b] >= coreKind.ellipsoid) along -= reachAlong(this.cores[b] as SupportCore, -r, -s, -t);
    apart[0] = along;
  }

  private grow(length: number): void {
    this.pairs = new Int32Array(length);
    this.known = new Float64Array(length);
    this.ways = new Float64Array(length);
    this.suspected = new Int32Array(length);
    this.before = new Float64Array(length);
  }
}

/** A distance: numbers that functions hand each other are objects unless they lie in memory. */
const apart = new Float64Array(1);
/** Velocities and angular velocities of two bodies where a shape is. */
const velocities = new Float64Array(12);

/** Writes those of one at velocities[to …]. */
function setVelocity(motion: ShapeMotion, body: number, shape: number, to: number): void {
  if (body === worldIndex) {
    velocities.fill(0, to, to + 6);
    return;
  }
  motion.spin(body);
  const { spins, state, poses } = motion;
  const at = bodyStateSize * body;
  const s = spinSize * body;
  const p = poseSize * shape;
  const x = poses[p] - state[at];
  const y = poses[p + 1] - state[at + 1];
  const z = poses[p + 2] - state[at + 2];
  velocities[to] = state[at + 7] + spins[s + 1] * z - spins[s + 2] * y;
  velocities[to + 1] = state[at + 8] + spins[s + 2] * x - spins[s] * z;
  velocities[to + 2] = state[at + 9] + spins[s] * y - spins[s + 1] * x;
  velocities[to + 3] = spins[s];
  velocities[to + 4] = spins[s + 1];
  velocities[to + 5] = spins[s + 2];
}
