/** Which directions lead out of the ground at the edges and vertices of a terrain that stand out. */
import { edgeEnd, edgeTriangle, RIDGE, type Terrain } from "./terrain.ts";

/** Directions off the cone of normals by less than this count as in it. */
export const ROUNDING = 1e-9;

/** Whether a direction leaves the ground at an edge: across it on both sides. */
export function isOutside(t: Terrain, edge: number, u: Float64Array): boolean {
  const a = 3 * Math.floor(edge / 3);
  const b = 3 * edgeEnd(t, edge);
  const dx = t.vertices[b] - t.vertices[a];
  const dy = t.vertices[b + 1] - t.vertices[a + 1];
  const dz = t.vertices[b + 2] - t.vertices[a + 2];
  const length = Math.sqrt(dx * dx + dy * dy + dz * dz);
  let up = Number.NEGATIVE_INFINITY;
  for (let side = 0; side < 2; side++) {
    const triangle = edgeTriangle(t, edge, side);
    if (triangle < 0) continue;
    const x = t.normals[3 * triangle];
    const y = t.normals[3 * triangle + 1];
    const z = t.normals[3 * triangle + 2];
    // d × n points away from a triangle on the left of the edge
    const away = (dy * z - dz * y) * u[0] + (dz * x - dx * z) * u[1] + (dx * y - dy * x) * u[2];
    if ((side === 1 ? away : -away) < -ROUNDING * length) return false;
    up = Math.max(up, x * u[0] + y * u[1] + z * u[2]);
  }
  return up >= 0;
}

/** Whether an edge that ends at a vertex, and belongs to another, stands out. */
export function isEndOfRidge({ edgeKinds, countY }: Terrain, i: number, j: number): boolean {
  const v = i * countY + j;
  return (
    (i > 0 && edgeKinds[3 * (v - countY)] >= RIDGE) ||
    (j > 0 && edgeKinds[3 * (v - 1) + 1] >= RIDGE) ||
    (i > 0 && j > 0 && edgeKinds[3 * (v - countY - 1) + 2] >= RIDGE)
  );
}

/** Whether all neighbours of a vertex lie below the plane through it that is square to u. */
export function isPeak(t: Terrain, i: number, j: number, u: Float64Array): boolean {
  const { countX, countY, vertices } = t;
  const v = 3 * (i * countY + j);
  for (let k = 0; k < 6; k++) {
    // the six neighbours: along x, along y and along the diagonal, on both sides
    const di = k === 0 || k === 4 ? 1 : k === 1 || k === 5 ? -1 : 0;
    const dj = k === 2 || k === 4 ? 1 : k === 3 || k === 5 ? -1 : 0;
    if (i + di < 0 || j + dj < 0 || i + di >= countX || j + dj >= countY) continue;
    const w = v + 3 * (di * countY + dj);
    const x = vertices[w] - vertices[v];
    const y = vertices[w + 1] - vertices[v + 1];
    const z = vertices[w + 2] - vertices[v + 2];
    if (u[0] * x + u[1] * y + u[2] * z > ROUNDING * t.stepX) return false;
  }
  return u[2] > 0;
}
