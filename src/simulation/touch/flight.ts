/**
 * When shapes meet while their bodies move evenly, by conservative advancement on their true distances.
 *   at part s of the way                  x + s d,   exp(s θ) q      d, θ of each body, in the world
 *   along a unit vector n that stays      shapes are no farther apart than they are, and come together per s no faster than
 *                                         n·(d_a − d_b) + |θ_a × n| r_a + |θ_b × n| r_b,      r how far a shape reaches from its body
 * so that they may go on by what they are apart over that, and are looked at again there. Of terrain, which is not convex, no direction
 * says anything: there it is |d_a − d_b| + |θ_a| r_a + |θ_b| r_b.
 * Their *relative way*, which no point of the smaller shape exceeds, seen from the other body a: with c its origin, on the body b, R its size and
 * u = d_b + θ_b × (c − x_b) − d_a − θ_a × (c − x_a) where the way begins,
 *   |u| + |θ_b − θ_a| R + ½ (|θ_b|² |c − x_b| + |θ_a| (|d_b − d_a| + |θ_b| |c − x_b|))
 * of which the last is what u may change by on the way.
 */
import { composePose, placementBetween, placementSize, signedDistance, witnessSize } from "../../geometry/index.ts";
import { bodyStateSize, poseSize, stateOffsets } from "../../math/index.ts";
import { worldIndex } from "../../mechanism/index.ts";
import { keptSeparation } from "./keptSeparation.ts";
import { lengthAt } from "./shapeMotion.ts";
import type { ShapeTable } from "./shapeTable.ts";

/** Looks at a pair on its way. Steps converge as Newton's do unless bodies turn much; who gets no farther is taken to meet. */
const mostLooks = 64;
/** The same where only a direction is followed that may tell nothing. */
const clearLooks = 4;

type FlyingShapes = Pick<ShapeTable, "shapes" | "cores" | "body" | "poseInBody" | "reach" | "size">;

export class Flight {
  private readonly all: FlyingShapes;
  /** The bodies' state where the way begins, and their d and θ. */
  private state: Float64Array = new Float64Array(0);
  private readonly ways: Float64Array;
  /** The state where it ends; none in free flight for a time h. Which bodies' d and θ are known, 1 or 0. */
  private end: Float64Array | undefined;
  private h = 0;
  private readonly known: Uint8Array;
  /** A point in the world; what it goes, and turns, seen from another body; and how far origins go, seen from each other. */
  private readonly centre = new Float64Array(3);
  private readonly relative = new Float64Array(9);
  /** Poses of the two bodies and shapes that are looked at. */
  private readonly bodies = new Float64Array(2 * poseSize);
  private readonly poses = new Float64Array(2 * poseSize);
  private readonly between = new Float64Array(placementSize);
  private readonly witness = new Float64Array(witnessSize);
  /** The direction from the first shape to the second, in the world, and in the first one's frame. */
  private readonly normal = new Float64Array(3);
  private readonly along = new Float64Array(3);

  constructor(bodies: number, all: FlyingShapes) {
    this.all = all;
    this.ways = new Float64Array(6 * bodies);
    this.known = new Uint8Array(bodies);
  }

  /** The way of a time at the velocities of a state. */
  fly(state: Float64Array, h: number): void {
    this.state = state;
    this.end = undefined;
    this.h = h;
    this.known.fill(0);
  }

  /** The way from a state to another. */
  goBetween(from: Float64Array, to: Float64Array): void {
    this.state = from;
    this.end = to;
    this.known.fill(0);
  }

  /** Finds d and θ of a body, unless they are known. */
  private know(body: number): void {
    const { ways, state, end, known, h } = this;
    if (known[body] === 1) return;
    known[body] = 1;
    const at = bodyStateSize * body;
    const to = 6 * body;
    if (!end) {
      const v = at + stateOffsets.velocity;
      const spin = at + stateOffsets.angularVelocity;
      for (let k = 0; k < 3; k++) ways[to + k] = h * state[v + k];
      turnInto(ways, to + 3, state, at + 3, h * state[spin], h * state[spin + 1], h * state[spin + 2]);
      return;
    }
    for (let k = 0; k < 3; k++) ways[to + k] = end[at + k] - state[at + k];
    const q = at + stateOffsets.orientation;
    const pw = state[q];
    const px = state[q + 1];
    const py = state[q + 2];
    const pz = state[q + 3];
    const qw = end[q];
    const qx = end[q + 1];
    const qy = end[q + 2];
    const qz = end[q + 3];
    // q* ⊗ q', the shorter way round
    const w0 = pw * qw + px * qx + py * qy + pz * qz;
    const sign = w0 < 0 ? -1 : 1;
    const x = sign * (pw * qx - px * qw - py * qz + pz * qy);
    const y = sign * (pw * qy + px * qz - py * qw - pz * qx);
    const z = sign * (pw * qz - px * qy + py * qx - pz * qw);
    const sine = Math.sqrt(x * x + y * y + z * z);
    const perSine = sine > 0 ? (2 * Math.atan2(sine, sign * w0)) / sine : 2;
    turnInto(ways, to + 3, state, q, perSine * x, perSine * y, perSine * z);
  }

