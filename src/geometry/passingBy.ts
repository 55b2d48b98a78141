/**
 * Cylinders that pass boxes and hulls by. A can that slides from tile to tile is nearest to the next tile with its rim, at the tile's
 * edge, along the normal of the tile's side: features there would stop it, though it is a nanometre above. They are tentative,
 * as those of polyhedra are (polyhedronFeatures.ts).
 */
import type { BoxShape, CylinderShape, HullShape } from "./shape.ts";

/** What lies this near to the rim, in parts of the shape, lies on it. */
const SLACK = 1e-6;
/** Directions that differ by less are one: a can a micrometre above the tile and a millimetre before it. */
const ALIGNED = 1e-3;

/**
 * Whether the cylinder's side, seen along the direction between the shapes, misses a face of the solid that is square to it, but for
 * rounding: the stretch of the cylinder's nearest line that lies over the face has no length. `witness` is of the two, as PairDistance has it.
 */
export function isPassing(a: BoxShape | HullShape, b: CylinderShape, m: Float64Array, witness: Float64Array): boolean {
  const { normals, offsets, faceCount } = a.polyhedron;
  // the axis is the third column of the rotation
  const across = m[5] * witness[6] + m[8] * witness[7] + m[11] * witness[8];
  if (Math.abs(across) > ALIGNED) return false;
  const along = m[5] * (witness[3] - m[0]) + m[8] * (witness[4] - m[1]) + m[11] * (witness[5] - m[2]);
  let low = -b.halfLength - along;
  let high = b.halfLength - along;
  let isAligned = false;
  for (let f = 0; f < faceCount; f++) {
    const x = normals[3 * f];
    const y = normals[3 * f + 1];
    const z = normals[3 * f + 2];
    if (1 - (x * witness[6] + y * witness[7] + z * witness[8]) < ALIGNED * ALIGNED) {
      isAligned = true;
      continue;
    }
    // from a's nearest point along the axis, as far as the other faces allow
    const height = x * witness[0] + y * witness[1] + z * witness[2] - offsets[f];
    const slope = x * m[5] + y * m[8] + z * m[11];
    if (slope > ALIGNED) high = Math.min(high, -height / slope);
    else if (slope < -ALIGNED) low = Math.max(low, -height / slope);
  }
  return isAligned && high - low < SLACK * (a.polyhedron.radius + b.halfLength);
}
