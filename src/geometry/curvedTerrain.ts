/**
 * Terrain against cylinders and ellipsoids. Of the ground near the shape, each triangle that the shape's lowest point stands over, each
 * ridge and each peak that is met from outside is a pair of parts with a distance; the least is the distance of the shapes.
 */
import { addRoundLine, addRoundPlane, addRoundRound, RoundPart } from "./addRound.ts";
import { ConvexDistance } from "./convexDistance.ts";
import { ALIKE } from "./cylinderFlat.ts";
import { newStraight, offerCrossings, pointAndSide, rimAndStraight, straightAndSide } from "./cylinderLine.ts";
import { CylinderView, END } from "./cylinderView.ts";
import { dropRepeated, keepNearest } from "./featureSet.ts";
import { overPlane } from "./overPlane.ts";
import { type PairFeatures, type ShapePair, shapePair } from "./pairs.ts";
import { PlanePoints } from "./planePoints.ts";
import { placeDirection, placeDirectionBack, placePoint, placePointBack } from "./pose.ts";
import { Region } from "./region.ts";
import type { CylinderShape, EllipsoidShape, HeightFieldShape } from "./shape.ts";
import { coreOf } from "./shapeDistance.ts";
import { coreKind, coreSize, supportInto } from "./supportCore.ts";
import { edgeEnd, heightOver, RIDGE, RIM, type Terrain, triangleAt, triangleInto } from "./terrain.ts";
import { isEndOfRidge, isOutside, isPeak } from "./terrainNormals.ts";

type Curved = CylinderShape | EllipsoidShape;

/** What a part of the ground is. */
const FACE = 0;
const EDGE = 1;
const PEAK = 2;

const search = new ConvexDistance();
const ends = new Float64Array(6);
const none = new Float64Array(0);
const ground = { kind: coreKind.points, x: 0, y: 0, z: 0, points: ends, normals: none, radius: 0 };
const pointEnds = new Float64Array(3);
const peak = { kind: coreKind.points, x: 0, y: 0, z: 0, points: pointEnds, normals: none, radius: 0 };
const corners = new Int32Array(3);
const [p, q, r, n, d] = Array.from({ length: 5 }, () => new Float64Array(3));
const local = new Float64Array(3);
const region = new Region();
const inGround = new Float64Array(3);
const inPlace = Float64Array.of(0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1);

/**
 * Visits all parts of the ground within `limit` of the shape: their kind, number and distance; `n`, from the ground, is in a's frame. Edges
 * and peaks that are surely farther than `known.least`, and not in the shape, are passed over.
 */