  /** How far no point of a shape goes. */
  wayOf(shape: number): number {
    const { body, reach } = this.all;
    const i = body[shape];
    if (i === worldIndex) return 0;
    this.know(i);
    return this.length(6 * i) + Math.min(reach[shape], 1e3) * this.length(6 * i + 3);
  }

  /** How far no point of the smaller of two shapes goes, seen from the other. */
  relativeWay(first: number, second: number): number {
    const { size, body, poseInBody } = this.all;
    const { state, ways, centre, relative } = this;
    const own = size[first] < size[second] ? first : second;
    const other = own === first ? second : first;
    const a = body[other];
    const b = body[own];
    for (let k = 0; k < 3; k++) centre[k] = poseInBody[poseSize * own + k];
    relative.fill(0);
    let arm = 0;
    let spin = 0;
    if (b !== worldIndex) {
      this.know(b);
      arm = Math.sqrt(centre[0] * centre[0] + centre[1] * centre[1] + centre[2] * centre[2]);
      spin = this.length(6 * b + 3);
      const at = bodyStateSize * b;
      turnInto(centre, 0, state, at + stateOffsets.orientation, centre[0], centre[1], centre[2]);
      for (let k = 0; k < 3; k++) centre[k] += state[at + k];
      this.addVelocity(b, 1);
    }
    for (let k = 0; k < 3; k++) relative[6 + k] = b === worldIndex ? 0 : ways[6 * b + k];
    let otherSpin = 0;
    if (a !== worldIndex) {
      this.know(a);
      otherSpin = this.length(6 * a + 3);
      this.addVelocity(a, -1);
      for (let k = 0; k < 3; k++) relative[6 + k] -= ways[6 * a + k];
    }
    const change = spin * spin * arm + otherSpin * (lengthAt(relative, 6) + spin * arm);
    return lengthAt(relative, 0) + lengthAt(relative, 3) * Math.min(size[own], 1e3) + change / 2;
  }

  /** Adds what the point `centre` of a body goes at first, and what the body turns, to the relative ones. */
  private addVelocity(body: number, sign: number): void {
    const { state, ways, centre, relative } = this;
    const at = bodyStateSize * body;
    const w = 6 * body;
    const x = centre[0] - state[at];
    const y = centre[1] - state[at + 1];
    const z = centre[2] - state[at + 2];
    relative[0] += sign * (ways[w] + ways[w + 4] * z - ways[w + 5] * y);
    relative[1] += sign * (ways[w + 1] + ways[w + 5] * x - ways[w + 3] * z);
    relative[2] += sign * (ways[w + 2] + ways[w + 3] * y - ways[w + 4] * x);
    for (let k = 3; k < 6; k++) relative[k] += sign * ways[w + k];
  }

  /**
   * The part of the way at which two shapes come nearer than `target`, at most `slack` too late; ∞ where they do not. The pair is left
   * as it is there.
   */
  meeting(a: number, b: number, target: number, slack: number): number {
    for (let look = 0, s = 0; look < mostLooks; look++) {
      const distance = this.distanceAt(a, b, s);
      if (!(distance > target)) return s;
      const closing = this.closing(a, b);
      if (!(closing * (1 - s) > distance - target)) return Number.POSITIVE_INFINITY;
      s += (distance - target + slack) / closing;
      if (s >= 1) return Number.POSITIVE_INFINITY;
      if (look === mostLooks - 1) return s;
    }
    return Number.POSITIVE_INFINITY;
  }

  /**
   * Whether two shapes come no nearer than `target`, as far as the directions tell that are kept of them (keptSeparation.ts); true only if
   * `meeting` finds nothing.
   */
  staysClear(a: number, b: number, target: number, direction: Float64Array, at: number): boolean {
    const { poses, between, normal, along } = this;
    const own = this.all.cores[a];
    const other = this.all.cores[b];
    if (!own || !other) return false;
    for (let look = 0, s = 0; look < clearLooks; look++) {
      this.placeBoth(a, b, s);
      const apart = keptSeparation(own, other, between, direction, at, along) - target;
      if (!(apart > 0)) return false;
      turnInto(normal, 0, poses, stateOffsets.orientation, along[0], along[1], along[2]);
      const closing = this.closing(a, b);
      if (!(closing * (1 - s) > apart)) return true;
      s += apart / closing;
    }
    return false;
  }

  private placeBoth(a: number, b: number, s: number): void {
    const { poses } = this;
    this.place(a, 0, s);
    this.place(b, 1, s);
    placementBetween(this.between, poses, 0, poses, poseSize);
  }

  /** The distance of two shapes at part s of the way. */
  distanceAt(a: number, b: number, s: number): number {
    const { poses, between, witness, normal } = this;
    const { shapes } = this.all;
    this.placeBoth(a, b, s);
    const distance = signedDistance(shapes[a], shapes[b], between, witness);
    turnInto(normal, 0, poses, stateOffsets.orientation, witness[6], witness[7], witness[8]);
    return distance;
  }

