/**
 * What the planner is handed: dynamics, a cost and constraints as functions. It has never heard of a robot.
 *
 *   min  Σ ℓ_k(x_k, u_k) + ℓ_N(x_N)   over u_0 … u_{N−1}
 *   with x_{k+1} = f_k(x_k, u_k),  x_0 given,  lower ≤ u_k ≤ upper,  c_k(x_k, u_k) = 0 or ≤ 0
 *
 * A state may live on a manifold: it is an array of `stateSize` numbers that only the dynamics, the cost and the constraints read,
 * and differs from its neighbours by a tangent δx of `tangentSize` numbers. All derivatives are with respect to tangents.
 * Matrices are row-major.
 */
import type { PathParameter } from "../simulation/index.ts";

export interface Dynamics {
  /** Numbers in a state. */
  readonly stateSize: number;
  /** Numbers in a difference of two states. */
  readonly tangentSize: number;
  readonly inputSize: number;
  /** Writes f_k(x, u) into `next`; false where no step can be taken. */
  step(next: Float64Array, x: Float64Array, u: Float64Array, k: number): boolean;
  /** Writes A = ∂f/∂x and B = ∂f/∂u, smoothed as asked where the dynamics can; false where there are none. */
  linearize(
    A: Float64Array,
    B: Float64Array,
    x: Float64Array,
    u: Float64Array,
    k: number,
    path: PathParameter,
  ): boolean;
  /** out = a ⊖ b. */
  differenceInto(out: Float64Array, a: Float64Array, b: Float64Array): void;
  /** out = x ⊕ δ. */
  retractInto(out: Float64Array, x: Float64Array, delta: Float64Array): void;
}

/** Gradient and curvature of a cost at one knot. The curvature must be positive semidefinite in (x, u) together. */
export interface Expansion {
  readonly lx: Float64Array;
  readonly lu: Float64Array;
  readonly lxx: Float64Array;
  /** inputs × states. */
  readonly lux: Float64Array;
  readonly luu: Float64Array;
}

/** At the last knot, k = N, there is no input: `u` is empty, and nothing is added to lu, lux and luu. */
export interface Objective {
  value(k: number, x: Float64Array, u: Float64Array): number;
  /** Adds to the expansion, which starts at zero. */
  expandInto(out: Expansion, k: number, x: Float64Array, u: Float64Array): void;
  /** The entry, for messages, that is no number there, or whose derivative is none; undefined where all are. */
  faultAt?(k: number, x: Float64Array, u: Float64Array): string | undefined;
}

export type ConstraintKind = "equality" | "inequality";

export interface Constraints {
  /** The kind of each row at knot k; an inequality row holds where c ≤ 0. */
  kinds(k: number): readonly ConstraintKind[];
  valuesInto(out: Float64Array, k: number, x: Float64Array, u: Float64Array): void;
  /** Writes rows × tangentSize and rows × inputSize; at the last knot `cu` is empty. */
  jacobiansInto(cx: Float64Array, cu: Float64Array, k: number, x: Float64Array, u: Float64Array): void;
  /** The same as that of the objective. */
  faultAt?(k: number, x: Float64Array, u: Float64Array): string | undefined;
}

export interface TrajectoryProblem {
  readonly dynamics: Dynamics;
  /** N, the number of steps; there is one knot more. */
  readonly steps: number;
  readonly start: Float64Array;
  readonly objective: Objective;
  readonly constraints?: Constraints;
  /** Limits of the inputs, held exactly. Default none. */
  readonly inputBounds?: Bounds;
}

export interface Bounds {
  readonly lower: ArrayLike<number>;
  readonly upper: ArrayLike<number>;
}

/** Brings values into their bounds, where there are some. */
export function clamp(values: Float64Array, bounds: Bounds | undefined): void {
  if (!bounds) return;
  const { lower, upper } = bounds;
  for (let i = 0; i < values.length; i++) values[i] = Math.min(upper[i], Math.max(lower[i], values[i]));
}

/** ⊖ and ⊕ of a state that is a plain vector. */
export const vectorSpace = {
  differenceInto(out: Float64Array, a: Float64Array, b: Float64Array): void {
    for (let i = 0; i < out.length; i++) out[i] = a[i] - b[i];
  },
  retractInto(out: Float64Array, x: Float64Array, delta: Float64Array): void {
    for (let i = 0; i < out.length; i++) out[i] = x[i] + delta[i];
  },
} as const;
