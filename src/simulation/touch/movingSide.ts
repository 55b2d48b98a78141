/**
 * Features whose `body` is the world, turned round so that it moves. Kinds with equal sides are exchanged, and so are points beside lines that
 * keep a distance from them by their radii, as of a capsule on a ball. Of the others the point that meets
 * the world's is held in the moving body, and meets the plane through the world's point that is square to the normal:
 *   world's point p (radius ρ) against the moving plane n·x = o      the moving point q = p − (n·p − o) n against −n·x ≥ −n·p + ρ
 * The gap is the same where it was found. While the body slides and turns at once it differs by the product of the two, and where that
 * leaves an overlap the step is solved again with the point found there.
 */
import {
  type FeatureList,
  featureAt,
  featureKinds,
  featureNumber,
  featureStride,
  invertPlacement,
  placeDirection,
  placementSize,
  placePoint,
  swapFeature,
} from "../../geometry/index.ts";

/** Part of both radii by which a point and a line have to be apart. */
const APART = 0.5;

const kept = new Float64Array(featureStride);
const point = new Float64Array(3);
const normal = new Float64Array(3);
const foot = new Float64Array(3);
const toWorld = new Float64Array(placementSize);

/** Turns feature i of a pair, in the frames of its shapes; `between` is b's frame in a's. */
export function turnToMoving(list: FeatureList, i: number, between: Float64Array): void {
  if (swapFeature(list, i, between)) return;
  const kind = featureKinds[list.kind[i]];
  const places = featureAt[kind];
  const { values } = list;
  const start = i * featureStride;
  // the moving shape's frame in that of the world's: of b in a where the world has a
  if (list.side[i] === 0) toWorld.set(between);
  else invertPlacement(toWorld, between);
  const isRound = kind === "roundPlane" || kind === "roundLine";
  const centre = start + (isRound ? places.centre : places.point);
  const radius = values[start + places.radius];
  let ownRadius = 0;

  // outward normal of the moving part, and the world's point, in the frame of the world's shape
  for (let k = 0; k < 3; k++) point[k] = values[centre + k];
  if (kind === "pointLine") {
    const origin = start + places.otherPoint;
    const direction = start + places.otherDirection;
    placePoint(foot, 0, toWorld, values, origin);
    placeDirection(normal, 0, toWorld, values, direction);
    let along = 0;
    for (let k = 0; k < 3; k++) along += normal[k] * (point[k] - foot[k]);
    for (let k = 0; k < 3; k++) normal[k] = point[k] - foot[k] - along * normal[k];
    const length = Math.hypot(normal[0], normal[1], normal[2]) || 1;
    for (let k = 0; k < 3; k++) normal[k] /= length;
    ownRadius = values[start + places.otherRadius];
    if (list.distance[i] > (APART - 1) * (radius + ownRadius)) {
      exchangeLine(list, i);
      return;
    }
  } else {
    placeDirection(normal, 0, toWorld, values, start + places.normal);
    if (kind === "roundLine") ownRadius = values[start + places.otherRadius];
  }
  if (isRound) supportPoint(values, start + places.support);
  const distance = list.distance[i];
  // q lies the distance and both radii behind p
  for (let k = 0; k < 3; k++) foot[k] = point[k] - (distance + radius + ownRadius) * normal[k];
  write(list, i, radius, ownRadius);
}

/** A point of the world beside a line of the moving shape, as a line beside a point. */
function exchangeLine(list: FeatureList, i: number): void {
  const { values } = list;
  const start = i * featureStride;
  const [from, to] = [featureAt.pointLine, featureAt.linePoint];
  for (let k = 0; k < featureStride; k++) kept[k] = values[start + k];
  for (let k = 0; k < 3; k++) {
    values[start + to.point + k] = kept[from.otherPoint + k];
    values[start + to.direction + k] = kept[from.otherDirection + k];
    values[start + to.otherPoint + k] = kept[from.point + k];
  }
  values[start + to.radius] = kept[from.otherRadius];
  values[start + to.otherRadius] = kept[from.radius];
  // the line itself is off the normal
  placeDirection(values, start + to.tangent, toWorld, kept, from.otherDirection);
  list.kind[i] = featureNumber.linePoint;
  list.side[i] = 1 - list.side[i];
}

/** The point of the round set that lies deepest along −n: c − M n/√(nᵀM n). */
function supportPoint(values: Float64Array, at: number): void {
  const [xx, yy, zz, xy, xz, yz] = [0, 1, 2, 3, 4, 5].map((k) => values[at + k]);
  const [x, y, z] = normal;
  const along = [xx * x + xy * y + xz * z, xy * x + yy * y + yz * z, xz * x + yz * y + zz * z];
  const size = Math.sqrt(Math.max(along[0] * x + along[1] * y + along[2] * z, 1e-300));
  for (let k = 0; k < 3; k++) point[k] -= along[k] / size;
}

/** A point of the moving shape against a plane of the world's. */
function write(list: FeatureList, i: number, radius: number, ownRadius: number): void {
  const { values } = list;
  const start = i * featureStride;
  const places = featureAt.pointPlane;
  const back = backPlacement();
  placePoint(values, start + places.point, back, foot, 0);
  values[start + places.radius] = ownRadius;
  let offset = radius;
  for (let k = 0; k < 3; k++) {
    values[start + places.normal + k] = -normal[k];
    offset -= normal[k] * point[k];
  }
  values[start + places.offset] = offset;
  // off the normal: the axis that it has least of
  const sizes = [Math.abs(normal[0]), Math.abs(normal[1]), Math.abs(normal[2])];
  const least = sizes.indexOf(Math.min(...sizes));
  for (let k = 0; k < 3; k++) values[start + places.tangent + k] = k === least ? 1 : 0;
  list.kind[i] = featureNumber.pointPlane;
  list.side[i] = 1 - list.side[i];
}

const back = new Float64Array(placementSize);

function backPlacement(): Float64Array {
  return invertPlacement(back, toWorld);
}
