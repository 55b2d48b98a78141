/**
 * Energy and momentum of a state, those that the integrator conserves. A state's velocities are means over the interval that
 * led to it, so
 *   momentum  of the discrete Legendre transform: Π = √(1−|ψ|²) Jω − ψ×Jω in the body frame, P = Σ m v, L = Σ x × m v + R Π
 *   kinetic energy of the interval, ½ m v² + ½ ωᵀJω
 *   potential energy of gravity as the mean of its values at the two ends of the interval, of springs by springEnergy.ts.
 */
import type { Quaternion, Vector3 } from "../../math/index.ts";
import { angularVelocityAt, bodyAt, matrix3, orientationAt, quaternion, vector, velocityAt } from "../../math/index.ts";
import type { Mechanism } from "../../mechanism/index.ts";
import { intervalMomentum } from "./timestepChange.ts";

export interface Momentum {
  readonly linear: Vector3;
  /** About the world's origin. */
  readonly angular: Vector3;
}

export interface Energy {
  readonly kinetic: number;
  /** Gravity and springs. */
  readonly potential: number;
  readonly total: number;
}

/** What energies depend on besides the state; the simulation supplies its current parameters. */
export interface EnergyData {
  readonly mechanism: Mechanism;
  readonly timestep: number;
  readonly gravity: Vector3;
  readonly mass: (body: number) => number;
  readonly gravityScale: (body: number) => number;
  readonly inertia: (body: number) => readonly [Vector3, Vector3, Vector3];
}

interface BodyMotion {
  readonly position: Vector3;
  readonly orientation: Quaternion;
  readonly velocity: Vector3;
  readonly spin: Vector3;
}

function motionOf(state: Float64Array, body: number): BodyMotion {
  const [x, q] = [bodyAt(body), orientationAt(body)];
  const [v, w] = [velocityAt(body), angularVelocityAt(body)];
  return {
    position: [state[x], state[x + 1], state[x + 2]],
    orientation: [state[q], state[q + 1], state[q + 2], state[q + 3]],
    velocity: [state[v], state[v + 1], state[v + 2]],
    spin: [state[w], state[w + 1], state[w + 2]],
  };
}

export function momentumOf(data: EnergyData, state: Float64Array): Momentum {
  let linear = vector.zero;
  let angular = vector.zero;
  for (const { index } of data.mechanism.bodies) {
    const { position, orientation, velocity, spin } = motionOf(state, index);
    const p = vector.scale(velocity, data.mass(index));
    const own = intervalMomentum(data.inertia(index), spin, data.timestep);
    linear = vector.add(linear, p);
    angular = vector.add(angular, vector.add(vector.cross(position, p), quaternion.rotate(orientation, own)));
  }
  return { linear, angular };
}

/** Kinetic energy, and gravity's potential at the middle of the interval. Springs are added by the simulation, which knows the joints' angles. */
export function bodyEnergy(
  data: EnergyData,
  state: Float64Array,
): { readonly kinetic: number; readonly gravity: number } {
  let kinetic = 0;
  let gravity = 0;
  for (const { index } of data.mechanism.bodies) {
    const { position, velocity, spin } = motionOf(state, index);
    const mass = data.mass(index);
    const middle = vector.sub(position, vector.scale(velocity, data.timestep / 2));
    kinetic += 0.5 * mass * vector.dot(velocity, velocity);
    kinetic += 0.5 * vector.dot(spin, matrix3.transform(data.inertia(index), spin));
    gravity -= mass * data.gravityScale(index) * vector.dot(data.gravity, middle);
  }
  return { kinetic, gravity };
}
