/** The pair of shapes that is being looked at: how one is placed in the other, and how far apart they are; what is found is kept (nearPairs.ts). */
import { placementBetween, placementSize, signedDistance, witnessSize } from "../../geometry/index.ts";
import { poseSize } from "../../math/index.ts";
import { worldIndex } from "../../mechanism/index.ts";
import { directionSize, keepDirection } from "./keptSeparation.ts";
import type { NearPairs } from "./nearPairs.ts";
import type { ShapeMotion } from "./shapeMotion.ts";
import type { ShapeTable } from "./shapeTable.ts";

/** Depth that passes, as a part of the smaller shape's size: ten times what rounding leaves of distances, since edges that just touch sink in by it. */
const ROUNDING = 1e-12;

export class PlacedPair {
  /** The second shape's frame in the first's. */
  readonly between = new Float64Array(placementSize);
  /** Nearest points, and the direction in which the second leaves the first, where a distance was last asked for with them. */
  readonly witness = new Float64Array(witnessSize);
  private readonly table: ShapeTable;
  private readonly motion: ShapeMotion;
  private readonly near: NearPairs;
  private a = 0;
  private b = 0;

  constructor(table: ShapeTable, motion: ShapeMotion, near: NearPairs) {
    this.table = table;
    this.motion = motion;
    this.near = near;
  }

  /** Both poses, and the placement between them. */
  place(a: number, b: number): void {
    const { motion } = this;
    this.a = a;
    this.b = b;
    motion.place(a);
    motion.place(b);
    placementBetween(this.between, motion.poses, poseSize * a, motion.poses, poseSize * b);
  }

  distance(witness?: Float64Array): number {
    const { shapes } = this.table;
    return signedDistance(shapes[this.a], shapes[this.b], this.between, witness);
  }

  /** The distance of the pair, which has number i in the list; it and its direction are kept. */
  look(i: number): number {
    const { witness, near } = this;
    const distance = this.distance(witness);
    keepDirection(near.direction, directionSize * i, this.between, witness, 6);
    this.keep(i, distance);
    return distance;
  }

  /** Keeps a lower bound of a distance. The ways of what has no end are not known. */
  private keep(i: number, distance: number): void {
    const { a, b } = this;
    const { travelled } = this.motion;
    const { bound } = this.near;
    if (this.hasWay(a) && this.hasWay(b)) bound[i] = Math.max(bound[i], distance + travelled[a] + travelled[b]);
  }

  private hasWay(shape: number): boolean {
    const { cores, body } = this.table;
    return cores[shape] !== undefined || body[shape] === worldIndex;
  }

  /** Depth that passes, m. */
  get rounding(): number {
    return ROUNDING * this.size;
  }

  /** Size of the smaller one, at most 1 m. */
  get size(): number {
    const { size } = this.table;
    return Math.min(1, size[this.a], size[this.b]);
  }
}
