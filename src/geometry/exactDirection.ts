/**
 * The direction between two polyhedra, made exact. A search gives the distance (or the depth) to rounding, but the direction only to
 * rounding divided by the gap. The distance is the largest separation over all directions, so a direction that is known exactly, the
 * normal of a face or the perpendicular of two edges beside the nearest points, is the one if its separation is the distance. Where
 * none is, the nearest parts are corners: a vertex and a vertex, a vertex and an edge, or two parallel edges.
 */
import { simplex, supportVertex } from "./gjk.ts";
import type { Polyhedron } from "./polyhedron.ts";

/** What was found; the next search overwrites it. Everything is in a's frame. */
export const closest = {
  /** Negative where the polyhedra overlap. */
  distance: 0,
  /** The normal from a to b. */
  normal: new Float64Array(3),
  type: "corners" as "faceOfA" | "faceOfB" | "edges" | "corners",
  /** The face of a (faceOfA), the vertex of a (faceOfB), the edge of a (edges), or a vertex of the nearest part of a (corners). */
  partA: 0,
  partB: 0,
  /** The nearest, or deepest, points. */
  pointA: new Float64Array(3),
  pointB: new Float64Array(3),
};

/** Distances that agree this well, relative to themselves and to the shapes, are equal. */
const AGREEMENT = 1e-11;
const ROUNDING = 1e-14;
/** Directions as far off as this (10°, as a cosine) are not the one that the nearest points show, at gaps that are not all rounding. */
const NEAR = 0.98;
const LEAN = Math.sqrt(1 - NEAR * NEAR) + 1e-9;
/** Edges whose directions span less than this are parallel. */
const PARALLEL = 1e-6;

// the direction that the nearest points show, which candidates are compared with
let shownX = 0;
let shownY = 0;
let shownZ = 0;
let needed = 0;
let nearCosine = 0;

/**
 * Takes over a distance and a direction that were found, and replaces the direction by the exact one of faces or edges beside the
 * vertices of `simplex`, where there is one: `closest.type` says what it is.
 */
export function makeExact(
  a: Polyhedron,
  b: Polyhedron,
  m: Float64Array,
  distance: number,
  direction: Float64Array,
): void {
  for (let k = 0; k < 3; k++) closest.normal[k] = direction[k];
  closest.distance = distance;
  closest.type = "corners";
  closest.partA = simplex.a[0];
  closest.partB = simplex.b[0];
  const size = a.radius + b.radius;
  shownX = direction[0];
  shownY = direction[1];
  shownZ = direction[2];
  needed = distance - AGREEMENT * Math.abs(distance) - ROUNDING * size;
  nearCosine = Math.abs(distance) > 1e-10 * size ? NEAR : -1;
  let found = Number.NEGATIVE_INFINITY;
  const { count } = simplex;
  for (let i = 0; i < count; i++) {
    if (isRepeated(simplex.a, i)) continue;
    const v = simplex.a[i];
    for (let k = a.neighbourStart[v]; k < a.neighbourStart[v + 1]; k++) {
      const edge = a.neighbourEdges[k];
      // every face of the vertex is beside two of its edges: take it from the one that leaves the vertex in its direction
      const face = a.edgeFaces[2 * edge + (a.edgeEnds[2 * edge] === v ? 0 : 1)];
      if (face >= 0) found = offerFaceOfA(a, b, m, face, found);
    }
  }
  for (let i = 0; i < count; i++) {
    if (isRepeated(simplex.b, i)) continue;
    const v = simplex.b[i];
    for (let k = b.neighbourStart[v]; k < b.neighbourStart[v + 1]; k++) {
      const edge = b.neighbourEdges[k];
      const face = b.edgeFaces[2 * edge + (b.edgeEnds[2 * edge] === v ? 0 : 1)];
      if (face >= 0) found = offerFaceOfB(a, b, m, face, found);
    }
  }
  if (closest.type !== "corners") return;
  gatherEdges(a, simplex.a, ofA, shownX, shownY, shownZ);
  gatherEdges(
    b,
    simplex.b,
    ofB,
    m[3] * shownX + m[6] * shownY + m[9] * shownZ,
    m[4] * shownX + m[7] * shownY + m[10] * shownZ,
    m[5] * shownX + m[8] * shownY + m[11] * shownZ,
  );
  for (let i = 0; i < ofA.count; i++)
    for (let j = 0; j < ofB.count; j++) found = offerEdges(a, b, m, ofA.edges[i], ofB.edges[j], found);
}

/** Edges beside the nearest points. */
interface EdgeList {
  edges: Int32Array;
  count: number;
}
const ofA: EdgeList = { edges: new Int32Array(64), count: 0 };
const ofB: EdgeList = { edges: new Int32Array(64), count: 0 };

/**
 * Lists edges at the vertices of a simplex whose perpendiculars may be as near to the direction shown, (x, y, z) in the shape's frame, as they have to:
 * with c the cosine that is asked for, an edge's own direction is then no nearer to it than √(1 − c²).
 */
