/** Points of bodies: where they are, how fast, and forces that act on them. */
import type { Simulation } from "dojo-sim";

export type Vector = readonly [number, number, number];

/** Of a point given in the body's frame: x + R p and v + R (ω × p), in the world. */
export function placeOf(
  state: Float64Array,
  body: number,
  point: Vector,
): { readonly position: Vector; readonly velocity: Vector } {
  const at = 13 * body;
  const [w, x, y, z] = state.subarray(at + 3, at + 7);
  const arm = rotated(w, x, y, z, point);
  const swing = rotated(w, x, y, z, cross([state[at + 10], state[at + 11], state[at + 12]], point));
  return {
    position: [state[at] + arm[0], state[at + 1] + arm[1], state[at + 2] + arm[2]],
    velocity: [state[at + 7] + swing[0], state[at + 8] + swing[1], state[at + 9] + swing[2]],
  };
}

/** A force in the world at a point of a body, as the force and torque that a simulation takes: the torque is p × Rᵀf. */
export function setForce(
  simulation: Simulation,
  state: Float64Array,
  body: number,
  point: Vector,
  force: Vector,
): void {
  const [w, x, y, z] = state.subarray(13 * body + 3, 13 * body + 7);
  const torque = cross(point, rotated(w, -x, -y, -z, force));
  simulation.setWrench(simulation.mechanism.bodies[body].name, { force, torque });
}

/** By a unit quaternion: u + w t + q × t with t = 2 q × u. */
function rotated(w: number, x: number, y: number, z: number, u: Vector): Vector {
  const q: Vector = [x, y, z];
  const [a, b, c] = cross(q, u);
  const t: Vector = [2 * a, 2 * b, 2 * c];
  const more = cross(q, t);
  return [u[0] + w * t[0] + more[0], u[1] + w * t[1] + more[1], u[2] + w * t[2] + more[2]];
}

function cross([a, b, c]: Vector, [x, y, z]: Vector): Vector {
  return [b * z - c * y, c * x - a * z, a * y - b * x];
}
