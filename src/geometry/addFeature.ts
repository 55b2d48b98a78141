/**
 * Adders of features between points, lines and planes. Everything is handed over in a's frame, in which narrow phases work; what b carries is taken into b's frame here.
 */
import { type FeatureList, featureAt, featureKey, featureNumber } from "./features.ts";
import { placeDirectionBack, placePointBack } from "./pose.ts";

const { pointPlane, pointPoint, pointLine, lineLine, rimPlane } = featureNumber;
const planeAt = featureAt.pointPlane;
const rimAt = featureAt.rimPlane;
const pointAt = featureAt.pointPoint;
const lineAt = featureAt.pointLine;
const linesAt = featureAt.lineLine;

/** A point of radius `radius` (on a where side is 0) at p and a plane through q with unit normal n, which points to it. */
export function addPointPlane(
  out: FeatureList,
  placement: Float64Array,
  side: number,
  partOfA: number,
  partOfB: number,
  p: Float64Array,
  radius: number,
  q: Float64Array,
  n: Float64Array,
): void {
  const gap = n[0] * (p[0] - q[0]) + n[1] * (p[1] - q[1]) + n[2] * (p[2] - q[2]) - radius;
  const at = out.add(pointPlane, side, featureKey(pointPlane, partOfA, partOfB), gap);
  const { values } = out;
  pointInto(values, at, placement, side, p);
  values[at + planeAt.radius] = radius;
  const normalAt = at + planeAt.normal;
  directionInto(values, normalAt, placement, 1 - side, n);
  pointInto(values, at + planeAt.tangent, placement, 1 - side, q);
  values[at + planeAt.offset] =
    values[normalAt] * values[at + planeAt.tangent] +
    values[normalAt + 1] * values[at + planeAt.tangent + 1] +
    values[normalAt + 2] * values[at + planeAt.tangent + 2];
  tangentInto(values, at + planeAt.tangent, values, normalAt);
}

/** How a point runs along what carries it as its pose changes, in a's frame: with `along`, `shift` and `turn` of a rimPlane. */
export interface Run {
  readonly along: Float64Array;
  readonly shift: Float64Array;
  turn: number;
}

/** The same of a point that runs. */
export function addRimPlane(
  out: FeatureList,
  placement: Float64Array,
  side: number,
  partOfA: number,
  partOfB: number,
  p: Float64Array,
  radius: number,
  q: Float64Array,
  n: Float64Array,
  { along, shift, turn }: Run,
): void {
  const gap = n[0] * (p[0] - q[0]) + n[1] * (p[1] - q[1]) + n[2] * (p[2] - q[2]) - radius;
  const at = out.add(rimPlane, side, featureKey(rimPlane, partOfA, partOfB), gap);
  const { values } = out;
  pointInto(values, at, placement, side, p);
  values[at + rimAt.radius] = radius;
  directionInto(values, at + rimAt.along, placement, side, along);
  directionInto(values, at + rimAt.shift, placement, side, shift);
  values[at + rimAt.turn] = turn;
  const normalAt = at + rimAt.normal;
  directionInto(values, normalAt, placement, 1 - side, n);
  const metAt = at + rimAt.otherPoint;
  pointInto(values, metAt, placement, 1 - side, q);
  values[at + rimAt.offset] =
    values[normalAt] * values[metAt] +
    values[normalAt + 1] * values[metAt + 1] +
    values[normalAt + 2] * values[metAt + 2];
  pointInto(values, metAt, placement, 1 - side, p);
  tangentInto(values, at + rimAt.tangent, values, normalAt);
}

/** Two points with radii: p on a where side is 0, q on the other; n is the unit vector from q to p. */
export function addPointPoint(
  out: FeatureList,
  placement: Float64Array,
  side: number,
  partOfA: number,
  partOfB: number,
  p: Float64Array,
  radius: number,
  q: Float64Array,
  otherRadius: number,
  distance: number,
  n: Float64Array,
): void {
  const at = out.add(pointPoint, side, featureKey(pointPoint, partOfA, partOfB), distance);
  const { values } = out;
  pointInto(values, at, placement, side, p);
  values[at + pointAt.radius] = radius;
  pointInto(values, at + pointAt.otherPoint, placement, 1 - side, q);
  values[at + pointAt.otherRadius] = otherRadius;
  directionInto(values, at + pointAt.tangent, placement, 1 - side, n);
  tangentInto(values, at + pointAt.tangent, values, at + pointAt.tangent);
}

