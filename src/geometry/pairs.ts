/**
 * Narrow phases of all pairs of kinds. Each pair is written once, with the kind of the smaller number first (shapeKinds); asked the
 * other way round, it is handed its shapes and their placement turned, and its answers are turned back.
 *
 * Narrow phases keep their scratch numbers in module-level arrays: they call nothing that could call them again.
 */
import type { FeatureList } from "./features.ts";
import { invertPlacement, placeDirection, placementSize, placePoint } from "./pose.ts";
import { type ShapeKind, type ShapeOf, shapeKinds, type TouchShape } from "./shape.ts";

/**
 * Adds all features with which the pair can touch if it comes nearer by `reach`. `placement` is b's frame in a's.
 * Values are in the frames of the shapes.
 */
export type PairFeatures<A extends TouchShape = TouchShape, B extends TouchShape = TouchShape> = (
  a: A,
  b: B,
  placement: Float64Array,
  reach: number,
  out: FeatureList,
) => void;

/**
 * Distance of the shapes, negative where they overlap: then its size is the least translation that parts them. Where `witness` is
 * given it receives 9 numbers in a's frame: the nearest (deepest) points of a and of b, and the unit vector along which b leaves a.
 */
export type PairDistance<A extends TouchShape = TouchShape, B extends TouchShape = TouchShape> = (
  a: A,
  b: B,
  placement: Float64Array,
  witness: Float64Array | undefined,
) => number;

export interface ShapePair {
  readonly first: ShapeKind;
  readonly second: ShapeKind;
  readonly features: PairFeatures;
  readonly distance: PairDistance;
}

/** An entry of the table, typed by its kinds. */
export function shapePair<A extends ShapeKind, B extends ShapeKind>(
  first: A,
  second: B,
  features: PairFeatures<ShapeOf<A>, ShapeOf<B>>,
  distance: PairDistance<ShapeOf<A>, ShapeOf<B>>,
): ShapePair {
  return {
    first,
    second,
    features: features as unknown as PairFeatures,
    distance: distance as unknown as PairDistance,
  };
}

const turned = new Float64Array(placementSize);

/** Narrow phases over a list of pairs. */
export class PairTable {
  private readonly entries: (ShapePair | undefined)[] = new Array(shapeKinds.length ** 2).fill(undefined);

  constructor(pairs: readonly ShapePair[]) {
    for (const pair of pairs) {
      const [first, second] = [shapeKinds.indexOf(pair.first), shapeKinds.indexOf(pair.second)];
      if (first > second)
        throw new RangeError(`${pair.first} comes after ${pair.second}: write the pair the other way round`);
      this.entries[first * shapeKinds.length + second] = pair;
    }
  }

  /** Whether two kinds can touch: two half-spaces, or a half-space and a height field, cannot. */
  canTouch(a: ShapeKind, b: ShapeKind): boolean {
    const [i, j] = [shapeKinds.indexOf(a), shapeKinds.indexOf(b)];
    return this.entries[Math.min(i, j) * shapeKinds.length + Math.max(i, j)] !== undefined;
  }

  findFeatures(a: TouchShape, b: TouchShape, placement: Float64Array, reach: number, out: FeatureList): void {
    if (a.number <= b.number) {
      out.flipped = false;
      this.pairOf(a, b).features(a, b, placement, reach, out);
      return;
    }
    out.flipped = true;
    this.pairOf(b, a).features(b, a, invertPlacement(turned, placement), reach, out);
    out.flipped = false;
  }

  signedDistance(a: TouchShape, b: TouchShape, placement: Float64Array, witness?: Float64Array): number {
    if (a.number <= b.number) return this.pairOf(a, b).distance(a, b, placement, witness);
    const distance = this.pairOf(b, a).distance(b, a, invertPlacement(turned, placement), witness);
    if (witness) turnWitness(witness, placement);
    return distance;
  }

  private pairOf(a: TouchShape, b: TouchShape): ShapePair {
    const pair = this.entries[a.number * shapeKinds.length + b.number];
    if (!pair) throw new RangeError(`a ${a.kind} and a ${b.kind} cannot touch: exclude the pair`);
    return pair;
  }
}

/** A witness of (b, a), in b's frame, as one of (a, b), in a's. */
function turnWitness(witness: Float64Array, placement: Float64Array): void {
  for (let k = 0; k < 3; k++) {
    const other = witness[k];
    witness[k] = witness[3 + k];
    witness[3 + k] = other;
    witness[6 + k] *= -1;
  }
  placePoint(witness, 0, placement, witness, 0);
  placePoint(witness, 3, placement, witness, 3);
  placeDirection(witness, 6, placement, witness, 6);
}
