/** Robots whose limbs touch each other: their shapes, which are for show otherwise, become surfaces. */
import type { MechanismDescription } from "../mechanism/index.ts";

export interface SelfCollisionOptions {
  /**
   * Limbs touch each other, with the friction of the floor's contacts, and cannot pass through one another. Links that a joint holds
   * together, or that overlap by the way the robot is built, do not touch. Default false.
   */
  readonly selfCollisions?: boolean;
}

/** What of a description this option changes. `apart` are pairs of links that overlap by the way the robot is built. */
export function withSelfCollisions(
  description: MechanismDescription,
  { selfCollisions = false }: SelfCollisionOptions,
  frictionCoefficient: number,
  apart: readonly (readonly [string, string])[] = [],
): MechanismDescription {
  if (!selfCollisions) return description;
  const contact = { frictionCoefficient };
  const bodies = Object.entries(description.bodies).map(([name, { shapes = [], ...body }]) => [
    name,
    { ...body, shapes: shapes.map((shape) => ({ ...shape, contact })) },
  ]);
  return { ...description, bodies: Object.fromEntries(bodies), collisions: { exclude: apart } };
}
