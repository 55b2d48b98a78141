/**
 * Contact points of a mesh: of its own vertices those that lie farthest towards the corners and the faces of its bounding box, 14 at
 * most. A box has its 8 corners, a ball 14 points; between them the surface touches up to a quarter of its width too late.
 */
import { vector } from "../math/index.ts";
import type { Vector3 } from "../mechanism/index.ts";
import { boundingBox, type Mesh } from "./triangleMesh.ts";

/** A vertex that goes no farther than this, in widths of the box, beyond one that is there already is not added. */
const WORTH_A_POINT = 1e-3;

const signs = [-1, 1];
/** Corners first: those of a box serve its faces too. */
const directions: readonly Vector3[] = [
  ...signs.flatMap((x) => signs.flatMap((y) => signs.map((z): Vector3 => [x, y, z]))),
  ...[0, 1, 2].flatMap((axis) =>
    signs.map((sign) => vector.scale([vector.unitX, vector.unitY, vector.unitZ][axis], sign)),
  ),
];

export function meshPoints(mesh: Mesh): Vector3[] {
  const { positions } = mesh;
  const { size } = boundingBox(mesh);
  const weights = size.map((edge) => (edge > 0 ? 1 / edge : 0));
  const farthest = directions.map(() => ({ vertex: 0, reach: Number.NEGATIVE_INFINITY }));
  const reachOf = (direction: Vector3, p: number): number =>
    direction[0] * weights[0] * positions[p] +
    direction[1] * weights[1] * positions[p + 1] +
    direction[2] * weights[2] * positions[p + 2];
  for (let p = 0; p < positions.length; p += 3) {
    for (const [i, direction] of directions.entries()) {
      const reach = reachOf(direction, p);
      if (reach > farthest[i].reach) farthest[i] = { vertex: p, reach };
    }
  }
  const chosen: number[] = [];
  for (const [i, { vertex, reach }] of farthest.entries()) {
    if (chosen.some((other) => reachOf(directions[i], other) > reach - WORTH_A_POINT)) continue;
    chosen.push(vertex);
  }
  return chosen.map((p): Vector3 => [positions[p], positions[p + 1], positions[p + 2]]);
}