function gatherEdges(shape: Polyhedron, members: Int32Array, out: EdgeList, x: number, y: number, z: number): void {
  const { neighbourStart, neighbourEdges, edgeDirections: d } = shape;
  const most = nearCosine > 0 ? LEAN : 2;
  out.count = 0;
  for (let i = 0; i < simplex.count; i++) {
    if (isRepeated(members, i)) continue;
    const v = members[i];
    const room = out.count + neighbourStart[v + 1] - neighbourStart[v];
    if (room > out.edges.length) {
      const { edges } = out;
      out.edges = new Int32Array(2 * room);
      out.edges.set(edges);
    }
    for (let k = neighbourStart[v]; k < neighbourStart[v + 1]; k++) {
      const edge = neighbourEdges[k];
      const along = d[3 * edge] * x + d[3 * edge + 1] * y + d[3 * edge + 2] * z;
      if (Math.abs(along) <= most) out.edges[out.count++] = edge;
    }
  }
}

function isRepeated(list: Int32Array, i: number): boolean {
  for (let j = 0; j < i; j++) if (list[j] === list[i]) return true;
  return false;
}

function offerFaceOfA(a: Polyhedron, b: Polyhedron, m: Float64Array, face: number, found: number): number {
  const x = a.normals[3 * face];
  const y = a.normals[3 * face + 1];
  const z = a.normals[3 * face + 2];
  if (x * shownX + y * shownY + z * shownZ < nearCosine) return found;
  const bx = m[3] * x + m[6] * y + m[9] * z;
  const by = m[4] * x + m[7] * y + m[10] * z;
  const bz = m[5] * x + m[8] * y + m[11] * z;
  const v = supportVertex(b, -bx, -by, -bz, simplex.b[0]);
  const height = bx * b.vertices[3 * v] + by * b.vertices[3 * v + 1] + bz * b.vertices[3 * v + 2];
  const separation = x * m[0] + y * m[1] + z * m[2] + height - a.offsets[face];
  return offer("faceOfA", face, v, separation, x, y, z, found);
}

function offerFaceOfB(a: Polyhedron, b: Polyhedron, m: Float64Array, face: number, found: number): number {
  const bx = b.normals[3 * face];
  const by = b.normals[3 * face + 1];
  const bz = b.normals[3 * face + 2];
  const x = -(m[3] * bx + m[4] * by + m[5] * bz);
  const y = -(m[6] * bx + m[7] * by + m[8] * bz);
  const z = -(m[9] * bx + m[10] * by + m[11] * bz);
  if (x * shownX + y * shownY + z * shownZ < nearCosine) return found;
  const v = supportVertex(a, x, y, z, simplex.a[0]);
  const { vertices } = a;
  const height = x * (m[0] - vertices[3 * v]) + y * (m[1] - vertices[3 * v + 1]) + z * (m[2] - vertices[3 * v + 2]);
  return offer("faceOfB", v, face, height - b.offsets[face], x, y, z, found);
}

function offerEdges(a: Polyhedron, b: Polyhedron, m: Float64Array, i: number, j: number, found: number): number {
  const d = a.edgeDirections;
  const e = b.edgeDirections;
  const ex = m[3] * e[3 * j] + m[4] * e[3 * j + 1] + m[5] * e[3 * j + 2];
  const ey = m[6] * e[3 * j] + m[7] * e[3 * j + 1] + m[8] * e[3 * j + 2];
  const ez = m[9] * e[3 * j] + m[10] * e[3 * j + 1] + m[11] * e[3 * j + 2];
  let x = d[3 * i + 1] * ez - d[3 * i + 2] * ey;
  let y = d[3 * i + 2] * ex - d[3 * i] * ez;
  let z = d[3 * i] * ey - d[3 * i + 1] * ex;
  const length = Math.sqrt(x * x + y * y + z * z);
  if (length < PARALLEL) return found;
  const shown = x * shownX + y * shownY + z * shownZ;
  const scale = (shown < 0 ? -1 : 1) / length;
  if (shown * scale < nearCosine) return found;
  x *= scale;
  y *= scale;
  z *= scale;
  // the separation of the lines bounds that of the shapes: most pairs stop here
  const p = a.edgeEnds[2 * i];
  const q = b.edgeEnds[2 * j];
  const bx = m[3] * x + m[6] * y + m[9] * z;
  const by = m[4] * x + m[7] * y + m[10] * z;
  const bz = m[5] * x + m[8] * y + m[11] * z;
  const base = x * m[0] + y * m[1] + z * m[2];
  const line = base + heightOf(b, q, bx, by, bz) - heightOf(a, p, x, y, z);
  if (line < needed) return found;
  const pa = supportVertex(a, x, y, z, p);
  const qb = supportVertex(b, -bx, -by, -bz, q);
  const separation = base + heightOf(b, qb, bx, by, bz) - heightOf(a, pa, x, y, z);
  return offer("edges", i, j, separation, x, y, z, found);
}

function heightOf({ vertices }: Polyhedron, v: number, x: number, y: number, z: number): number {
  return x * vertices[3 * v] + y * vertices[3 * v + 1] + z * vertices[3 * v + 2];
}

function offer(
  type: typeof closest.type,
  partA: number,
  partB: number,
  separation: number,
  x: number,
  y: number,
  z: number,
  found: number,
): number {
  if (separation < needed || separation <= found) return found;
  closest.type = type;
  closest.partA = partA;
  closest.partB = partB;
  closest.distance = separation;
  closest.normal[0] = x;
  closest.normal[1] = y;
  closest.normal[2] = z;
  return separation;
}
