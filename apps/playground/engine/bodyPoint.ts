/** Points of bodies: where they are, how fast, and forces that act on them. */
import { bodyStateSize, poseSize, type Simulation, stateOffsets } from "dojo-sim";

export type Vector = readonly [number, number, number];

/** Place and velocity of a point given in the body's frame: x + R p and v + R (ω × p), in the world. */
export function placeOf(
  state: Float64Array,
  body: number,
  point: Vector,
): { readonly position: Vector; readonly velocity: Vector } {
  const [center, velocity, spin] = [stateOffsets.position, stateOffsets.velocity, stateOffsets.angularVelocity].map(
    (offset): Vector => {
      const at = bodyStateSize * body + offset;
      return [state[at], state[at + 1], state[at + 2]];
    },
  );
  const [w, x, y, z] = orientationOf(state, body);
  const arm = rotated(w, x, y, z, point);
  const swing = rotated(w, x, y, z, cross(spin, point));
  return { position: sum(center, arm), velocity: sum(velocity, swing) };
}

/** The poses of the first bodies of a state, one after the other. */
export function posesOf(state: Float64Array, bodies: number): Float32Array {
  const poses = new Float32Array(poseSize * bodies);
  for (let body = 0; body < bodies; body++) {
    const at = bodyStateSize * body;
    poses.set(state.subarray(at, at + poseSize), poseSize * body);
  }
  return poses;
}

/** A force in the world at a point of a body, as the force and torque that a simulation takes: the torque is p × Rᵀf. */
export function setForce(
  simulation: Simulation,
  state: Float64Array,
  body: number,
  point: Vector,
  force: Vector,
): void {
  const [w, x, y, z] = orientationOf(state, body);
  const torque = cross(point, rotated(w, -x, -y, -z, force));
  simulation.setWrench(simulation.mechanism.bodies[body].name, { force, torque });
}

function orientationOf(state: Float64Array, body: number): Float64Array {
  const at = bodyStateSize * body;
  return state.subarray(at + stateOffsets.orientation, at + poseSize);
}

function sum(a: Vector, b: Vector): Vector {
  return [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
}

/** The vector rotated by a unit quaternion: u + w t + q × t with t = 2 q × u. */
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
