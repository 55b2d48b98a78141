/**
 * Energy and momentum of a state, those that the integrator conserves. A state's velocities are means over the interval that
 * led to it, so
 *   momentum  of the discrete Legendre transform: Π = √(1−|ψ|²) Jω − ψ×Jω in the body frame, P = Σ m v, L = Σ x × m v + R Π
 *   kinetic energy of the interval, ½ m v² + ½ ωᵀJω, and of the rotors of joints by rotorEnergy.ts
 *   potential energy of gravity as the mean of its values at the two ends of the interval, of springs by springEnergy.ts.
 */
import { jointRates } from "../../coordinates/index.ts";
import { bodyParameterNames } from "../../equations/index.ts";
import type { System } from "../../kernels/index.ts";
import { angularVelocityAt, bodyAt, orientationAt, stateOffsets, type Vector3, velocityAt } from "../../math/index.ts";
import type { Mechanism } from "../../mechanism/index.ts";
import { hasRotors, rotorEnergy } from "./rotorEnergy.ts";
import { hasSprings, springEnergy } from "./springEnergy.ts";

export interface Momentum {
  readonly linear: Vector3;
  /** Angular momentum about the world's origin. */
  readonly angular: Vector3;
}

export interface Energy {
  readonly kinetic: number;
  /** Gravity and springs. */
  readonly potential: number;
  readonly total: number;
}

/**
 * Linear momentum, then the angular one about the world's origin: six numbers. Allocates nothing and is all in one place, since runs that
 * are balanced ask for it after every step, the first ones before anything is optimised.
 */
export function momentumInto(
  out: Float64Array,
  { f64, places, mechanism }: System,
  state: Float64Array,
  interval: number,
): void {
  out.fill(0, 0, 6);
  const half = interval / 2;
  for (let body = 0; body < mechanism.bodies.length; body++) {
    const at = places.bodyParameters + bodyParameterNames.length * body;
    const [x, q, v, w] = [bodyAt(body), orientationAt(body), velocityAt(body), angularVelocityAt(body)];

    // p = m v, x × p
    const mass = f64[at];
    const px = state[v] * mass;
    const py = state[v + 1] * mass;
    const pz = state[v + 2] * mass;
    const mx = state[x + 1] * pz - state[x + 2] * py;
    const my = state[x + 2] * px - state[x] * pz;
    const mz = state[x] * py - state[x + 1] * px;

    // Π = √(1−|ψ|²) Jω − ψ × Jω, with the inertia as xx, yy, zz, xy, xz, yz
    const jx = f64[at + 1] * state[w] + f64[at + 4] * state[w + 1] + f64[at + 5] * state[w + 2];
    const jy = f64[at + 4] * state[w] + f64[at + 2] * state[w + 1] + f64[at + 6] * state[w + 2];
    const jz = f64[at + 5] * state[w] + f64[at + 6] * state[w + 1] + f64[at + 3] * state[w + 2];
    const sx = state[w] * half;
    const sy = state[w + 1] * half;
    const sz = state[w + 2] * half;
    const root = Math.sqrt(1 - (sx * sx + sy * sy + sz * sz));
    const ox = jx * root - (sy * jz - sz * jy);
    const oy = jy * root - (sz * jx - sx * jz);
    const oz = jz * root - (sx * jy - sy * jx);

    // R Π = Π + q₀ t + q × t, with t = 2 q × Π
    const tx = (state[q + 2] * oz - state[q + 3] * oy) * 2;
    const ty = (state[q + 3] * ox - state[q + 1] * oz) * 2;
    const tz = (state[q + 1] * oy - state[q + 2] * ox) * 2;
    out[0] += px;
    out[1] += py;
    out[2] += pz;
    out[3] += mx + (ox + tx * state[q] + (state[q + 2] * tz - state[q + 3] * ty));
    out[4] += my + (oy + ty * state[q] + (state[q + 3] * tx - state[q + 1] * tz));
    out[5] += mz + (oz + tz * state[q] + (state[q + 1] * ty - state[q + 2] * tx));
  }
}

/** Energy of bodies, rotors and springs, with the parameters of `now`; `coordinates` are those of its joints, over any number of turns. */
export function energyOf(
  system: System,
  now: Mechanism,
  state: Float64Array,
  interval: number,
  coordinates: () => Float64Array,
): Energy {
  const { kinetic: ofBodies, gravity } = bodyEnergy(system, state, interval);
  const [springs, rotors] = [hasSprings(now), hasRotors(now)];
  const rates = springs || rotors ? jointRates(now, state, interval) : new Float64Array();
  const kinetic = rotors ? ofBodies + rotorEnergy(now, rates) : ofBodies;
  const potential = gravity + (springs ? springEnergy(now, state, interval, coordinates(), rates) : 0);
  return { kinetic, potential, total: kinetic + potential };
}

/** Kinetic energy of bodies, and gravity's potential at the middle of the interval. */
export function bodyEnergy(
  { f64, places, mechanism }: System,
  state: Float64Array,
  interval: number,
): { readonly kinetic: number; readonly gravity: number } {
  let kinetic = 0;
  let gravity = 0;
  for (let body = 0; body < mechanism.bodies.length; body++) {
    const at = bodyAt(body);
    const mass = places.bodyParameters + bodyParameterNames.length * body;
    kinetic += kineticEnergy(state, at, f64, mass);
    const weight = f64[mass] * f64[mass + bodyParameterNames.length - 1];
    for (let k = 0; k < 3; k++)
      gravity -= weight * f64[places.globals + 1 + k] * middleCoordinate(state, at + k, interval);
  }
  return { kinetic, gravity };
}

/** A coordinate in the middle of the interval that has led to it. */
export function middleCoordinate(state: Float64Array, at: number, interval: number): number {
  return state[at] - (interval / 2) * state[at + stateOffsets.velocity];
}

/** ½ m v² + ½ ωᵀJω of the body whose numbers begin at `at`; f64[mass …] is its mass, and xx, yy, zz, xy, xz, yz of J. */
export function kineticEnergy(state: Float64Array, at: number, f64: Float64Array, mass: number): number {
  const v = at + stateOffsets.velocity;
  const w = at + stateOffsets.angularVelocity;
  const x = state[w];
  const y = state[w + 1];
  const z = state[w + 2];
  const squares = f64[mass + 1] * x * x + f64[mass + 2] * y * y + f64[mass + 3] * z * z;
  const products = f64[mass + 4] * x * y + f64[mass + 5] * x * z + f64[mass + 6] * y * z;
  return 0.5 * (f64[mass] * (state[v] ** 2 + state[v + 1] ** 2 + state[v + 2] ** 2) + squares + 2 * products);
}
