/**
 * Finds what can touch. At the start of a step: boxes around shapes, grown by what the step can do, give pairs; the narrow phase gives the
 * features of every pair that can come together. At its end: the true distances of all pairs whose boxes meet there.
 *
 * How far two shapes may come together in the step, before anything is known of the impulses that will act on them:
 *   s + m      s their relative way at the velocities of now (shapeMotion.ts), m = |g| h² + a part of the size of each that moves.
 * Of a pair that comes to stand more than m apart at the velocities of now, and does no more than graze itself on the way there, nothing
 * is bound: with δ and δ₊ its distances at the beginning and at the end of that way, where
 *   δ > m,   δ₊ > m   and   δ + δ₊ + ρ > s,
 * ρ the radius of the largest ball about the origin of either shape that the shape holds. Distances change no faster than points move,
 * depths neither, so it is never in itself by more than ρ/2. Where the last of these does not hold, the way is halved, and it is asked of
 * both halves, with the distance in the middle; and once more.
 * Steps that keep points for gradients have four times as large an m: there contacts act at a distance.
 * What motors and other bodies do besides is seen at the end, where pairs that have crossed give their features to the next solve.
 *
 * Pairs that are known to be too far apart are not looked at (nearPairs.ts, pairScan.ts). Along any direction shapes are no farther apart
 * than they are: with the one along which they were apart before, two support points tell of most others.
 */
import { gapParameter } from "../../equations/index.ts";
import {
  BroadPhase,
  boundingBoxInto,
  canTouch,
  carryFeature,
  coreOf,
  FeatureList,
  featureAt,
  featureKinds,
  featureNumber,
  featureStride,
  findFeatures,
  type TouchShape as PreparedShape,
  placeDirection,
  placementBetween,
  placementOf,
  placementSize,
  prepareShape,
  type SupportCore,
  signedDistance,
  witnessSize,
} from "../../geometry/index.ts";
import { poseSize } from "../../math/index.ts";
import { type MechanismTouch, touchFilter, worldIndex } from "../../mechanism/index.ts";
import { FastPairs, thicknessOf } from "./fastPairs.ts";
import { Flight } from "./flight.ts";
import type { FoundFeatures } from "./foundFeatures.ts";
import { holdRim, isSameHalf } from "./heldRim.ts";
import { innerRadius } from "./innerRadius.ts";
import { directionSize, keepDirection, keptSeparation } from "./keptSeparation.ts";
import { turnToMoving } from "./movingSide.ts";
import { NearPairs } from "./nearPairs.ts";
import { PairScan } from "./pairScan.ts";
import { ShapeMotion } from "./shapeMotion.ts";

/** Part of a shape's size that it may move besides what speeds and weight tell: with four times as much, A1 has twice as many features. */
const MARGIN = 2.5e-4;
/** How much farther than others steps look that are differentiated. */
const FAR = 4;
/** Depth that passes, as a part of the smaller shape's size: what rounding leaves of distances. */
const ROUNDING = 1e-9;

/**
 * Part of the depth by which features that are taken from the end of a step are held apart from the second time on: the rim of a can that
 * rolls has left the point that was held by a fourth of the depth before.
 */
const AHEAD = 0.5;

/** How much farther the features of a pair that has crossed are looked for, per solve. */
const FARTHER = 3;
/** Solves after which they are not looked for any farther. */
const mostFarther = 4;

/** How often the way of a pair is halved to see that it only grazes itself. */
const halvings = 2;

const boxSize = 6;

export class TouchSearch {
  /** Pairs of shapes whose true distance was below zero at the end of the last solve, and the deepest of them, m. */
  crossed = 0;
  deepest = 0;
  /** The deepest as a part of the smaller shape's size. */
  deepestPart = 0;
  /** Whether m is four times as much: at the κ of gradients, contacts act at a distance. */
  looksFar = false;
  /** Whether rims that have crossed a plane are held at their lowest points in any case. */
  holdsRims = false;
  /** Whether a pair that was given features last could pass through itself in the step. */
  isFast = false;
  private readonly fast: FastPairs;

