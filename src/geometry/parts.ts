/** Numbers of a polyhedron's parts, for the identity of features: vertices first, then edges, then faces; and its part that faces a direction. */
import { supportVertex } from "./gjk.ts";
import type { Polyhedron } from "./polyhedron.ts";

export function edgePart({ vertexCount }: Polyhedron, edge: number): number {
  return vertexCount + edge;
}

export function facePart({ vertexCount, edgeCount }: Polyhedron, face: number): number {
  return vertexCount + edgeCount + face;
}

/** An edge that is this near to square to the direction (as a cosine) lies in the face that is to be found. */
const LEVEL = 0.02;

/**
 * The face that would lie on a plane square to (x, y, z): beside the farthest vertex and, if one is nearly level, beside its most
 * level edge; of those the one that faces the direction best. −1 for points and segments.
 */
export function facingFace(shape: Polyhedron, x: number, y: number, z: number, from: number): number {
  if (shape.faceCount === 0) return -1;
  const { neighbourStart, neighbourEdges, edgeEnds, edgeFaces, edgeDirections, normals } = shape;
  const v = supportVertex(shape, x, y, z, from);
  let levelEdge = -1;
  let least = LEVEL;
  for (let k = neighbourStart[v]; k < neighbourStart[v + 1]; k++) {
    const e = neighbourEdges[k];
    const slope = Math.abs(x * edgeDirections[3 * e] + y * edgeDirections[3 * e + 1] + z * edgeDirections[3 * e + 2]);
    if (slope < least) {
      least = slope;
      levelEdge = e;
    }
  }
  let best = -1;
  let facing = Number.NEGATIVE_INFINITY;
  for (let k = neighbourStart[v]; k < neighbourStart[v + 1]; k++) {
    const e = neighbourEdges[k];
    const face = edgeFaces[2 * e + (edgeEnds[2 * e] === v ? 0 : 1)];
    if (levelEdge >= 0 && face !== edgeFaces[2 * levelEdge] && face !== edgeFaces[2 * levelEdge + 1]) continue;
    const cosine = x * normals[3 * face] + y * normals[3 * face + 1] + z * normals[3 * face + 2];
    if (cosine > facing) {
      facing = cosine;
      best = face;
    }
  }
  return best;
}