function visitGround(
  a: Curved,
  t: Terrain,
  m: Float64Array,
  limit: number,
  known: Nearest,
  visit: (kind: number, part: number, gap: number) => void,
): void {
  const core = coreOf(a);
  const radius = coreSize(core);
  const size = radius + limit;
  // the shape's middle over the ground
  q.fill(0);
  placePointBack(inGround, 0, m, q, 0);
  const fromI = Math.max(0, Math.floor((inGround[0] - size - t.startX) / t.stepX));
  const toI = Math.min(t.countX - 1, Math.ceil((inGround[0] + size - t.startX) / t.stepX));
  const fromJ = Math.max(0, Math.floor((inGround[1] - size - t.startY) / t.stepY));
  const toJ = Math.min(t.countY - 1, Math.ceil((inGround[1] + size - t.startY) / t.stepY));
  let isInGround = false;
  let under = 0;
  for (let i = fromI; i <= toI; i++) {
    for (let j = fromJ; j <= toJ; j++) {
      const v = i * t.countY + j;
      if (i + 1 < t.countX && j + 1 < t.countY) {
        for (let triangle = 2 * v; triangle < 2 * v + 2; triangle++) {
          setTriangle(t, triangle, m);
          supportInto(p, 0, core, -n[0], -n[1], -n[2]);
          const gap = region.heightOf(p);
          if (gap > limit) continue;
          if (region.insideBy(p) >= -1e-9 * size && isMet(t, triangle, gap, m, size)) {
            if (gap < 0) isInGround = true;
            visit(FACE, triangle, gap);
          } else if (gap < 0) undercut[under++] = triangle;
        }
      }
      let stands = isEndOfRidge(t, i, j);
      for (let edge = 3 * v; edge < 3 * v + 3; edge++) {
        if (t.edgeKinds[edge] !== RIDGE && t.edgeKinds[edge] !== RIM) continue;
        stands = true;
        setEdge(t, edge, m);
        if (isFarther(ends, 3, radius, Math.min(limit, known.least))) continue;
        const gap = nearestInto(a, ground, ends);
        placeDirectionBack(local, 0, m, n, 0);
        // across the edge, and out of the ground
        const slope = Math.abs(n[0] * d[0] + n[1] * d[1] + n[2] * d[2]);
        if (gap > limit || slope > 1e-6 || !isOutside(t, edge, local)) continue;
        if (gap < 0) isInGround = true;
        visit(EDGE, edge, gap);
      }
      if (!stands) continue;
      placePoint(pointEnds, 0, m, t.vertices, 3 * v);
      if (isFarther(pointEnds, 0, radius, Math.min(limit, known.least))) continue;
      const gap = nearestInto(a, peak, pointEnds);
      placeDirectionBack(local, 0, m, n, 0);
      if (gap <= limit && isPeak(t, i, j, local)) visit(PEAK, v, gap);
    }
  }
  if (isInGround) return;
  // a triangle may cut the shape although no part says so: the deepest cut, along the shortest way out of it, of those out of which it leads up;
  // what has come through a sharp ridge from behind leaves it by the triangle there
  let [cut, depth, isUp] = [-1, 0, false];
  for (let k = 0; k < under; k++) {
    setTriangle(t, undercut[k], m);
    // too far from the shape's middle to be in it
    q.fill(0);
    if (Math.max(Math.abs(region.heightOf(q)), -region.insideBy(q)) > (1 + 1e-9) * radius) continue;
    const found = cutInto(a);
    if (found < 0 && (leadsUp === isUp ? found < depth : leadsUp)) [cut, depth, isUp] = [undercut[k], found, leadsUp];
  }
  if (cut >= 0) {
    setTriangle(t, cut, m);
    cutInto(a);
    visit(FACE, cut, depth);
    return;
  }
  // all of it may be below the ground: out by the triangle over its middle
  const over = triangleAt(t, inGround[0], inGround[1]);
  if (over < 0) return;
  setTriangle(t, over, m);
  q.fill(0);
  if (!(region.heightOf(q) < 0)) return;
  supportInto(p, 0, core, -n[0], -n[1], -n[2]);
  visit(FACE, over, region.heightOf(p));
}

/**
 * Whether the point p, at `gap` over the plane of a triangle and over it, is met by it. A point below may be behind a hill, in the air again
 * or in another one's ground: it is met where it is in the ground, and this is no longer a way out than the triangle above it.
 */
function isMet(t: Terrain, triangle: number, gap: number, m: Float64Array, size: number): boolean {
  if (gap >= -1e-6 * size) return true;
  placePointBack(local, 0, m, p, 0);
  const above = triangleAt(t, local[0], local[1]);
  return above === triangle || (above >= 0 && gap >= heightOver(t, above, local));
}

/** Triangles whose planes are above the lowest point of the shape, where that is not over them, or not in the ground there. */
const undercut: number[] = [];
const triangleEnds = new Float64Array(9);
const normals = new Float64Array(3);
/** Whether the way out of the triangle that was last looked at is up. */
let leadsUp = false;
const triangleCore = { kind: coreKind.points, x: 0, y: 0, z: 0, points: triangleEnds, normals, radius: 0 };

/**
 * How deep the triangle that was set is in the shape, negative, or how far from it. Where it is in the shape and the way out is up, n becomes
 * that way, and the region's point the triangle's highest along it.
 */
function cutInto(a: Curved): number {
  region.cornersInto(triangleEnds);
  normals.set(n);
  let most = 0;
  for (let k = 0; k < 9; k++) most = Math.max(most, Math.abs(triangleEnds[k]));
  triangleCore.x = triangleCore.y = triangleCore.z = most;
  const core = coreOf(a);
  const distance = search.between(core, triangleCore, inPlace);
  if (distance >= 0) return distance;
  const { normal } = search;
  leadsUp = normal[0] * n[0] + normal[1] * n[1] + normal[2] * n[2] < 0;
  if (!leadsUp) {
    supportInto(p, 0, core, -n[0], -n[1], -n[2]);
    return region.heightOf(p);
  }
  for (let k = 0; k < 3; k++) n[k] = -normal[k];
  supportInto(region.point, 0, triangleCore, n[0], n[1], n[2]);
  return distance;
}

/** The least distance that a search has found so far. */
interface Nearest {
  least: number;
}

const nothingKnown: Nearest = { least: Number.POSITIVE_INFINITY };

