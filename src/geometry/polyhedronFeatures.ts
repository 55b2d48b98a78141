/**
 * Features of two polyhedra. Along the direction in which they are nearest (closest.ts), the two faces that look at each other are laid
 * over each other (overlay.ts), and the corners of their overlap, reduced to few (reduce.ts), become features:
 *   a vertex over a face   pointPlane
 *   crossing edges         lineLine; where they are nearly parallel, pointPlane of the point of a's edge over b's face
 * The nearest parts are always among them. Where those are corners (two vertices, a vertex and an edge, parallel edges), they are
 * kept apart by the supporting plane between them, and that feature is tentative.
 */
import { addLineLine, addPointPlane } from "./addFeature.ts";
import { findClosest } from "./closest.ts";
import { closest } from "./exactDirection.ts";
import type { FeatureList } from "./features.ts";
import { simplex } from "./gjk.ts";
import {
  acrossInto,
  EDGES,
  insideOutline,
  Outline,
  outlineInto,
  overlay,
  PARALLEL_EDGES,
  type Plane,
  VERTEX_OF_A,
  VERTEX_OF_B,
} from "./overlay.ts";
import { edgePart, facePart, facingFace } from "./parts.ts";
import type { Polyhedron } from "./polyhedron.ts";
import { placePointBack } from "./pose.ts";
import { Candidates, reduce } from "./reduce.ts";
import { dot } from "./vectors.ts";

/** Corners that miss a face by less than this fraction of the smaller shape lie over it. */
const SLACK = 1e-6;
/**
 * Such corners can be nearer to the plane than the shapes are to each other, by the slack times the slope: up to a hundredth of the
 * distance that is let pass. Shapes that overlap part along the direction of least depth: what is half as deep again would undo that.
 */
const ROUNDING = 1e-13;
/** Depth, as a part of the smaller shape, up to which shapes touch and do not overlap: what rounding leaves of distances. */
const TOUCHING = 1e-9;

const candidates = new Candidates();
const outlineA = new Outline();
const outlineB = new Outline();
const across = new Float64Array(6);
const planeA: Plane = { normal: new Float64Array(3), offset: 0 };
const planeB: Plane = { normal: new Float64Array(3), offset: 0 };
const p = new Float64Array(3);
const q = new Float64Array(3);
const d = new Float64Array(3);
const e = new Float64Array(3);
const back = new Float64Array(3);

export function polyhedronFeatures(
  a: Polyhedron,
  b: Polyhedron,
  m: Float64Array,
  reach: number,
  out: FeatureList,
): void {
  if (!findClosest(a, b, m, reach)) return;
  const { normal: n, type, partA, partB } = closest;
  const bx = -(m[3] * n[0] + m[6] * n[1] + m[9] * n[2]);
  const by = -(m[4] * n[0] + m[7] * n[1] + m[10] * n[2]);
  const bz = -(m[5] * n[0] + m[8] * n[1] + m[11] * n[2]);
  const faceA = type === "faceOfA" ? partA : facingFace(a, n[0], n[1], n[2], 0);
  const faceB = type === "faceOfB" ? partB : facingFace(b, bx, by, bz, 0);
  acrossInto(across, n);
  outlineInto(outlineA, a, faceA, undefined, across);
  outlineInto(outlineB, b, faceB, m, across);
  planesInto(a, faceA, b, faceB, m);
  const slack = SLACK * Math.min(a.radius, b.radius);
  candidates.clear();
  const { distance } = closest;
  const floor = distance > 0 ? 0.99 * distance - ROUNDING * (a.radius + b.radius) : 1.5 * distance - slack;
  overlay(candidates, outlineA, outlineB, planeA, planeB, n, type === "corners" ? -slack : slack, floor);
  dropBeyond(reach);
  reduce(candidates);

  const first = out.count;
  for (let i = 0; i < candidates.count; i++) {
    if (candidates.kept[i]) addCandidate(a, b, m, i, faceA, faceB, out);
  }
  for (let k = 0; k < 3; k++) back[k] = -n[k];
  if (type === "corners") addCorners(a, b, m, reach, out);
  else if (!hasNearest(out, first, distance + 0.01 * slack)) {
    if (type === "edges") addEdges(a, b, m, partA, partB, distance, out);
    else addNearestVertex(a, b, m, out);
  }
  // what rounding has left of a distance says nothing of the direction in which the two would leave each other
  if (closest.distance > -TOUCHING * Math.min(a.radius, b.radius) && isGrazing(a, b, m, slack)) {
    for (let i = first; i < out.count; i++) out.tentative[i] = 1;
  }
}

