/**
 * What the lens shows of the pushed box of [gradient_compare]: its motion Δ(f) in one step and dΔ/df, at a force and as curves
 * over the force, on the central path at κ; and dΔ/df by randomised smoothing of the sharp step.
 */
import { Random } from "dojo-sim";
import {
  type Direction,
  exact,
  frictionCoefficient,
  gravity,
  mass,
  PushedBox,
} from "../../../experiments/gradient-comparison/box.ts";
import { smoothedGradient } from "../../../experiments/gradient-comparison/randomizedSmoothing.ts";
import { ranges } from "./settings.ts";

export interface Values {
  /** Metres along the force. */
  readonly displacement: number;
  /** m/N. */
  readonly gradient: number;
}

export interface Curve {
  readonly forces: Float64Array;
  readonly displacement: Float64Array;
  readonly gradient: Float64Array;
}

export interface Smoothing {
  readonly sigma: number;
  readonly samples: number;
  readonly seed: number;
}

/** Force at which the box lifts off or slips, N: where the exact gradient jumps. */
export function threshold(direction: Direction): number {
  return direction === "impact" ? mass * gravity : frictionCoefficient * mass * gravity;
}

const { low, high } = ranges.force;

/** Evenly spaced forces. */
export const evenForces: Float64Array = Float64Array.from({ length: 81 }, (_, i) => low + ((high - low) * i) / 80);

/** The same, and more where curves of small κ bend: from 1 mN to 2 N either side of the threshold. */
function denseForces(direction: Direction): Float64Array {
  const middle = threshold(direction);
  const offsets = Array.from({ length: 20 }, (_, i) => 1e-3 * 2000 ** (i / 19));
  const near = offsets.flatMap((offset) => [middle - offset, middle + offset]);
  return Float64Array.from([...evenForces, middle, ...near]).sort();
}

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

export class BoxLens {
  private readonly box = new PushedBox("corners");

  values(direction: Direction, force: number, kappa: number): Values {
    return {
      displacement: this.box.displacement(direction, force, kappa),
      gradient: this.gradient(direction, force, kappa),
    };
  }

  /** Takes one step. */
  gradient(direction: Direction, force: number, kappa: number): number {
    return this.box.gradient(direction, force, kappa);
  }

  curve(direction: Direction, kappa: number): Curve {
    const forces = denseForces(direction);
    const values = Array.from(forces, (force) => this.values(direction, force, kappa));
    return {
      forces,
      displacement: Float64Array.from(values, ({ displacement }) => displacement),
      gradient: Float64Array.from(values, ({ gradient }) => gradient),
    };
  }

  /** Takes samples + 1 sharp steps. */
  smoothed(direction: Direction, force: number, { sigma, samples, seed }: Smoothing): number {
    const random = new Random(seed);
    return smoothedGradient((f) => this.box.sharp(direction, f), force, sigma, samples, random);
  }
}
