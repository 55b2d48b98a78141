/**
 * Spheres and capsules against boxes and hulls. A centre, or an end of an axis, meets the nearest part of the polyhedron:
 *   a face   pointPlane,   an edge   pointLine,   a vertex   pointPoint
 * The side of a capsule meets edges (lineLine) and vertices (pointLine, the vertex being the point). The gap of each is the distance of
 * two parts of the shapes, so all may be held at once. A capsule that lies on a face has two features: its ends, or the edges across
 * which it leaves the face.
 */
import { addLineLine, addPointLine, addPointPlane, addPointPoint } from "./addFeature.ts";
import { findClosest } from "./closest.ts";
import { closest } from "./exactDirection.ts";
import type { FeatureList } from "./features.ts";
import { simplex } from "./gjk.ts";
import { crossing, crossLines } from "./lines.ts";
import { type ShapePair, shapePair } from "./pairs.ts";
import { edgePart, facePart, facingFace } from "./parts.ts";
import { findNearest, nearest } from "./pointPolyhedron.ts";
import type { Polyhedron } from "./polyhedron.ts";
import { flatDistance } from "./polyhedronPairs.ts";
import { placeDirection, placePoint, placePointBack } from "./pose.ts";
import type { BoxShape, CapsuleShape, HullShape, SphereShape } from "./shape.ts";

type Solid = BoxShape | HullShape;

const p = new Float64Array(3);
const q = new Float64Array(3);
const d = new Float64Array(3);
const e = new Float64Array(3);
const n = new Float64Array(3);
const inB = new Float64Array(3);

/** Number of a capsule's axis among its parts, after its two ends. */
const AXIS = 2;
/** An axis and an edge that cross at less than this angle are no good as lines, since their perpendicular turns too fast. */
const LEAST_SINE = 0.02;
/** Below this they are parallel: their ends hold them. */
const PARALLEL = 1e-6;

function sphere(a: SphereShape, b: Solid, m: Float64Array, reach: number, out: FeatureList): void {
  p.fill(0);
  addPoint(b.polyhedron, m, 0, a.radius, reach, out);
}

/** The point p of a, with a radius, and the part of b that is nearest to it. */
function addPoint(
  b: Polyhedron,
  m: Float64Array,
  partOfA: number,
  radius: number,
  reach: number,
  out: FeatureList,
): void {
  placePointBack(inB, 0, m, p, 0);
  findNearest(b, inB[0], inB[1], inB[2]);
  const { type, part, point, distance } = nearest;
  const gap = distance - radius;
  if (gap > reach) return;
  placePoint(q, 0, m, point, 0);
  if (type === "face") {
    placeDirection(n, 0, m, b.normals, 3 * part);
    addPointPlane(out, m, 0, partOfA, facePart(b, part), p, radius, q, n);
  } else if (type === "edge") {
    placePoint(q, 0, m, b.vertices, 3 * b.edgeEnds[2 * part]);
    placeDirection(e, 0, m, b.edgeDirections, 3 * part);
    addPointLine(out, m, 0, partOfA, edgePart(b, part), p, radius, q, e, 0, gap);
  } else {
    for (let k = 0; k < 3; k++) n[k] = (p[k] - q[k]) / distance;
    addPointPoint(out, m, 0, partOfA, part, p, radius, q, 0, gap, n);
  }
}

function capsule(a: CapsuleShape, b: Solid, m: Float64Array, reach: number, out: FeatureList): void {
  const { polyhedron: axis, radius, halfLength } = a;
  const solid = b.polyhedron;
  if (!findClosest(axis, solid, m, reach + radius)) return;
  if (closest.distance <= 0) {
    addPierced(axis, solid, m, radius, out);
    return;
  }
  // what the nearest parts are, before the ends are looked at
  const { type, partB } = closest;
  const face =
    type === "faceOfB"
      ? partB
      : facingFace(
          solid,
          -(m[3] * closest.normal[0] + m[6] * closest.normal[1] + m[9] * closest.normal[2]),
          -(m[4] * closest.normal[0] + m[7] * closest.normal[1] + m[10] * closest.normal[2]),
          -(m[5] * closest.normal[0] + m[8] * closest.normal[1] + m[11] * closest.normal[2]),
          simplex.b[0],
        );
  const nearestEdge = type === "edges" ? partB : -1;
  const nearestCount = takeNearestVertices();
  for (let end = 0; end < 2; end++) {
    p.fill(0);
    p[2] = end === 0 ? -halfLength : halfLength;
    addPoint(solid, m, end, radius, reach, out);
  }
  // edges of the face that the axis crosses, and the vertices beside it where those are nearest
  p.fill(0);
  d.fill(0);
  d[2] = 1;
  const { faceStart, loopEdges } = solid;
  let hasNearest = false;
  for (let k = faceStart[face]; k < faceStart[face + 1]; k++) {
    addCrossing(solid, m, loopEdges[k], a, reach, out);
    if (loopEdges[k] === nearestEdge) hasNearest = true;
  }
  if (nearestEdge >= 0 && !hasNearest) addCrossing(solid, m, nearestEdge, a, reach, out);
  for (let k = faceStart[face]; k < faceStart[face + 1]; k++) addVertex(solid, m, solid.loop[k], a, reach, out);
  for (let i = 0; i < nearestCount; i++) {
    if (!isInFace(solid, face, nearestVertices[i])) addVertex(solid, m, nearestVertices[i], a, reach, out);
  }
}

