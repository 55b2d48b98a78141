/**
 * Finds what can touch. At the start of a step: boxes around shapes, grown by what the step can do, give pairs; the narrow phase gives the
 * features of every pair that can come together. At its end: the true distances of all pairs whose boxes meet there.
 *
 * How far a shape may move in the step, before anything is known of the impulses that will act on it:
 *   h (|v| + |ω| R) + 2 |g| h² + a margin,      R its farthest point from its body's centre of mass.
 * What motors and other bodies do besides is seen at the end, where pairs that have crossed give their features to the next solve.
 */
import {
  BroadPhase,
  boundingBoxInto,
  canTouch,
  carryFeature,
  composePose,
  FeatureList,
  featureStride,
  findFeatures,
  type TouchShape as PreparedShape,
  placementBetween,
  placementOf,
  placementSize,
  poseSize,
  prepareShape,
  signedDistance,
} from "../../geometry/index.ts";
import { bodyStateSize, type MechanismTouch, touchFilter, worldIndex } from "../../mechanism/index.ts";
import type { FoundFeatures } from "./foundFeatures.ts";
import { turnToMoving } from "./movingSide.ts";

/** Part of a shape's size that it may move besides what speeds and weight tell. */
const MARGIN = 1e-3;
/** Depth that passes, as a part of the smaller shape's size: what rounding leaves of distances. */
const ROUNDING = 1e-9;

/** How much farther the features of a pair that has crossed are looked for, per solve. */
const FARTHER = 3;

const boxSize = 6;

export class TouchSearch {
  /** Pairs of shapes whose true distance was below zero at the end of the last solve, and the deepest of them, m. */
  crossed = 0;
  deepest = 0;

  private readonly shapes: readonly PreparedShape[];
  /** Placement of every shape in its body, as a pose and as a matrix; undefined where they share a frame. */
  private readonly poseInBody: Float64Array;
  private readonly placements: readonly (Float64Array | undefined)[];
  private readonly body: Int32Array;
  /** Farthest point of each shape from its body's origin, and its own size; infinite for half-spaces. */
  private readonly reach: Float64Array;
  private readonly size: Float64Array;
  private readonly poses: Float64Array;
  /** How far each may move. */
  private readonly moves: Float64Array;
  private readonly broad: BroadPhase;
  private readonly between = new Float64Array(placementSize);
  private readonly list = new FeatureList();
  /** Pairs that have crossed. */
  private readonly pairs: number[] = [];

  constructor(touch: MechanismTouch) {
    const { shapes } = touch;
    const { mayTouch } = touchFilter(touch);
    this.shapes = shapes.map(({ form }) => prepareShape(form));
    this.body = Int32Array.from(shapes, ({ body }) => body);
    this.poseInBody = Float64Array.from(shapes.flatMap(({ position, orientation }) => [...position, ...orientation]));
    this.placements = shapes.map(({ form }, i) =>
      form.position || form.orientation
        ? placementOf(new Float64Array(placementSize), this.poseInBody, poseSize * i)
        : undefined,
    );
    this.poses = this.poseInBody.slice();
    this.moves = new Float64Array(shapes.length);
    const box = new Float64Array(boxSize);
    const extent = (i: number, poses: ArrayLike<number>, at: number): number => {
      if (this.isHalfSpace(i)) return Number.POSITIVE_INFINITY;
      boundingBoxInto(box, 0, this.shapes[i], poses, at, 0);
      return Math.hypot(...[0, 1, 2].map((k) => Math.max(Math.abs(box[k]), Math.abs(box[k + 3]))));
    };
    const identity = [0, 0, 0, 1, 0, 0, 0];
    this.reach = Float64Array.from(shapes, (_, i) => extent(i, this.poseInBody, poseSize * i));
    this.size = Float64Array.from(shapes, (_, i) => extent(i, identity, 0));
    this.broad = new BroadPhase(shapes.length, {
      isHalfSpace: (i) => this.isHalfSpace(i),
      mayTouch: (a, b) => canTouch(this.shapes[a].kind, this.shapes[b].kind) && mayTouch(shapes[a], shapes[b]),
    });
  }

