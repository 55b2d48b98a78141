/**
 * Where the shapes of a mechanism are, and how far they go.
 *   at a state                      poses, each computed when it is asked for
 *   where free flight ends          the same after a step at the velocities of the state: x + h v, q · (√(1 − ψᵀψ), ψ), ψ = h ω/2
 *   from state to state             the way that no point of a shape has exceeded, summed up over all states seen
 */
import { composePose, placementInto, placementSize } from "../../geometry/index.ts";
import { bodyStateSize, poseSize, stateOffsets } from "../../math/index.ts";
import { worldIndex } from "../../mechanism/index.ts";

export const spinSize = 3;
/** Way from which sums are begun again: what rounding does to them stays below a picometre. */
const mostTravelled = 1e3;
/** An angle θ ≤ π is at most c + k c³, c = 2 sin(θ/2) its chord: equal at π, and less than that below. */
const arcPerChord = (Math.PI / 2 - 1) / 4;

export class ShapeMotion {
  /** Poses of all shapes in the world at the state last given, where `at` has been asked for them; and where free flight ends. */
  readonly poses: Float64Array;
  readonly ends: Float64Array;
  /** The same poses as frames, where `frame` has been asked for them. */
  readonly frames: Float64Array;
  /** Angular velocities of bodies in the world, where `spin` has been asked for them. */
  readonly spins: Float64Array;
  /** No point of each shape has gone farther since the sums were begun; the same before the last way; and the last way, along its arcs. */
  readonly travelled: Float64Array;
  readonly travelledBefore: Float64Array;
  readonly lastWay: Float64Array;

  private readonly body: Int32Array;
  private readonly poseInBody: Float64Array;
  private readonly reach: Float64Array;
  /** What was last given. */
  state: Float64Array;
  timestep = 0;
  /** The state last gone to; how far the centres of bodies have gone, and turned. */
  private readonly last: Float64Array;
  private readonly gone: Float64Array;
  private readonly turned: Float64Array;
  /** Length of each body's last way, and an angle that it has not turned beyond. */
  private readonly straight: Float64Array;
  private readonly angle: Float64Array;
  /** Speeds and rates of turning of bodies at the state last gone to. */
  readonly speed: Float64Array;
  readonly spinning: Float64Array;
  /** Which state each pose is of; and which velocities spins and ends are of. */
  now = 1;
  private moving = 1;
  /** Whether poses are those of the state last gone to. */
  isThere = false;
  private readonly placed: Uint32Array;
  readonly framed: Uint32Array;
  private readonly ended: Uint32Array;
  private readonly spun: Uint32Array;
  private readonly end = new Float64Array(poseSize);

  /** `reach`: of each shape's farthest point from its body's origin. */
  constructor(bodies: number, body: Int32Array, poseInBody: Float64Array, reach: ArrayLike<number>) {
    this.body = body;
    this.poseInBody = poseInBody;
    // what has no end is not turned over a kilometre
    this.reach = Float64Array.from(reach, (value) => Math.min(value, 1e3));
    this.poses = poseInBody.slice();
    this.ends = poseInBody.slice();
    this.frames = new Float64Array(placementSize * body.length);
    this.travelled = new Float64Array(body.length);
    this.travelledBefore = new Float64Array(body.length);
    this.lastWay = new Float64Array(body.length);
    this.state = new Float64Array(0);
    this.last = new Float64Array(bodyStateSize * bodies).fill(Number.NaN);
    this.gone = new Float64Array(bodies);
    this.turned = new Float64Array(bodies);
    this.straight = new Float64Array(bodies);
    this.angle = new Float64Array(bodies);
    this.speed = new Float64Array(bodies);
    this.spinning = new Float64Array(bodies);
    this.spins = new Float64Array(spinSize * bodies);
    this.placed = new Uint32Array(body.length);
    this.framed = new Uint32Array(body.length);
    this.ended = new Uint32Array(body.length);
    this.spun = new Uint32Array(bodies);
  }

  /** Goes on to a state; false where what was known of ways no longer holds, and their sums begin again. */
  goTo(state: Float64Array, timestep = this.timestep): boolean {
    const { last, gone, turned, straight, angle, speed, spinning, travelled, travelledBefore, lastWay, body, reach } =
      this;
    this.state = state;
    this.timestep = timestep;
    this.moving = (this.moving + 1) >>> 0;
    this.now = (this.now + 1) >>> 0;
    this.isThere = true;
    let isKnown = true;
    for (let i = 0, at = 0; i < gone.length; i++, at += bodyStateSize) {
      const x = state[at] - last[at];
      const y = state[at + 1] - last[at + 1];
      const z = state[at + 2] - last[at + 2];
      const w = last[at + 3];
      const a = last[at + 4];
      const b = last[at + 5];
      const c = last[at + 6];
      const qw = state[at + 3];
      const qa = state[at + 4];
      const qb = state[at + 5];
      const qc = state[at + 6];
      // vector part of q* ⊗ q': half the chord of a point at distance one
      const ta = w * qa - a * qw - b * qc + c * qb;
      const tb = w * qb + a * qc - b * qw - c * qa;
      const tc = w * qc - a * qb + b * qa - c * qw;
      straight[i] = Math.sqrt(x * x + y * y + z * z);
      const chord = 2 * Math.sqrt(ta * ta + tb * tb + tc * tc);
      angle[i] = chord * (1 + arcPerChord * chord * chord);
      gone[i] += straight[i];
      turned[i] += chord;
      if (!(gone[i] + turned[i] < mostTravelled)) isKnown = false;
      speed[i] = lengthAt(state, at + stateOffsets.velocity);
      spinning[i] = lengthAt(state, at + stateOffsets.angularVelocity);
      for (let k = at; k < at + bodyStateSize; k++) last[k] = state[k];
    }
    if (!isKnown) {
      gone.fill(0);
      turned.fill(0);
    }
    for (let i = 0; i < body.length; i++) {
      const b = body[i];
      if (b === worldIndex) continue;
      lastWay[i] = straight[b] + reach[i] * angle[b];
      travelledBefore[i] = travelled[i];
      travelled[i] = gone[b] + reach[i] * turned[b];
    }
    return isKnown;
  }

