/**
 * What of a solid and of a terrain overlaps, and which ways lead out. A ridge, a peak or a face of the ground may be in a solid, or a part of the solid
 * in its ground, along several normals: past the side by which it came in, and past others behind that. Taken for depths, these made steps
 * that throw the solid out to its other side with up to a thousand times its energy.
 *
 * A way out is a plane of the ground with normal u, along which the solid has to go by d to lie above it. All parts of the ground below that plane are
 * left by it, so none of them is in the solid by more than d.
 */
import { crossing, crossLines } from "./lines.ts";
import { directions, faceNormals, faces, positions } from "./placedSolid.ts";
import type { Polyhedron } from "./polyhedron.ts";
import type { Candidates } from "./reduce.ts";
import { edgeEnd, edgeTriangle, heightOver, type Terrain, triangleAt, triangleInto } from "./terrain.ts";
import { isOutside } from "./terrainNormals.ts";

/** What a candidate is; its parts are those of the polyhedron and of the terrain. */
export const VERTEX_FACE = 0;
export const VERTEX_EDGE = 1;
export const VERTEX_VERTEX = 2;
export const EDGE_EDGE = 3;
export const FACE_VERTEX = 4;
export const EDGE_VERTEX = 5;
export const UNDER_EDGE = 6;

/** Edges that cross at less than this angle are no good as lines: their perpendicular turns too fast. */
export const LEAST_SINE = 0.02;

/** Part of the solid's radius up to which nothing is taken for another side. */
export const SHALLOW = 1e-3;
/** How many times as deep as the shortest way out a part may be that goes the same way. */
const DEEPER = 3;

const p = new Float64Array(3);
const d = new Float64Array(3);
const q = new Float64Array(3);
const e = new Float64Array(3);
const u = new Float64Array(3);
const corners = new Int32Array(3);

/** q and e become the start and the direction of an edge of the terrain; returns its length. */
function setRidge(t: Terrain, edge: number): number {
  const a = 3 * Math.floor(edge / 3);
  const b = 3 * edgeEnd(t, edge);
  for (let k = 0; k < 3; k++) {
    q[k] = t.vertices[a + k];
    e[k] = t.vertices[b + k] - q[k];
  }
  const length = Math.sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2]);
  for (let k = 0; k < 3; k++) e[k] /= length;
  return length;
}

/** p and d become the start and the direction of an edge of the solid. */
function setEdge(shape: Polyhedron, i: number): void {
  for (let k = 0; k < 3; k++) {
    p[k] = positions[3 * shape.edgeEnds[2 * i] + k];
    d[k] = directions[3 * i + k];
  }
}

/** The part of a line that lies in all half-spaces that it was cut with. */
const inside = { from: 0, to: 0 };

/** Cuts it where a height that is `at` where the line starts, and grows by `slope` along it, is above zero. */
function cutAbove(at: number, slope: number): void {
  if (slope > 0) inside.to = Math.min(inside.to, -at / slope);
  else if (slope < 0) inside.from = Math.max(inside.from, -at / slope);
  else if (at > 0) inside.to = Number.NEGATIVE_INFINITY;
}

/**
 * Whether edge i of the solid has met a ridge that it is below, nearest to it at `s`: it goes through the ground of that ridge, or the ridge through
 * the solid. What is below a rim and beside it has not, nor what is behind the hill, in the ground of another.
 */
export function isMet(shape: Polyhedron, t: Terrain, edge: number, i: number, s: number): boolean {
  const length = setRidge(t, edge);
  setEdge(shape, i);
  const last = 3 * shape.edgeEnds[2 * i + 1];
  inside.from = inside.to = 0;
  for (let k = 0; k < 3; k++) inside.to += d[k] * (positions[last + k] - p[k]);
  for (let side = 0; side < 2; side++) {
    const triangle = edgeTriangle(t, edge, side);
    if (triangle >= 0) cutAbove(heightOver(t, triangle, p), along(t.normals, 3 * triangle, d));
  }
  if (inside.from < inside.to) {
    // where the edge is nearest to the ridge, or a little into the ground
    const near = Math.min(Math.max(s, inside.from), inside.to);
    const at = near === s ? s : near + 0.1 * (inside.from + inside.to - 2 * near);
    for (let k = 0; k < 3; k++) p[k] += at * d[k];
    const drop = Math.min(dropTo(t, edgeTriangle(t, edge, 0)), dropTo(t, edgeTriangle(t, edge, 1)));
    const over = triangleAt(t, p[0], p[1]);
    if (over >= 0 && dropTo(t, over) >= 0.5 * drop) return true;
  }
  inside.from = 0;
  inside.to = length;
  for (let f = 0; f < shape.faceCount; f++) {
    const at = 3 * shape.loop[shape.faceStart[f]];
    cutAbove(along(faceNormals, 3 * f, q) - along(faceNormals, 3 * f, positions, at), along(faceNormals, 3 * f, e));
  }
  return shape.faceCount > 0 && inside.from < inside.to;
}

function along(n: Float64Array, at: number, v: Float64Array, from = 0): number {
  return n[at] * v[from] + n[at + 1] * v[from + 1] + n[at + 2] * v[from + 2];
}