  private isHalfSpace(i: number): boolean {
    return this.shapes[i].kind === "halfSpace";
  }

  /** Features that can touch in a step of length h from the state, under gravity of this strength. */
  find(state: Float64Array, h: number, gravity: number, out: FoundFeatures): void {
    const { broad, moves, body } = this;
    out.clear();
    for (let i = 0; i < moves.length; i++) {
      const at = bodyStateSize * body[i];
      const size = Math.min(this.size[i], 1e3);
      moves[i] =
        body[i] === worldIndex
          ? 0
          : h * (lengthAt(state, at + 7) + lengthAt(state, at + 10) * Math.min(this.reach[i], 1e3)) +
            2 * gravity * h * h +
            MARGIN * size;
    }
    this.place(state);
    this.box(true);
    broad.update();
    for (let i = 0; i < broad.count; i++) {
      const [a, b] = [broad.first[i], broad.second[i]];
      this.findPair(a, b, moves[a] + moves[b], 0, out);
    }
  }

  /**
   * Adds features of pairs that overlap by more than rounding where the step ends: those that are farther away where it starts, or, if
   * there are no others, those that they have at the end. Returns how many pairs overlap. `round` counts the solves before.
   */
  addCrossed(state: Float64Array, next: Float64Array, round: number, out: FoundFeatures): number {
    const { broad, moves, pairs } = this;
    this.survey(next, 0);
    if (this.crossed === 0) return 0;
    let count = 0;
    for (let i = 0; i < broad.count; i++) {
      const [a, b] = [broad.first[i], broad.second[i]];
      if (!(this.distanceOf(a, b) < -this.tolerance(a, b))) continue;
      pairs[count++] = a;
      pairs[count++] = b;
    }
    const reach = FARTHER ** round;
    for (let k = 0; k < count; k += 2) {
      const [a, b] = [pairs[k], pairs[k + 1]];
      const before = out.count;
      this.place(state);
      this.findPair(a, b, reach * (moves[a] + moves[b] + this.deepest), 0, out, true);
      if (out.count > before) continue;
      this.place(next);
      this.findPair(a, b, 0, round, out);
    }
    return this.crossed;
  }

  /** Adds the features of pairs that overlap at this state, as they are there; returns how many pairs do. */
  addOverlaps(state: Float64Array, round: number, out: FoundFeatures): number {
    const { broad } = this;
    this.survey(state, 0);
    for (let i = 0; i < broad.count; i++) {
      const [a, b] = [broad.first[i], broad.second[i]];
      if (this.distanceOf(a, b) < -this.tolerance(a, b)) this.findPair(a, b, 0, round, out);
    }
    return this.crossed;
  }

  /** True distances of all pairs whose boxes meet at this state, to `visit` where they are below a limit. */
  survey(state: Float64Array, limit: number, visit?: (a: number, b: number, distance: number) => void): void {
    const { broad } = this;
    this.crossed = this.deepest = 0;
    this.place(state);
    this.box(false);
    broad.update();
    for (let i = 0; i < broad.count; i++) {
      const [a, b] = [broad.first[i], broad.second[i]];
      const distance = this.distanceOf(a, b);
      this.deepest = Math.max(this.deepest, -distance);
      if (distance < -this.tolerance(a, b)) this.crossed++;
      if (visit && distance < limit) visit(a, b, distance);
    }
  }

  /** True distances of all pairs that are nearer to each other than a limit, in the order of their shapes. */
  visitNear(state: Float64Array, limit: number, visit: (a: number, b: number, distance: number) => void): void {
    const { broad } = this;
    this.moves.fill(limit / 2);
    this.place(state);
    this.box(true);
    broad.update();
    for (let i = 0; i < broad.count; i++) {
      const [a, b] = [broad.first[i], broad.second[i]];
      const distance = this.distanceOf(a, b);
      if (distance < limit) visit(a, b, distance);
    }
  }