/**
 * Whether shapes that are apart, or touch, would miss each other but for rounding: what is nearest to a face lies at its rim, or edges are nearest
 * at their ends. So it is between a box that slides on tiles and the next tile, whose edge is a nanometre higher or lower.
 */
function isGrazing(a: Polyhedron, b: Polyhedron, m: Float64Array, slack: number): boolean {
  const { type, partA, partB } = closest;
  if (type === "corners") return false;
  if (type === "edges") {
    placePointBack(back, 0, m, closest.pointB, 0);
    return isAtEnd(a, partA, closest.pointA, slack) || isAtEnd(b, partB, back, slack);
  }
  if (candidates.count === 0) return true;
  let x = 0;
  let y = 0;
  for (let i = 0; i < candidates.count; i++) {
    x += candidates.x[i] / candidates.count;
    y += candidates.y[i] / candidates.count;
  }
  return insideOutline(type === "faceOfA" ? outlineA : outlineB, x, y) < slack;
}

function isAtEnd({ vertices, edgeEnds }: Polyhedron, edge: number, point: Float64Array, slack: number): boolean {
  for (let i = 0; i < 2; i++) {
    const v = 3 * edgeEnds[2 * edge + i];
    const x = point[0] - vertices[v];
    const y = point[1] - vertices[v + 1];
    const z = point[2] - vertices[v + 2];
    if (x * x + y * y + z * z < slack * slack) return true;
  }
  return false;
}

function planesInto(a: Polyhedron, faceA: number, b: Polyhedron, faceB: number, m: Float64Array): void {
  const { normals } = b;
  for (let k = 0; k < 3; k++) {
    planeA.normal[k] = a.normals[3 * faceA + k];
    planeB.normal[k] =
      m[3 + 3 * k] * normals[3 * faceB] + m[4 + 3 * k] * normals[3 * faceB + 1] + m[5 + 3 * k] * normals[3 * faceB + 2];
  }
  planeA.offset = a.offsets[faceA];
  planeB.offset = b.offsets[faceB] + planeB.normal[0] * m[0] + planeB.normal[1] * m[1] + planeB.normal[2] * m[2];
}

/** Leaves out what cannot touch. */
function dropBeyond(reach: number): void {
  const { x, y, gap, parts } = candidates;
  let kept = 0;
  for (let i = 0; i < candidates.count; i++) {
    if (gap[i] > reach) continue;
    x[kept] = x[i];
    y[kept] = y[i];
    gap[kept] = gap[i];
    for (let k = 0; k < 3; k++) parts[3 * kept + k] = parts[3 * i + k];
    kept++;
  }
  candidates.count = kept;
}

function addCandidate(
  a: Polyhedron,
  b: Polyhedron,
  m: Float64Array,
  c: number,
  faceA: number,
  faceB: number,
  out: FeatureList,
): void {
  const type = candidates.parts[3 * c];
  const i = candidates.parts[3 * c + 1];
  const j = candidates.parts[3 * c + 2];
  if (type === VERTEX_OF_A) {
    const v = outlineA.vertices[i];
    for (let k = 0; k < 3; k++) p[k] = outlineA.points[3 * i + k];
    onPlane(planeB);
    addPointPlane(out, m, 0, v, facePart(b, faceB), p, 0, q, planeB.normal);
  } else if (type === VERTEX_OF_B) {
    const v = outlineB.vertices[j];
    for (let k = 0; k < 3; k++) p[k] = outlineB.points[3 * j + k];
    onPlane(planeA);
    addPointPlane(out, m, 1, facePart(a, faceA), v, p, 0, q, planeA.normal);
  } else if (type === EDGES) {
    addEdges(a, b, m, outlineA.edges[i], outlineB.edges[j], candidates.gap[c], out);
  } else if (type === PARALLEL_EDGES) {
    // the point of a's edge at the crossing's place
    const i2 = i + 1 === outlineA.count ? 0 : i + 1;
    const { x, y, points } = outlineA;
    const dx = x[i2] - x[i];
    const dy = y[i2] - y[i];
    const s = ((candidates.x[c] - x[i]) * dx + (candidates.y[c] - y[i]) * dy) / (dx * dx + dy * dy);
    for (let k = 0; k < 3; k++) p[k] = (1 - s) * points[3 * i + k] + s * points[3 * i2 + k];
    onPlane(planeB);
    addPointPlane(out, m, 0, edgePart(a, outlineA.edges[i]), edgePart(b, outlineB.edges[j]), p, 0, q, planeB.normal);
  }
}

