/** What the rows and columns of a step's Jacobians are called. */
import type { Mechanism } from "../mechanism/index.ts";
import type { Coordinates } from "./jacobians.ts";

const parts = ["position", "attitude", "velocity", "angularVelocity"] as const;

/** "crate.velocity.z", or in minimal coordinates "hinge.angle" and "hinge.angle rate". */
export function stateNames({ bodies, coordinateNames }: Mechanism, coordinates: Coordinates): string[] {
  if (coordinates === "minimal") return [...coordinateNames, ...coordinateNames.map((name) => `${name} rate`)];
  return bodies.flatMap(({ name }) =>
    parts.flatMap((part) => ["x", "y", "z"].map((axis) => `${name}.${part}.${axis}`)),
  );
}