  private readonly shapes: readonly PreparedShape[];
  /** Cores of bounded convex shapes. */
  private readonly cores: readonly (SupportCore | undefined)[];
  /** Placement of every shape in its body, as a matrix; undefined where they share a frame. */
  private readonly placements: readonly (Float64Array | undefined)[];
  private readonly body: Int32Array;
  /** Farthest point of each shape from its body's origin, and its own size; infinite for half-spaces. */
  private readonly reach: Float64Array;
  private readonly size: Float64Array;
  /** Radius of a ball that the shape holds. */
  private readonly core: Float64Array;
  /** How far each may move, and what part of that is no matter of speed. */
  private readonly moves: Float64Array;
  /** The same where the step began. */
  private readonly startMoves: Float64Array;
  private readonly margins: Float64Array;
  private readonly motion: ShapeMotion;
  private readonly broad: BroadPhase;
  private readonly near: NearPairs;
  private readonly scan: PairScan;
  /** Whether the scan is of the state that was last gone to, and for which steps from there: their length, gravity, and by what m is multiplied. */
  private isScanned = false;
  private timestep = 0;
  private gravity = 0;
  private margin = 1;
  private readonly between = new Float64Array(placementSize);
  /** The same of a pair that has crossed, where the step starts. */
  private readonly start = new Float64Array(placementSize);
  private readonly betweenEnds = new Float64Array(placementSize);
  private readonly along = new Float64Array(3);
  private readonly flying = new Float64Array(2 * poseSize);
  private readonly witness = new Float64Array(witnessSize);
  private readonly list = new FeatureList();
  /** Pairs that have crossed. */
  private readonly pairs: number[] = [];

  constructor(touch: MechanismTouch) {
    const { shapes } = touch;
    const { mayTouch } = touchFilter(touch);
    this.shapes = shapes.map(({ form }) => prepareShape(form));
    this.cores = this.shapes.map((shape) =>
      shape.kind === "halfSpace" || shape.kind === "heightField" ? undefined : coreOf(shape),
    );
    this.body = Int32Array.from(shapes, ({ body }) => body);
    const poseInBody = Float64Array.from(shapes.flatMap(({ position, orientation }) => [...position, ...orientation]));
    this.placements = shapes.map(({ form }, i) =>
      form.position || form.orientation
        ? placementOf(new Float64Array(placementSize), poseInBody, poseSize * i)
        : undefined,
    );
    this.moves = new Float64Array(shapes.length);
    this.startMoves = new Float64Array(shapes.length);
    this.margins = new Float64Array(shapes.length);
    const box = new Float64Array(boxSize);
    const extent = (i: number, poses: ArrayLike<number>, at: number): number => {
      if (this.isHalfSpace(i)) return Number.POSITIVE_INFINITY;
      boundingBoxInto(box, 0, this.shapes[i], poses, at, 0);
      return Math.hypot(...[0, 1, 2].map((k) => Math.max(Math.abs(box[k]), Math.abs(box[k + 3]))));
    };
    const identity = [0, 0, 0, 1, 0, 0, 0];
    this.reach = Float64Array.from(shapes, (_, i) => extent(i, poseInBody, poseSize * i));
    this.size = Float64Array.from(shapes, (_, i) => extent(i, identity, 0));
    this.core = Float64Array.from(this.shapes, innerRadius);
    const bodies = this.body.reduce((most, body) => Math.max(most, body + 1), 0);
    this.motion = new ShapeMotion(bodies, this.body, poseInBody, this.reach);
    const isHalfSpace = (i: number): boolean => this.isHalfSpace(i);
    const may = (a: number, b: number): boolean =>
      canTouch(this.shapes[a].kind, this.shapes[b].kind) && mayTouch(shapes[a], shapes[b]);
    this.broad = new BroadPhase(shapes.length, { isHalfSpace, mayTouch: may });
    this.near = new NearPairs(this.broad, shapes.length, isHalfSpace, may);
    const thickness = Float64Array.from(this.shapes, thicknessOf);
    this.scan = new PairScan(this.cores, this.body, this.size, thickness);
    const { body, cores, reach, size } = this;
    const flight = new Flight(bodies, { shapes: this.shapes, cores, body, poseInBody, reach, size });
    this.fast = new FastPairs(flight, thickness, this.near, this.motion, this.scan);
  }