const nearestVertices = new Int32Array(4);

/** The vertices of b that were nearest to the axis, each once; returns how many. */
function takeNearestVertices(): number {
  let count = 0;
  for (let i = 0; i < simplex.count; i++) {
    if (simplex.b.indexOf(simplex.b[i]) === i) nearestVertices[count++] = simplex.b[i];
  }
  return count;
}

function isInFace({ faceStart, loop }: Polyhedron, face: number, v: number): boolean {
  for (let k = faceStart[face]; k < faceStart[face + 1]; k++) if (loop[k] === v) return true;
  return false;
}

/** The axis (through p along d) and an edge of b, if they are nearest to each other within both. */
function addCrossing(
  b: Polyhedron,
  m: Float64Array,
  edge: number,
  a: CapsuleShape,
  reach: number,
  out: FeatureList,
): void {
  const u = 3 * b.edgeEnds[2 * edge];
  const v = 3 * b.edgeEnds[2 * edge + 1];
  placePoint(q, 0, m, b.vertices, u);
  placeDirection(e, 0, m, b.edgeDirections, 3 * edge);
  crossLines(p, d, q, e);
  if (crossing.sine < PARALLEL || Math.abs(crossing.s) >= a.halfLength || crossing.t <= 0) return;
  const length = Math.sqrt(
    (b.vertices[v] - b.vertices[u]) ** 2 +
      (b.vertices[v + 1] - b.vertices[u + 1]) ** 2 +
      (b.vertices[v + 2] - b.vertices[u + 2]) ** 2,
  );
  const gap = crossing.distance - a.radius;
  if (crossing.t >= length || gap > reach || !isExposed(b, m, edge)) return;
  if (crossing.sine < LEAST_SINE) {
    // the point of the axis that is nearest
    for (let k = 0; k < 3; k++) n[k] = p[k] + crossing.s * d[k];
    addPointLine(out, m, 0, AXIS, edgePart(b, edge), n, a.radius, q, e, 0, gap);
  } else addLineLine(out, m, AXIS, edgePart(b, edge), p, d, a.radius, q, e, 0, gap, crossing.normal);
}

/** Whether the perpendicular of the crossing leaves b at the edge: it points out of one of the two faces. */
function isExposed(b: Polyhedron, m: Float64Array, edge: number): boolean {
  for (let i = 0; i < 2; i++) {
    placeDirection(n, 0, m, b.normals, 3 * b.edgeFaces[2 * edge + i]);
    if (n[0] * crossing.normal[0] + n[1] * crossing.normal[1] + n[2] * crossing.normal[2] > 0) return true;
  }
  return false;
}

/** A vertex of b beside the axis, if all of b near it lies beyond the plane through it that is square to its direction to the axis. */
function addVertex(b: Polyhedron, m: Float64Array, v: number, a: CapsuleShape, reach: number, out: FeatureList): void {
  placePoint(q, 0, m, b.vertices, 3 * v);
  if (Math.abs(q[2]) >= a.halfLength) return;
  const gap = Math.sqrt(q[0] * q[0] + q[1] * q[1]) - a.radius;
  if (gap > reach) return;
  const { neighbourStart, neighbourEdges, edgeDirections, edgeEnds } = b;
  for (let k = neighbourStart[v]; k < neighbourStart[v + 1]; k++) {
    const edge = neighbourEdges[k];
    placeDirection(e, 0, m, edgeDirections, 3 * edge);
    // from the vertex to the axis is (−x, −y, 0)
    const towards = -(q[0] * e[0] + q[1] * e[1]) * (edgeEnds[2 * edge] === v ? 1 : -1);
    if (towards > LEVEL * (gap + a.radius)) return;
  }
  addPointLine(out, m, 1, AXIS, v, q, 0, p, d, a.radius, gap);
}

/** Edges that rise less than this towards the axis do not rise. */
const LEVEL = 1e-6;

/** An axis that runs through b: it leaves by a face, over which both ends are to be, or across an edge. */
function addPierced(axis: Polyhedron, b: Polyhedron, m: Float64Array, radius: number, out: FeatureList): void {
  const { type, partB, distance, normal } = closest;
  if (type === "edges") {
    p.fill(0);
    d.fill(0);
    d[2] = 1;
    for (let k = 0; k < 3; k++) n[k] = -normal[k];
    placePoint(q, 0, m, b.vertices, 3 * b.edgeEnds[2 * partB]);
    placeDirection(e, 0, m, b.edgeDirections, 3 * partB);
    addLineLine(out, m, AXIS, edgePart(b, partB), p, d, radius, q, e, 0, distance - radius, n);
    return;
  }
  for (let k = 0; k < 3; k++) n[k] = -normal[k];
  for (let end = 0; end < 2; end++) {
    for (let k = 0; k < 3; k++) p[k] = axis.vertices[3 * end + k];
    addPointPlane(out, m, 0, end, facePart(b, partB), p, radius, closest.pointB, n);
  }
}

export const roundedPolyhedronPairs: readonly ShapePair[] = [
  shapePair("sphere", "box", sphere, flatDistance),
  shapePair("sphere", "hull", sphere, flatDistance),
  shapePair("capsule", "box", capsule, flatDistance),
  shapePair("capsule", "hull", capsule, flatDistance),
];
