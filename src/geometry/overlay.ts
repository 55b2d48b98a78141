/**
 * Two faces laid over each other: the corners of the region in which they overlap. Each is a vertex of one face whose foot lies in the
 * other, or two edges that are nearest to each other within both. The gap of each is the distance of two parts of the shapes, so it is
 * never less than that of the shapes, whatever the angle between the faces, and all may be held at once.
 */
import { crossing, crossLines } from "./lines.ts";
import type { Polyhedron } from "./polyhedron.ts";
import type { Candidates } from "./reduce.ts";
import { dot } from "./vectors.ts";

/** Corners of one face: places in the plane of contact and points in space, anticlockwise seen from b. */
export class Outline {
  count = 0;
  x = new Float64Array(32);
  y = new Float64Array(32);
  /** Three numbers each, in a's frame. */
  points = new Float64Array(96);
  vertices = new Int32Array(32);
  /** The edge from each corner to the next. */
  edges = new Int32Array(32);

  reserve(count: number): void {
    this.count = count;
    if (count <= this.x.length) return;
    this.x = new Float64Array(2 * count);
    this.y = new Float64Array(2 * count);
    this.points = new Float64Array(6 * count);
    this.vertices = new Int32Array(2 * count);
    this.edges = new Int32Array(2 * count);
  }
}

/** What corners are: a vertex of a over b's face, a vertex of b over a's face, or edges that cross (steeply, or nearly parallel). */
export const VERTEX_OF_A = 0;
export const VERTEX_OF_B = 1;
export const EDGES = 2;
export const PARALLEL_EDGES = 3;

/** Two directions across n, six numbers. */
export function acrossInto(out: Float64Array, n: Float64Array): void {
  const x = Math.abs(n[0]);
  const y = Math.abs(n[1]);
  const z = Math.abs(n[2]);
  const k = x <= y && x <= z ? 0 : y <= z ? 1 : 2;
  // the axis farthest from n, made square to it, and the cross product of n with it
  const length = Math.sqrt(1 - n[k] * n[k]);
  for (let i = 0; i < 3; i++) out[i] = ((i === k ? 1 : 0) - n[k] * n[i]) / length;
  out[3] = n[1] * out[2] - n[2] * out[1];
  out[4] = n[2] * out[0] - n[0] * out[2];
  out[5] = n[0] * out[1] - n[1] * out[0];
}

/** The outline of a face; `placement` takes the shape into a's frame (undefined: it is a), and reverses the sense of the loop. */
export function outlineInto(
  out: Outline,
  shape: Polyhedron,
  face: number,
  placement: Float64Array | undefined,
  across: Float64Array,
): void {
  const start = shape.faceStart[face];
  const count = shape.faceStart[face + 1] - start;
  out.reserve(count);
  const { x, y, points, vertices, edges } = out;
  for (let i = 0; i < count; i++) {
    // backwards, the edge on from a corner is the one before it in the loop
    const k = placement ? start + count - 1 - i : start + i;
    const v = shape.loop[k];
    vertices[i] = v;
    edges[i] = shape.loopEdges[placement ? (k === start ? start + count - 1 : k - 1) : k];
    const px = shape.vertices[3 * v];
    const py = shape.vertices[3 * v + 1];
    const pz = shape.vertices[3 * v + 2];
    for (let r = 0; r < 3; r++) {
      points[3 * i + r] = placement
        ? placement[r] + placement[3 + 3 * r] * px + placement[4 + 3 * r] * py + placement[5 + 3 * r] * pz
        : r === 0
          ? px
          : r === 1
            ? py
            : pz;
    }
    x[i] = across[0] * points[3 * i] + across[1] * points[3 * i + 1] + across[2] * points[3 * i + 2];
    y[i] = across[3] * points[3 * i] + across[4] * points[3 * i + 1] + across[5] * points[3 * i + 2];
  }
}

/** How far a place in the plane of contact is inside an outline, as seen along the direction: its least distance from the sides. */
export function insideOutline({ count, x, y }: Outline, px: number, py: number): number {
  let least = Number.POSITIVE_INFINITY;
  for (let i = 0; i < count; i++) {
    const j = i + 1 === count ? 0 : i + 1;
    const dx = x[j] - x[i];
    const dy = y[j] - y[i];
    const side = dx * (py - y[i]) - dy * (px - x[i]);
    const length = Math.sqrt(dx * dx + dy * dy);
    if (side < least * length) least = side / length;
  }
  return least;
}

/** A plane n·x = offset in a's frame. */
export interface Plane {
  readonly normal: Float64Array;
  offset: number;
}

/** Edges that cross at less than this angle are no good as lines: their perpendicular turns too fast. */
const LEAST_SINE = 0.1;
/** Faces whose normals are farther off the direction than this cosine do not look at each other. */
const LEAST_FACING = 0.2;

/**
 * How far the foot of a point in the plane of an outline is inside it: its least distance from the sides. `up` is +1 where the outline
 * turns anticlockwise about the normal (a's), −1 where clockwise (b's).
 */
