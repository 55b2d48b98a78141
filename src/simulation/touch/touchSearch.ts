/**
 * Finds what can touch. At the start of a step: boxes around shapes, grown by what the step can do, give pairs; the narrow phase gives the
 * features of every pair that can come together. At its end: the true distances of all pairs whose boxes meet there.
 *
 * How far two shapes may come together in the step, before anything is known of the impulses that will act on them:
 *   s + m      s their relative way at the velocities of now (shapeMotion.ts), m = |g| h² + a part of the size of each that moves.
 * Of a pair that comes to stand more than m apart at the velocities of now, and does no more than graze itself on the way there (grazing.ts),
 * nothing is bound.
 * Steps that keep points for gradients have four times as large an m: there contacts act at a distance.
 * What motors and other bodies do besides is seen at the end, where pairs that have crossed give their features to the next solve.
 *
 * Pairs that are known to be too far apart are not looked at (nearPairs.ts, pairScan.ts). Along any direction shapes are no farther apart
 * than they are: with the one along which they were apart before, two support points tell of most others.
 */
import {
  BroadPhase,
  canTouch,
  placeDirection,
  placementBetween,
  placementOf,
  placementSize,
} from "../../geometry/index.ts";
import { poseSize } from "../../math/index.ts";
import { type MechanismTouch, touchFilter, worldIndex } from "../../mechanism/index.ts";
import { FastPairs, thicknessOf } from "./fastPairs.ts";
import { Flight } from "./flight.ts";
import type { FoundFeatures } from "./foundFeatures.ts";
import { Grazing } from "./grazing.ts";
import { KeptCorners, RESTING } from "./keptCorners.ts";
import { NearPairs } from "./nearPairs.ts";
import { PairFeatures, widen } from "./pairFeatures.ts";
import { PairScan } from "./pairScan.ts";
import { PlacedPair } from "./placedPair.ts";
import { boxShapes } from "./shapeBoxes.ts";
import { ShapeMotion } from "./shapeMotion.ts";
import { type ShapeTable, shapeTable } from "./shapeTable.ts";

/** Part of a shape's size that it may move besides what speeds and weight tell: with four times as much, A1 has twice as many features. */
const MARGIN = 2.5e-4;
/** How much farther than others steps look that are differentiated. */
const FAR = 4;

/**
 * Part of the depth by which features that are taken from the end of a step are held apart from the second time on: the rim of a can that
 * rolls has left the point that was held by a fourth of the depth before.
 */
const AHEAD = 0.5;

/** How much farther the features of a pair that has crossed are looked for, per solve. */
const FARTHER = 3;
/** Solves after which they are not looked for any farther. */
const mostFarther = 4;

export class TouchSearch {
  /** Pairs of shapes whose true distance was below zero at the end of the last solve, and the deepest of them, m; −0 is no integer to V8. */
  crossed = 0;
  deepest = -0;
  /** The deepest as a part of the smaller shape's size, and the depths of all such pairs together. */
  deepestPart = -0;
  depths = -0;
  /** Whether m is four times as much: at the κ of gradients, contacts act at a distance. */
  looksFar = false;
  /** Whether a pair that was given features last could pass through itself in the step. */
  isFast = false;
  private readonly fast: FastPairs;

  private readonly table: ShapeTable;
  /** How far each may move, and what part of that is no matter of speed. */
  private readonly moves: Float64Array;
  /** How far each might move where the step began. */
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
  private readonly pair: PlacedPair;
  /** Where the pair stands at the other end of the step, and whether that is still to be foreseen. */
  private readonly elsewhere = new Float64Array(placementSize);
  private foresees = false;
  private readonly grazing: Grazing;
  private readonly features: PairFeatures;
  /** What rests against corners since the step before. */
  readonly corners = new KeptCorners();
  /** Pairs that have crossed. */
  private readonly pairs: number[] = [];

  constructor(touch: MechanismTouch) {
    const { shapes } = touch;
    const { mayTouch } = touchFilter(touch);
    this.table = shapeTable(touch);
    const { body, bodies, cores, poseInBody, reach, size } = this.table;
    const prepared = this.table.shapes;
    this.moves = new Float64Array(shapes.length);
    this.startMoves = new Float64Array(shapes.length);
    this.margins = new Float64Array(shapes.length);
    this.motion = new ShapeMotion(bodies, body, poseInBody, reach);
    const isHalfSpace = (i: number): boolean => prepared[i].kind === "halfSpace";
    const may = (a: number, b: number): boolean =>
      canTouch(prepared[a].kind, prepared[b].kind) && mayTouch(shapes[a], shapes[b]);
    this.broad = new BroadPhase(shapes.length, { isHalfSpace, mayTouch: may });
    this.near = new NearPairs(this.broad, shapes.length, isHalfSpace, may);
    const thickness = Float64Array.from(prepared, thicknessOf);
    this.scan = new PairScan(cores, body, size, thickness);
    this.fast = new FastPairs(new Flight(bodies, this.table), thickness, this.near, this.motion, this.scan);
    this.pair = new PlacedPair(this.table, this.motion, this.near);
    this.grazing = new Grazing(this.table, this.motion, this.near);
    this.features = new PairFeatures(this.table, (a, b) => this.otherEnd(a, b));
  }

