/** The narrow phase: all pairs of kinds that can touch, each from the file that knows it. */
import { curvedPairs } from "./curvedPairs.ts";
import { curvedTerrainPairs } from "./curvedTerrain.ts";
import type { FeatureList } from "./features.ts";
import { halfSpacePairs } from "./halfSpacePairs.ts";
import { PairTable } from "./pairs.ts";
import { polyhedronPairs } from "./polyhedronPairs.ts";
import { roundedPairs } from "./roundedPairs.ts";
import { roundedPolyhedronPairs } from "./roundedPolyhedron.ts";
import type { ShapeKind, TouchShape } from "./shape.ts";
import { terrainPairs } from "./terrainPairs.ts";

const table = new PairTable([
  ...roundedPairs,
  ...roundedPolyhedronPairs,
  ...polyhedronPairs,
  ...halfSpacePairs,
  ...terrainPairs,
  ...curvedPairs,
  ...curvedTerrainPairs,
]);

/** Whether two kinds of shapes can touch at all. */
export function canTouch(a: ShapeKind, b: ShapeKind): boolean {
  return table.canTouch(a, b);
}

/** Adds to `out` all features with which the pair can touch if it comes nearer by `reach`; `placement` is b's frame in a's. */
export function findFeatures(
  a: TouchShape,
  b: TouchShape,
  placement: Float64Array,
  reach: number,
  out: FeatureList,
): void {
  table.findFeatures(a, b, placement, reach, out);
}

export const witnessSize = 9;

/**
 * Distance of the true shapes, negative where they overlap. `witness` receives 9 numbers in a's frame: the nearest points of a and
 * of b, and the unit vector along which b leaves a.
 */
export function signedDistance(a: TouchShape, b: TouchShape, placement: Float64Array, witness?: Float64Array): number {
  return table.signedDistance(a, b, placement, witness);
}
