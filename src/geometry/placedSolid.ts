/** A polyhedron in the frame of a terrain, as the search for what is near works with it. */
import type { Polyhedron } from "./polyhedron.ts";
import { placeDirectionBack, placePointBack } from "./pose.ts";
import { ROUNDING } from "./terrainNormals.ts";

export let positions = new Float64Array(3 * 16);
export let directions = new Float64Array(3 * 32);
export let faceNormals = new Float64Array(3 * 16);

/** Vertices, edge directions and face normals in the terrain's frame. */
export function placeShape(shape: Polyhedron, m: Float64Array): void {
  if (positions.length < 3 * shape.vertexCount) positions = new Float64Array(6 * shape.vertexCount);
  if (directions.length < 3 * shape.edgeCount) directions = new Float64Array(6 * shape.edgeCount);
  if (faceNormals.length < 3 * shape.faceCount) faceNormals = new Float64Array(6 * shape.faceCount);
  for (let v = 0; v < shape.vertexCount; v++) placePointBack(positions, 3 * v, m, shape.vertices, 3 * v);
  for (let k = 0; k < shape.edgeCount; k++) placeDirectionBack(directions, 3 * k, m, shape.edgeDirections, 3 * k);
  for (let f = 0; f < shape.faceCount; f++) placeDirectionBack(faceNormals, 3 * f, m, shape.normals, 3 * f);
}

/** Whether an edge of the polyhedron is what it has farthest against u. */
export function faces(shape: Polyhedron, edge: number, u: Float64Array): boolean {
  const f = 3 * shape.edgeFaces[2 * edge];
  const g = 3 * shape.edgeFaces[2 * edge + 1];
  if (f < 0) return true;
  const w = faceNormals;
  const x = directions[3 * edge];
  const y = directions[3 * edge + 1];
  const z = directions[3 * edge + 2];
  // d × n points out of the first face, n × d out of the second
  const first =
    (y * w[f + 2] - z * w[f + 1]) * u[0] + (z * w[f] - x * w[f + 2]) * u[1] + (x * w[f + 1] - y * w[f]) * u[2];
  const second =
    (y * w[g + 2] - z * w[g + 1]) * u[0] + (z * w[g] - x * w[g + 2]) * u[1] + (x * w[g + 1] - y * w[g]) * u[2];
  return first <= ROUNDING && -second <= ROUNDING;
}
