/**
 * Whether a pair that is apart stays so in a step at the velocities of now, or does no more than graze itself on the way. With δ and δ₊ its
 * distances at the beginning and at the end of its relative way s, m what it may move besides, and ρ the radius of the largest ball about
 * the origin of either shape that the shape holds:
 *   δ > m,   δ₊ > m   and   δ + δ₊ + ρ > s.
 * Distances change no faster than points move, depths neither, so it is never in itself by more than ρ/2. Where the last of these does not
 * hold, the way is halved, and it is asked of both halves, with the distance in the middle; and once more.
 */
import { placementBetween, placementSize, signedDistance } from "../../geometry/index.ts";
import { poseSize } from "../../math/index.ts";
import { directionSize, keptSeparation } from "./keptSeparation.ts";
import type { NearPairs } from "./nearPairs.ts";
import type { ShapeMotion } from "./shapeMotion.ts";
import type { ShapeTable } from "./shapeTable.ts";

/** How often the way of a pair is halved to see that it only grazes itself. */
const halvings = 2;

export class Grazing {
  private readonly table: ShapeTable;
  private readonly motion: ShapeMotion;
  private readonly near: NearPairs;
  private readonly between = new Float64Array(placementSize);
  private readonly along = new Float64Array(3);
  private readonly flying = new Float64Array(2 * poseSize);
  // of the pair that is asked about: its number, or −1 to go by true distances; its shapes; s and ρ
  private pair = -1;
  private a = 0;
  private b = 0;
  private way = 0.5;
  private inner = 0.5;

  constructor(table: ShapeTable, motion: ShapeMotion, near: NearPairs) {
    this.table = table;
    this.motion = motion;
    this.near = near;
  }

  /** Whether a pair stays apart that is at least this far apart now, with s and m: by true distances where the number of the pair is −1, or as far as its kept direction tells. */
  staysApart(pair: number, a: number, b: number, distance: number, way: number, margin: number): boolean {
    if (!(distance > margin)) return false;
    const { motion, table } = this;
    this.pair = pair;
    this.a = a;
    this.b = b;
    this.way = way;
    this.inner = Math.min(table.inner[a], table.inner[b]);
    motion.placeEnd(a);
    motion.placeEnd(b);
    placementBetween(this.between, motion.ends, poseSize * a, motion.ends, poseSize * b);
    const atEnd = this.distanceOnTheWay();
    return atEnd > margin && this.onlyGrazes(0, distance, 1, atEnd, halvings);
  }

  /** The same of a part of the way, at both ends of which distances are known. */
  private onlyGrazes(from: number, distance: number, to: number, atEnd: number, depth: number): boolean {
    if (distance + atEnd + this.inner > (to - from) * this.way) return true;
    if (depth === 0) return false;
    const { motion, flying } = this;
    const middle = (from + to) / 2;
    motion.fly(flying, 0, this.a, middle);
    motion.fly(flying, poseSize, this.b, middle);
    placementBetween(this.between, flying, 0, flying, poseSize);
    const apart = this.distanceOnTheWay();
    return (
      this.onlyGrazes(from, distance, middle, apart, depth - 1) && this.onlyGrazes(middle, apart, to, atEnd, depth - 1)
    );
  }

  /**
   * How far apart the pair is where it is placed on its way, or a lower bound of it. Below the rim of terrain and beyond it there is nothing
   * to be apart from, and nothing follows for the way there.
   */
  private distanceOnTheWay(): number {
    const { shapes, cores } = this.table;
    if (this.pair < 0) {
      const distance = signedDistance(shapes[this.a], shapes[this.b], this.between);
      return distance < Number.POSITIVE_INFINITY ? distance : Number.NEGATIVE_INFINITY;
    }
    const own = cores[this.a];
    const other = cores[this.b];
    if (!own || !other) return Number.NEGATIVE_INFINITY;
    return keptSeparation(own, other, this.between, this.near.direction, directionSize * this.pair, this.along);
  }
}