function insideBy(outline: Outline, { normal: n }: Plane, up: number, points: Float64Array, at: number): number {
  const { count, points: corners } = outline;
  let least = Number.POSITIVE_INFINITY;
  for (let i = 0; i < count; i++) {
    const c = 3 * i;
    const next = i + 1 === count ? 0 : c + 3;
    const dx = corners[next] - corners[c];
    const dy = corners[next + 1] - corners[c + 1];
    const dz = corners[next + 2] - corners[c + 2];
    const length = Math.sqrt(dx * dx + dy * dy + dz * dz);
    const side =
      (n[1] * dz - n[2] * dy) * (points[at] - corners[c]) +
      (n[2] * dx - n[0] * dz) * (points[at + 1] - corners[c + 1]) +
      (n[0] * dy - n[1] * dx) * (points[at + 2] - corners[c + 2]);
    if (up * side < least * length) least = (up * side) / length;
  }
  return least;
}

/**
 * Adds what a's outline p and b's outline q have over each other to the candidates. Feet that are outside by less than `slack` count as
 * inside (a negative slack asks for more); what has a gap below `floor` is left out. `n` is the direction from a to b.
 */
export function overlay(
  out: Candidates,
  p: Outline,
  q: Outline,
  planeOfA: Plane,
  planeOfB: Plane,
  n: Float64Array,
  slack: number,
  floor: number,
): void {
  const near = 2 * Math.abs(slack);
  const facesA = dot(planeOfA.normal, n) > LEAST_FACING;
  const facesB = -dot(planeOfB.normal, n) > LEAST_FACING;
  if (facesB) {
    for (let i = 0; i < p.count; i++) {
      if (insideBy(q, planeOfB, -1, p.points, 3 * i) < -slack) continue;
      const gap = heightOver(planeOfB, p.points, i);
      if (gap >= floor) out.add(p.x[i], p.y[i], gap, VERTEX_OF_A, i, -1);
    }
  }
  if (facesA) {
    for (let i = 0; i < q.count; i++) {
      if (insideBy(p, planeOfA, 1, q.points, 3 * i) < -slack || out.hasNear(q.x[i], q.y[i], near)) continue;
      const gap = heightOver(planeOfA, q.points, i);
      if (gap >= floor) out.add(q.x[i], q.y[i], gap, VERTEX_OF_B, -1, i);
    }
  }
  for (let i = 0; i < p.count; i++) {
    for (let j = 0; j < q.count; j++) cross(out, p, q, planeOfB, n, i, j, slack, floor, facesB);
  }
}

/** Edges i of p and j of q, where they cross. */
function cross(
  out: Candidates,
  p: Outline,
  q: Outline,
  planeOfB: Plane,
  n: Float64Array,
  i: number,
  j: number,
  slack: number,
  floor: number,
  facesB: boolean,
): void {
  const i2 = i + 1 === p.count ? 0 : i + 1;
  const j2 = j + 1 === q.count ? 0 : j + 1;
  // seen along the direction first, which is quick
  const dx = p.x[i2] - p.x[i];
  const dy = p.y[i2] - p.y[i];
  const ex = q.x[j2] - q.x[j];
  const ey = q.y[j2] - q.y[j];
  const turn = dx * ey - dy * ex;
  if (turn === 0) return;
  const rx = q.x[j] - p.x[i];
  const ry = q.y[j] - p.y[i];
  let s = (rx * ey - ry * ex) / turn;
  const t = (rx * dy - ry * dx) / turn;
  if (!(s > 0 && s < 1 && t > 0 && t < 1)) return;
  const isSteep = Math.abs(turn) >= LEAST_SINE * Math.sqrt((dx * dx + dy * dy) * (ex * ex + ey * ey));
  let gap = 0;
  if (isSteep) {
    const first = edgeInto(start, along, p, i, i2);
    const second = edgeInto(otherStart, otherAlong, q, j, j2);
    crossLines(start, along, otherStart, otherAlong);
    // the lines must be nearest within the edges, else their distance is less than that of the shapes
    if (!(crossing.s > 0 && crossing.s < first && crossing.t > 0 && crossing.t < second)) return;
    s = crossing.s / first;
    // the perpendicular points to a's line: away from b where they are apart
    gap = dot(crossing.normal, n) < 0 ? crossing.distance : -crossing.distance;
  } else {
    if (!facesB) return;
    for (let k = 0; k < 3; k++) start[k] = (1 - s) * p.points[3 * i + k] + s * p.points[3 * i2 + k];
    if (insideBy(q, planeOfB, -1, start, 0) < -slack) return;
    gap = heightOver(planeOfB, start, 0);
  }
  const x = p.x[i] + s * dx;
  const y = p.y[i] + s * dy;
  if (gap >= floor && !out.hasNear(x, y, 2 * Math.abs(slack)))
    out.add(x, y, gap, isSteep ? EDGES : PARALLEL_EDGES, i, j);
}

const start = new Float64Array(3);
const along = new Float64Array(3);
const otherStart = new Float64Array(3);
const otherAlong = new Float64Array(3);

/** The start and unit direction of an edge; returns its length. */
function edgeInto(point: Float64Array, direction: Float64Array, { points }: Outline, i: number, i2: number): number {
  for (let k = 0; k < 3; k++) {
    point[k] = points[3 * i + k];
    direction[k] = points[3 * i2 + k] - points[3 * i + k];
  }
  const length = Math.sqrt(dot(direction, direction));
  for (let k = 0; k < 3; k++) direction[k] /= length;
  return length;
}

function heightOver({ normal, offset }: Plane, points: Float64Array, i: number): number {
  return normal[0] * points[3 * i] + normal[1] * points[3 * i + 1] + normal[2] * points[3 * i + 2] - offset;
}