  private isHalfSpace(i: number): boolean {
    return this.shapes[i].kind === "halfSpace";
  }

  /** Features that can touch in a step of length h from the state, under gravity of this strength. */
  find(state: Float64Array, h: number, gravity: number, out: FoundFeatures): void {
    out.clear();
    this.isFast = false;
    const margin = this.looksFar ? FAR : 1;
    if (h !== this.timestep || gravity !== this.gravity || margin !== this.margin) {
      this.timestep = h;
      this.gravity = gravity;
      this.margin = margin;
      this.isScanned = false;
    }
    this.scanAt(state);
    const { scan, moves, startMoves } = this;
    for (let i = 0; i < moves.length; i++) startMoves[i] = moves[i];
    for (let k = 0; k < scan.count; k++) this.findNear(k, out);
  }

  /**
   * Finds the pairs that may come together in a step from this state. Where a step ends the next one begins as a rule: what was found there is
   * not looked for again.
   */
  private scanAt(state: Float64Array): void {
    const { moves, margins, motion, near } = this;
    if (this.isScanned && motion.isStill(state)) return;
    this.isScanned = true;
    if (!motion.goTo(state, this.timestep)) near.clear();
    this.setMoves();
    if (!near.holds(motion.travelled, moves)) this.listNear();
    this.scan.run(near, motion, moves, margins);
  }

  private setMoves(): void {
    const { moves, margins, body, reach, size, timestep: h, margin, gravity } = this;
    const { speed, spinning } = this.motion;
    const weight = (margin * gravity * h * h) / 2;
    for (let i = 0; i < moves.length; i++) {
      margins[i] = moves[i] = weight;
      const b = body[i];
      if (b === worldIndex) continue;
      margins[i] += margin * MARGIN * Math.min(size[i], 1e3);
      moves[i] = h * (speed[b] + spinning[b] * Math.min(reach[i], 1e3)) + margins[i];
    }
  }

  /** All pairs that can meet in this step and the next ones. */
  private listNear(): void {
    const { near, motion } = this;
    near.widen(this.moves, motion.lastWay);
    this.box(near.width);
    near.take(motion.travelled);
  }

  /** Features of one of the pairs that the scan has found, unless it stays apart. */
  private findNear(k: number, out: FoundFeatures): void {
    const { margins, scan } = this;
    const i = scan.pairs[k];
    const a = this.near.first[i];
    const b = this.near.second[i];
    const way = scan.ways[k];
    const margin = margins[a] + margins[b];
    // what is kept of others may be far from what is
    let known = this.cores[a] && this.cores[b] ? scan.known[k] : Number.NEGATIVE_INFINITY;
    this.placePair(a, b);
    const graze = Math.min(this.core[a], this.core[b]);
    if (!(Math.abs(known) <= margin)) {
      // by what is known of it, or else by what is: shapes do not overlap, unless their direction is an old one
      if (this.staysApart(i, a, b, known, margin, graze, way)) return;
      known = this.look(i, a, b);
      if (known > way + margin || this.staysApart(i, a, b, known, margin, graze, way)) return;
      if (this.staysApart(-1, a, b, known, margin, graze, way)) return;
      this.findPair(a, b, way + margin, 0, out);
      this.isFast ||= this.fast.isFast(a, b, way);
      return;
    }
    const before = out.count;
    const least = this.findPair(a, b, way + margin, 0, out);
    if (least === Number.POSITIVE_INFINITY || this.staysApart(-1, a, b, least, margin, graze, way)) out.count = before;
    else this.isFast ||= this.fast.isFast(a, b, way);
  }

