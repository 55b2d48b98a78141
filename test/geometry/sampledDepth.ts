/** How deep solids are in terrain, by the height of its surface over points of their faces: another description than parts that meet. */
import { prepareShape } from "../../src/geometry/index.ts";
import { type Quaternion, quaternion, type Vector3, vector } from "../../src/math/index.ts";

export interface Ground {
  /** Extent along x and y, about the origin. */
  readonly size: readonly [number, number];
  /** Rows along x, from the least y to the largest. */
  readonly heights: readonly (readonly number[])[];
}

/** Height of the surface, −∞ beyond its rim: each cell is cut from its least x and y to its largest. */
export function surface({ size, heights }: Ground, x: number, y: number): number {
  const [countX, countY] = [heights[0].length, heights.length];
  const u = ((x + size[0] / 2) / size[0]) * (countX - 1);
  const w = ((y + size[1] / 2) / size[1]) * (countY - 1);
  if (!(u >= 0 && w >= 0 && u <= countX - 1 && w <= countY - 1)) return Number.NEGATIVE_INFINITY;
  const [i, j] = [Math.min(Math.floor(u), countX - 2), Math.min(Math.floor(w), countY - 2)];
  const [a, b] = [u - i, w - j];
  const corner = b > a ? heights[j + 1][i] : heights[j][i + 1];
  return (1 - Math.max(a, b)) * heights[j][i] + Math.abs(a - b) * corner + Math.min(a, b) * heights[j + 1][i + 1];
}

export type Solid = Parameters<typeof prepareShape>[0] & { kind: "box" | "hull" };

/** Largest height of the surface over a point of the solid's faces, of about `count`² points on each; negative where all are above it. */
export function sampledDepth(ground: Ground, solid: Solid, pose: ArrayLike<number>, count: number): number {
  const { polyhedron } = prepareShape(solid) as {
    polyhedron: { vertices: Float64Array; faceStart: Int32Array; loop: Int32Array };
  };
  const turn: Quaternion = [pose[3], pose[4], pose[5], pose[6]];
  const corner = (v: number): Vector3 => {
    const [x, y, z] = polyhedron.vertices.subarray(3 * v, 3 * v + 3);
    return vector.add([pose[0], pose[1], pose[2]], quaternion.rotate(turn, [x, y, z]));
  };
  let depth = Number.NEGATIVE_INFINITY;
  for (let f = 0; f + 1 < polyhedron.faceStart.length; f++) {
    const [first, ...others] = Array.from(
      polyhedron.loop.subarray(polyhedron.faceStart[f], polyhedron.faceStart[f + 1]),
      corner,
    );
    for (let k = 0; k + 1 < others.length; k++) {
      const [b, c] = [others[k], others[k + 1]].map((place) => vector.add(place, vector.scale(first, -1)));
      for (let i = 0; i <= count; i++) {
        for (let j = 0; i + j <= count; j++) {
          const [x, y, z] = [0, 1, 2].map((axis) => first[axis] + (i * b[axis] + j * c[axis]) / count);
          depth = Math.max(depth, surface(ground, x, y) - z);
        }
      }
    }
  }
  return depth;
}