/** Whether a shape of this radius about its middle is farther than `distance`, and not 0, from the line between the points at 0 and `to`. */
function isFarther(points: Float64Array, to: number, radius: number, distance: number): boolean {
  const [x, y, z] = points;
  const [dx, dy, dz] = [points[to] - x, points[to + 1] - y, points[to + 2] - z];
  const length = dx * dx + dy * dy + dz * dz;
  const along = length > 0 ? Math.min(Math.max(-(x * dx + y * dy + z * dz) / length, 0), 1) : 0;
  const [px, py, pz] = [x + along * dx, y + along * dy, z + along * dz];
  // with room for rounding
  const reach = (1 + 1e-9) * (radius + Math.max(distance, 0));
  return px * px + py * py + pz * pz > reach * reach;
}

/** Distance of the shape from points in its frame; n becomes the direction from them to it. */
function nearestInto(a: Curved, core: typeof ground, points: Float64Array): number {
  let most = 0;
  for (let k = 0; k < points.length; k++) most = Math.max(most, Math.abs(points[k]));
  core.x = core.y = core.z = most;
  const distance = search.between(coreOf(a), core, inPlace);
  for (let k = 0; k < 3; k++) n[k] = -search.normal[k];
  return distance;
}

/** The region of a triangle, and n its normal, in a's frame. */
function setTriangle(t: Terrain, triangle: number, m: Float64Array): void {
  triangleInto(corners, t, triangle);
  placePoint(p, 0, m, t.vertices, 3 * corners[0]);
  placePoint(q, 0, m, t.vertices, 3 * corners[1]);
  placePoint(r, 0, m, t.vertices, 3 * corners[2]);
  placeDirection(n, 0, m, t.normals, 3 * triangle);
  region.setTriangle(p, q, r, n);
}

/** Ends of an edge, and d its direction, in a's frame. */
function setEdge(t: Terrain, edge: number, m: Float64Array): void {
  placePoint(ends, 0, m, t.vertices, 3 * Math.floor(edge / 3));
  placePoint(ends, 3, m, t.vertices, 3 * edgeEnd(t, edge));
  for (let k = 0; k < 3; k++) d[k] = ends[3 + k] - ends[k];
  const length = Math.sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
  for (let k = 0; k < 3; k++) d[k] /= length;
}

const witnessOfGround = new Float64Array(9);

/** Searched in growing surroundings, until what is found is nearer than what was left out. */
function distance(a: Curved, b: HeightFieldShape, m: Float64Array, witness: Float64Array | undefined): number {
  const t = b.terrain;
  const size = coreSize(coreOf(a));
  const far =
    2 * (b.size[0] + b.size[1] + b.highest - b.lowest + Math.abs(m[0]) + Math.abs(m[1]) + Math.abs(m[2]) + size);
  found.least = Number.POSITIVE_INFINITY;
  for (let limit = 0.1 * size + 2 * Math.max(t.stepX, t.stepY); ; limit *= 4) {
    known.least = gapBelow(a, t, m, limit, size + limit);
    visitGround(a, t, m, limit, known, (_kind, _part, gap) => {
      if (gap >= found.least) return;
      found.least = gap;
      known.least = Math.min(known.least, gap);
      supportInto(p, 0, coreOf(a), -n[0], -n[1], -n[2]);
      for (let k = 0; k < 3; k++) {
        witnessOfGround[k] = p[k];
        witnessOfGround[3 + k] = p[k] - gap * n[k];
        witnessOfGround[6 + k] = -n[k];
      }
    });
    if (found.least <= limit || limit > far) break;
  }
  if (witness) witness.set(witnessOfGround);
  return found.least;
}

const found: Nearest = { least: 0 };
const known: Nearest = { least: 0 };

/** How far the shape is over the triangle below its middle, where its lowest point is over that: a bound of the distance from the ground. */
function gapBelow(a: Curved, t: Terrain, m: Float64Array, limit: number, size: number): number {
  q.fill(0);
  placePointBack(inGround, 0, m, q, 0);
  const triangle = triangleAt(t, inGround[0], inGround[1]);
  if (triangle < 0) return Number.POSITIVE_INFINITY;
  setTriangle(t, triangle, m);
  supportInto(p, 0, coreOf(a), -n[0], -n[1], -n[2]);
  const gap = region.heightOf(p);
  const isVisited = gap <= limit && region.insideBy(p) >= -1e-9 * size && isMet(t, triangle, gap, m, size);
  return isVisited ? gap : Number.POSITIVE_INFINITY;
}

const round = new RoundPart();
const other = new RoundPart();