  /** Whether rims that have crossed a plane are held at their lowest points in any case. */
  get holdsRims(): boolean {
    return this.features.holdsRims;
  }

  set holdsRims(holds: boolean) {
    this.features.holdsRims = holds;
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
    this.foresees = true;
    for (let k = 0; k < scan.count; k++) this.findNear(k, out);
    this.foresees = false;
    this.corners.settle();
  }

  /** The placement of a pair at the other end of the step, by the velocities of now where that has not been reached yet. */
  private otherEnd(a: number, b: number): Float64Array {
    const { motion, elsewhere } = this;
    if (this.foresees) {
      motion.placeEnd(a);
      motion.placeEnd(b);
      placementBetween(elsewhere, motion.ends, poseSize * a, motion.ends, poseSize * b);
    }
    return elsewhere;
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
    const { moves, margins, timestep: h, margin, gravity } = this;
    const { body, reach, size } = this.table;
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
    boxShapes(this.broad, this.table, motion, near.width);
    near.take(motion.travelled);
  }

  /** Features of one of the pairs that the scan has found, unless it stays apart. */
  private findNear(k: number, out: FoundFeatures): void {
    const { margins, scan, grazing } = this;
    const { cores, isHull } = this.table;
    const i = scan.pairs[k];
    const a = this.near.first[i];
    const b = this.near.second[i];
    const way = scan.ways[k];
    const margin = margins[a] + margins[b];
    // what is kept of others may be far from what is
    let known = cores[a] && cores[b] ? scan.known[k] : Number.NEGATIVE_INFINITY;
    this.pair.place(a, b);
    const before = out.count;
    if (!(Math.abs(known) <= margin)) {
      // by what is known of it, or else by what is: shapes do not overlap, unless their direction is an old one
      if (grazing.staysApart(i, a, b, known, way, margin)) return;
      known = this.pair.look(i);
      if (known > way + margin || grazing.staysApart(i, a, b, known, way, margin)) return;
      if (grazing.staysApart(-1, a, b, known, way, margin)) return;
      this.findPair(a, b, way + margin, 0, out);
      this.isFast ||= this.fast.isFast(a, b, way);
    } else {
      const least = this.findPair(a, b, way + margin, 0, out);
      if (least === Number.POSITIVE_INFINITY || grazing.staysApart(-1, a, b, least, way, margin)) out.count = before;
      else this.isFast ||= this.fast.isFast(a, b, way);
    }
    if (!(way <= RESTING * margin)) return;
    const { between } = this.pair;
    if (out.count === before) this.features.addKept(a, b, between, margin, this.corners, out);
    else if (isHull[a] || isHull[b]) this.features.addMore(a, b, between, RESTING * margin, this.corners, out);
  }

  /**
   * Adds features of pairs that overlap by more than rounding where the step ends: those that are farther away where it starts, or, if
   * there are no others, those that they have at the end. Returns how many pairs overlap. `round` counts the solves before.
   */
  addCrossed(state: Float64Array, next: Float64Array, round: number, out: FoundFeatures): number {
    const { startMoves: moves, pairs, motion, elsewhere } = this;
    const { between } = this.pair;
    this.check(next);
    const reach = FARTHER ** Math.min(round, mostFarther);
    for (let k = 0; k < 2 * this.crossed; k += 2) {
      const [a, b] = [pairs[k], pairs[k + 1]];
      const before = out.count;
      motion.look(next);
      this.pair.place(a, b);
      elsewhere.set(between);
      motion.look(state);
      this.pair.place(a, b);
      this.findPair(a, b, reach * (moves[a] + moves[b] + this.deepest), 0, out, true);
      if (out.count > before) continue;
      elsewhere.set(between);
      motion.look(next);
      this.pair.place(a, b);
      const depth = -this.pair.distance();
      this.findPair(a, b, 0, round, out);
      if (round > 1) for (let i = before; i < out.count; i++) widen(out, i, AHEAD * depth);
    }
    return this.crossed;
  }

