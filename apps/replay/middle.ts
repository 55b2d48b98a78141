/**
 * The point that a camera looks at: where most bodies are. It is the c of least Σ √(|p − c|² + r²), with r the size of the scene. Of bodies that
 * are within r of each other it is nearly the mean; one that falls out of the world pulls no harder the farther it gets.
 */
import type { Vector3 } from "three";

const rounds = 30;

/** The middle of `count` points, three numbers each: every round takes the mean with the weights 1/√(|p − c|² + r²). */
export function middleInto(center: Vector3, points: Float64Array, count: number, r: number): void {
  center.set(0, 0, 0);
  for (let i = 0; i < count; i++) addTo(center, points, i, 1 / count);
  for (let round = 0; round < rounds; round++) {
    const { x, y, z } = center;
    let total = 0;
    center.set(0, 0, 0);
    for (let i = 0; i < count; i++) {
      const weight = 1 / Math.hypot(points[3 * i] - x, points[3 * i + 1] - y, points[3 * i + 2] - z, r);
      addTo(center, points, i, weight);
      total += weight;
    }
    center.divideScalar(total);
  }
}

function addTo(center: Vector3, points: Float64Array, i: number, weight: number): void {
  center.x += weight * points[3 * i];
  center.y += weight * points[3 * i + 1];
  center.z += weight * points[3 * i + 2];
}
