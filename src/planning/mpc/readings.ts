/** What the success of a run is read from, of the body with a given index. */
import { bodyAt, orientationAt, velocityAt } from "../../math/index.ts";

/** Height of the body's centre above z = 0, m. */
export function heightOf(state: Float64Array, body: number): number {
  return state[bodyAt(body) + 2];
}

/** The cosine of the angle between the body's z axis and the world's: 1 − 2 (q_x² + q_y²). */
export function uprightness(state: Float64Array, body: number): number {
  const at = orientationAt(body);
  return 1 - 2 * (state[at + 1] ** 2 + state[at + 2] ** 2);
}

/** Speed of the body's centre, m/s. */
export function speedOf(state: Float64Array, body: number): number {
  const at = velocityAt(body);
  return Math.hypot(state[at], state[at + 1], state[at + 2]);
}

/** Place of the body's centre on the floor: x and y, m. */
export function placeOf(state: Float64Array, body: number): readonly [number, number] {
  const at = bodyAt(body);
  return [state[at], state[at + 1]];
}

/** The angle of the body's x axis about the vertical, from −π to π. */
export function headingOf(state: Float64Array, body: number): number {
  const at = orientationAt(body);
  const [w, x, y, z] = state.subarray(at, at + 4);
  return Math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z));
}