  /** Whether a state is, in all its numbers, the one that was last gone to; then it takes the place of that. */
  isStill(state: Float64Array): boolean {
    const { last } = this;
    if (!this.isThere) return false;
    for (let k = 0; k < last.length; k++) if (state[k] !== last[k]) return false;
    this.state = state;
    return true;
  }

  /** Poses are of this state from here on. */
  look(state: Float64Array, timestep = this.timestep): void {
    this.state = state;
    this.timestep = timestep;
    this.now = (this.now + 1) >>> 0;
    this.moving = (this.moving + 1) >>> 0;
    this.isThere = false;
  }

  /** Computes the pose of a shape. */
  place(shape: number): void {
    const { body, poses, poseInBody, placed, now } = this;
    if (placed[shape] === now) return;
    placed[shape] = now;
    if (body[shape] === worldIndex) return;
    composePose(poses, poseSize * shape, this.state, bodyStateSize * body[shape], poseInBody, poseSize * shape);
  }

  /** Computes the pose of a shape as a frame. */
  frame(shape: number): void {
    const { framed, now, poses, frames } = this;
    if (framed[shape] === now) return;
    framed[shape] = now;
    this.place(shape);
    placementInto(frames, placementSize * shape, poses, poseSize * shape);
  }

  /** Computes the pose that a shape has where free flight ends. */
  placeEnd(shape: number): void {
    const { ended, moving } = this;
    if (ended[shape] === moving) return;
    ended[shape] = moving;
    this.fly(this.ends, poseSize * shape, shape, 1);
  }

  /** The pose that a shape has after this part of its free flight, at out[to …]. */
  fly(out: Float64Array, to: number, shape: number, part: number): void {
    const { body, poseInBody, state, end } = this;
    const h = part * this.timestep;
    if (body[shape] === worldIndex) {
      for (let k = 0; k < poseSize; k++) out[to + k] = poseInBody[poseSize * shape + k];
      return;
    }
    const at = bodyStateSize * body[shape];
    for (let k = 0; k < 3; k++) end[k] = state[at + k] + h * state[at + 7 + k];
    const w = state[at + 3];
    const x = state[at + 4];
    const y = state[at + 5];
    const z = state[at + 6];
    const a = (h / 2) * state[at + 10];
    const b = (h / 2) * state[at + 11];
    const c = (h / 2) * state[at + 12];
    const square = a * a + b * b + c * c;
    // what turns faster than a step can does not get beyond half a turn
    const r = Math.sqrt(Math.max(0, 1 - square));
    const scale = square > 1 ? 1 / Math.sqrt(square) : 1;
    end[3] = w * r - scale * (x * a + y * b + z * c);
    end[4] = x * r + scale * (w * a + y * c - z * b);
    end[5] = y * r + scale * (w * b - x * c + z * a);
    end[6] = z * r + scale * (w * c + x * b - y * a);
    composePose(out, to, end, 0, poseInBody, poseSize * shape);
  }

  /** Computes a body's angular velocity in the world. */
  spin(body: number): void {
    const { spins, state, spun, moving } = this;
    if (spun[body] === moving) return;
    spun[body] = moving;
    const at = bodyStateSize * body;
    const w = state[at + 3];
    const x = state[at + 4];
    const y = state[at + 5];
    const z = state[at + 6];
    const a = state[at + 10];
    const b = state[at + 11];
    const c = state[at + 12];
    const ta = 2 * (y * c - z * b);
    const tb = 2 * (z * a - x * c);
    const tc = 2 * (x * b - y * a);
    spins[spinSize * body] = a + w * ta + (y * tc - z * tb);
    spins[spinSize * body + 1] = b + w * tb + (z * ta - x * tc);
    spins[spinSize * body + 2] = c + w * tc + (x * tb - y * ta);
  }
}

/** Length of the three numbers from here on. */
export function lengthAt(values: Float64Array, at: number): number {
  const x = values[at];
  const y = values[at + 1];
  const z = values[at + 2];
  return Math.sqrt(x * x + y * y + z * z);
}
