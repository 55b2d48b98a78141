/**
 * Features that are asked for by their identity: a vertex of one polyhedron over a face of another, or over a half-space. Where edges meet
 * edges, the plane of either face beside them may keep the two apart, and of a face with many corners any may carry the load; which ones
 * do, only their motion tells (touch/keptCorners.ts).
 */
import { addPointPlane } from "./addFeature.ts";
import { type FeatureList, featureNumber, partsOfKey } from "./features.ts";
import { facePart } from "./parts.ts";
import type { Polyhedron } from "./polyhedron.ts";
import { invertPlacement, placeDirection, placementSize, placePoint, placePointBack } from "./pose.ts";
import type { BoxShape, HullShape, TouchShape } from "./shape.ts";

/** Vertices that miss a face by less than this fraction of the smaller shape lie over it (polyhedronFeatures.ts). */
const SLACK = 1e-6;
/** Depth below the face that passes, as a part of the same. */
const ROUNDING = 1e-8;

const parts = new Float64Array(2);
const turned = new Float64Array(placementSize);
/** The vertex, in the frame of the face; then vertex, foot and normal in a's frame. */
const v = new Float64Array(3);
const p = new Float64Array(3);
const q = new Float64Array(3);
const n = new Float64Array(3);

const isSolid = (shape: TouchShape): shape is BoxShape | HullShape => shape.kind === "box" || shape.kind === "hull";

/**
 * Adds the feature of two shapes with this key, if it is of a vertex and a face, or the plane of a half-space, and the vertex lies over it, no
 * higher than `reach`; false otherwise. `placement` is b's frame in a's.
 */
export function addKnown(
  a: TouchShape,
  b: TouchShape,
  placement: Float64Array,
  key: number,
  reach: number,
  out: FeatureList,
): boolean {
  if (a.number > b.number) {
    out.flipped = true;
    const isAdded = addKnown(b, a, invertPlacement(turned, placement), key, reach, out);
    out.flipped = false;
    return isAdded;
  }
  if (!isSolid(a) || partsOfKey(parts, key) !== featureNumber.pointPlane) return false;
  const [partA, partB] = parts;
  if (b.kind === "halfSpace") return addOverHalfSpace(a.polyhedron, placement, partA, reach, out);
  if (!isSolid(b)) return false;
  const [solidA, solidB] = [a.polyhedron, b.polyhedron];
  const size = Math.min(solidA.radius, solidB.radius);
  const isOfA = partA < solidA.vertexCount;
  const [own, other] = isOfA ? [solidA, solidB] : [solidB, solidA];
  const vertex = isOfA ? partA : partB;
  const face = (isOfA ? partB : partA) - facePart(other, 0);
  if (vertex >= own.vertexCount || face < 0 || face >= other.faceCount) return false;
  if (isOfA) placePointBack(v, 0, placement, own.vertices, 3 * vertex);
  else placePoint(v, 0, placement, own.vertices, 3 * vertex);
  const height = heightOver(other, face, v);
  if (height > reach || height < -ROUNDING * size || !liesOver(other, face, v, SLACK * size)) return false;
  for (let k = 0; k < 3; k++) {
    n[k] = other.normals[3 * face + k];
    p[k] = v[k];
    q[k] = v[k] - height * n[k];
  }
  if (isOfA) {
    placePoint(p, 0, placement, p, 0);
    placePoint(q, 0, placement, q, 0);
    placeDirection(n, 0, placement, n, 0);
  }
  addPointPlane(out, placement, isOfA ? 0 : 1, partA, partB, p, 0, q, n);
  return true;
}

/** A vertex over the plane of a half-space, the third column of its rotation. */
function addOverHalfSpace(
  { vertices, vertexCount, radius }: Polyhedron,
  m: Float64Array,
  vertex: number,
  reach: number,
  out: FeatureList,
): boolean {
  if (vertex >= vertexCount) return false;
  let height = 0;
  for (let k = 0; k < 3; k++) {
    p[k] = vertices[3 * vertex + k];
    n[k] = m[5 + 3 * k];
    height += n[k] * (p[k] - m[k]);
  }
  if (height > reach || height < -ROUNDING * radius) return false;
  for (let k = 0; k < 3; k++) q[k] = p[k] - height * n[k];
  addPointPlane(out, m, 0, vertex, 0, p, 0, q, n);
  return true;
}

/** Whether two features of a solid and another shape, by their keys, are of vertices of the same one over the same plane of the other. */
export function sharePlane(a: TouchShape, b: TouchShape, key: number, other: number): boolean {
  const first = a.number > b.number ? b : a;
  if (!isSolid(first) || partsOfKey(parts, key) !== featureNumber.pointPlane) return false;
  const [partA, partB] = parts;
  if (partsOfKey(parts, other) !== featureNumber.pointPlane) return false;
  const { vertexCount } = first.polyhedron;
  if (partA < vertexCount) return parts[0] < vertexCount && parts[1] === partB;
  return parts[0] === partA;
}

function heightOver({ normals, offsets }: Polyhedron, face: number, point: Float64Array): number {
  const f = 3 * face;
  return normals[f] * point[0] + normals[f + 1] * point[1] + normals[f + 2] * point[2] - offsets[face];
}

/** Whether the foot of a point lies in a face, or misses it by no more than the slack: it is inside all lines of the loop, n × d inwards. */
function liesOver(shape: Polyhedron, face: number, point: Float64Array, slack: number): boolean {
  const { faceStart, loop, loopEdges, edgeDirections, edgeFaces, normals, vertices } = shape;
  const [x, y, z] = [normals[3 * face], normals[3 * face + 1], normals[3 * face + 2]];
  for (let k = faceStart[face]; k < faceStart[face + 1]; k++) {
    const edge = loopEdges[k];
    const along = edgeFaces[2 * edge] === face ? 1 : -1;
    const [u, w, s] = [edgeDirections[3 * edge], edgeDirections[3 * edge + 1], edgeDirections[3 * edge + 2]];
    const from = 3 * loop[k];
    const inside =
      (y * s - z * w) * (point[0] - vertices[from]) +
      (z * u - x * s) * (point[1] - vertices[from + 1]) +
      (x * w - y * u) * (point[2] - vertices[from + 2]);
    if (along * inside < -slack) return false;
  }
  return true;
}
