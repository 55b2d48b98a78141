/** The exact motion of the pushed box over the force, for which the page needs no engine. */
import {
  type Direction,
  exact,
  frictionCoefficient,
  gravity,
  mass,
} from "../../../experiments/gradient-comparison/box.ts";
import { ranges } from "./settings.ts";

export interface Curve {
  readonly forces: Float64Array;
  readonly displacement: Float64Array;
  readonly gradient: Float64Array;
}

/** Force at which the box lifts off or slips, N: where the exact gradient jumps. */
export function threshold(direction: Direction): number {
  return direction === "impact" ? mass * gravity : frictionCoefficient * mass * gravity;
}

const { low, high } = ranges.force;

/** Evenly spaced forces. */
export const evenForces: Float64Array = Float64Array.from({ length: 81 }, (_, i) => low + ((high - low) * i) / 80);

export function exactCurve(direction: Direction): Curve {
  const edge = threshold(direction);
  // the threshold twice, so that the jump is upright
  const forces = Float64Array.of(low, edge, edge, high);
  const values = Array.from(forces, (force) => exact(direction, force));
  const { gradient } = exact(direction, high);
  return {
    forces,
    displacement: Float64Array.from(values, ({ displacement }) => displacement),
    gradient: Float64Array.of(0, 0, gradient, gradient),
  };
}
