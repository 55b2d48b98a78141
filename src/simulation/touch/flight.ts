/**
 * When shapes meet while their bodies move evenly, by conservative advancement on their true distances.
 *   at part s of the way                  x + s d,   exp(s θ) q      d, θ of each body, in the world
 *   along a unit vector n that stays      shapes are no farther apart than they are, and come together per s no faster than
 *                                         n·(d_a − d_b) + |θ_a × n| r_a + |θ_b × n| r_b,      r how far a shape reaches from its body
 * so that they may go on by what they are apart over that, and are looked at again there. Of terrain, which is not convex, no direction
 * says anything: there it is |d_a − d_b| + |θ_a| r_a + |θ_b| r_b.
 */

import type { TouchShape as PreparedShape, SupportCore } from "../../geometry/index.ts";
import { composePose, placementBetween, placementSize, signedDistance, witnessSize } from "../../geometry/index.ts";
import { bodyStateSize, poseSize, stateOffsets } from "../../math/index.ts";
import { worldIndex } from "../../mechanism/index.ts";

/** Looks at a pair on its way. Steps converge as Newton's do unless bodies turn much; who gets no farther is taken to meet. */
const mostLooks = 64;

/** What is known of shapes, one entry each. */
export interface FlyingShapes {
  readonly shapes: readonly PreparedShape[];
  /** Cores of bounded convex shapes. */
  readonly cores: readonly (SupportCore | undefined)[];
  readonly body: Int32Array;
  readonly poseInBody: Float64Array;
  /** Farthest point from the body's origin. */
  readonly reach: Float64Array;
}

export class Flight {
  private readonly all: FlyingShapes;
  /** Of bodies: the state where the way begins, and d and θ. */
  private state: Float64Array = new Float64Array(0);
  private readonly ways: Float64Array;
  /** Poses of the two bodies and shapes that are looked at. */
  private readonly bodies = new Float64Array(2 * poseSize);
  private readonly poses = new Float64Array(2 * poseSize);
  private readonly between = new Float64Array(placementSize);
  private readonly witness = new Float64Array(witnessSize);
  /** The direction from the first shape to the second, in the world. */
  private readonly normal = new Float64Array(3);

  constructor(bodies: number, all: FlyingShapes) {
    this.all = all;
    this.ways = new Float64Array(6 * bodies);
  }

  /** The way of a time at the velocities of a state. */
  fly(state: Float64Array, h: number): void {
    const { ways } = this;
    this.state = state;
    for (let at = 0, w = 0; w < ways.length; at += bodyStateSize, w += 6) {
      for (let k = 0; k < 3; k++) ways[w + k] = h * state[at + stateOffsets.velocity + k];
      const spin = at + stateOffsets.angularVelocity;
      turnInto(
        ways,
        w + 3,
        state,
        at + stateOffsets.orientation,
        h * state[spin],
        h * state[spin + 1],
        h * state[spin + 2],
      );
    }
  }

  /** The way from a state to another. */
  goBetween(from: Float64Array, to: Float64Array): void {
    const { ways } = this;
    this.state = from;
    for (let at = 0, w = 0; w < ways.length; at += bodyStateSize, w += 6) {
      for (let k = 0; k < 3; k++) ways[w + k] = to[at + k] - from[at + k];
      const q = at + stateOffsets.orientation;
      const [pw, px, py, pz] = [from[q], from[q + 1], from[q + 2], from[q + 3]];
      const [qw, qx, qy, qz] = [to[q], to[q + 1], to[q + 2], to[q + 3]];
      // q* ⊗ q', the shorter way round
      const w0 = pw * qw + px * qx + py * qy + pz * qz;
      const sign = w0 < 0 ? -1 : 1;
      const x = sign * (pw * qx - px * qw - py * qz + pz * qy);
      const y = sign * (pw * qy + px * qz - py * qw - pz * qx);
      const z = sign * (pw * qz - px * qy + py * qx - pz * qw);
      const sine = Math.sqrt(x * x + y * y + z * z);
      const perSine = sine > 0 ? (2 * Math.atan2(sine, sign * w0)) / sine : 2;
      turnInto(ways, w + 3, from, q, perSine * x, perSine * y, perSine * z);
    }
  }

  /** How far no point of a shape goes. */
  wayOf(shape: number): number {
    const { body, reach } = this.all;
    const i = body[shape];
    return i === worldIndex ? 0 : this.length(6 * i) + Math.min(reach[shape], 1e3) * this.length(6 * i + 3);
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

  /** The distance of two shapes at part s of the way. */
  distanceAt(a: number, b: number, s: number): number {
    const { poses, between, witness, normal } = this;
    const { shapes } = this.all;
    this.place(a, 0, s);
    this.place(b, 1, s);
    placementBetween(between, poses, 0, poses, poseSize);
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
    let [x, y, z] = [0, 0, 0];
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
    const { ways } = this;
    return Math.sqrt(ways[at] * ways[at] + ways[at + 1] * ways[at + 1] + ways[at + 2] * ways[at + 2]);
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
    const at = bodyStateSize * i;
    const w = 6 * i;
    for (let k = 0; k < 3; k++) bodies[o + k] = state[at + k] + s * ways[w + k];
    const angle = s * this.length(w + 3);
    const sinc = angle > 0 ? (s * Math.sin(angle / 2)) / angle : s / 2;
    const [rw, rx, ry, rz] = [Math.cos(angle / 2), sinc * ways[w + 3], sinc * ways[w + 4], sinc * ways[w + 5]];
    const [qw, qx, qy, qz] = [state[at + 3], state[at + 4], state[at + 5], state[at + 6]];
    bodies[o + 3] = rw * qw - rx * qx - ry * qy - rz * qz;
    bodies[o + 4] = rw * qx + rx * qw + ry * qz - rz * qy;
    bodies[o + 5] = rw * qy - rx * qz + ry * qw + rz * qx;
    bodies[o + 6] = rw * qz + rx * qy - ry * qx + rz * qw;
    composePose(poses, o, bodies, o, poseInBody, poseSize * shape);
  }
}

/** Writes the vector (x, y, z) turned by the unit quaternion at q[at …]. */
function turnInto(out: Float64Array, to: number, q: Float64Array, at: number, x: number, y: number, z: number): void {
  const [w, a, b, c] = [q[at], q[at + 1], q[at + 2], q[at + 3]];
  const tx = 2 * (b * z - c * y);
  const ty = 2 * (c * x - a * z);
  const tz = 2 * (a * y - b * x);
  out[to] = x + w * tx + (b * tz - c * ty);
  out[to + 1] = y + w * ty + (c * tx - a * tz);
  out[to + 2] = z + w * tz + (a * ty - b * tx);
}