/** A point p (on a where side is 0) and a line through q along d on the other; n is the unit vector from the line to the point. */
export function addPointLine(
  out: FeatureList,
  placement: Float64Array,
  side: number,
  partOfA: number,
  partOfB: number,
  p: Float64Array,
  radius: number,
  q: Float64Array,
  d: Float64Array,
  otherRadius: number,
  distance: number,
): void {
  const at = out.add(pointLine, side, featureKey(pointLine, partOfA, partOfB), distance);
  const { values } = out;
  pointInto(values, at, placement, side, p);
  values[at + lineAt.radius] = radius;
  pointInto(values, at + lineAt.otherPoint, placement, 1 - side, q);
  const directionAt = at + lineAt.otherDirection;
  directionInto(values, directionAt, placement, 1 - side, d);
  values[at + lineAt.otherRadius] = otherRadius;
  // the line itself is off every normal
  for (let k = 0; k < 3; k++) values[at + lineAt.tangent + k] = values[directionAt + k];
}

/** Two lines, through p along d on a and through q along e on b; a is the feature's body. n is the unit vector from b's to a's. */
export function addLineLine(
  out: FeatureList,
  placement: Float64Array,
  partOfA: number,
  partOfB: number,
  p: Float64Array,
  d: Float64Array,
  radius: number,
  q: Float64Array,
  e: Float64Array,
  otherRadius: number,
  distance: number,
  n: Float64Array,
): void {
  const at = out.add(lineLine, 0, featureKey(lineLine, partOfA, partOfB), distance);
  const { values } = out;
  pointInto(values, at, placement, 0, p);
  directionInto(values, at + linesAt.direction, placement, 0, d);
  values[at + linesAt.radius] = radius;
  pointInto(values, at + linesAt.otherPoint, placement, 1, q);
  const directionAt = at + linesAt.otherDirection;
  directionInto(values, directionAt, placement, 1, e);
  values[at + linesAt.otherRadius] = otherRadius;
  const along =
    n[0] * (d[1] * e[2] - d[2] * e[1]) + n[1] * (d[2] * e[0] - d[0] * e[2]) + n[2] * (d[0] * e[1] - d[1] * e[0]);
  values[at + linesAt.sign] = along < 0 ? -1 : 1;
  for (let k = 0; k < 3; k++) values[at + linesAt.tangent + k] = values[directionAt + k];
}

/** A point of a's frame, in the frame of the shape that carries it (0: a, 1: b). */
export function pointInto(
  values: Float64Array,
  at: number,
  placement: Float64Array,
  carrier: number,
  p: Float64Array,
): void {
  if (carrier === 1) placePointBack(values, at, placement, p, 0);
  else for (let k = 0; k < 3; k++) values[at + k] = p[k];
}

export function directionInto(
  values: Float64Array,
  at: number,
  placement: Float64Array,
  carrier: number,
  d: Float64Array,
): void {
  if (carrier === 1) placeDirectionBack(values, at, placement, d, 0);
  else for (let k = 0; k < 3; k++) values[at + k] = d[k];
}

/** A unit axis at least 41° off the unit vector at `n[from]`: x wherever that will do, so that it seldom changes. The places may be the same. */
export function tangentInto(values: Float64Array, at: number, n: Float64Array, from: number): void {
  const x = Math.abs(n[from]);
  const y = Math.abs(n[from + 1]);
  const z = Math.abs(n[from + 2]);
  const axis = x <= 0.75 ? 0 : y <= z ? 1 : 2;
  values[at] = axis === 0 ? 1 : 0;
  values[at + 1] = axis === 1 ? 1 : 0;
  values[at + 2] = axis === 2 ? 1 : 0;
}
