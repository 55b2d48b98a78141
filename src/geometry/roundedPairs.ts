/**
 * Spheres and capsules against each other: points and segments, grown by radii, whose distances are closed forms. Features are
 *   a centre (or an end of an axis) and a centre or end   pointPoint
 *   a centre or end and an axis that it lies beside        pointLine
 *   two axes that cross                                    lineLine
 * Capsules side by side have a feature at both ends of the stretch in which they are.
 */
import { addLineLine, addPointLine, addPointPoint } from "./addFeature.ts";
import type { FeatureList } from "./features.ts";
import { crossing, crossLines } from "./lines.ts";
import { type ShapePair, shapePair } from "./pairs.ts";
import { roundedDistance } from "./roundedDistance.ts";
import type { CapsuleShape, SphereShape } from "./shape.ts";

const p = new Float64Array(3);
const q = new Float64Array(3);
const d = new Float64Array(3);
const e = new Float64Array(3);
const n = new Float64Array(3);

/** Number of a capsule's axis among its parts, after its two ends. */
const AXIS = 2;
/** Axes that cross at less than this angle are no good as lines, since their perpendicular turns too fast. */
const LEAST_SINE = 0.02;
/** Below this they are parallel: their ends hold them. */
const PARALLEL = 1e-6;

function sphereSphere(a: SphereShape, b: SphereShape, m: Float64Array, reach: number, out: FeatureList): void {
  p.fill(0);
  for (let k = 0; k < 3; k++) q[k] = m[k];
  addPoints(out, m, 1, 0, 0, q, b.radius, p, a.radius, reach);
}

function sphereCapsule(a: SphereShape, b: CapsuleShape, m: Float64Array, reach: number, out: FeatureList): void {
  p.fill(0);
  axisOf(m);
  const along = -(m[0] * e[0] + m[1] * e[1] + m[2] * e[2]);
  if (Math.abs(along) < b.halfLength) addBeside(out, m, 0, 0, AXIS, p, a.radius, m, e, b.radius, along, reach);
  else {
    const end = along < 0 ? 0 : 1;
    endOf(q, b, m, end);
    addPoints(out, m, 0, 0, end, p, a.radius, q, b.radius, reach);
  }
}

function capsuleCapsule(a: CapsuleShape, b: CapsuleShape, m: Float64Array, reach: number, out: FeatureList): void {
  const first = out.count;
  axisOf(m);
  p.fill(0);
  d.fill(0);
  d[2] = 1;
  // the axes, where they cross within both
  for (let k = 0; k < 3; k++) q[k] = m[k];
  crossLines(p, d, q, e);
  if (crossing.sine > PARALLEL && Math.abs(crossing.s) < a.halfLength && Math.abs(crossing.t) < b.halfLength) {
    const gap = crossing.distance - a.radius - b.radius;
    if (crossing.sine < LEAST_SINE) {
      // the point of a's axis that is nearest
      p[2] = crossing.s;
      if (gap <= reach) addPointLine(out, m, 0, AXIS, AXIS, p, a.radius, q, e, b.radius, gap);
    } else if (gap <= reach) addLineLine(out, m, AXIS, AXIS, p, d, a.radius, q, e, b.radius, gap, crossing.normal);
  }
  // ends of each beside the axis of the other; where ends stand level, a's alone
  for (let end = 0; end < 2; end++) {
    p.fill(0);
    p[2] = end === 0 ? -a.halfLength : a.halfLength;
    const along = e[0] * (p[0] - m[0]) + e[1] * (p[1] - m[1]) + e[2] * (p[2] - m[2]);
    if (Math.abs(along) <= b.halfLength) addBeside(out, m, 0, end, AXIS, p, a.radius, m, e, b.radius, along, reach);
  }
  d.fill(0);
  d[2] = 1;
  q.fill(0);
  const inner = a.halfLength - LEVEL * (a.halfLength + b.halfLength);
  for (let end = 0; end < 2; end++) {
    endOf(p, b, m, end);
    if (Math.abs(p[2]) < inner) addBeside(out, m, 1, AXIS, end, p, b.radius, q, d, a.radius, p[2], reach);
  }
  // the ends that are nearest to each other, unless something else is nearer
  let least = Number.POSITIVE_INFINITY;
  let ends = 0;
  for (let i = 0; i < 4; i++) {
    endOf(q, b, m, i >> 1);
    const z = q[2] - (i & 1 ? a.halfLength : -a.halfLength);
    const square = q[0] * q[0] + q[1] * q[1] + z * z;
    if (square < least) {
      least = square;
      ends = i;
    }
  }
  const nearest = Math.sqrt(least) - a.radius - b.radius;
  for (let i = first; i < out.count; i++) if (out.distance[i] <= nearest) return;
  p.fill(0);
  p[2] = ends & 1 ? a.halfLength : -a.halfLength;
  endOf(q, b, m, ends >> 1);
  addPoints(out, m, 0, ends & 1, ends >> 1, p, a.radius, q, b.radius, reach);
}

/** Ends that stand level to this fraction of the lengths count as level. */
const LEVEL = 1e-9;

/** e becomes the direction of b's axis. */
function axisOf(m: Float64Array): void {
  e[0] = m[5];
  e[1] = m[8];
  e[2] = m[11];
}

function endOf(out: Float64Array, b: CapsuleShape, m: Float64Array, end: number): void {
  const z = end === 0 ? -b.halfLength : b.halfLength;
  for (let k = 0; k < 3; k++) out[k] = m[k] + z * m[5 + 3 * k];
}

/** Two points, p on the shape of `side`. Points that coincide part along z. */
function addPoints(
  out: FeatureList,
  m: Float64Array,
  side: number,
  partOfA: number,
  partOfB: number,
  point: Float64Array,
  radius: number,
  other: Float64Array,
  otherRadius: number,
  reach: number,
): void {
  for (let k = 0; k < 3; k++) n[k] = point[k] - other[k];
  const length = Math.sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
  const gap = length - radius - otherRadius;
  if (gap > reach) return;
  if (length > 0) for (let k = 0; k < 3; k++) n[k] /= length;
  else n[2] = 1;
  addPointPoint(out, m, side, partOfA, partOfB, point, radius, other, otherRadius, gap, n);
}

/** A point whose foot on a line is `along` from the line's point. */
function addBeside(
  out: FeatureList,
  m: Float64Array,
  side: number,
  partOfA: number,
  partOfB: number,
  point: Float64Array,
  radius: number,
  origin: Float64Array,
  direction: Float64Array,
  otherRadius: number,
  along: number,
  reach: number,
): void {
  for (let k = 0; k < 3; k++) n[k] = point[k] - origin[k] - along * direction[k];
  const gap = Math.sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]) - radius - otherRadius;
  if (gap > reach) return;
  addPointLine(out, m, side, partOfA, partOfB, point, radius, origin, direction, otherRadius, gap);
}

export const roundedPairs: readonly ShapePair[] = [
  shapePair("sphere", "sphere", sphereSphere, roundedDistance),
  shapePair("sphere", "capsule", sphereCapsule, roundedDistance),
  shapePair("capsule", "capsule", capsuleCapsule, roundedDistance),
];