  /** Whether a pair that is at least so far apart stays apart in free flight: as far as its direction tells, or truly where i is −1. */
  private staysApart(
    i: number,
    a: number,
    b: number,
    distance: number,
    margin: number,
    graze: number,
    way: number,
  ): boolean {
    if (!(distance > margin)) return false;
    const { motion } = this;
    motion.placeEnd(a);
    motion.placeEnd(b);
    placementBetween(this.betweenEnds, motion.ends, poseSize * a, motion.ends, poseSize * b);
    const atEnd = this.apartOnTheWay(i, a, b);
    return atEnd > margin && this.onlyGrazes(i, a, b, 0, distance, 1, atEnd, graze, way, halvings);
  }

  /** The same of a part of the way, at both ends of which distances are known. */
  private onlyGrazes(
    i: number,
    a: number,
    b: number,
    from: number,
    distance: number,
    to: number,
    atEnd: number,
    graze: number,
    way: number,
    depth: number,
  ): boolean {
    if (distance + atEnd + graze > (to - from) * way) return true;
    if (depth === 0) return false;
    const { motion, flying } = this;
    const middle = (from + to) / 2;
    motion.fly(flying, 0, a, middle);
    motion.fly(flying, poseSize, b, middle);
    placementBetween(this.betweenEnds, flying, 0, flying, poseSize);
    const apart = this.apartOnTheWay(i, a, b);
    return (
      this.onlyGrazes(i, a, b, from, distance, middle, apart, graze, way, depth - 1) &&
      this.onlyGrazes(i, a, b, middle, apart, to, atEnd, graze, way, depth - 1)
    );
  }

  /**
   * How far apart a pair is that is placed on its way, at least along its direction, or truly where i is −1. Below the rim of terrain and
   * beyond it there is nothing to be apart from, and nothing follows for the way there.
   */
  private apartOnTheWay(i: number, a: number, b: number): number {
    if (i < 0) {
      const distance = signedDistance(this.shapes[a], this.shapes[b], this.betweenEnds);
      return distance < Number.POSITIVE_INFINITY ? distance : Number.NEGATIVE_INFINITY;
    }
    const own = this.cores[a];
    const other = this.cores[b];
    if (!own || !other) return Number.NEGATIVE_INFINITY;
    return keptSeparation(own, other, this.betweenEnds, this.near.direction, directionSize * i, this.along);
  }

  /**
   * Adds features of pairs that overlap by more than rounding where the step ends: those that are farther away where it starts, or, if
   * there are no others, those that they have at the end. Returns how many pairs overlap. `round` counts the solves before.
   */
  addCrossed(state: Float64Array, next: Float64Array, round: number, out: FoundFeatures): number {
    const { startMoves: moves, pairs, motion } = this;
    this.check(next);
    const reach = FARTHER ** Math.min(round, mostFarther);
    for (let k = 0; k < 2 * this.crossed; k += 2) {
      const [a, b] = [pairs[k], pairs[k + 1]];
      const before = out.count;
      motion.look(state);
      this.placePair(a, b);
      this.findPair(a, b, reach * (moves[a] + moves[b] + this.deepest), 0, out, true);
      if (out.count > before) continue;
      this.start.set(this.between);
      motion.look(next);
      this.placePair(a, b);
      const depth = -signedDistance(this.shapes[a], this.shapes[b], this.between);
      this.findPair(a, b, 0, round, out);
      if (round > 1) for (let i = before; i < out.count; i++) widen(out, i, AHEAD * depth);
    }
    return this.crossed;
  }

