/** Gym's hopper: one leg, in a plane. Published URDF; ranges of the hinges are Gym's. */
import type { MechanismDescription } from "../mechanism/index.ts";
import { type PlanarLegOptions, planarLegs } from "./planarLegs.ts";

export type HopperOptions = PlanarLegOptions;

/** Coordinates of the base are z, x and the angle about y. Hinges are damped by 50 N·m·s/rad, as in the file. */
export function hopper(options: HopperOptions = {}): MechanismDescription {
  const table = {
    name: "hopper",
    legs: [""],
    foot: { center: 0.065, length: 0.39 },
    rest: { thigh: 0, leg: 0, foot: 0 },
    damping: 50,
  } as const;
  return planarLegs(table, options);
}
