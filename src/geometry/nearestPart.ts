/** The part of a polyhedron that is farthest along a direction: a vertex, an edge that is level, or a face. */
import { supportVertex } from "./gjk.ts";
import { facingFace } from "./parts.ts";
import type { Polyhedron } from "./polyhedron.ts";

/** What was found; the next search overwrites it. */
export const part = {
  dimension: 0 as 0 | 1 | 2,
  vertex: 0,
  /** A part of dimension 1. */
  edge: -1,
  /** The face that faces the direction best, of dimension 2 the one that is level; −1 where there are no faces. */
  face: -1,
};

/** Slopes of level edges, and of level faces, at most: nearest points of smooth shapes are good to about a thousandth of it. */
const LEVEL = 1e-7;

export function findPart(shape: Polyhedron, n: Float64Array): void {
  const { neighbourStart, neighbourEdges, edgeDirections, normals } = shape;
  const v = supportVertex(shape, n[0], n[1], n[2], 0);
  part.vertex = v;
  part.dimension = 0;
  part.edge = -1;
  part.face = facingFace(shape, n[0], n[1], n[2], v);
  let level = 0;
  let least = LEVEL;
  for (let k = neighbourStart[v]; k < neighbourStart[v + 1]; k++) {
    const e = neighbourEdges[k];
    const slope = Math.abs(
      n[0] * edgeDirections[3 * e] + n[1] * edgeDirections[3 * e + 1] + n[2] * edgeDirections[3 * e + 2],
    );
    if (slope >= LEVEL) continue;
    level++;
    if (slope >= least) continue;
    least = slope;
    part.edge = e;
  }
  if (level > 0) part.dimension = 1;
  if (level < 2 || part.face < 0) return;
  const f = 3 * part.face;
  const cosine = n[0] * normals[f] + n[1] * normals[f + 1] + n[2] * normals[f + 2];
  if (cosine > 1 - LEVEL) part.dimension = 2;
}
