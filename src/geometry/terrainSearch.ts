/**
 * What of a polyhedron (a point, a segment, a solid) and of a terrain is near each other. Everything is in the terrain's frame.
 *   vertices of the polyhedron over faces, and beside ridges and peaks
 *   edges of the polyhedron across ridges
 *   peaks under faces, and beside edges, of the polyhedron
 * Each is the distance of two parts; parts that could only be met from inside the ground are left out. Of those that overlap, the ones stay that
 * lead out (terrainOverlaps.ts).
 */
import { crossing, crossLines } from "./lines.ts";
import { directions, faceNormals, faces, placeShape, positions } from "./placedSolid.ts";
import { findNearest, nearest } from "./pointPolyhedron.ts";
import type { Polyhedron } from "./polyhedron.ts";
import { placeDirectionBack, placePoint, placePointBack } from "./pose.ts";
import { Candidates } from "./reduce.ts";
import { edgeEnd, FLATNESS, heightOver, RIDGE, RIM, type Terrain, triangleAt, triangleInto } from "./terrain.ts";
import { isEndOfRidge, isOutside, isPeak } from "./terrainNormals.ts";
import {
  EDGE_EDGE,
  EDGE_VERTEX,
  FACE_VERTEX,
  keepWaysOut,
  LEAST_SINE,
  VERTEX_EDGE,
  VERTEX_FACE,
  VERTEX_VERTEX,
} from "./terrainOverlaps.ts";

export const found = new Candidates();

/** Nearest distance that was found, whether or not it made a candidate. */
export let least = Number.POSITIVE_INFINITY;

const vertex = new Float64Array(3);
const n = new Float64Array(3);
const p = new Float64Array(3);
const d = new Float64Array(3);
const q = new Float64Array(3);
const e = new Float64Array(3);
const corners = new Int32Array(3);

/** Cells that a search looks at. */
let [fromI, toI, fromJ, toJ] = [0, 0, 0, 0];

function cellsAround(t: Terrain, lowX: number, highX: number, lowY: number, highY: number): void {
  fromI = Math.max(0, Math.floor((lowX - t.startX) / t.stepX));
  toI = Math.min(t.countX - 1, Math.ceil((highX - t.startX) / t.stepX));
  fromJ = Math.max(0, Math.floor((lowY - t.startY) / t.stepY));
  toJ = Math.min(t.countY - 1, Math.ceil((highY - t.startY) / t.stepY));
}

/**
 * Fills `found` with all that is nearer than `limit`, and `least`. `m` is the terrain's frame in that of the polyhedron. With `all`,
 * vertices of a solid beside ridges and peaks are candidates too.
 */
export function searchTerrain(shape: Polyhedron, t: Terrain, m: Float64Array, limit: number, all: boolean): void {
  found.clear();
  least = Number.POSITIVE_INFINITY;
  placeShape(shape, m);
  let lowX = Number.POSITIVE_INFINITY;
  let lowY = Number.POSITIVE_INFINITY;
  let highX = Number.NEGATIVE_INFINITY;
  let highY = Number.NEGATIVE_INFINITY;
  let lowZ = Number.POSITIVE_INFINITY;
  for (let v = 0; v < shape.vertexCount; v++) {
    lowX = Math.min(lowX, positions[3 * v]);
    highX = Math.max(highX, positions[3 * v]);
    lowY = Math.min(lowY, positions[3 * v + 1]);
    highY = Math.max(highY, positions[3 * v + 1]);
    lowZ = Math.min(lowZ, positions[3 * v + 2]);
    searchVertex(t, v, limit, all);
  }
  if (shape.edgeCount === 0) return;
  cellsAround(t, lowX - limit, highX + limit, lowY - limit, highY + limit);
  for (let i = fromI; i <= toI; i++) {
    for (let j = fromJ; j <= toJ; j++) {
      const v = i * t.countY + j;
      let stands = false;
      for (let k = 0; k < 3; k++) {
        const kind = t.edgeKinds[3 * v + k];
        if (kind !== RIDGE && kind !== RIM) continue;
        stands = true;
        const top = Math.max(t.heights[v], t.heights[edgeEnd(t, 3 * v + k)]);
        if (top >= lowZ - limit) searchEdge(shape, t, 3 * v + k, limit, top);
      }
      if ((stands || isEndOfRidge(t, i, j)) && t.heights[v] >= lowZ - limit) searchPeak(shape, t, m, v, limit, all);
    }
  }
  least = keepWaysOut(found, shape, t);
}

