/** The nearest points of a cylinder's end disc and a segment, for rims that meet lines. */
import { ConvexDistance } from "./convexDistance.ts";
import type { CylinderView } from "./cylinderView.ts";
import { coreKind } from "./supportCore.ts";

/** What was found; the next call overwrites it. */
export const rimSegment = {
  distance: 0,
  /** Unit vector from the segment to the rim, in a's frame. */
  normal: new Float64Array(3),
};

const search = new ConvexDistance();
const ends = new Float64Array(6);
const none = new Float64Array(0);
const disc = { kind: coreKind.cylinder, x: 0, y: 0, z: 0, points: none, normals: none, radius: 0 };
const segment = { kind: coreKind.points, x: 0, y: 0, z: 0, points: ends, normals: none, radius: 0 };
const inPlace = Float64Array.of(0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1);
const centre = new Float64Array(3);

/** The points of the disc of an end and the segment from p to q, in a's frame. */
export function findRimSegment(view: CylinderView, end: number, p: Float64Array, q: Float64Array): void {
  const { x, y, axis, radius } = view;
  view.endInto(centre, end);
  let size = 0;
  for (let i = 0; i < 2; i++) {
    const point = i === 0 ? p : q;
    const at = 3 * i;
    ends.fill(0, at, at + 3);
    for (let k = 0; k < 3; k++) {
      const difference = point[k] - centre[k];
      ends[at] += x[k] * difference;
      ends[at + 1] += y[k] * difference;
      ends[at + 2] += axis[k] * difference;
    }
    size = Math.max(size, Math.abs(ends[at]), Math.abs(ends[at + 1]), Math.abs(ends[at + 2]));
  }
  disc.x = radius;
  disc.y = radius;
  segment.x = size;
  segment.y = size;
  segment.z = size;
  rimSegment.distance = search.between(disc, segment, inPlace);
  const { normal } = search;
  for (let k = 0; k < 3; k++) rimSegment.normal[k] = -(normal[0] * x[k] + normal[1] * y[k] + normal[2] * axis[k]);
}
