/** Gym's walker: two legs side by side, in a plane. Published URDF; ranges of the hinges are Gym's. */
import type { MechanismDescription } from "../mechanism/index.ts";
import { type PlanarLegOptions, planarLegs } from "./planarLegs.ts";

export type WalkerOptions = PlanarLegOptions;

/** Coordinates of the base are z, x and the angle about y. */
export function walker(options: WalkerOptions = {}): MechanismDescription {
  const table = {
    name: "walker",
    legs: ["", "_left"],
    foot: { center: 0.1, length: 0.3 },
    rest: { thigh: 0, leg: 0, foot: 0 },
    damping: 0.1,
  } as const;
  return planarLegs(table, options);
}
