/**
 * Features of a sphere, capsule, box or hull (shape a, a polyhedron grown by a radius) and a cylinder (shape b). Along the direction in
 * which they are nearest, the facing parts of both decide:
 *                 end of b             side of b                           rim of b
 *   face of a     points (overPlane)   rims; edges that cross the side     rim against plane
 *   edge of a     points of the edge   lines; parallel: ends of either     rim against line
 *   vertex of a   point against plane  point against line                  rim against point
 */
import { addRoundRound, RoundPart } from "./addRound.ts";
import { newStraight, offerCrossings, pointAndSide, rimAndStraight, straightAndSide } from "./cylinderLine.ts";
import { CylinderView, END, RIM } from "./cylinderView.ts";
import { dropRepeated, keepNearest } from "./featureSet.ts";
import type { FeatureList } from "./features.ts";
import { findPart, part } from "./nearestPart.ts";
import { GRAZING, overPlane, STANDING } from "./overPlane.ts";
import type { PairFeatures } from "./pairs.ts";
import { edgePart, facePart } from "./parts.ts";
import { isPassing } from "./passingBy.ts";
import { PlanePoints } from "./planePoints.ts";
import type { Polyhedron } from "./polyhedron.ts";
import { Region } from "./region.ts";
import type { CylinderShape, FlatShape } from "./shape.ts";
import { convexDistance } from "./shapeDistance.ts";

/** Faces, ends and sides that are at less than this angle (a sine) to each other may lie on each other within the step. */
export const ALIKE = 0.25;

const view = new CylinderView();
const points = new PlanePoints();
const face = new Region();
const end = new Region();
const vertexBall = new RoundPart();
const edge = newStraight();
const witness = new Float64Array(9);
const n = new Float64Array(3);
const p = new Float64Array(3);
const parts = { face: 0, firstEdge: 0 };

export const flatCylinderFeatures: PairFeatures<FlatShape, CylinderShape> = (a, b, m, reach, out) => {
  const distance = convexDistance(a, b, m, witness);
  if (distance > reach) return;
  const { polyhedron: shape, radius } = a;
  const size = b.radius + b.halfLength;
  const deepest = Math.min(1.5 * distance, 0) - 1e-9 * size;
  for (let k = 0; k < 3; k++) n[k] = witness[6 + k];
  view.set(b, 1, m);
  findPart(shape, n);
  points.clear(n);
  const first = out.count;

  const lower = view.lowerEnd(n);
  const across = view.across(n);
  end.setEnd(view, lower);
  const stands = across < ALIKE;
  const lies = Math.abs(view.along(n)) < ALIKE;
  const isFlat = part.face >= 0 && facing(shape, part.face) > 1 - ALIKE * ALIKE;
  if (isFlat) {
    parts.face = facePart(shape, part.face);
    parts.firstEdge = edgePart(shape, 0);
    overPlane(out, points, m, view, face.setFace(shape, part.face), parts, reach, deepest);
  }
  // vertices and edges of the facing face, or of what there is
  if (stands || lies) {
    const count = isFlat ? shape.faceStart[part.face + 1] - shape.faceStart[part.face] : 0;
    for (let i = 0; i < count; i++) {
      const at = shape.faceStart[part.face] + i;
      if (stands) offerVertex(shape, radius, shape.loop[at], lower, reach, deepest);
      if (lies) {
        setEdge(shape, radius, shape.loopEdges[at]);
        straightAndSide(out, m, view, edge, n, reach, deepest);
      }
    }
    if (isFlat && lies) {
      vertexInto(p, shape, part.vertex);
      pointAndSide(out, m, view, p, radius, part.vertex, reach, deepest);
    }
    if (!isFlat) beside(shape, radius, out, m, stands, lies, lower, reach, deepest);
  }
  points.emit(out, m);
  const isRim = across >= (radius > 0 ? GRAZING : STANDING) && Math.abs(view.along(n)) > 1e-7;
  if (isRim && part.dimension < 2) addRim(shape, radius, out, m, lower, reach, deepest);
  dropRepeated(out, first);
  keepNearest(out, first, m, witness, distance, size);
  if (!(distance > 0) || !(a.kind === "box" || a.kind === "hull") || !isPassing(a, b, m, witness)) return;
  for (let i = first; i < out.count; i++) out.tentative[i] = 1;
};

