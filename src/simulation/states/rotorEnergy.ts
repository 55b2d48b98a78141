/** Kinetic energy of the rotors that turn with joint coordinates, over the interval that led to a state: ½ a θ̇² of each, θ̇ its mean rate there. */
import type { System } from "../../kernels/index.ts";
import type { Mechanism } from "../../mechanism/index.ts";

/** A coordinate that may have a rotor, and where the inertia of that lies in memory. */
export interface Rotor {
  readonly coordinate: number;
  readonly armature: number;
}

export function rotorsOf({ mechanism, parameters }: Pick<System, "mechanism" | "parameters">): Rotor[] {
  return mechanism.joints.flatMap(({ name, coordinates, coordinateOffset }) =>
    coordinates.flatMap(({ passive }, i) => {
      const armature = parameters.get(`joints.${name}.armature.${i}`);
      return passive && armature !== undefined ? [{ coordinate: coordinateOffset + i, armature }] : [];
    }),
  );
}

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