const ellipsoidFeatures: PairFeatures<EllipsoidShape, HeightFieldShape> = (a, b, m, reach, out) => {
  const t = b.terrain;
  const vertices = t.heights.length;
  round.setEllipsoid(0, a.radii);
  visitGround(a, t, m, reach, nothingKnown, (kind, part) => {
    if (kind === FACE) addRoundPlane(out, m, 0, 4 * vertices + part, round, region.point, n);
    else if (kind === EDGE) {
      for (let k = 0; k < 3; k++) p[k] = ends[k];
      addRoundLine(out, m, 0, vertices + part, round, p, d, 0, n);
    } else {
      const at = 3 * part;
      const least = Math.min(a.radii[0], a.radii[1], a.radii[2]);
      other.setBall(1, t.vertices[at], t.vertices[at + 1], t.vertices[at + 2], 0, least);
      addRoundRound(out, m, 0, part, round, other, n);
    }
  });
};

const view = new CylinderView();
const points = new PlanePoints();
const end = new Region();
const edge = newStraight();
const parts = { face: 0, firstEdge: -2 };
const up = new Float64Array(3);
const toB = new Float64Array(3);

const cylinderFeatures: PairFeatures<CylinderShape, HeightFieldShape> = (a, b, m, reach, out) => {
  const t = b.terrain;
  const vertices = t.heights.length;
  const first = out.count;
  const nearest = distance(a, b, m, witnessOfGround);
  if (nearest > reach) return;
  const deepest = Math.min(1.5 * nearest, 0) - 1e-9 * (a.radius + a.halfLength);
  view.set(a, 0, m);
  for (let k = 0; k < 3; k++) up[k] = m[5 + 3 * k];
  points.clear(up);
  // every triangle under the cylinder: the lowest point may be over another one
  visitTriangles(a, t, m, reach, (triangle) => {
    parts.face = 4 * vertices + triangle;
    overPlane(out, points, m, view, region, parts, reach, deepest);
  });
  visitGround(a, t, m, reach, nothingKnown, (kind, part) => {
    if (kind === FACE) return;
    const lower = view.lowerEnd(n);
    const stands = view.across(n) < ALIKE;
    const lies = Math.abs(view.along(n)) < ALIKE;
    end.setEnd(view, lower);
    if (kind === PEAK) {
      if (stands && end.insideBy(pointEnds) >= 0) points.offer(pointEnds, 0, end, 1, END + lower, part, reach, deepest);
      if (lies) pointAndSide(out, m, view, pointEnds, 0, part, reach, deepest);
      return;
    }
    edge.part = vertices + part;
    edge.startPart = Math.floor(part / 3);
    edge.finishPart = edgeEnd(t, part);
    for (let k = 0; k < 3; k++) {
      edge.start[k] = ends[k];
      edge.finish[k] = ends[3 + k];
      toB[k] = -n[k];
    }
    if (stands) offerCrossings(points, view, end, edge, reach, deepest);
    if (lies) straightAndSide(out, m, view, edge, toB, reach, deepest);
    rimAndStraight(out, m, view, lower, edge, reach, deepest);
  });
  points.emit(out, m);
  dropRepeated(out, first);
  keepNearest(out, first, m, witnessOfGround, nearest, a.radius + a.halfLength);
};

/** Triangles that any point of a cylinder may stand over within `limit`. */
function visitTriangles(
  a: CylinderShape,
  t: Terrain,
  m: Float64Array,
  limit: number,
  visit: (triangle: number) => void,
): void {
  const core = coreOf(a);
  const size = coreSize(core) + limit;
  q.fill(0);
  placePointBack(inGround, 0, m, q, 0);
  const fromI = Math.max(0, Math.floor((inGround[0] - size - t.startX) / t.stepX));
  const toI = Math.min(t.countX - 2, Math.floor((inGround[0] + size - t.startX) / t.stepX));
  const fromJ = Math.max(0, Math.floor((inGround[1] - size - t.startY) / t.stepY));
  const toJ = Math.min(t.countY - 2, Math.floor((inGround[1] + size - t.startY) / t.stepY));
  for (let i = fromI; i <= toI; i++) {
    for (let j = fromJ; j <= toJ; j++) {
      for (let triangle = 2 * (i * t.countY + j), k = 0; k < 2; k++, triangle++) {
        setTriangle(t, triangle, m);
        supportInto(p, 0, core, -n[0], -n[1], -n[2]);
        if (region.heightOf(p) <= limit) visit(triangle);
      }
    }
  }
}

export const curvedTerrainPairs: readonly ShapePair[] = [
  shapePair("cylinder", "heightField", cylinderFeatures, distance),
  shapePair("ellipsoid", "heightField", ellipsoidFeatures, distance),
];
