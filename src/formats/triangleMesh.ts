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

/** Vertices by number, where those that lie together are one, and how many there are. */
export function weldedVertices(positions: ArrayLike<number>): {
  readonly numbers: Int32Array;
  readonly count: number;
  /** x, y, z of each. */
  readonly places: Float64Array;
} {
  const total = Math.floor(positions.length / 3);
  const numbers = new Int32Array(total);
  const places = new Float64Array(3 * total);
  // open addressing, at most half full
  const mask = 2 ** Math.ceil(Math.log2(2 * total + 2)) - 1;
  const table = new Int32Array(mask + 1).fill(-1);
  const bits = new Float64Array(3);
  const words = new Uint32Array(bits.buffer);
  let count = 0;
  for (let i = 0; i < total; i++) {
    // −0 is 0
    for (let k = 0; k < 3; k++) bits[k] = positions[3 * i + k] + 0;
    let hash = 0;
    for (const word of words) hash = Math.imul(hash ^ word ^ (hash >>> 15), 0x9e3779b1);
    let at = (hash ^ (hash >>> 13)) & mask;
    for (; table[at] >= 0; at = (at + 1) & mask) {
      const p = 3 * table[at];
      if (places[p] === bits[0] && places[p + 1] === bits[1] && places[p + 2] === bits[2]) break;
    }
    if (table[at] < 0) {
      table[at] = count;
      places.set(bits, 3 * count);
      count++;
    }
    numbers[i] = table[at];
  }
  return { numbers, count, places: places.slice(0, 3 * count) };
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