  /** Adds features of pairs that begin in each other and have none that hold them: so deep that no part lies before another. */
  addUnheld(state: Float64Array, out: FoundFeatures): void {
    const { pairs, elsewhere } = this;
    const { between } = this.pair;
    this.check(state);
    for (let k = 0; k < 2 * this.crossed; k += 2) {
      const [a, b] = [pairs[k], pairs[k + 1]];
      if (out.holds(a, b)) continue;
      this.pair.place(a, b);
      elsewhere.set(between);
      this.findPair(a, b, 0, 1, out);
    }
  }

  /** Finds which pairs overlap where a step begins. */
  checkStart(state: Float64Array): void {
    this.beginWay(state);
    this.check(state);
  }

  /** Finds which pairs overlap where a step has ended, and how deep. */
  check(next: Float64Array): void {
    const { near, pairs, scan } = this;
    this.crossed = this.deepest = this.deepestPart = this.depths = 0;
    this.scanAt(next);
    for (let k = 0; k < scan.count; k++) {
      if (scan.known[k] > 0) continue;
      const i = scan.pairs[k];
      const a = near.first[i];
      const b = near.second[i];
      this.pair.place(a, b);
      const distance = this.pair.look(i);
      scan.known[k] = distance;
      if (distance > 0) continue;
      this.deepest = Math.max(this.deepest, -distance);
      this.deepestPart = Math.max(this.deepestPart, -distance / this.pair.size);
      if (!(distance < -this.pair.rounding)) continue;
      pairs[2 * this.crossed] = a;
      pairs[2 * this.crossed + 1] = b;
      this.depths -= distance;
      this.crossed++;
    }
  }

  /** Adds the features of pairs that overlap at this state, as they are there; returns how many pairs do. */
  addOverlaps(state: Float64Array, round: number, out: FoundFeatures): number {
    const { pairs } = this;
    this.check(state);
    for (let k = 0; k < 2 * this.crossed; k += 2) {
      this.pair.place(pairs[k], pairs[k + 1]);
      this.elsewhere.set(this.pair.between);
      this.findPair(pairs[k], pairs[k + 1], 0, round, out);
    }
    return this.crossed;
  }

  /** Says where the way of a step began, before `check` or `addCrossed` look at where it ends. */
  beginWay(from: Float64Array): void {
    this.goBack(from);
    this.scan.suspects = 0;
  }

  /** How deep shapes have been that have passed through each other on the way (fastPairs.ts), m; asked after the end has been looked at. */
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
    const { pairs, motion } = this;
    const { witness } = this.pair;
    this.check(state);
    const normal = new Float64Array(3);
    const turn = new Float64Array(placementSize);
    for (let k = 0; k < 2 * this.crossed; k += 2) {
      const [a, b] = [pairs[k], pairs[k + 1]];
      this.pair.place(a, b);
      const depth = -this.pair.distance(witness);
      placeDirection(normal, 0, placementOf(turn, motion.poses, poseSize * a), witness, 6);
      visit(a, b, depth, normal);
    }
  }

  /** True distances of all pairs that are nearer to each other than a limit, in the order of their shapes; and the directions, as above. */
  visitNear(
    state: Float64Array,
    limit: number,
    visit: (a: number, b: number, distance: number, normal: Float64Array) => void,
  ): void {
    const { witness } = this.pair;
    const normal = new Float64Array(3);
    const turn = new Float64Array(placementSize);
    const { broad, moves, motion, near } = this;
    moves.fill(Math.max(0, limit) / 2);
    this.isScanned = false;
    motion.look(state);
    near.clear();
    boxShapes(broad, this.table, motion, moves);
    for (let i = 0; i < broad.count; i++) {
      const [a, b] = [broad.first[i], broad.second[i]];
      this.pair.place(a, b);
      const distance = this.pair.distance(witness);
      if (!(distance < limit)) continue;
      placeDirection(normal, 0, placementOf(turn, motion.poses, poseSize * a), witness, 6);
      visit(a, b, distance, normal);
    }
  }

  /** Features of all pairs that are nearer to each other than a limit at the end of a step. */
  findNearEnd(state: Float64Array, next: Float64Array, limit: number, out: FoundFeatures): void {
    const { elsewhere, motion } = this;
    const { between } = this.pair;
    const pairs: number[] = [];
    out.clear();
    this.visitNear(next, limit, (a, b) => pairs.push(a, b));
    for (let k = 0; k < pairs.length; k += 2) {
      const [a, b] = [pairs[k], pairs[k + 1]];
      motion.look(state);
      this.pair.place(a, b);
      elsewhere.set(between);
      motion.look(next);
      this.pair.place(a, b);
      this.findPair(a, b, limit, 0, out);
    }
  }

  /** Features of one pair, which is placed; returns the gap of the nearest, be it tentative, or ∞. */
  private findPair(a: number, b: number, reach: number, round: number, out: FoundFeatures, onlyNew = false): number {
    return this.features.find(a, b, this.pair.between, reach, round, out, onlyNew);
  }
}