  /** Finds which pairs overlap where a step has ended, and how deep. */
  check(next: Float64Array): void {
    const { near, pairs, scan } = this;
    this.crossed = this.deepest = this.deepestPart = 0;
    this.scanAt(next);
    for (let k = 0; k < scan.count; k++) {
      if (scan.known[k] > 0) continue;
      const i = scan.pairs[k];
      const a = near.first[i];
      const b = near.second[i];
      this.placePair(a, b);
      const distance = this.look(i, a, b);
      scan.known[k] = distance;
      if (distance > 0) continue;
      this.deepest = Math.max(this.deepest, -distance);
      this.deepestPart = Math.max(this.deepestPart, -distance / Math.min(1, this.size[a], this.size[b]));
      if (!(distance < -this.tolerance(a, b))) continue;
      pairs[2 * this.crossed] = a;
      pairs[2 * this.crossed + 1] = b;
      this.crossed++;
    }
  }

  /** Both poses, and the placement between them. */
  private placePair(a: number, b: number): void {
    const { motion } = this;
    motion.place(a);
    motion.place(b);
    placementBetween(this.between, motion.poses, poseSize * a, motion.poses, poseSize * b);
  }

  /** The distance of pair i, which is placed; it and its direction are kept. */
  private look(i: number, a: number, b: number): number {
    const { witness, near, shapes } = this;
    const distance = signedDistance(shapes[a], shapes[b], this.between, witness);
    keepDirection(near.direction, directionSize * i, this.between, witness, 6);
    this.keep(i, a, b, distance);
    return distance;
  }

  /** Keeps a lower bound of a distance. The ways of what has no end are not known. */
  private keep(i: number, a: number, b: number, distance: number): void {
    const { travelled } = this.motion;
    const { bound } = this.near;
    if (this.hasWay(a) && this.hasWay(b)) bound[i] = Math.max(bound[i], distance + travelled[a] + travelled[b]);
  }

  private hasWay(shape: number): boolean {
    return this.cores[shape] !== undefined || this.body[shape] === worldIndex;
  }

  /** Adds the features of pairs that overlap at this state, as they are there; returns how many pairs do. */
  addOverlaps(state: Float64Array, round: number, out: FoundFeatures): number {
    const { pairs } = this;
    this.check(state);
    for (let k = 0; k < 2 * this.crossed; k += 2) {
      this.placePair(pairs[k], pairs[k + 1]);
      this.findPair(pairs[k], pairs[k + 1], 0, round, out);
    }
    return this.crossed;
  }

  /** Before where a step ends is looked at: its way began here. */
  beginWay(from: Float64Array): void {
    this.goBack(from);
    this.scan.suspects = 0;
  }

  /** After that: how deep shapes have been that have passed through each other on the way (fastPairs.ts), m. */
  depthPassed(from: Float64Array, to: Float64Array): number {
    return this.scan.suspects === 0 ? 0 : this.fast.depthPassed(from, to);
  }

  /** Where to cut a time from a state, in which something fast is met; 0 for nowhere. */
  firstCut(state: Float64Array, h: number): number {
    this.goBack(state);
    return this.fast.firstCut(state, h);
  }

  /** Bounds of distances are those at this state from here on. */
  private goBack(state: Float64Array): void {
    const { motion, near } = this;
    // the array that was last gone to has not changed since: this is within a step
    if ((motion.isThere && motion.state === state) || motion.isStill(state)) return;
    this.isScanned = false;
    if (!motion.goTo(state)) near.clear();
  }

  /** Depths of all pairs that overlap by more than rounding, and the directions, in the world, along which the second leaves the first. */
  visitOverlaps(state: Float64Array, visit: (a: number, b: number, depth: number, normal: Float64Array) => void): void {
    const { pairs, witness, motion } = this;
    this.check(state);
    const normal = new Float64Array(3);
    const turn = new Float64Array(placementSize);
    for (let k = 0; k < 2 * this.crossed; k += 2) {
      const [a, b] = [pairs[k], pairs[k + 1]];
      this.placePair(a, b);
      const depth = -signedDistance(this.shapes[a], this.shapes[b], this.between, witness);
      placeDirection(normal, 0, placementOf(turn, motion.poses, poseSize * a), witness, 6);
      visit(a, b, depth, normal);
    }
  }