function offer(gap: number, limit: number, type: number, part: number, partOfTerrain: number, at: Float64Array): void {
  if (gap < least) least = gap;
  if (gap <= limit) found.add(at[0], at[1], gap, type, part, partOfTerrain);
}

/** How far down the ground is from the vertices, at least; infinite beyond its rim. */
export function leastDrop(shape: Polyhedron, t: Terrain, m: Float64Array): number {
  let drop = Number.POSITIVE_INFINITY;
  for (let v = 0; v < shape.vertexCount; v++) {
    placePointBack(vertex, 0, m, shape.vertices, 3 * v);
    const under = triangleAt(t, vertex[0], vertex[1]);
    if (under >= 0) drop = Math.min(drop, heightOver(t, under, vertex) / t.normals[3 * under + 2]);
  }
  return drop;
}

/** One vertex of the polyhedron. */
function searchVertex(t: Terrain, v: number, limit: number, all: boolean): void {
  for (let k = 0; k < 3; k++) vertex[k] = positions[3 * v + k];
  const under = triangleAt(t, vertex[0], vertex[1]);
  const height = under >= 0 ? heightOver(t, under, vertex) : Number.POSITIVE_INFINITY;
  // in the ground, or over a face whose foot may be elsewhere: a solid's vertex must stay above it all the same
  if (height < 0 || all === false) {
    if (under >= 0) offer(height, limit, VERTEX_FACE, v, under, vertex);
    if (height < 0) return;
  }
  cellsAround(t, vertex[0] - limit, vertex[0] + limit, vertex[1] - limit, vertex[1] + limit);
  for (let i = fromI; i <= toI; i++) {
    for (let j = fromJ; j <= toJ; j++) {
      const w = i * t.countY + j;
      if (i + 1 < t.countX && j + 1 < t.countY) {
        for (let triangle = 2 * w; triangle < 2 * w + 2; triangle++) {
          const over = heightOver(t, triangle, vertex);
          // the face straight below is held already, and with it all in its plane
          if (
            all === false &&
            under >= 0 &&
            Math.abs(over - height) < FLATNESS * t.stepX &&
            areLevel(t, triangle, under)
          )
            continue;
          if (over >= 0 && over <= limit && hasFoot(t, triangle)) offer(over, limit, VERTEX_FACE, v, triangle, vertex);
        }
      }
      let stands = false;
      for (let edge = 3 * w; edge < 3 * w + 3; edge++) {
        if (t.edgeKinds[edge] !== RIDGE && t.edgeKinds[edge] !== RIM) continue;
        stands = true;
        const distance = distanceToEdge(t, edge);
        if (distance <= limit && isOutside(t, edge, n)) offer(distance, all ? limit : -1, VERTEX_EDGE, v, edge, vertex);
      }
      if (!stands && !isEndOfRidge(t, i, j)) continue;
      const distance = distanceToVertex(t, w);
      if (distance <= limit && isPeak(t, i, j, n)) offer(distance, all ? limit : -1, VERTEX_VERTEX, v, w, vertex);
    }
  }
}

/** Whether two triangles have the same normal, as those of flat ground do. */
function areLevel({ normals }: Terrain, triangle: number, other: number): boolean {
  const x = normals[3 * triangle] - normals[3 * other];
  const y = normals[3 * triangle + 1] - normals[3 * other + 1];
  return Math.abs(x) + Math.abs(y) < FLATNESS;
}

/** Whether the vertex's foot in the plane of a triangle lies in it. */
function hasFoot(t: Terrain, triangle: number): boolean {
  const { vertices, normals } = t;
  triangleInto(corners, t, triangle);
  const k = 3 * triangle;
  for (let i = 0; i < 3; i++) {
    const a = 3 * corners[i];
    const b = 3 * corners[(i + 1) % 3];
    const dx = vertices[b] - vertices[a];
    const dy = vertices[b + 1] - vertices[a + 1];
    const dz = vertices[b + 2] - vertices[a + 2];
    const side =
      (normals[k + 1] * dz - normals[k + 2] * dy) * (vertex[0] - vertices[a]) +
      (normals[k + 2] * dx - normals[k] * dz) * (vertex[1] - vertices[a + 1]) +
      (normals[k] * dy - normals[k + 1] * dx) * (vertex[2] - vertices[a + 2]);
    if (side < 0) return false;
  }
  return true;
}

