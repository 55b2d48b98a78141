/**
 * Triangles of a convex hull → flat faces. From the largest triangle on, neighbours join a face while all their corners lie within the
 * tolerance of its plane. A corner where only two faces meet is in the middle of an edge and goes, one inside a face too; a face
 * that is left with two corners joins the neighbour with which it shares most.
 *
 * The triangles are a closed surface, and so is what comes out: every edge has two faces, and corners − edges + faces = 2. That is
 * checked, and where the tolerance has brought it out of order the triangles stand as they are.
 */
import { heightOver, length, loopArea, loopPlane } from "./facePlane.ts";

type Triangle = readonly [number, number, number];

/** Loops of points, anticlockwise seen from outside. The tolerance is a distance. */
export function mergeTriangles(
  positions: ArrayLike<number>,
  triangles: readonly Triangle[],
  tolerance: number,
): readonly (readonly number[])[] {
  const across = neighbours(triangles);
  const areas = triangles.map((triangle) => length(loopArea(positions, triangle)));
  const faceOf = new Int32Array(triangles.length).fill(-1);
  const order = triangles.map((_, t) => t).sort((s, t) => areas[t] - areas[s] || s - t);
  for (const seed of order) {
    if (faceOf[seed] >= 0) continue;
    const plane = loopPlane(positions, triangles[seed]);
    const members = [seed];
    faceOf[seed] = seed;
    // the list grows while we walk it
    for (const member of members) {
      for (const next of across[member]) {
        if (faceOf[next] >= 0 || triangles[next].some((p) => heightOver(plane, positions, p) < -tolerance)) continue;
        faceOf[next] = seed;
        members.push(next);
      }
    }
  }
  const merged = loopsOf(triangles, across, faceOf);
  return merged && isClosed(merged) ? merged : triangles;
}

/** The triangles across the edges 01, 12 and 20 of each. */
function neighbours(triangles: readonly Triangle[]): readonly (readonly number[])[] {
  const count = triangles.flat().reduce((most, p) => Math.max(most, p), 0) + 1;
  const owner = new Map<number, number>();
  for (const [t, [a, b, c]] of triangles.entries()) {
    owner.set(a * count + b, t);
    owner.set(b * count + c, t);
    owner.set(c * count + a, t);
  }
  return triangles.map(([a, b, c]) => [
    owner.get(b * count + a) as number,
    owner.get(c * count + b) as number,
    owner.get(a * count + c) as number,
  ]);
}

/** Boundaries of faces without the corners that only two faces share; undefined where one of them is no single loop. */
function loopsOf(
  triangles: readonly Triangle[],
  across: readonly (readonly number[])[],
  faceOf: Int32Array,
): number[][] | undefined {
  for (let round = 0; round <= triangles.length; round++) {
    const facesAt = new Map<number, Set<number>>();
    for (const [t, corners] of triangles.entries()) {
      for (const p of corners) facesAt.set(p, (facesAt.get(p) ?? new Set()).add(faceOf[t]));
    }
    const loops = new Map<number, number[]>();
    for (const [face, boundary] of boundaries(triangles, across, faceOf)) {
      const loop = loopFrom(boundary);
      if (!loop) return undefined;
      loops.set(
        face,
        loop.filter((p) => (facesAt.get(p) as Set<number>).size > 2),
      );
    }
    const thin = [...loops].find(([, loop]) => loop.length < 3)?.[0];
    if (thin === undefined) return [...loops.values()];
    // into the neighbour with the most edges in common
    const shared = new Map<number, number>();
    for (const [t, next] of across.entries()) {
      if (faceOf[t] !== thin) continue;
      for (const other of next) {
        if (faceOf[other] !== thin) shared.set(faceOf[other], (shared.get(faceOf[other]) ?? 0) + 1);
      }
    }
    const host = [...shared].reduce((best, entry) => (entry[1] > best[1] ? entry : best), [-1, 0])[0];
    if (host < 0) return undefined;
    for (let t = 0; t < faceOf.length; t++) if (faceOf[t] === thin) faceOf[t] = host;
  }
  return undefined;
}

/** Which point follows which along the boundary of each face. */
function boundaries(
  triangles: readonly Triangle[],
  across: readonly (readonly number[])[],
  faceOf: Int32Array,
): Map<number, Map<number, number>> {
  const found = new Map<number, Map<number, number>>();
  for (const [t, corners] of triangles.entries()) {
    const boundary = found.get(faceOf[t]) ?? new Map<number, number>();
    found.set(faceOf[t], boundary);
    for (let k = 0; k < 3; k++) {
      if (faceOf[across[t][k]] !== faceOf[t]) boundary.set(corners[k], corners[(k + 1) % 3]);
    }
  }
  return found;
}

function loopFrom(following: ReadonlyMap<number, number>): number[] | undefined {
  const loop: number[] = [];
  const [start] = following.keys();
  if (start === undefined) return undefined;
  for (let p = start; loop.length <= following.size; ) {
    loop.push(p);
    const next = following.get(p);
    if (next === undefined) return undefined;
    if (next === start) return loop.length === following.size ? loop : undefined;
    p = next;
  }
  return undefined;
}

/** Every edge once in either direction, and the surface of a ball. */
function isClosed(faces: readonly (readonly number[])[]): boolean {
  const corners = new Set<number>();
  let most = 0;
  let sides = 0;
  for (const face of faces) {
    sides += face.length;
    for (const p of face) {
      corners.add(p);
      most = Math.max(most, p);
    }
  }
  const count = most + 1;
  const edges = new Set<number>();
  for (const face of faces) for (const [k, p] of face.entries()) edges.add(p * count + face[(k + 1) % face.length]);
  if (edges.size !== sides) return false;
  for (const edge of edges) if (!edges.has((edge % count) * count + Math.floor(edge / count))) return false;
  return corners.size - sides / 2 + faces.length === 2;
}