/** How far p is straight below the plane of a triangle; ∞ of none. */
function dropTo(t: Terrain, triangle: number): number {
  return triangle < 0 ? Number.POSITIVE_INFINITY : -heightOver(t, triangle, p) / t.normals[3 * triangle + 2];
}

/** The vertex of the solid that is farthest below the plane of the triangle that was last asked for. */
let lowest = 0;

/** How far it is below; ∞ of no triangle. */
function mostBelow(shape: Polyhedron, t: Terrain, triangle: number): number {
  let depth = triangle < 0 ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY;
  for (let v = 0; v < shape.vertexCount && triangle >= 0; v++) {
    for (let k = 0; k < 3; k++) p[k] = positions[3 * v + k];
    const below = -heightOver(t, triangle, p);
    if (below <= depth) continue;
    depth = below;
    lowest = v;
  }
  return depth;
}

/** The shortest way out of the ground of a ridge, as if its two faces had no ends, across it and one of the edges of the solid; negative where it is out. */
function pastEdges(shape: Polyhedron, t: Terrain, edge: number): number {
  let shortest = Number.POSITIVE_INFINITY;
  setRidge(t, edge);
  for (let i = 0; i < shape.edgeCount; i++) {
    setEdge(shape, i);
    crossLines(p, d, q, e);
    if (crossing.sine < LEAST_SINE) continue;
    for (let below = -1; below <= 1; below += 2) {
      for (let k = 0; k < 3; k++) u[k] = -below * crossing.normal[k];
      if (isOutside(t, edge, u) && faces(shape, i, u)) shortest = Math.min(shortest, below * crossing.distance);
    }
  }
  return shortest;
}

/** Drops candidates that are other sides of what overlaps; returns the least gap of those that stay. */
export function dropOtherSides(found: Candidates, shape: Polyhedron, t: Terrain): number {
  const { gap, kept, count } = found;
  const shallow = SHALLOW * shape.radius;
  for (let i = 0; i < count; i++)
    if (gap[i] < -shallow && found.parts[3 * i] === EDGE_EDGE) leaveRidge(found, i, shape, t);
  for (let i = 0; i < count; i++) {
    if (!(gap[i] < 0) || !setPlane(found, i, shape, t)) continue;
    for (let j = 0; j < count; j++) if (gap[j] < DEEPER * gap[i] - shallow && isBelow(found, j, t)) kept[j] = 0;
  }
  return found.dropUnkept();
}

/** Candidate i, an edge below a ridge, goes if the solid is out of that ridge's ground, or becomes a vertex below one of its faces if that is a much shorter way. */
function leaveRidge(found: Candidates, i: number, shape: Polyhedron, t: Terrain): void {
  const edge = found.parts[3 * i + 2];
  let shortest = pastEdges(shape, t, edge);
  let [face, vertex] = [-1, 0];
  for (let side = 0; side < 2; side++) {
    const triangle = edgeTriangle(t, edge, side);
    const depth = mostBelow(shape, t, triangle);
    if (!(depth < shortest)) continue;
    shortest = depth;
    face = triangle;
    vertex = lowest;
  }
  if (shortest < 0 || (face < 0 && -found.gap[i] > DEEPER * shortest)) found.kept[i] = 0;
  else if (-found.gap[i] > DEEPER * shortest)
    found.replace(i, positions[3 * vertex], positions[3 * vertex + 1], -shortest, VERTEX_FACE, vertex, face);
}

/** q and u become a point and the normal of the plane along which the solid leaves by candidate i, if it is one of its faces, or of its edges and a ridge. */
function setPlane({ parts }: Candidates, i: number, shape: Polyhedron, t: Terrain): boolean {
  const part = parts[3 * i + 1];
  const other = parts[3 * i + 2];
  if (parts[3 * i] === FACE_VERTEX) {
    for (let k = 0; k < 3; k++) {
      q[k] = t.vertices[3 * other + k];
      u[k] = -faceNormals[3 * part + k];
    }
    return true;
  }
  if (parts[3 * i] !== EDGE_EDGE) return false;
  setRidge(t, other);
  setEdge(shape, part);
  crossLines(p, d, q, e);
  for (let k = 0; k < 3; k++) u[k] = -crossing.normal[k];
  return true;
}

/** Whether the ground's part of a candidate lies below that plane. */
function isBelow({ parts }: Candidates, i: number, t: Terrain): boolean {
  const type = parts[3 * i];
  const other = parts[3 * i + 2];
  if (type === VERTEX_FACE) {
    triangleInto(corners, t, other);
    return isVertexBelow(t, corners[0]) && isVertexBelow(t, corners[1]) && isVertexBelow(t, corners[2]);
  }
  if (type === EDGE_EDGE) return isVertexBelow(t, Math.floor(other / 3)) && isVertexBelow(t, edgeEnd(t, other));
  return isVertexBelow(t, other);
}

function isVertexBelow(t: Terrain, v: number): boolean {
  return along(u, 0, t.vertices, 3 * v) - along(u, 0, q) <= 1e-9 * t.stepX;
}