/** An edge or a vertex of a that no face of it comes with, on the end or beside the side. */
function beside(
  shape: Polyhedron,
  radius: number,
  out: FeatureList,
  m: Float64Array,
  stands: boolean,
  lies: boolean,
  lower: number,
  reach: number,
  deepest: number,
): void {
  const { neighbourStart, neighbourEdges, edgeDirections, edgeEnds } = shape;
  const v = part.vertex;
  if (stands) offerVertex(shape, radius, v, lower, reach, deepest);
  if (lies) {
    vertexInto(p, shape, v);
    pointAndSide(out, m, view, p, radius, v, reach, deepest);
  }
  for (let k = neighbourStart[v]; k < neighbourStart[v + 1]; k++) {
    const e = neighbourEdges[k];
    const slope = n[0] * edgeDirections[3 * e] + n[1] * edgeDirections[3 * e + 1] + n[2] * edgeDirections[3 * e + 2];
    if (Math.abs(slope) > ALIKE) continue;
    setEdge(shape, radius, e);
    if (stands) {
      offerVertex(shape, radius, edgeEnds[2 * e] === v ? edgeEnds[2 * e + 1] : edgeEnds[2 * e], lower, reach, deepest);
      offerCrossings(points, view, end, edge, reach, deepest);
    }
    if (lies) straightAndSide(out, m, view, edge, n, reach, deepest);
    for (let i = 0; i < 2; i++) if (stands || lies) rimAndStraight(out, m, view, i, edge, reach, deepest);
  }
}

/** The rim that is nearest, against the edge or the vertex that is. */
function addRim(
  shape: Polyhedron,
  radius: number,
  out: FeatureList,
  m: Float64Array,
  lower: number,
  reach: number,
  deepest: number,
): void {
  if (part.dimension === 1) {
    setEdge(shape, radius, part.edge);
    rimAndStraight(out, m, view, lower, edge, reach, deepest);
  } else addRimVertex(shape, radius, out, m, lower);
}

/** A ball at a vertex meets the rim as one round set another. Of a sharp vertex and a sharp rim the normal is anything: a plane. */
function addRimVertex(shape: Polyhedron, radius: number, out: FeatureList, m: Float64Array, lower: number): void {
  const { vertices } = shape;
  const v = part.vertex;
  if (!(radius > 0)) return;
  // the point of the rim must be opposite the vertex, else other parts are nearer
  view.lowestInto(p, lower, n);
  let height = 0;
  let square = 0;
  for (let k = 0; k < 3; k++) height += n[k] * (p[k] - vertices[3 * v + k]);
  for (let k = 0; k < 3; k++) square += (p[k] - vertices[3 * v + k] - height * n[k]) ** 2;
  if (square > (1e-6 * view.radius) ** 2) return;
  vertexBall.setBall(0, vertices[3 * v], vertices[3 * v + 1], vertices[3 * v + 2], radius, radius);
  addRoundRound(out, m, v, RIM + lower, view.rim(lower), vertexBall, n);
}

function offerVertex(
  shape: Polyhedron,
  radius: number,
  v: number,
  lower: number,
  reach: number,
  deepest: number,
): void {
  vertexInto(p, shape, v);
  if (end.insideBy(p) >= 0) points.offer(p, radius, end, 0, v, END + lower, reach, deepest);
}

function facing({ normals }: Polyhedron, f: number): number {
  return n[0] * normals[3 * f] + n[1] * normals[3 * f + 1] + n[2] * normals[3 * f + 2];
}

function vertexInto(out: Float64Array, { vertices }: Polyhedron, v: number): void {
  for (let k = 0; k < 3; k++) out[k] = vertices[3 * v + k];
}

function setEdge(shape: Polyhedron, radius: number, e: number): void {
  const { edgeEnds } = shape;
  edge.startPart = edgeEnds[2 * e];
  edge.finishPart = edgeEnds[2 * e + 1];
  vertexInto(edge.start, shape, edge.startPart);
  vertexInto(edge.finish, shape, edge.finishPart);
  edge.radius = radius;
  edge.part = edgePart(shape, e);
}
