/**
 * Terrain against spheres, capsules, boxes and hulls: what is near (terrainSearch.ts), reduced to the parts that carry, as features.
 */
import { addLineLine, addPointLine, addPointPlane, addPointPoint } from "./addFeature.ts";
import type { FeatureList } from "./features.ts";
import { crossing, crossLines } from "./lines.ts";
import { type ShapePair, shapePair } from "./pairs.ts";
import { edgePart, facePart } from "./parts.ts";
import { findNearest, nearest } from "./pointPolyhedron.ts";
import type { Polyhedron } from "./polyhedron.ts";
import { placeDirection, placePoint } from "./pose.ts";
import { reduce } from "./reduce.ts";
import type { FlatShape, HeightFieldShape } from "./shape.ts";
import { edgeEnd, edgeTriangle, type Terrain } from "./terrain.ts";
import { EDGE_EDGE, EDGE_VERTEX, FACE_VERTEX, VERTEX_EDGE, VERTEX_FACE, VERTEX_VERTEX } from "./terrainOverlaps.ts";
import { found, least, leastDrop, searchTerrain } from "./terrainSearch.ts";

/** As many features as a pair keeps: uneven ground may touch in more places than flat. */
const MOST_FEATURES = 8;

const p = new Float64Array(3);
const q = new Float64Array(3);
const d = new Float64Array(3);
const e = new Float64Array(3);
const n = new Float64Array(3);

function features(a: FlatShape, b: HeightFieldShape, m: Float64Array, reach: number, out: FeatureList): void {
  const { polyhedron: shape, radius } = a;
  searchTerrain(shape, b.terrain, m, reach + radius, radius > 0);
  reduce(found);
  keepNearest();
  for (let i = 0; i < found.count; i++) {
    if (found.kept[i]) addFound(i, shape, radius, b.terrain, m, out);
  }
}

/** Besides those that carry a moment, the nearest are kept. */
function keepNearest(): void {
  const { count, kept, gap } = found;
  let have = 0;
  for (let i = 0; i < count; i++) have += kept[i];
  for (; have < Math.min(count, MOST_FEATURES); have++) {
    let best = -1;
    for (let i = 0; i < count; i++) if (!kept[i] && (best < 0 || gap[i] < gap[best])) best = i;
    kept[best] = 1;
  }
}

function addFound(i: number, shape: Polyhedron, radius: number, t: Terrain, m: Float64Array, out: FeatureList): void {
  const type = found.parts[3 * i];
  const part = found.parts[3 * i + 1];
  const other = found.parts[3 * i + 2];
  const gap = found.gap[i] - radius;
  const vertices = t.heights.length;
  switch (type) {
    case VERTEX_FACE:
      pointOf(p, shape.vertices, part);
      placePoint(q, 0, m, t.vertices, 3 * (other >> 1));
      placeDirection(n, 0, m, t.normals, 3 * other);
      addPointPlane(out, m, 0, part, 4 * vertices + other, p, radius, q, n);
      break;
    case VERTEX_EDGE:
      pointOf(p, shape.vertices, part);
      edgeOf(t, other, m);
      addPointLine(out, m, 0, part, vertices + other, p, radius, q, e, 0, gap);
      break;
    case VERTEX_VERTEX:
      pointOf(p, shape.vertices, part);
      placePoint(q, 0, m, t.vertices, 3 * other);
      for (let k = 0; k < 3; k++) n[k] = (p[k] - q[k]) / found.gap[i];
      addPointPoint(out, m, 0, part, other, p, radius, q, 0, gap, n);
      break;
    case EDGE_EDGE: {
      pointOf(p, shape.vertices, shape.edgeEnds[2 * part]);
      pointOf(d, shape.edgeDirections, part);
      edgeOf(t, other, m);
      acrossEdges(t, other, m);
      addLineLine(out, m, edgePart(shape, part), vertices + other, p, d, radius, q, e, 0, gap, n);
      break;
    }
    case FACE_VERTEX:
      placePoint(p, 0, m, t.vertices, 3 * other);
      pointOf(n, shape.normals, part);
      pointOf(q, shape.vertices, shape.loop[shape.faceStart[part]]);
      addPointPlane(out, m, 1, facePart(shape, part), other, p, 0, q, n);
      break;
    case EDGE_VERTEX:
      placePoint(p, 0, m, t.vertices, 3 * other);
      pointOf(q, shape.vertices, 0);
      pointOf(d, shape.edgeDirections, 0);
      addPointLine(out, m, 1, edgePart(shape, 0), other, p, 0, q, d, radius, gap);
      break;
  }
}

