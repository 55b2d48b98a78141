/**
 * Whether the features of a flat contact carry its moment. Pushing features can balance a force along the normal through a point exactly if
 * the point's foot lies in the hull of the places where they touch; how far inside it lies is the arm of the moment that they take
 * besides, in any direction.
 */
import { type FeatureList, featureAt, featureNumber, featureStride } from "../../src/geometry/features.ts";
import { crossing, crossLines } from "../../src/geometry/lines.ts";
import { placeDirection, placeDirectionBack, placePoint, placePointBack } from "../../src/geometry/pose.ts";

const [p, q, d, e, n, image] = Array.from({ length: 6 }, () => new Float64Array(3));

/**
 * Where feature i touches, on the body's part, in a's frame. `placement` is b's frame in a's, and that at which the feature was found: normals
 * are as they were there.
 */
export function contactPointInto(out: Float64Array, list: FeatureList, i: number, placement: Float64Array): void {
  const { values } = list;
  const start = i * featureStride;
  const isB = list.side[i] === 1;
  const kind = list.kind[i];
  for (let k = 0; k < 3; k++) p[k] = values[start + k];
  if (kind === featureNumber.lineLine) {
    // where the lines are nearest, in the body's frame
    const at = featureAt.lineLine;
    for (let k = 0; k < 3; k++) d[k] = values[start + at.direction + k];
    (isB ? placePointBack : placePoint)(q, 0, placement, values, start + at.otherPoint);
    (isB ? placeDirectionBack : placeDirection)(e, 0, placement, values, start + at.otherDirection);
    crossLines(p, d, q, e);
    for (let k = 0; k < 3; k++) p[k] += crossing.s * d[k];
  } else if (kind >= featureNumber.roundPlane && kind !== featureNumber.rimPlane) {
    // c − M n/√(nᵀM n) with n in the body's frame; in all three kinds the matrix stands after the centre
    const at =
      kind === featureNumber.roundPlane
        ? featureAt.roundPlane.normal
        : kind === featureNumber.roundLine
          ? featureAt.roundLine.normal
          : featureAt.roundRound.normal;
    (isB ? placeDirectionBack : placeDirection)(n, 0, placement, values, start + at);
    const s = start + 3;
    image[0] = values[s] * n[0] + values[s + 3] * n[1] + values[s + 4] * n[2];
    image[1] = values[s + 3] * n[0] + values[s + 1] * n[1] + values[s + 5] * n[2];
    image[2] = values[s + 4] * n[0] + values[s + 5] * n[1] + values[s + 2] * n[2];
    const root = Math.sqrt(image[0] * n[0] + image[1] * n[1] + image[2] * n[2]);
    for (let k = 0; k < 3; k++) p[k] -= root > 0 ? image[k] / root : 0;
  }
  if (isB) placePoint(out, 0, placement, p, 0);
  else out.set(p);
}

const places = new Float64Array(2 * 64);
const touch = new Float64Array(3);

/**
 * How far the foot of a point along the unit vector `normal` (both in a's frame) is inside the hull of the places at which the features
 * first … last − 1 touch: the arm of the moment that they carry. Zero or less where they do not hold it: on a point, on a line, outside.
 */
export function momentArm(
  list: FeatureList,
  first: number,
  last: number,
  placement: Float64Array,
  point: ArrayLike<number>,
  normal: ArrayLike<number>,
): number {
  // two directions across the normal
  const [x, y, z] = [Math.abs(normal[0]), Math.abs(normal[1]), Math.abs(normal[2])];
  const axis = x <= y && x <= z ? 0 : y <= z ? 1 : 2;
  const length = Math.sqrt(1 - normal[axis] * normal[axis]);
  for (let k = 0; k < 3; k++) d[k] = ((k === axis ? 1 : 0) - normal[axis] * normal[k]) / length;
  e[0] = normal[1] * d[2] - normal[2] * d[1];
  e[1] = normal[2] * d[0] - normal[0] * d[2];
  e[2] = normal[0] * d[1] - normal[1] * d[0];
  const [dx, dy, dz, ex, ey, ez] = [d[0], d[1], d[2], e[0], e[1], e[2]];
  const count = Math.min(last - first, places.length / 2);
  for (let i = 0; i < count; i++) {
    contactPointInto(touch, list, first + i, placement);
    const [u, v, w] = [touch[0] - point[0], touch[1] - point[1], touch[2] - point[2]];
    places[2 * i] = dx * u + dy * v + dz * w;
    places[2 * i + 1] = ex * u + ey * v + ez * w;
  }
  return depthInHull(count);
}

/** Distance of the origin from the nearest side of the hull of `places`; zero or less where it is not inside. */
function depthInHull(count: number): number {
  let least = Number.POSITIVE_INFINITY;
  for (let i = 0; i < count; i++) {
    for (let j = 0; j < count; j++) {
      const ux = places[2 * j] - places[2 * i];
      const uy = places[2 * j + 1] - places[2 * i + 1];
      const length = Math.sqrt(ux * ux + uy * uy);
      if (!(length > 0)) continue;
      // a side of the hull: all places are on the left of it
      let isSide = true;
      for (let k = 0; k < count && isSide; k++) {
        const turn = ux * (places[2 * k + 1] - places[2 * i + 1]) - uy * (places[2 * k] - places[2 * i]);
        isSide = turn >= -1e-12 * length * length;
      }
      if (isSide) least = Math.min(least, (uy * places[2 * i] - ux * places[2 * i + 1]) / length);
    }
  }
  return least === Number.POSITIVE_INFINITY ? 0 : least;
}
