/** Energy that bodies gain in a step, as they do where contacts turn far with them: impulses act along normals of the beginning. */
import { bodyParameterNames } from "../../equations/index.ts";
import type { System } from "../../kernels/index.ts";
import { bodyAt, stateOffsets } from "../../math/index.ts";

/**
 * Whether bodies end with more energy than they had, by this part of its kinetic share: as it is read, gravity's in the middle of the interval
 * (states/energy.ts). What leaves at less than g h and falls back within the step reads as a gain of up to m (g h)²/8. What wrenches pull may
 * gain what they give.
 */
export function gainsEnergy(
  { f64, places, mechanism }: System,
  state: Float64Array,
  next: Float64Array,
  part: number,
): boolean {
  const { globals, bodyParameters, wrench } = places;
  for (let i = 0; i < 6 * mechanism.bodies.length; i++) if (f64[wrench + i] !== 0) return false;
  const h = f64[globals];
  let before = 0;
  let after = 0;
  let given = 0;
  let slow = 0;
  for (let body = 0; body < mechanism.bodies.length; body++) {
    const at = bodyAt(body);
    const mass = bodyParameters + bodyParameterNames.length * body;
    const weight = f64[mass] * f64[mass + bodyParameterNames.length - 1];
    before += kineticEnergy(state, at, f64, mass);
    after += kineticEnergy(next, at, f64, mass);
    for (let k = 0; k < 3; k++) {
      const g = f64[globals + 1 + k];
      given += weight * g * (middle(next, at + k, h) - middle(state, at + k, h));
      slow += weight * (g * h) ** 2;
    }
  }
  return after > (1 + part) * before + given + slow;
}

/** A coordinate in the middle of the interval that has led to it. */
function middle(state: Float64Array, at: number, h: number): number {
  return state[at] - (h / 2) * state[at + stateOffsets.velocity];
}

/** ½ m v² + ½ ωᵀJω of the body whose numbers begin at `at`; f64[mass …] is its mass, and xx, yy, zz, xy, xz, yz of J. */
function kineticEnergy(state: Float64Array, at: number, f64: Float64Array, mass: number): number {
  const v = at + stateOffsets.velocity;
  const w = at + stateOffsets.angularVelocity;
  const x = state[w];
  const y = state[w + 1];
  const z = state[w + 2];
  const squares = f64[mass + 1] * x * x + f64[mass + 2] * y * y + f64[mass + 3] * z * z;
  const products = f64[mass + 4] * x * y + f64[mass + 5] * x * z + f64[mass + 6] * y * z;
  return 0.5 * (f64[mass] * (state[v] ** 2 + state[v + 1] ** 2 + state[v + 2] ** 2) + squares + 2 * products);
}
