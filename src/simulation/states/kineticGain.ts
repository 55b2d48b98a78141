/** Energy that bodies gain in a step, as they do where contacts turn far with them: impulses act along normals of the beginning. */
import { bodyParameterNames } from "../../equations/index.ts";
import type { System } from "../../kernels/index.ts";
import { bodyAt } from "../../math/index.ts";
import { kineticEnergy, middleCoordinate } from "./energy.ts";

/**
 * Whether bodies end with more energy than they had, by this part of its kinetic share: as it is read, gravity's in the middle of the interval
 * (states/energy.ts). What leaves at less than g h and falls back within the step reads as a gain of up to m (g h)²/8. `apart`: a speed with
 * which bodies may leave each other in any case, for ½ m v² each. `before`: how long the part was that led to the state, s; the time step by default.
 */
export function gainsEnergy(
  { f64, places, mechanism }: System,
  state: Float64Array,
  next: Float64Array,
  part: number,
  apart: number,
  before?: number,
): boolean {
  const { globals, bodyParameters } = places;
  const h = f64[globals];
  const led = before ?? h;
  let kinetic = 0;
  let after = 0;
  let given = 0;
  let slow = 0;
  for (let body = 0; body < mechanism.bodies.length; body++) {
    const at = bodyAt(body);
    const mass = bodyParameters + bodyParameterNames.length * body;
    const share = f64[mass + bodyParameterNames.length - 1];
    slow += 0.5 * f64[mass] * apart * apart;
    kinetic += kineticEnergy(state, at, f64, mass);
    after += kineticEnergy(next, at, f64, mass);
    for (let k = 0; k < 3; k++) {
      const g = share * f64[globals + 1 + k];
      given += f64[mass] * g * (middleCoordinate(next, at + k, h) - middleCoordinate(state, at + k, led));
      slow += f64[mass] * (g * h) ** 2;
    }
  }
  return after > (1 + part) * kinetic + given + slow;
}
