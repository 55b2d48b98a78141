/** Boxes and hulls against each other. */
import { findClosest } from "./closest.ts";
import { closest } from "./exactDirection.ts";
import type { FeatureList } from "./features.ts";
import { type ShapePair, shapePair } from "./pairs.ts";
import { polyhedronFeatures } from "./polyhedronFeatures.ts";
import type { BoxShape, FlatShape, HullShape } from "./shape.ts";

type Solid = BoxShape | HullShape;

function features(a: Solid, b: Solid, placement: Float64Array, reach: number, out: FeatureList): void {
  polyhedronFeatures(a.polyhedron, b.polyhedron, placement, reach, out);
}

/** Signed distance of two polyhedra, each grown by its radius. */
export function flatDistance(
  a: FlatShape,
  b: FlatShape,
  placement: Float64Array,
  witness: Float64Array | undefined,
): number {
  findClosest(a.polyhedron, b.polyhedron, placement, Number.POSITIVE_INFINITY);
  const { normal, pointA, pointB, distance } = closest;
  if (witness) {
    for (let k = 0; k < 3; k++) {
      witness[k] = pointA[k] + a.radius * normal[k];
      witness[3 + k] = pointB[k] - b.radius * normal[k];
      witness[6 + k] = normal[k];
    }
  }
  return distance - a.radius - b.radius;
}

export const polyhedronPairs: readonly ShapePair[] = [
  shapePair("box", "box", features, flatDistance),
  shapePair("box", "hull", features, flatDistance),
  shapePair("hull", "hull", features, flatDistance),
];