/** Distance of the vertex from an edge within whose ends its foot is, else infinite; n becomes the direction to it. */
function distanceToEdge(t: Terrain, edge: number): number {
  const { vertices } = t;
  const a = 3 * Math.floor(edge / 3);
  const b = 3 * edgeEnd(t, edge);
  let along = 0;
  let square = 0;
  for (let k = 0; k < 3; k++) {
    d[k] = vertices[b + k] - vertices[a + k];
    along += d[k] * (vertex[k] - vertices[a + k]);
    square += d[k] * d[k];
  }
  if (along <= 0 || along >= square) return Number.POSITIVE_INFINITY;
  for (let k = 0; k < 3; k++) n[k] = vertex[k] - vertices[a + k] - (along / square) * d[k];
  return normalise(n);
}

function distanceToVertex(t: Terrain, w: number): number {
  for (let k = 0; k < 3; k++) n[k] = vertex[k] - t.vertices[3 * w + k];
  return normalise(n);
}

function normalise(v: Float64Array): number {
  const length = Math.sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
  if (length > 0) for (let k = 0; k < 3; k++) v[k] /= length;
  return length;
}

/** Edges of the polyhedron across an edge of the terrain, whose higher end is at `top`. */
function searchEdge(shape: Polyhedron, t: Terrain, edge: number, limit: number, top: number): void {
  const a = 3 * Math.floor(edge / 3);
  const b = 3 * edgeEnd(t, edge);
  for (let k = 0; k < 3; k++) {
    q[k] = t.vertices[a + k];
    e[k] = t.vertices[b + k] - t.vertices[a + k];
  }
  const length = normalise(e);
  for (let i = 0; i < shape.edgeCount; i++) {
    const u = 3 * shape.edgeEnds[2 * i];
    const w = 3 * shape.edgeEnds[2 * i + 1];
    if (Math.min(positions[u + 2], positions[w + 2]) > top + limit) continue;
    let span = 0;
    for (let k = 0; k < 3; k++) {
      p[k] = positions[u + k];
      d[k] = directions[3 * i + k];
      span += d[k] * (positions[w + k] - positions[u + k]);
    }
    crossLines(p, d, q, e);
    // edges above the ridge must be near; those below are in the ground
    const most = crossing.normal[2] > 0 ? limit : Math.max(limit, shape.radius);
    if (crossing.sine < LEAST_SINE || crossing.distance > most) continue;
    if (!(crossing.s > 0 && crossing.s < span && crossing.t > 0 && crossing.t < length)) continue;
    for (let k = 0; k < 3; k++) p[k] += crossing.s * d[k];
    if (isOutside(t, edge, crossing.normal) && faces(shape, i, crossing.normal)) {
      offer(crossing.distance, limit, EDGE_EDGE, i, edge, p);
      continue;
    }
    // below the ridge: the same with the direction turned
    for (let k = 0; k < 3; k++) crossing.normal[k] *= -1;
    if (!isOutside(t, edge, crossing.normal) || !faces(shape, i, crossing.normal)) continue;
    offer(-crossing.distance, limit, EDGE_EDGE, i, edge, p);
  }
}

/** A vertex of the terrain under a face of the polyhedron, or beside a segment. */
function searchPeak(shape: Polyhedron, t: Terrain, m: Float64Array, v: number, limit: number, all: boolean): void {
  const i = Math.floor(v / t.countY);
  const j = v - i * t.countY;
  for (let k = 0; k < 3; k++) q[k] = t.vertices[3 * v + k];
  if (shape.faceCount === 0) {
    // beside the segment
    for (let k = 0; k < 3; k++) n[k] = q[k] - positions[k];
    const along = n[0] * directions[0] + n[1] * directions[1] + n[2] * directions[2];
    if (along <= 0 || along >= 2 * shape.radius) return;
    for (let k = 0; k < 3; k++) n[k] = along * directions[k] - n[k];
    const distance = normalise(n);
    if (distance <= limit && isPeak(t, i, j, n)) offer(distance, limit, EDGE_VERTEX, 0, v, q);
    return;
  }
  placePoint(p, 0, m, q, 0);
  findNearest(shape, p[0], p[1], p[2]);
  const { distance, type, part, point } = nearest;
  if (distance > limit) return;
  if (type === "face") {
    for (let k = 0; k < 3; k++) n[k] = -faceNormals[3 * part + k];
    if (isPeak(t, i, j, n)) offer(distance, limit, FACE_VERTEX, part, v, q);
  } else {
    for (let k = 0; k < 3; k++) d[k] = point[k] - p[k];
    placeDirectionBack(n, 0, m, d, 0);
    normalise(n);
    if (isPeak(t, i, j, n)) offer(distance, all ? limit : -1, EDGE_VERTEX, part, v, q);
  }
}
