/**
 * What the lens shows of the pushed box of [gradient_compare]: its motion Δ(f) in one step and dΔ/df, at a force and as curves
 * over the force, on the central path at κ; and dΔ/df by randomised smoothing of the sharp step.
 */
import { Random } from "dojo-sim";
import type { Direction } from "../../../experiments/gradient-comparison/box.ts";
import { PushedBox } from "../../../experiments/gradient-comparison/pushedBox.ts";
import { smoothedGradient } from "../../../experiments/gradient-comparison/randomizedSmoothing.ts";
import { type Curve, evenForces, threshold } from "./exactCurve.ts";

export interface Values {
  /** Metres along the force. */
  readonly displacement: number;
  /** m/N. */
  readonly gradient: number;
}

export interface Smoothing {
  readonly sigma: number;
  readonly samples: number;
  readonly seed: number;
}

/** The same, and more where curves of small κ bend: from 1 mN to 2 N either side of the threshold. */
function denseForces(direction: Direction): Float64Array {
  const middle = threshold(direction);
  const offsets = Array.from({ length: 20 }, (_, i) => 1e-3 * 2000 ** (i / 19));
  const near = offsets.flatMap((offset) => [middle - offset, middle + offset]);
  return Float64Array.from([...evenForces, middle, ...near]).sort();
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
