/** Features of a cylinder and a straight piece of the other shape, an edge or an axis, grown by a radius. */
import { addLineLine, addPointLine, type Run } from "./addFeature.ts";
import { addRoundLine } from "./addRound.ts";
import { CROSSING, type CylinderView, crossingRun, RIM, SIDE } from "./cylinderView.ts";
import type { FeatureList } from "./features.ts";
import { crossing, crossLines } from "./lines.ts";
import { GRAZING, STANDING } from "./overPlane.ts";
import type { PlanePoints } from "./planePoints.ts";
import type { Region } from "./region.ts";
import { findRimSegment, rimSegment } from "./rimSegment.ts";

/** Lines that cross at less than this angle (a sine) count as parallel: their perpendicular turns too fast. */
const PARALLEL = 0.1;

/** A straight piece in a's frame, from start to finish. */
export interface Straight {
  readonly start: Float64Array;
  readonly finish: Float64Array;
  radius: number;
  /** Its part, and those of its ends. */
  part: number;
  startPart: number;
  finishPart: number;
  /** The cylinder whose axis it is, from end 0 to end 1: then its ends touch with rims. */
  owner: CylinderView | undefined;
}

export function newStraight(): Straight {
  return {
    start: new Float64Array(3),
    finish: new Float64Array(3),
    radius: 0,
    part: 0,
    startPart: 0,
    finishPart: 0,
    owner: undefined,
  };
}

const d = new Float64Array(3);
const toward = new Float64Array(3);
const crossed = new Float64Array(3);

/** Adds what the piece and the cylinder's side, or where they are parallel their ends, may touch with; n is from a to b. */
export function straightAndSide(
  out: FeatureList,
  m: Float64Array,
  view: CylinderView,
  line: Straight,
  n: Float64Array,
  reach: number,
  deepest: number,
): void {
  const length = directionInto(d, line);
  const sign = view.side === 1 ? -1 : 1;
  crossLines(line.start, d, view.centre, view.axis);
  if (crossing.sine >= PARALLEL) {
    const isInside = crossing.s > 0 && crossing.s < length && Math.abs(crossing.t) < view.halfLength;
    if (!isInside) return;
    // crossing's normal points to the piece: from a to b where the piece is b's
    let facing = 0;
    for (let k = 0; k < 3; k++) facing += sign * crossing.normal[k] * n[k];
    const gap = (facing < 0 ? -1 : 1) * crossing.distance - view.radius - line.radius;
    if (gap > reach || gap < deepest) return;
    for (let k = 0; k < 3; k++) toward[k] = -n[k];
    if (view.side === 1) {
      addLineLine(
        out,
        m,
        line.part,
        SIDE,
        line.start,
        d,
        line.radius,
        view.centre,
        view.axis,
        view.radius,
        gap,
        toward,
      );
    } else {
      addLineLine(
        out,
        m,
        SIDE,
        line.part,
        view.centre,
        view.axis,
        view.radius,
        line.start,
        d,
        line.radius,
        gap,
        toward,
      );
    }
    return;
  }
  // nearly parallel: a point of the piece where they cross, and the ends of either
  if (crossing.sine > 1e-9 && crossing.s > 0 && crossing.s < length) {
    for (let k = 0; k < 3; k++) crossed[k] = line.start[k] + crossing.s * d[k];
    pointAndSide(out, m, view, crossed, line.radius, line.part, reach, deepest);
  }
  // of the piece and the cylinder's length, the ends of what they have in common: each belongs to the one that ends first
  const from = view.heightOf(line.start);
  const to = view.heightOf(line.finish);
  const isInner = (height: number): boolean => Math.abs(height) < view.halfLength * (1 - 1e-9);
  if (isInner(from)) addPieceEnd(out, m, view, line, 0, reach, deepest);
  if (isInner(to)) addPieceEnd(out, m, view, line, 1, reach, deepest);
  for (let end = 0; end < 2; end++) {
    const height = end === 0 ? -view.halfLength : view.halfLength;
    if (Math.min(from, to) <= height * (1 + 1e-9) + 1e-9 * length && Math.max(from, to) >= height - 1e-9 * length) {
      rimAndStraight(out, m, view, end, line, reach, deepest);
    }
  }
}

const ownAxis = newStraight();

