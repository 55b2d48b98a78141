/**
 * Which candidates lead a solid out of the ground that it overlaps.
 *
 * All below the surface is ground. So the solid overlaps it exactly where its lower side is below the surface, and it is free as soon as it is lifted
 * by the largest such depth. That depth is found at one of three pairs of parts, one vertically below the other: a vertex and a triangle, a face and
 * a vertex of the ground, two edges.
 *
 * A ridge, a peak or a face of the ground may be in the solid along several normals: past the side by which it came in, and past others behind that.
 * Taken for depths, these made steps that throw the solid out to its other side with up to a thousand times its energy. So the candidates are
 * followed from the least deep on, until the solid is free. If all of them together do not free it, the pair that is deepest then joins them.
 */
import { crossing, crossLines } from "./lines.ts";
import { directions, faceNormals, positions } from "./placedSolid.ts";
import type { Polyhedron } from "./polyhedron.ts";
import type { Candidates } from "./reduce.ts";
import { edgeEnd, heightOver, RIDGE, RIM, type Terrain, triangleAt } from "./terrain.ts";

/** What a candidate is; its parts are those of the polyhedron and of the terrain. */
export const VERTEX_FACE = 0;
export const VERTEX_EDGE = 1;
export const VERTEX_VERTEX = 2;
export const EDGE_EDGE = 3;
export const FACE_VERTEX = 4;
export const EDGE_VERTEX = 5;

/** Edges that cross at less than this angle are no good as lines: their perpendicular turns too fast. */
export const LEAST_SINE = 0.02;

/** Part of the solid's radius up to which nothing is taken for another side. */
const SHALLOW = 1e-3;
/** How many times as deep as those that free the solid a part may be that goes the same way. */
const DEEPER = 3;
/** Part of the solid's radius that depths are off by. */
const ROUNDING = 1e-9;
/** Mark of a candidate along which the solid was moved. */
const FOLLOWED = 2;
const MOST_SWEEPS = 8;

const p = new Float64Array(3);
const d = new Float64Array(3);
const q = new Float64Array(3);
const e = new Float64Array(3);
const u = new Float64Array(3);
/** How far the solid has been moved so far. */
const shift = new Float64Array(3);

/** The pair at which the moved solid is deepest below the surface, vertically. */
const deepest = { depth: 0, type: VERTEX_FACE, part: 0, other: 0, x: 0, y: 0 };

/** How far the moved solid is from having left the terrain past its rim, where there is nothing; ∞ where it is all within. */
let pastRim = 0;

/** q and e become the start and the direction of an edge of the terrain. */
function setRidge(t: Terrain, edge: number): void {
  const a = 3 * Math.floor(edge / 3);
  const b = 3 * edgeEnd(t, edge);
  for (let k = 0; k < 3; k++) {
    q[k] = t.vertices[a + k];
    e[k] = t.vertices[b + k] - q[k];
  }
  const length = Math.sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2]);
  for (let k = 0; k < 3; k++) e[k] /= length;
}

/** p and d become the start and the direction of an edge of the solid. */
function setEdge(shape: Polyhedron, i: number): void {
  for (let k = 0; k < 3; k++) {
    p[k] = positions[3 * shape.edgeEnds[2 * i] + k];
    d[k] = directions[3 * i + k];
  }
}

function along(n: Float64Array, at: number, v: Float64Array, from = 0): number {
  return n[at] * v[from] + n[at + 1] * v[from + 1] + n[at + 2] * v[from + 2];
}

function offer(depth: number, type: number, part: number, other: number, x: number, y: number): void {
  if (!(depth > deepest.depth)) return;
  deepest.depth = depth;
  deepest.type = type;
  deepest.part = part;
  deepest.other = other;
  deepest.x = x;
  deepest.y = y;
}

