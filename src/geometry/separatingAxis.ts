/**
 * The direction along which two overlapping polyhedra part soonest, by separating axes. Along a unit vector n from a to b they are
 * apart by min over b of n·x − max over a of n·x, and the largest of these is found at a normal of a face, or across two edges whose
 * arcs on the sphere of normals cross [Gregorius 2013]. Only crossing arcs are looked at.
 */
import { supportVertex } from "./gjk.ts";
import type { Polyhedron } from "./polyhedron.ts";

/** What was found; the next search overwrites it. */
export const axis = {
  separation: 0,
  /** The normal from a to b, in a's frame. */
  normal: new Float64Array(3),
  type: "faceOfA" as "faceOfA" | "faceOfB" | "edges" | "points",
  /** Numbers of a face and of the vertex that meets it, or of two edges; nothing where points or parallel segments meet. */
  partA: 0,
  partB: 0,
};

/** An axis must be better by this fraction of the shapes' size to be preferred to an earlier one: faces come first. */
const PREFERENCE = 1e-12;
/** Edges whose directions span less than this are parallel: the faces beside them have better normals. */
const PARALLEL = 1e-6;

// b's face normals and edge directions in a's frame; grown to the largest polyhedron seen
let normalsOfB = new Float64Array(3 * 64);
let directionsOfB = new Float64Array(3 * 128);

export function findAxis(a: Polyhedron, b: Polyhedron, m: Float64Array): void {
  const preference = PREFERENCE * (a.radius + b.radius);
  axis.separation = Number.NEGATIVE_INFINITY;
  // faces of a
  let vertex = 0;
  for (let f = 0; f < a.faceCount; f++) {
    const x = a.normals[3 * f];
    const y = a.normals[3 * f + 1];
    const z = a.normals[3 * f + 2];
    const bx = m[3] * x + m[6] * y + m[9] * z;
    const by = m[4] * x + m[7] * y + m[10] * z;
    const bz = m[5] * x + m[8] * y + m[11] * z;
    vertex = supportVertex(b, -bx, -by, -bz, vertex);
    const height = bx * b.vertices[3 * vertex] + by * b.vertices[3 * vertex + 1] + bz * b.vertices[3 * vertex + 2];
    const separation = x * m[0] + y * m[1] + z * m[2] + height - a.offsets[f];
    if (separation > axis.separation + preference) take("faceOfA", f, vertex, separation, x, y, z);
  }
  // faces of b
  if (normalsOfB.length < 3 * b.faceCount) normalsOfB = new Float64Array(6 * b.faceCount);
  vertex = 0;
  for (let f = 0; f < b.faceCount; f++) {
    turnInto(normalsOfB, 3 * f, m, b.normals);
    const x = normalsOfB[3 * f];
    const y = normalsOfB[3 * f + 1];
    const z = normalsOfB[3 * f + 2];
    vertex = supportVertex(a, -x, -y, -z, vertex);
    const height =
      x * (a.vertices[3 * vertex] - m[0]) +
      y * (a.vertices[3 * vertex + 1] - m[1]) +
      z * (a.vertices[3 * vertex + 2] - m[2]);
    const separation = height - b.offsets[f];
    if (separation > axis.separation + preference) take("faceOfB", vertex, f, separation, -x, -y, -z);
  }
  findEdges(a, b, m, preference);
  if (axis.separation === Number.NEGATIVE_INFINITY) takeAnyAcross(a, b);
}

/** Points and parallel segments that meet part along any direction across the segment, if there is one. */
function takeAnyAcross(a: Polyhedron, b: Polyhedron): void {
  const hasSegment = a.edgeCount > 0 || b.edgeCount > 0;
  if (!hasSegment) {
    take("points", 0, 0, 0, 0, 0, 1);
    return;
  }
  const d = a.edgeCount > 0 ? a.edgeDirections : directionsOfB;
  const k = Math.abs(d[0]) <= 0.75 ? 0 : Math.abs(d[1]) <= 0.75 ? 1 : 2;
  const length = Math.sqrt(1 - d[k] * d[k]);
  const x = (k === 0 ? 1 : 0) - d[k] * d[0];
  const y = (k === 1 ? 1 : 0) - d[k] * d[1];
  const z = (k === 2 ? 1 : 0) - d[k] * d[2];
  take("points", 0, 0, 0, x / length, y / length, z / length);
}