  /** True distances of all pairs that are nearer to each other than a limit, in the order of their shapes. */
  visitNear(state: Float64Array, limit: number, visit: (a: number, b: number, distance: number) => void): void {
    const { broad, moves, motion, near } = this;
    moves.fill(Math.max(0, limit) / 2);
    this.isScanned = false;
    motion.look(state);
    near.clear();
    this.box(moves);
    for (let i = 0; i < broad.count; i++) {
      const [a, b] = [broad.first[i], broad.second[i]];
      this.placePair(a, b);
      const distance = signedDistance(this.shapes[a], this.shapes[b], this.between);
      if (distance < limit) visit(a, b, distance);
    }
  }

  /** What rounding leaves of the distance of two shapes. */
  private tolerance(a: number, b: number): number {
    return ROUNDING * Math.min(1, this.size[a], this.size[b]);
  }

  /** Pairs of boxes around all shapes, so much wider than they are. */
  private box(width: Float64Array): void {
    const { shapes, broad, motion } = this;
    const { poses } = motion;
    for (let i = 0; i < shapes.length; i++) {
      motion.place(i);
      if (!this.isHalfSpace(i)) {
        boundingBoxInto(broad.bounds, boxSize * i, shapes[i], poses, poseSize * i, width[i]);
        continue;
      }
      // its outward normal, z of its frame, and offset
      const at = poseSize * i;
      const [w, x, y, z] = [poses[at + 3], poses[at + 4], poses[at + 5], poses[at + 6]];
      const normal = boxSize * i;
      broad.bounds[normal] = 2 * (x * z + w * y);
      broad.bounds[normal + 1] = 2 * (y * z - w * x);
      broad.bounds[normal + 2] = 1 - 2 * (x * x + y * y);
      let offset = width[i];
      for (let k = 0; k < 3; k++) offset += broad.bounds[normal + k] * poses[at + k];
      broad.bounds[normal + 3] = offset;
    }
    broad.update();
  }

  /** Whether a round part that has gone into a plane will not do so if it is a feature: one that does not swing over (heldRim.ts), and was none yet. */
  private isRimEnough(a: number, b: number, i: number, out: FoundFeatures): boolean {
    const { list } = this;
    const [own, other] = list.side[i] === 0 ? [a, b] : [b, a];
    if (this.shapes[own].kind !== "cylinder") return true;
    if (this.holdsRims) return false;
    return isSameHalf(list, i, this.start, this.between) && !isThere(out, own, other, list.key[i]);
  }

  /** Features of one pair, which is placed, into the frames of bodies; returns the gap of the nearest, be it tentative, or ∞. */
  private findPair(a: number, b: number, reach: number, round: number, out: FoundFeatures, onlyNew = false): number {
    const { list, shapes, placements, body, between } = this;
    list.clear();
    findFeatures(shapes[a], shapes[b], between, reach, list);
    let least = Number.POSITIVE_INFINITY;
    for (let i = 0; i < list.count; i++) {
      least = Math.min(least, list.distance[i]);
      // planes between corners are bound only where the shapes have crossed: they would stop what passes by
      if (round === 0 && list.tentative[i] === 1) continue;
      if (round > 0 && list.kind[i] === featureNumber.roundPlane && !this.isRimEnough(a, b, i, out))
        holdRim(list, i, between);
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
    return least;
  }
}

/** Takes this much away from the gap of a feature; round parts are what they are wherever they turn. */
function widen(found: FoundFeatures, i: number, by: number): void {
  if (found.kind[i] === featureNumber.roundPlane) return;
  const kind = featureKinds[found.kind[i]];
  found.values[i * featureStride + featureAt[kind][gapParameter(kind)]] += by;
}

/** Whether a feature of this identity was found at the start of the step. */
function isThere(found: FoundFeatures, own: number, other: number, key: number): boolean {
  for (let i = 0; i < found.count; i++) {
    if (found.bodyShape[i] !== own || found.otherShape[i] !== other) continue;
    if (found.key[i] === key && found.round[i] === 0) return true;
  }
  return false;
}
