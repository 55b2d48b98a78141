/** A mesh of triangles, whatever file it is from, and its bounding box. */
import type { Vector3 } from "../mechanism/index.ts";

export interface Mesh {
  /** x, y, z of each vertex, one after another. */
  readonly positions: ArrayLike<number>;
  /** Three vertices of each triangle, counted from 0, anticlockwise seen from outside. Default: none, a cloud of points. */
  readonly triangles?: ArrayLike<number>;
  /** Number of triangles of the first object, in a file that has several. */
  readonly firstObject?: number;
}

/** Smallest box along the axes, of points that are first scaled. */
export function boundingBox(
  mesh: Mesh,
  scale: Vector3 = [1, 1, 1],
): { readonly center: Vector3; readonly size: Vector3 } {
  const lower = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  const upper = lower.map((bound) => -bound);
  for (let i = 0; i < mesh.positions.length; i++) {
    const axis = i % 3;
    const value = mesh.positions[i] * scale[axis];
    if (value < lower[axis] || Number.isNaN(value)) lower[axis] = value;
    if (value > upper[axis] || Number.isNaN(value)) upper[axis] = value;
  }
  return {
    center: [(lower[0] + upper[0]) / 2, (lower[1] + upper[1]) / 2, (lower[2] + upper[2]) / 2],
    size: [upper[0] - lower[0], upper[1] - lower[1], upper[2] - lower[2]],
  };
}