/** q becomes the foot of p in a plane. */
function onPlane({ normal, offset }: Plane): void {
  const height = dot(normal, p) - offset;
  for (let k = 0; k < 3; k++) q[k] = p[k] - height * normal[k];
}

function addEdges(
  a: Polyhedron,
  b: Polyhedron,
  m: Float64Array,
  edgeA: number,
  edgeB: number,
  gap: number,
  out: FeatureList,
): void {
  const u = a.edgeEnds[2 * edgeA];
  const v = b.edgeEnds[2 * edgeB];
  for (let k = 0; k < 3; k++) {
    p[k] = a.vertices[3 * u + k];
    d[k] = a.edgeDirections[3 * edgeA + k];
    q[k] = placed(b.vertices, v, m, k) + m[k];
    e[k] = placed(b.edgeDirections, edgeB, m, k);
    back[k] = -closest.normal[k];
  }
  addLineLine(out, m, edgePart(a, edgeA), edgePart(b, edgeB), p, d, 0, q, e, 0, gap, back);
}

function placed(vectors: Float64Array, i: number, m: Float64Array, k: number): number {
  return m[3 + 3 * k] * vectors[3 * i] + m[4 + 3 * k] * vectors[3 * i + 1] + m[5 + 3 * k] * vectors[3 * i + 2];
}

/** Whether a feature from `first` on is as near as the shapes. */
function hasNearest(out: FeatureList, first: number, distance: number): boolean {
  for (let i = first; i < out.count; i++) if (out.distance[i] <= distance) return true;
  return false;
}

/** The vertex and the face that are nearest. */
function addNearestVertex(a: Polyhedron, b: Polyhedron, m: Float64Array, out: FeatureList): void {
  const { type, partA, partB } = closest;
  if (type === "faceOfA") {
    for (let k = 0; k < 3; k++) p[k] = placed(b.vertices, partB, m, k) + m[k];
    onPlane(planeA);
    addPointPlane(out, m, 1, facePart(a, partA), partB, p, 0, q, planeA.normal);
  } else {
    for (let k = 0; k < 3; k++) p[k] = a.vertices[3 * partA + k];
    onPlane(planeB);
    addPointPlane(out, m, 0, partA, facePart(b, partB), p, 0, q, planeB.normal);
  }
}

/**
 * The supporting plane between corners: it rides on the shape whose nearest part is an edge, on b where both are vertices or edges,
 * and keeps the vertices of the other's nearest part on their side.
 */
function addCorners(a: Polyhedron, b: Polyhedron, m: Float64Array, reach: number, out: FeatureList): void {
  const { pointA, pointB, distance } = closest;
  const ridesOnA = distinct(simplex.a) > distinct(simplex.b);
  for (let i = 0; i < simplex.count; i++) {
    const v = simplex.a[i];
    const w = simplex.b[i];
    if ((ridesOnA ? simplex.b.indexOf(w) : simplex.a.indexOf(v)) !== i) continue;
    for (let k = 0; k < 3; k++) p[k] = ridesOnA ? placed(b.vertices, w, m, k) + m[k] : a.vertices[3 * v + k];
    const height = ridesOnA ? distance + heightAbove(pointB) : distance - heightAbove(pointA);
    if (height > reach) continue;
    // at the smallest gaps the direction is not exact enough for the ends of an edge: then its nearest point stands for this one
    if (height < 0.99 * distance) for (let k = 0; k < 3; k++) p[k] = ridesOnA ? pointB[k] : pointA[k];
    addCorner(m, ridesOnA, v, w, out);
  }
}

/** The point p and the plane between corners. */
function addCorner(m: Float64Array, ridesOnA: boolean, v: number, w: number, out: FeatureList): void {
  if (ridesOnA) addPointPlane(out, m, 1, v, w, p, 0, closest.pointA, closest.normal);
  else addPointPlane(out, m, 0, v, w, p, 0, closest.pointB, back);
  out.tentative[out.count - 1] = 1;
}

function distinct(list: Int32Array): number {
  let count = 0;
  for (let i = 0; i < simplex.count; i++) if (list.indexOf(list[i]) === i) count++;
  return count;
}

/** How far p lies beyond a point along the direction. */
function heightAbove(point: Float64Array): number {
  const { normal: n } = closest;
  return n[0] * (p[0] - point[0]) + n[1] * (p[1] - point[1]) + n[2] * (p[2] - point[2]);
}