function addPieceEnd(
  out: FeatureList,
  m: Float64Array,
  view: CylinderView,
  line: Straight,
  end: number,
  reach: number,
  deepest: number,
): void {
  if (line.owner) rimAndStraight(out, m, line.owner, end, axisOf(ownAxis, view), reach, deepest);
  else {
    const part = end === 0 ? line.startPart : line.finishPart;
    pointAndSide(out, m, view, end === 0 ? line.start : line.finish, line.radius, part, reach, deepest);
  }
}

/** The axis of a cylinder as a straight piece. */
export function axisOf(out: Straight, view: CylinderView): Straight {
  view.endInto(out.start, 0);
  view.endInto(out.finish, 1);
  out.radius = view.radius;
  out.part = SIDE;
  out.owner = view;
  return out;
}

/** A point of the other shape beside the cylinder: point against line. */
export function pointAndSide(
  out: FeatureList,
  m: Float64Array,
  view: CylinderView,
  p: Float64Array,
  radius: number,
  part: number,
  reach: number,
  deepest: number,
): void {
  if (Math.abs(view.heightOf(p)) > view.halfLength) return;
  const gap = Math.sqrt(view.squareFromAxis(p)) - radius - view.radius;
  if (gap > reach || gap < deepest) return;
  const isA = view.side === 0;
  addPointLine(
    out,
    m,
    1 - view.side,
    isA ? SIDE : part,
    isA ? part : SIDE,
    p,
    radius,
    view.centre,
    view.axis,
    view.radius,
    gap,
  );
}

/** The rim of an end and the piece, where they are nearest across the piece. */
export function rimAndStraight(
  out: FeatureList,
  m: Float64Array,
  view: CylinderView,
  end: number,
  line: Straight,
  reach: number,
  deepest: number,
): void {
  findRimSegment(view, end, line.start, line.finish);
  const gap = rimSegment.distance - line.radius;
  if (gap > reach || gap < deepest) return;
  if (view.across(rimSegment.normal) < (line.radius > 0 ? GRAZING : STANDING)) return;
  directionInto(d, line);
  // beyond an end of the piece the whole line would be nearer than the piece
  const { normal } = rimSegment;
  if (Math.abs(normal[0] * d[0] + normal[1] * d[1] + normal[2] * d[2]) > 1e-6) return;
  const isA = view.side === 0;
  const rim = RIM + end;
  addRoundLine(
    out,
    m,
    isA ? rim : line.part,
    isA ? line.part : rim,
    view.rim(end),
    line.start,
    d,
    line.radius,
    rimSegment.normal,
  );
}

function directionInto(out: Float64Array, line: Straight): number {
  let square = 0;
  for (let k = 0; k < 3; k++) {
    out[k] = line.finish[k] - line.start[k];
    square += out[k] * out[k];
  }
  const length = Math.sqrt(square);
  for (let k = 0; k < 3; k++) out[k] /= length;
  return length;
}

const onEdge = new Float64Array(3);
const bound = new Float64Array(3);
const run: Run = { along: new Float64Array(3), shift: new Float64Array(3), turn: 0 };

/** Offers the points of a piece that pass over the rim of an end, which they lie on: |start + t along|² = r² across the axis. */
export function offerCrossings(
  points: PlanePoints,
  view: CylinderView,
  end: Region,
  line: Straight,
  reach: number,
  deepest: number,
): void {
  let [aa, ab, bb] = [-view.radius * view.radius, 0, 0];
  const height = end.heightOf(line.start);
  const slope = end.heightOf(line.finish) - height;
  for (let k = 0; k < 3; k++) {
    const across = line.start[k] - end.point[k] - height * end.normal[k];
    const along = line.finish[k] - line.start[k] - slope * end.normal[k];
    aa += across * across;
    ab += across * along;
    bb += along * along;
  }
  const square = ab * ab - aa * bb;
  if (!(square > 0)) return;
  for (let which = 0; which < 2; which++) {
    const t = (-ab + (which ? 1 : -1) * Math.sqrt(square)) / bb;
    if (!(t > 0 && t < 1)) continue;
    for (let k = 0; k < 3; k++) onEdge[k] = line.start[k] + t * (line.finish[k] - line.start[k]);
    const part = CROSSING + which;
    const isA = view.side === 0;
    directionInto(run.along, line);
    end.boundInto(bound, 0, onEdge);
    points.offer(
      onEdge,
      line.radius,
      end,
      1 - view.side,
      isA ? part : line.part,
      isA ? line.part : part,
      reach,
      deepest,
      crossingRun(run, bound) ? run : undefined,
    );
  }
}
