/**
 * Features of two cylinders, and of a cylinder and a half-space. Of two cylinders:
 *   end and end     points of both rims over the other's end, and where the rims cross (overPlane)
 *   end and side    rims of the one that lies; points of the other's rim that the side passes over
 *   side and side   lines; parallel: rims against the other's side
 *   rim and end, side, rim   a round set against a plane, a line, another round set
 */
import { addRoundRound } from "./addRound.ts";
import { ALIKE } from "./cylinderFlat.ts";
import { axisOf, newStraight, pointAndSide, rimAndStraight, straightAndSide } from "./cylinderLine.ts";
import { CROSSING, CylinderView, END, RIM } from "./cylinderView.ts";
import { dropRepeated, keepNearest } from "./featureSet.ts";
import type { FeatureList } from "./features.ts";
import { overPlane, STANDING } from "./overPlane.ts";
import type { PairFeatures } from "./pairs.ts";
import { PlanePoints } from "./planePoints.ts";
import { Region } from "./region.ts";
import type { CylinderShape, HalfSpaceShape } from "./shape.ts";
import { convexDistance, halfSpaceDistance } from "./shapeDistance.ts";

const first = new CylinderView();
const second = new CylinderView();
const points = new PlanePoints();
const region = new Region();
const axis = newStraight();
const witness = new Float64Array(9);
const n = new Float64Array(3);
const p = new Float64Array(3);
const parts = { face: 0, firstEdge: -1 };

export const cylinderHalfSpaceFeatures: PairFeatures<CylinderShape, HalfSpaceShape> = (a, b, m, reach, out) => {
  const distance = halfSpaceDistance(a, b, m, undefined);
  if (distance > reach) return;
  for (let k = 0; k < 3; k++) {
    n[k] = m[5 + 3 * k];
    p[k] = m[k];
  }
  parts.face = 0;
  points.clear(n);
  overPlane(out, points, m, first.set(a, 0, m), region.setPlane(p, n), parts, reach, Number.NEGATIVE_INFINITY);
  points.emit(out, m);
};

export const cylinderCylinderFeatures: PairFeatures<CylinderShape, CylinderShape> = (a, b, m, reach, out) => {
  const distance = convexDistance(a, b, m, witness);
  if (distance > reach) return;
  const size = Math.min(a.radius + a.halfLength, b.radius + b.halfLength);
  const deepest = Math.min(1.5 * distance, 0) - 1e-9 * size;
  for (let k = 0; k < 3; k++) n[k] = witness[6 + k];
  first.set(a, 0, m);
  second.set(b, 1, m);
  points.clear(n);
  const start = out.count;

  // ends that face each other: a's along n, b's against it
  const endOfA = first.along(n) > 0 ? 1 : 0;
  const endOfB = second.lowerEnd(n);
  const aStands = first.across(n) < ALIKE;
  const bStands = second.across(n) < ALIKE;
  const aLies = Math.abs(first.along(n)) < ALIKE;
  const bLies = Math.abs(second.along(n)) < ALIKE;
  if (aStands) overEnd(out, m, first, endOfA, second, bLies, reach, deepest);
  if (bStands) overEnd(out, m, second, endOfB, first, aLies, reach, deepest);
  points.emit(out, m);

  if (aLies && bLies) straightAndSide(out, m, first, axisOf(axis, second), n, reach, deepest);
  // the rims that are nearest, if they meet a side
  if (aLies && !isSquare(second)) rimAndStraight(out, m, second, endOfB, axisOf(axis, first), reach, deepest);
  if (bLies && !isSquare(first)) rimAndStraight(out, m, first, endOfA, axisOf(axis, second), reach, deepest);
  // neither an end nor a side: both rims
  if (rimsMeet(endOfA, endOfB, size)) {
    addRoundRound(out, m, RIM + endOfA, RIM + endOfB, second.rim(endOfB), first.rim(endOfA), n);
  }
  dropRepeated(out, start);
  keepNearest(out, start, m, witness, distance, size);
};

/** Whether n is square to the axis: then sides meet, not rims. */
function isSquare(view: CylinderView): boolean {
  return Math.abs(view.along(n)) < 1e-7;
}

const highest = new Float64Array(3);
const lowest = new Float64Array(3);

/** Whether the rims' points along n are those that are nearest: opposite each other, on rims that n is neither along nor square to. */
function rimsMeet(endOfA: number, endOfB: number, size: number): boolean {
  if (first.across(n) < STANDING || second.across(n) < STANDING) return false;
  second.lowestInto(lowest, endOfB, n);
  for (let k = 0; k < 3; k++) n[k] = -n[k];
  first.lowestInto(highest, endOfA, n);
  let height = 0;
  for (let k = 0; k < 3; k++) {
    n[k] = -n[k];
    height += n[k] * (lowest[k] - highest[k]);
  }
  let square = 0;
  for (let k = 0; k < 3; k++) square += (lowest[k] - highest[k] - height * n[k]) ** 2;
  return square <= (1e-6 * size) ** 2;
}

const angles = new Float64Array(4);
const middle = new Float64Array(3);
const across = new Float64Array(3);

/** What of `view` may touch the end of `stand`; where it lies across the end, also the rim of the end, at points that its side passes over. */
function overEnd(
  out: FeatureList,
  m: Float64Array,
  stand: CylinderView,
  end: number,
  view: CylinderView,
  lies: boolean,
  reach: number,
  deepest: number,
): void {
  parts.face = END + end;
  overPlane(out, points, m, view, region.setEnd(stand, end), parts, reach, deepest);
  if (!lies) return;
  // the rim's points in the plane through the lying axis and the normal: B cos φ + C sin φ = −A
  stand.endInto(middle, end);
  const { axis: u } = view;
  across[0] = n[1] * u[2] - n[2] * u[1];
  across[1] = n[2] * u[0] - n[0] * u[2];
  across[2] = n[0] * u[1] - n[1] * u[0];
  let [constant, cosine, sine] = [0, 0, 0];
  for (let k = 0; k < 3; k++) {
    constant += across[k] * (middle[k] - view.centre[k]);
    cosine += stand.radius * across[k] * stand.x[k];
    sine += stand.radius * across[k] * stand.y[k];
  }
  const size = Math.sqrt(cosine * cosine + sine * sine);
  if (!(Math.abs(constant) < size)) return;
  const c = -constant / size;
  const s = Math.sqrt(1 - c * c);
  for (let which = 0; which < 2; which++) {
    const t = which ? s : -s;
    angles[0] = (cosine * c - sine * t) / size;
    angles[1] = (sine * c + cosine * t) / size;
    stand.rimPointInto(p, end, angles[0], angles[1]);
    pointAndSide(out, m, view, p, 0, CROSSING + 2 * end + which, reach, deepest);
  }
}