  /** How far the nearest points of the pair last looked at come together along their normal, if they go on as there for a whole way. */
  get approach(): number {
    const { witness, poses, normal, all, bodies } = this;
    const point = new Float64Array(3);
    turnInto(point, 0, poses, stateOffsets.orientation, witness[0], witness[1], witness[2]);
    let sum = 0;
    for (let side = 0; side < 2; side++) {
      const i = this.pair[side];
      const body = all.body[i];
      if (body === worldIndex) continue;
      const [w, o] = [6 * body, poseSize * side];
      const [x, y, z] = [0, 1, 2].map((k) => point[k] + poses[k] - bodies[o + k]);
      const { ways } = this;
      const along =
        normal[0] * (ways[w] + ways[w + 4] * z - ways[w + 5] * y) +
        normal[1] * (ways[w + 1] + ways[w + 5] * x - ways[w + 3] * z) +
        normal[2] * (ways[w + 2] + ways[w + 3] * y - ways[w + 4] * x);
      sum += side === 0 ? along : -along;
    }
    return sum;
  }

  private readonly pair = new Int32Array(2);

  /** No faster than this the pair comes together, per whole way. */
  private closing(a: number, b: number): number {
    const { ways, normal } = this;
    const { body, cores } = this.all;
    const isConvex = cores[a] !== undefined && cores[b] !== undefined;
    let x = 0;
    let y = 0;
    let z = 0;
    let turning = 0;
    for (let side = 0; side < 2; side++) {
      const shape = side === 0 ? a : b;
      if (body[shape] === worldIndex) continue;
      const w = 6 * body[shape];
      const sign = side === 0 ? 1 : -1;
      x += sign * ways[w];
      y += sign * ways[w + 1];
      z += sign * ways[w + 2];
      const turn = isConvex ? this.across(w + 3) : this.length(w + 3);
      turning += turn * this.arm(shape);
    }
    const straight = isConvex ? normal[0] * x + normal[1] * y + normal[2] * z : Math.sqrt(x * x + y * y + z * z);
    return straight + turning;
  }

  /** What turning can bring along of a shape: not the radius about its points. */
  private arm(shape: number): number {
    const { cores, reach } = this.all;
    return Math.max(0, Math.min(reach[shape], 1e3) - (cores[shape]?.radius ?? 0));
  }

  /** |θ × n|. */
  private across(at: number): number {
    const { ways, normal } = this;
    const x = ways[at + 1] * normal[2] - ways[at + 2] * normal[1];
    const y = ways[at + 2] * normal[0] - ways[at] * normal[2];
    const z = ways[at] * normal[1] - ways[at + 1] * normal[0];
    return Math.sqrt(x * x + y * y + z * z);
  }

  private length(at: number): number {
    return lengthAt(this.ways, at);
  }

  /** Puts a shape and its body where they are at part s of the way. */
  private place(shape: number, side: number, s: number): void {
    const { body, poseInBody } = this.all;
    const { bodies, poses, ways, state } = this;
    const i = body[shape];
    const o = poseSize * side;
    this.pair[side] = shape;
    if (i === worldIndex) {
      for (let k = 0; k < poseSize; k++) poses[o + k] = poseInBody[poseSize * shape + k];
      return;
    }
    this.know(i);
    const at = bodyStateSize * i;
    const w = 6 * i;
    for (let k = 0; k < 3; k++) bodies[o + k] = state[at + k] + s * ways[w + k];
    const angle = s * this.length(w + 3);
    const sinc = angle > 0 ? (s * Math.sin(angle / 2)) / angle : s / 2;
    const rw = Math.cos(angle / 2);
    const rx = sinc * ways[w + 3];
    const ry = sinc * ways[w + 4];
    const rz = sinc * ways[w + 5];
    const qw = state[at + 3];
    const qx = state[at + 4];
    const qy = state[at + 5];
    const qz = state[at + 6];
    bodies[o + 3] = rw * qw - rx * qx - ry * qy - rz * qz;
    bodies[o + 4] = rw * qx + rx * qw + ry * qz - rz * qy;
    bodies[o + 5] = rw * qy - rx * qz + ry * qw + rz * qx;
    bodies[o + 6] = rw * qz + rx * qy - ry * qx + rz * qw;
    composePose(poses, o, bodies, o, poseInBody, poseSize * shape);
  }
}

/** Writes the vector (x, y, z) turned by the unit quaternion at q[at …]. */
function turnInto(out: Float64Array, to: number, q: Float64Array, at: number, x: number, y: number, z: number): void {
  const w = q[at];
  const a = q[at + 1];
  const b = q[at + 2];
  const c = q[at + 3];
  const tx = 2 * (b * z - c * y);
  const ty = 2 * (c * x - a * z);
  const tz = 2 * (a * y - b * x);
  out[to] = x + w * tx + (b * tz - c * ty);
  out[to + 1] = y + w * ty + (c * tx - a * tz);
  out[to + 2] = z + w * tz + (a * ty - b * tx);
}