/** Sets `deepest`, to depth 0 where the moved solid is free. */
function findDeepest(shape: Polyhedron, t: Terrain): void {
  deepest.depth = 0;
  let [lowX, lowY, lowZ] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  let [highX, highY] = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (let v = 0; v < shape.vertexCount; v++) {
    for (let k = 0; k < 3; k++) p[k] = positions[3 * v + k] + shift[k];
    [lowX, lowY, lowZ] = [Math.min(lowX, p[0]), Math.min(lowY, p[1]), Math.min(lowZ, p[2])];
    [highX, highY] = [Math.max(highX, p[0]), Math.max(highY, p[1])];
    const under = triangleAt(t, p[0], p[1]);
    if (under < 0) continue;
    offer(-heightOver(t, under, p) / t.normals[3 * under + 2], VERTEX_FACE, v, under, p[0], p[1]);
  }
  const endX = -t.startX;
  const endY = -t.startY;
  pastRim = Number.POSITIVE_INFINITY;
  if (highX > endX) pastRim = Math.min(pastRim, endX - lowX);
  if (lowX < t.startX) pastRim = Math.min(pastRim, highX - t.startX);
  if (highY > endY) pastRim = Math.min(pastRim, endY - lowY);
  if (lowY < t.startY) pastRim = Math.min(pastRim, highY - t.startY);
  const fromI = Math.max(0, Math.floor((lowX - t.startX) / t.stepX));
  const toI = Math.min(t.countX - 1, Math.ceil((highX - t.startX) / t.stepX));
  const fromJ = Math.max(0, Math.floor((lowY - t.startY) / t.stepY));
  const toJ = Math.min(t.countY - 1, Math.ceil((highY - t.startY) / t.stepY));
  for (let i = fromI; i <= toI; i++) {
    for (let j = fromJ; j <= toJ; j++) {
      const v = i * t.countY + j;
      if (t.heights[v] > lowZ + deepest.depth) lookUnder(shape, t, v);
      for (let edge = 3 * v; edge < 3 * v + 3; edge++) {
        if (t.edgeKinds[edge] !== RIDGE && t.edgeKinds[edge] !== RIM) continue;
        if (Math.max(t.heights[v], t.heights[edgeEnd(t, edge)]) > lowZ + deepest.depth) lookAlong(shape, t, edge);
      }
    }
  }
}

/** How far a vertex of the terrain is above the lower side of the solid, if it is above or below it at all. */
function lookUnder(shape: Polyhedron, t: Terrain, v: number): void {
  let [low, high, face] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY, -1];
  for (let f = 0; f < shape.faceCount; f++) {
    const at = 3 * shape.loop[shape.faceStart[f]];
    for (let k = 0; k < 3; k++) p[k] = t.vertices[3 * v + k] - positions[at + k] - shift[k];
    const height = along(faceNormals, 3 * f, p);
    const slope = faceNormals[3 * f + 2];
    const z = -height / slope;
    if (slope > 0) high = Math.min(high, z);
    else if (slope === 0 && height > 0) return;
    else if (slope < 0 && z > low) [low, face] = [z, f];
  }
  if (face >= 0 && low < high) offer(-low, FACE_VERTEX, face, v, t.vertices[3 * v], t.vertices[3 * v + 1]);
}

/** How far an edge of the terrain is above the edges of the solid that it crosses as seen from above. */
function lookAlong(shape: Polyhedron, t: Terrain, edge: number): void {
  const a = 3 * Math.floor(edge / 3);
  const b = 3 * edgeEnd(t, edge);
  const [x, y, z] = [t.vertices[a], t.vertices[a + 1], t.vertices[a + 2]];
  const dx = t.vertices[b] - x;
  const dy = t.vertices[b + 1] - y;
  const highest = Math.max(z, t.vertices[b + 2]) - shift[2] - deepest.depth;
  for (let i = 0; i < shape.edgeCount; i++) {
    const from = 3 * shape.edgeEnds[2 * i];
    const to = 3 * shape.edgeEnds[2 * i + 1];
    if (Math.min(positions[from + 2], positions[to + 2]) >= highest || !isUnder(shape, i)) continue;
    const px = positions[from] + shift[0] - x;
    const py = positions[from + 1] + shift[1] - y;
    const ex = positions[to] - positions[from];
    const ey = positions[to + 1] - positions[from + 1];
    const turn = dx * ey - dy * ex;
    const s = (px * ey - py * ex) / turn;
    const r = (px * dy - py * dx) / turn;
    if (!(s >= 0 && s <= 1 && r >= 0 && r <= 1)) continue;
    const top = z + s * (t.vertices[b + 2] - z);
    const bottom = positions[from + 2] + shift[2] + r * (positions[to + 2] - positions[from + 2]);
    if (!(top - bottom > deepest.depth)) continue;
    setRidge(t, edge);
    setEdge(shape, i);
    crossLines(p, d, q, e);
    if (crossing.sine >= LEAST_SINE) offer(top - bottom, EDGE_EDGE, i, edge, x + s * dx, y + s * dy);
  }
}

