/**
 * Lines that cross elsewhere where a step begins than where it ends. A feature of two lines has no ends: its impulse acts where they cross
 * at the beginning, its gap counts where they cross at the end. The crossing of lines that are nearly parallel runs along them as they
 * turn, and beyond the shapes, where an impulse has a lever that no part of the shape has, and makes energy. Where it moves far, the
 * point of the body's line at the crossing, where the feature was found, is held instead:
 *   p + s d   against the other's line                             where the two keep a distance by their radii,
 *             or the plane through it, square to the normal        otherwise, as of edges.
 */
import {
  crossing,
  crossLines,
  type FeatureList,
  featureAt,
  featureNumber,
  featureStride,
  invertPlacement,
  placeDirection,
  placeDirectionBack,
  placementSize,
  placePoint,
} from "../../geometry/index.ts";

/** Part of both radii by which lines have to be apart for a point of one to stay outside the other. */
const APART = 0.5;

const lines = featureAt.lineLine;
const beside = featureAt.pointLine;
const above = featureAt.pointPlane;
const p = new Float64Array(3);
const d = new Float64Array(3);
const q = new Float64Array(3);
const e = new Float64Array(3);
/** d × e, here and at the other end of the step. */
const across = new Float64Array(3);
const acrossThere = new Float64Array(3);
const placement = new Float64Array(placementSize);
const kept = new Float64Array(featureStride);

/**
 * Turns feature i, two lines in the frames of their shapes, into one of a point, if the crossing is more than `most` away along either line
 * at the other end of the step, or the lines turn past each other. Placements are b's frame in a's.
 */
export function holdCrossing(
  list: FeatureList,
  i: number,
  here: Float64Array,
  there: Float64Array,
  most: number,
): void {
  cross(list, i, there);
  const { s, t, sine } = crossing;
  acrossThere.set(across);
  cross(list, i, here);
  const facing = across[0] * acrossThere[0] + across[1] * acrossThere[1] + across[2] * acrossThere[2];
  const isNear = Math.abs(crossing.s - s) <= most && Math.abs(crossing.t - t) <= most;
  if (sine > 0 && facing > 0 && isNear) return;
  hold(list, i);
}

/** The point at the crossing that was found last. */
function hold(list: FeatureList, i: number): void {
  const { values } = list;
  const at = i * featureStride;
  for (let k = 0; k < featureStride; k++) kept[k] = values[at + k];
  const radius = kept[lines.radius];
  const otherRadius = kept[lines.otherRadius];
  // n = sign d × e/|d × e|
  const scale = kept[lines.sign] / crossing.sine;
  let distance = 0;
  for (let k = 0; k < 3; k++) {
    across[k] *= scale;
    distance += across[k] * (p[k] - q[k]);
    values[at + beside.point + k] = p[k] + crossing.s * d[k];
  }
  if (radius + otherRadius > 0 && distance > APART * (radius + otherRadius)) {
    list.kind[i] = featureNumber.pointLine;
    values[at + beside.radius] = radius;
    values[at + beside.otherRadius] = otherRadius;
    for (let k = 0; k < 3; k++) {
      values[at + beside.otherPoint + k] = kept[lines.otherPoint + k];
      values[at + beside.otherDirection + k] = kept[lines.otherDirection + k];
      values[at + beside.tangent + k] = kept[lines.tangent + k];
    }
    return;
  }
  list.kind[i] = featureNumber.pointPlane;
  values[at + above.radius] = radius;
  placeDirectionBack(values, at + above.normal, placement, across, 0);
  let offset = otherRadius;
  for (let k = 0; k < 3; k++) {
    offset += values[at + above.normal + k] * kept[lines.otherPoint + k];
    values[at + above.tangent + k] = kept[lines.tangent + k];
  }
  values[at + above.offset] = offset;
}

/** Where the lines cross, in the frame of the feature's body. */
function cross({ values, side }: FeatureList, i: number, between: Float64Array): void {
  const at = i * featureStride;
  if (side[i] === 0) placement.set(between);
  else invertPlacement(placement, between);
  for (let k = 0; k < 3; k++) {
    p[k] = values[at + lines.point + k];
    d[k] = values[at + lines.direction + k];
  }
  placePoint(q, 0, placement, values, at + lines.otherPoint);
  placeDirection(e, 0, placement, values, at + lines.otherDirection);
  across[0] = d[1] * e[2] - d[2] * e[1];
  across[1] = d[2] * e[0] - d[0] * e[2];
  across[2] = d[0] * e[1] - d[1] * e[0];
  crossLines(p, d, q, e);
}
