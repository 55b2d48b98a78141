/**
 * The nearest, or deepest, parts of two polyhedra, and the direction between them, exact also at gaps of a nanometre.
 */
import { findDeepest } from "./deepest.ts";
import { closest, makeExact } from "./exactDirection.ts";
import { nearestPoints, simplex, simplexWeights } from "./gjk.ts";
import type { Polyhedron } from "./polyhedron.ts";

const direction = new Float64Array(3);

/** Fills `closest`, and returns true, unless the distance is above `limit`. */
export function findClosest(a: Polyhedron, b: Polyhedron, m: Float64Array, limit: number): boolean {
  const separation = nearestPoints(a, b, m, limit);
  if (separation === "far") return false;
  if (separation === "overlapping") {
    findDeepest(a, b, m);
    return true;
  }
  const { v } = simplex;
  const distance = Math.sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
  for (let k = 0; k < 3; k++) direction[k] = v[k] / distance;
  makeExact(a, b, m, distance, direction);
  nearestPointsOfSimplex(a, b, m);
  return distance <= limit;
}

const weights = new Float64Array(4);

function nearestPointsOfSimplex(a: Polyhedron, b: Polyhedron, m: Float64Array): void {
  simplexWeights(weights);
  const { pointA, pointB, normal, distance } = closest;
  pointA.fill(0);
  for (let i = 0; i < simplex.count; i++) {
    for (let k = 0; k < 3; k++) pointA[k] += weights[i] * a.vertices[3 * simplex.a[i] + k];
  }
  for (let k = 0; k < 3; k++) pointB[k] = pointA[k] + distance * normal[k];
  if (closest.type !== "faceOfA") return;
  // the point of b is the vertex's, and that of a its foot
  pointB.fill(0);
  for (let i = 0; i < simplex.count; i++) {
    const { vertices } = b;
    const v = 3 * simplex.b[i];
    for (let k = 0; k < 3; k++) {
      const x = m[k] + m[3 + 3 * k] * vertices[v] + m[4 + 3 * k] * vertices[v + 1] + m[5 + 3 * k] * vertices[v + 2];
      pointB[k] += weights[i] * x;
    }
  }
  for (let k = 0; k < 3; k++) pointA[k] = pointB[k] - distance * normal[k];
}
