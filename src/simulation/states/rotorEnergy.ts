/** Kinetic energy of the rotors that turn with joint coordinates, over the interval that led to a state: ½ a θ̇² of each, θ̇ its mean rate there. */
import type { Mechanism } from "../../mechanism/index.ts";

/** Whether any coordinate has a rotor. */
export function hasRotors({ joints }: Mechanism): boolean {
  return joints.some(({ coordinates }) => coordinates.some(({ armature }) => armature !== 0));
}

/** `rates` are the velocities of all coordinates over the interval. */
export function rotorEnergy({ joints }: Mechanism, rates: Float64Array): number {
  let total = 0;
  for (const { coordinates, coordinateOffset } of joints)
    coordinates.forEach(({ armature }, i) => {
      total += 0.5 * armature * rates[coordinateOffset + i] ** 2;
    });
  return total;
}