  /** What rounding leaves of the distance of two shapes. */
  private tolerance(a: number, b: number): number {
    return ROUNDING * Math.min(1, this.size[a], this.size[b]);
  }

  private distanceOf(a: number, b: number): number {
    placementBetween(this.between, this.poses, poseSize * a, this.poses, poseSize * b);
    return signedDistance(this.shapes[a], this.shapes[b], this.between);
  }

  /** Poses of all shapes in the world. */
  private place(state: Float64Array): void {
    const { poses, body, poseInBody } = this;
    for (let i = 0; i < body.length; i++) {
      if (body[i] !== worldIndex)
        composePose(poses, poseSize * i, state, bodyStateSize * body[i], poseInBody, poseSize * i);
    }
  }

  /** Boxes of all shapes, grown by what they may move if so. */
  private box(grown: boolean): void {
    const { poses, shapes, moves, broad } = this;
    for (let i = 0; i < shapes.length; i++) {
      if (!this.isHalfSpace(i)) {
        boundingBoxInto(broad.bounds, boxSize * i, shapes[i], poses, poseSize * i, grown ? moves[i] : 0);
        continue;
      }
      // its outward normal, z of its frame, and offset
      const at = poseSize * i;
      const [w, x, y, z] = [poses[at + 3], poses[at + 4], poses[at + 5], poses[at + 6]];
      const normal = boxSize * i;
      broad.bounds[normal] = 2 * (x * z + w * y);
      broad.bounds[normal + 1] = 2 * (y * z - w * x);
      broad.bounds[normal + 2] = 1 - 2 * (x * x + y * y);
      let offset = grown ? moves[i] : 0;
      for (let k = 0; k < 3; k++) offset += broad.bounds[normal + k] * poses[at + k];
      broad.bounds[normal + 3] = offset;
    }
  }

  /** Features of one pair, into the frames of bodies. */
  private findPair(a: number, b: number, reach: number, round: number, out: FoundFeatures, onlyNew = false): void {
    const { list, shapes, poses, placements, body, between } = this;
    list.clear();
    placementBetween(between, poses, poseSize * a, poses, poseSize * b);
    findFeatures(shapes[a], shapes[b], between, reach, list);
    for (let i = 0; i < list.count; i++) {
      // planes between corners are bound only where the shapes have crossed: they would stop what passes by
      if (round === 0 && list.tentative[i] === 1) continue;
      // what meets a moving body from the world is turned round
      if (body[list.side[i] === 0 ? a : b] === worldIndex) turnToMoving(list, i, between);
      const isA = list.side[i] === 0;
      const [own, other] = isA ? [a, b] : [b, a];
      if (onlyNew && isThere(out, own, other, list.key[i])) continue;
      carryFeature(list, i, placements[own], placements[other]);
      const at = out.add();
      out.kind[at] = list.kind[i];
      out.bodyShape[at] = own;
      out.otherShape[at] = other;
      out.body[at] = body[own];
      out.other[at] = body[other];
      out.key[at] = list.key[i];
      out.round[at] = round;
      out.distance[at] = list.distance[i];
      for (let k = 0; k < featureStride; k++) out.values[at * featureStride + k] = list.values[i * featureStride + k];
    }
  }
}

/** Whether a feature of this identity was found at the start of the step. */
function isThere(found: FoundFeatures, own: number, other: number, key: number): boolean {
  for (let i = 0; i < found.count; i++) {
    if (found.bodyShape[i] !== own || found.otherShape[i] !== other) continue;
    if (found.key[i] === key && found.round[i] === 0) return true;
  }
  return false;
}

function lengthAt(values: Float64Array, at: number): number {
  return Math.hypot(values[at], values[at + 1], values[at + 2]);
}
