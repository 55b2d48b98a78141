/**
 * Bodies that are far from everything, in free flight: they hardly count for the units of a step (units.ts), so that what falls out of the world
 * loosens nothing that rests. A body is far where balls about it and about all else, grown by what both can go in some steps, do not meet. Bodies
 * that fly but will soon meet something count in full: the units of a pile on which others rain down are better for it.
 */
import { boundingBoxInto } from "../../geometry/index.ts";
import { bodyStateSize, poseSize, stateOffsets } from "../../math/index.ts";
import { type Mechanism, type MechanismTouch, worldIndex } from "../../mechanism/index.ts";
import { boxSize, type ShapeTable, shapeTable } from "../touch/shapeTable.ts";
import { looseBodies } from "./components.ts";

/** The number of steps of the mechanism's length in which something must be within reach to be near; in a part of a step too. */
const horizon = 20;
/** How much a far body counts: less than all others, and enough that its own balance is not solved to rounding. */
const farShare = 1e-3;
/** How many bodies may be so in one step. */
const mostFar = 32;

export class FarBodies {
  private readonly touch: MechanismTouch;
  private readonly loose: readonly boolean[];
  private readonly speed: Float64Array;
  private readonly timestep: number;
  /** How far each body's shapes reach from its origin; −1 where none touch. Made when first asked for. */
  private reach: Float64Array | undefined;
  /** Shapes of the world: boxes about those that end, and half-spaces, as unit normal and offset. */
  private boxes = new Float64Array(0);
  private planes = new Float64Array(0);

  constructor(mechanism: Mechanism, touch: MechanismTouch) {
    this.touch = touch;
    this.timestep = mechanism.timestep;
    this.loose = looseBodies(mechanism);
    this.speed = new Float64Array(this.loose.length);
  }

  /**
   * Writes how much each body of a state counts. `matters`: speeds up to this one make no difference anyway. The fastest comes first, and the
   * first one that is not far is the one that counts, so that many bodies cost no more than a few. Where all are far, all count.
   */
  weigh(
    share: Float64Array,
    f64: Float64Array,
    state: number,
    gyration: Float64Array,
    h: number,
    matters: number,
  ): void {
    const { loose, speed } = this;
    const time = horizon * Math.max(h, this.timestep);
    for (let i = 0; i < loose.length; i++) {
      const at = state + bodyStateSize * i;
      const turning = norm(f64, at + stateOffsets.angularVelocity) * gyration[i];
      speed[i] = norm(f64, at + stateOffsets.velocity) + turning;
      share[i] = 1;
    }
    for (let far = 0; ; far++) {
      const next = this.fastest(share, matters);
      if (next < 0) {
        if (far === loose.length) share.fill(1);
        return;
      }
      if (far === mostFar || !loose[next]) return;
      const reach = this.reach ?? this.measure();
      if (!this.isFar(next, reach, f64, state, time)) return;
      share[next] = farShare;
    }
  }

  /** The fastest body that counts in full, if it is faster than this; −1 otherwise. */
  private fastest(share: Float64Array, least: number): number {
    const { speed } = this;
    let found = -1;
    for (let i = 0; i < speed.length; i++) {
      if (share[i] === 1 && speed[i] > (found < 0 ? least : speed[found])) found = i;
    }
    return found;
  }

  private isFar(i: number, reach: Float64Array, f64: Float64Array, state: number, time: number): boolean {
    const { speed, boxes, planes } = this;
    const at = state + bodyStateSize * i;
    const own = reach[i];
    if (own < 0) return true;
    const far = own + time * speed[i];
    for (let j = 0; j < speed.length; j++) {
      if (j === i || reach[j] < 0) continue;
      const there = state + bodyStateSize * j;
      const both = far + reach[j] + time * speed[j];
      if (!(distance(f64, at, there) > both)) return false;
    }
    for (let k = 0; k < planes.length; k += 4) {
      const height = planes[k] * f64[at] + planes[k + 1] * f64[at + 1] + planes[k + 2] * f64[at + 2] - planes[k + 3];
      if (!(height > far)) return false;
    }
    for (let k = 0; k < boxes.length; k += boxSize) {
      let square = 0;
      for (let axis = 0; axis < 3; axis++) {
        const x = f64[at + axis];
        square += Math.max(boxes[k + axis] - x, x - boxes[k + 3 + axis], 0) ** 2;
      }
      if (!(square > far * far)) return false;
    }
    return true;
  }

  private measure(): Float64Array {
    const table = shapeTable(this.touch);
    const reach = new Float64Array(this.loose.length).fill(-1);
    const boxes: number[] = [];
    const planes: number[] = [];
    table.body.forEach((body, i) => {
      if (body !== worldIndex) reach[body] = Math.max(reach[body], table.reach[i]);
      else if (table.shapes[i].kind === "halfSpace") planes.push(...planeOf(table, i));
      else boxes.push(...boxOf(table, i));
    });
    this.reach = reach;
    this.boxes = Float64Array.from(boxes);
    this.planes = Float64Array.from(planes);
    return reach;
  }
}

function boxOf({ shapes, poseInBody }: ShapeTable, i: number): Float64Array {
  const box = new Float64Array(boxSize);
  boundingBoxInto(box, 0, shapes[i], poseInBody, poseSize * i, 0);
  return box;
}

/** Normal and offset of a half-space, solid where z ≤ 0 of its frame. */
function planeOf({ poseInBody }: ShapeTable, i: number): number[] {
  const [px, py, pz, w, x, y, z] = poseInBody.subarray(poseSize * i, poseSize * (i + 1));
  const normal = [2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)];
  return [...normal, normal[0] * px + normal[1] * py + normal[2] * pz];
}

function norm(values: Float64Array, at: number): number {
  return Math.sqrt(values[at] ** 2 + values[at + 1] ** 2 + values[at + 2] ** 2);
}

function distance(values: Float64Array, a: number, b: number): number {
  return Math.sqrt(
    (values[a] - values[b]) ** 2 + (values[a + 1] - values[b + 1]) ** 2 + (values[a + 2] - values[b + 2]) ** 2,
  );
}
