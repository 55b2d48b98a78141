/** Directions of pushes. */
import { type Random, type Vector3, vector } from "../../math/index.ts";

/** Any horizontal direction. */
export function horizontally(random: Random): Vector3 {
  for (;;) {
    const [x, y] = [random.normal(), random.normal()];
    const length = Math.hypot(x, y);
    if (length > 1e-6) return [x / length, y / length, 0];
  }
}

/** A push along x, one way or the other. */
export function alongX(random: Random): Vector3 {
  return random.uniform(0, 1) < 0.5 ? vector.unitX : [-1, 0, 0];
}