/** n becomes the direction in which the line p, d leaves the line q, e of an edge: out of the ground, however near they are. */
function acrossEdges(t: Terrain, edge: number, m: Float64Array): void {
  crossLines(p, d, q, e);
  let outwards = 0;
  for (let side = 0; side < 2; side++) {
    const triangle = edgeTriangle(t, edge, side);
    if (triangle < 0) continue;
    placeDirection(n, 0, m, t.normals, 3 * triangle);
    for (let k = 0; k < 3; k++) outwards += n[k] * crossing.normal[k];
  }
  for (let k = 0; k < 3; k++) n[k] = outwards < 0 ? -crossing.normal[k] : crossing.normal[k];
}

function pointOf(out: Float64Array, vectors: Float64Array, i: number): void {
  for (let k = 0; k < 3; k++) out[k] = vectors[3 * i + k];
}

/** q and e become the start and direction of a terrain's edge, in a's frame. */
function edgeOf(t: Terrain, edge: number, m: Float64Array): void {
  const a = 3 * Math.floor(edge / 3);
  const b = 3 * edgeEnd(t, edge);
  for (let k = 0; k < 3; k++) e[k] = t.vertices[b + k] - t.vertices[a + k];
  const length = Math.sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2]);
  for (let k = 0; k < 3; k++) e[k] /= length;
  placeDirection(e, 0, m, e, 0);
  placePoint(q, 0, m, t.vertices, a);
}

/** Searched in growing surroundings, until what is found is nearer than what was left out. */
function distance(a: FlatShape, b: HeightFieldShape, m: Float64Array, witness: Float64Array | undefined): number {
  const { polyhedron: shape, radius } = a;
  const { size, lowest, highest } = b;
  const everything =
    2 * (size[0] + size[1] + highest - lowest + Math.abs(m[0]) + Math.abs(m[1]) + Math.abs(m[2]) + shape.radius);
  // straight down is far enough, where there is ground below
  const drop = leastDrop(shape, b.terrain, m);
  const start = 0.1 * (shape.radius + radius);
  let limit = drop < everything ? Math.max(1.0001 * drop, start) : start + radius;
  for (; ; limit *= 4) {
    searchTerrain(shape, b.terrain, m, limit, true);
    if (least <= limit || limit > everything) break;
  }
  if (witness) witnessInto(witness, shape, radius, b.terrain, m);
  return least - radius;
}

/** The direction of the deepest candidate, and points along it. */
function witnessInto(w: Float64Array, shape: Polyhedron, radius: number, t: Terrain, m: Float64Array): void {
  let best = 0;
  for (let i = 1; i < found.count; i++) if (found.gap[i] < found.gap[best]) best = i;
  const gap = found.gap[best];
  const part = found.parts[3 * best + 1];
  const other = found.parts[3 * best + 2];
  w.fill(0);
  if (found.count === 0) return;
  switch (found.parts[3 * best]) {
    case VERTEX_FACE:
      pointOf(p, shape.vertices, part);
      placeDirection(n, 0, m, t.normals, 3 * other);
      break;
    case FACE_VERTEX:
      pointOf(n, shape.normals, part);
      placePoint(p, 0, m, t.vertices, 3 * other);
      for (let k = 0; k < 3; k++) {
        n[k] *= -1;
        p[k] += gap * n[k];
      }
      break;
    case VERTEX_EDGE:
    case VERTEX_VERTEX: {
      pointOf(p, shape.vertices, part);
      if (found.parts[3 * best] === VERTEX_EDGE) edgeOf(t, other, m);
      else {
        placePoint(q, 0, m, t.vertices, 3 * other);
        e.fill(0);
      }
      const along = e[0] * (p[0] - q[0]) + e[1] * (p[1] - q[1]) + e[2] * (p[2] - q[2]);
      for (let k = 0; k < 3; k++) n[k] = (p[k] - q[k] - along * e[k]) / gap;
      break;
    }
    case EDGE_EDGE:
      pointOf(p, shape.vertices, shape.edgeEnds[2 * part]);
      pointOf(d, shape.edgeDirections, part);
      edgeOf(t, other, m);
      acrossEdges(t, other, m);
      for (let k = 0; k < 3; k++) p[k] += crossing.s * d[k];
      break;
    default:
      // a peak beside a segment, or beside an edge or a vertex of a solid
      placePoint(q, 0, m, t.vertices, 3 * other);
      if (shape.faceCount > 0) {
        findNearest(shape, q[0], q[1], q[2]);
        for (let k = 0; k < 3; k++) p[k] = nearest.point[k];
      } else {
        p.fill(0);
        p[2] = q[2];
      }
      for (let k = 0; k < 3; k++) n[k] = (p[k] - q[k]) / gap;
  }
  for (let k = 0; k < 3; k++) {
    w[k] = p[k] - radius * n[k];
    w[3 + k] = p[k] - gap * n[k];
    w[6 + k] = -n[k];
  }
}

export const terrainPairs: readonly ShapePair[] = [
  shapePair("sphere", "heightField", features, distance),
  shapePair("capsule", "heightField", features, distance),
  shapePair("box", "heightField", features, distance),
  shapePair("hull", "heightField", features, distance),
];
