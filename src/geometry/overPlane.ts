/**
 * Features of a cylinder over a flat region: a whole plane, a face, the end of another cylinder.
 *   it lies or leans   its rims as round sets against the plane, which is exact in every attitude but one
 *   it stands          there the root in the rim's support function has a corner; points of the rim are held instead: four quarters,
 *                      the lowest, and those where the rim crosses the bounds of the region
 * A rim or a point counts only where its foot lies in the region, so that no gap is less than the distance of the shapes.
 */
import type { Run } from "./addFeature.ts";
import { addRoundPlane, roundPlaneGap } from "./addRound.ts";
import { CROSSING, type CylinderView, HELD, LOWEST, RIM } from "./cylinderView.ts";
import type { FeatureList } from "./features.ts";
import type { PlanePoints } from "./planePoints.ts";
import type { Region } from "./region.ts";

/** Sine of the angle between axis and normal below which a cylinder stands in any case: a rim's curvature is the inverse of it. */
export const STANDING = 0.05;
/** Balls and grown lines meet rims down to this sine; below, the end is their plane to a millionth of their radius. */
export const GRAZING = 1e-3;
/** Above this it leans so much that only its lowest point can touch soon. */
const LEANING = 0.3;

const p = new Float64Array(3);
const middle = new Float64Array(3);
const angles = new Float64Array(4);
const bound = new Float64Array(3);
const run: Run = { along: new Float64Array(3), shift: new Float64Array(3), turn: 0 };

/** What the region is, for the identity of features: the part of the face, and of each of its sides. */
export interface RegionParts {
  readonly face: number;
  /** Number of side 0; side i has the part of edge region.edges[i] after it. −1 where the region is a disc, −2 where sides do not count. */
  readonly firstEdge: number;
}

/** Adds rims, and offers points, of a cylinder over a region; `deepest` is the least gap that is to be taken seriously. */
export function overPlane(
  out: FeatureList,
  points: PlanePoints,
  m: Float64Array,
  view: CylinderView,
  region: Region,
  parts: RegionParts,
  reach: number,
  deepest: number,
): void {
  const { normal: n } = region;
  const slack = 1e-9 * (view.radius + view.halfLength);
  const across = view.across(n);
  const lower = view.lowerEnd(n);
  // what can fall flat within the step stands too: the solution is at the corner
  const stands = across < STANDING || 2 * view.radius * across <= reach;
  if (!stands) {
    for (let end = 0; end < 2; end++) {
      const rim = view.rim(end);
      const gap = roundPlaneGap(rim, m, region.point, n);
      if (gap > reach || gap < deepest) continue;
      view.lowestInto(p, end, n);
      if (region.insideBy(p) < -slack) continue;
      const isA = view.side === 0;
      addRoundPlane(out, m, isA ? RIM + end : parts.face, isA ? parts.face : RIM + end, rim, region.point, n);
    }
  }
  if (across >= LEANING && !stands) return;
  for (let quarter = 0; quarter < 4; quarter++) {
    const sign = quarter < 2 ? 1 : -1;
    view.rimPointInto(p, lower, quarter % 2 ? 0 : sign, quarter % 2 ? sign : 0);
    offer(points, view, region, HELD + 4 * lower + quarter, parts.face, reach, deepest, slack);
  }
  if (!stands) return;

  // the lowest point, where the quarters are not as low as it is
  const near = 1e-3 * view.radius;
  view.lowestInto(p, lower, n);
  if (region.heightOf(p) < points.leastGap - 5e-10 * view.radius && !points.hasNear(p, near)) {
    const runs = view.lowestRunInto(run, p, lower, n);
    offer(points, view, region, LOWEST + lower, parts.face, reach, deepest, slack, runs ? run : undefined);
  }
  if (parts.firstEdge === -2) return;
  view.endInto(middle, lower);
  for (let i = 0; i < region.crossable; i++) {
    if (!region.crossingsInto(angles, i, view, middle)) continue;
    const part = parts.firstEdge < 0 ? parts.face : parts.firstEdge + region.edges[i];
    for (let which = 0; which < 2; which++) {
      view.rimPointInto(p, lower, angles[2 * which], angles[2 * which + 1]);
      // on its own side the point is at the bound, up to rounding
      if (points.hasNear(p, near)) continue;
      region.boundInto(bound, i, p);
      const own = view.crossingRunInto(run, p, lower, bound) ? run : undefined;
      offer(points, view, region, CROSSING + 2 * lower + which, part, reach, deepest, 1e-7 * view.radius, own);
    }
  }
}

function offer(
  points: PlanePoints,
  view: CylinderView,
  region: Region,
  part: number,
  other: number,
  reach: number,
  deepest: number,
  slack: number,
  run?: Run,
): void {
  if (region.insideBy(p) < -slack) return;
  const isA = view.side === 0;
  points.offer(p, 0, region, view.side, isA ? part : other, isA ? other : part, reach, deepest, run);
}