/** Whether an edge belongs to the lower side of the solid. */
function isUnder({ edgeFaces }: Polyhedron, i: number): boolean {
  const f = edgeFaces[2 * i];
  return f < 0 || faceNormals[3 * f + 2] < 0 || faceNormals[3 * edgeFaces[2 * i + 1] + 2] < 0;
}

/** u becomes the normal along which the solid leaves the ground by a pair in which it overlaps it. */
function setNormal(type: number, part: number, other: number, shape: Polyhedron, t: Terrain): void {
  if (type === EDGE_EDGE) {
    setRidge(t, other);
    setEdge(shape, part);
    crossLines(p, d, q, e);
  }
  for (let k = 0; k < 3; k++) {
    if (type === EDGE_EDGE) u[k] = -crossing.normal[k];
    else u[k] = type === VERTEX_FACE ? t.normals[3 * other + k] : -faceNormals[3 * part + k];
  }
}

/** Moves the solid on until candidate i no longer overlaps. */
function follow(found: Candidates, i: number, shape: Polyhedron, t: Terrain): void {
  setNormal(found.parts[3 * i], found.parts[3 * i + 1], found.parts[3 * i + 2], shape, t);
  const rest = -found.gap[i] - along(u, 0, shift);
  if (rest > 0) for (let k = 0; k < 3; k++) shift[k] += rest * u[k];
}

/** Keeps of the candidates that overlap those that lead out, adds what they lack, and returns the least gap. */
export function keepWaysOut(found: Candidates, shape: Polyhedron, t: Terrain): number {
  const { gap, kept } = found;
  const tolerance = ROUNDING * shape.radius;
  shift.fill(0);
  findDeepest(shape, t);
  // what came in from beside, below the rim, leaves as it came
  if (pastRim < deepest.depth) deepest.depth = 0;
  const lift = deepest.depth;
  const most = lift > tolerance ? lift + SHALLOW * shape.radius : tolerance;
  for (let i = 0; i < found.count; i++) if (-gap[i] > most) kept[i] = 0;
  found.dropUnkept();
  let depth = 0;
  while (deepest.depth > tolerance) {
    const next = leastDeep(found);
    if (next < 0) break;
    depth = -gap[next];
    kept[next] = FOLLOWED;
    follow(found, next, shape, t);
    findDeepest(shape, t);
  }
  const enough = DEEPER * depth + SHALLOW * shape.radius;
  for (let i = 0; i < found.count; i++) if (kept[i] !== FOLLOWED && -gap[i] > enough) kept[i] = 0;
  // ways of which one leads back against another
  for (let sweep = 0; sweep < MOST_SWEEPS && deepest.depth > tolerance; sweep++) {
    for (let i = 0; i < found.count; i++) if (kept[i] === FOLLOWED) follow(found, i, shape, t);
    findDeepest(shape, t);
  }
  if (deepest.depth > tolerance) addDeepest(found, lift, shape, t);
  return found.dropUnkept();
}

/** The candidate that overlaps least of those that have not been followed, −1 of none. */
function leastDeep({ gap, kept, count }: Candidates): number {
  let next = -1;
  for (let i = 0; i < count; i++) if (kept[i] !== FOLLOWED && gap[i] < 0 && (next < 0 || gap[i] > gap[next])) next = i;
  return next;
}

/** Adds the pair that is deepest in the moved solid, or in the solid where it is if that is a shorter way. */
function addDeepest(found: Candidates, lift: number, shape: Polyhedron, t: Terrain): void {
  let depth = setDeepestNormal(shape, t);
  if (depth > lift) {
    shift.fill(0);
    findDeepest(shape, t);
    depth = setDeepestNormal(shape, t);
  }
  const { type, part, other, x, y } = deepest;
  for (let i = 0; i < found.count; i++)
    if (found.parts[3 * i] === type && found.parts[3 * i + 1] === part && found.parts[3 * i + 2] === other) return;
  found.add(x, y, -depth, type, part, other);
}

/** u becomes the normal along which the solid leaves by the deepest pair; returns how deep that is along it, before the solid was moved. */
function setDeepestNormal(shape: Polyhedron, t: Terrain): number {
  setNormal(deepest.type, deepest.part, deepest.other, shape, t);
  if (u[2] < 0) for (let k = 0; k < 3; k++) u[k] *= -1;
  return u[2] * deepest.depth + along(u, 0, shift);
}