function findEdges(a: Polyhedron, b: Polyhedron, m: Float64Array, preference: number): void {
  if (directionsOfB.length < 3 * b.edgeCount) directionsOfB = new Float64Array(6 * b.edgeCount);
  for (let e = 0; e < b.edgeCount; e++) turnInto(directionsOfB, 3 * e, m, b.edgeDirections);
  for (let i = 0; i < a.edgeCount; i++) {
    const dx = a.edgeDirections[3 * i];
    const dy = a.edgeDirections[3 * i + 1];
    const dz = a.edgeDirections[3 * i + 2];
    const u1 = 3 * a.edgeFaces[2 * i];
    const u2 = 3 * a.edgeFaces[2 * i + 1];
    for (let j = 0; j < b.edgeCount; j++) {
      const ex = directionsOfB[3 * j];
      const ey = directionsOfB[3 * j + 1];
      const ez = directionsOfB[3 * j + 2];
      // the arc of b's edge crosses the great circle of a's …
      const w1 = 3 * b.edgeFaces[2 * j];
      const w2 = 3 * b.edgeFaces[2 * j + 1];
      let first = 0;
      if (w1 >= 0) {
        first = normalsOfB[w1] * dx + normalsOfB[w1 + 1] * dy + normalsOfB[w1 + 2] * dz;
        const second = normalsOfB[w2] * dx + normalsOfB[w2 + 1] * dy + normalsOfB[w2 + 2] * dz;
        if (first * second >= 0) continue;
      }
      // … and that of a's edge the great circle of b's, on the same side of the sphere
      if (u1 >= 0) {
        const { normals } = a;
        const one = normals[u1] * ex + normals[u1 + 1] * ey + normals[u1 + 2] * ez;
        const two = normals[u2] * ex + normals[u2 + 1] * ey + normals[u2 + 2] * ez;
        if (one * two >= 0 || first * two > 0) continue;
      }
      let x = dy * ez - dz * ey;
      let y = dz * ex - dx * ez;
      let z = dx * ey - dy * ex;
      const length = Math.sqrt(x * x + y * y + z * z);
      if (length < PARALLEL) continue;
      const sign = outward(a.normals, u1, u2, normalsOfB, w1, w2, x, y, z) / length;
      x *= sign;
      y *= sign;
      z *= sign;
      const p = 3 * a.edgeEnds[2 * i];
      const q = 3 * b.edgeEnds[2 * j];
      const separation =
        x * (m[0] - a.vertices[p]) +
        y * (m[1] - a.vertices[p + 1]) +
        z * (m[2] - a.vertices[p + 2]) +
        (m[3] * x + m[6] * y + m[9] * z) * b.vertices[q] +
        (m[4] * x + m[7] * y + m[10] * z) * b.vertices[q + 1] +
        (m[5] * x + m[8] * y + m[11] * z) * b.vertices[q + 2];
      if (separation > axis.separation + preference) take("edges", i, j, separation, x, y, z);
    }
  }
}

/** +1 where (x, y, z) points out of a's edge, whose faces are u1 and u2, and into b's, −1 where it points the other way. */
function outward(
  u: Float64Array,
  u1: number,
  u2: number,
  w: Float64Array,
  w1: number,
  w2: number,
  x: number,
  y: number,
  z: number,
): number {
  let out = 1;
  if (u1 >= 0) out = (u[u1] + u[u2]) * x + (u[u1 + 1] + u[u2 + 1]) * y + (u[u1 + 2] + u[u2 + 2]) * z;
  else if (w1 >= 0) out = -((w[w1] + w[w2]) * x + (w[w1 + 1] + w[w2 + 1]) * y + (w[w1 + 2] + w[w2 + 2]) * z);
  return out < 0 ? -1 : 1;
}

function take(
  type: typeof axis.type,
  partA: number,
  partB: number,
  separation: number,
  x: number,
  y: number,
  z: number,
): void {
  axis.type = type;
  axis.partA = partA;
  axis.partB = partB;
  axis.separation = separation;
  axis.normal[0] = x;
  axis.normal[1] = y;
  axis.normal[2] = z;
}

function turnInto(out: Float64Array, at: number, m: Float64Array, v: Float64Array): void {
  for (let k = 0; k < 3; k++) out[at + k] = m[3 + 3 * k] * v[at] + m[4 + 3 * k] * v[at + 1] + m[5 + 3 * k] * v[at + 2];
}
