/**
 * What the interior-point solver is handed [ncp_abstract]:
 *   find a, b, c   with   E(a, b, c) = 0,   b ∘ c = κ e,   b, c ∈ K.
 * The problem owns the variables, knows how to linearise and how to solve its own (sparse, condensed) linear system;
 * the solver sees only the cone variables, the residual of E and directions. It has never heard of a robot.
 */

/** One cone pair: b[offset .. offset + size) and c[the same], both in R₊ (size 1) or in Q^size. */
export interface Cone {
  readonly kind: "orthant" | "secondOrder";
  readonly offset: number;
  readonly size: number;
}

/** A search direction. `a` is opaque to the solver: the problem wrote it and takes it back in `advance`. */
export interface Direction {
  readonly a: Float64Array;
  readonly b: Float64Array;
  readonly c: Float64Array;
}

export interface ConeProblem {
  readonly cones: readonly Cone[];
  /** Cone variables at the current point, strictly inside their cones. */
  readonly b: Float64Array;
  readonly c: Float64Array;
  /** Unit of complementarity of each cone, one a cone: the target of cone i is κ·weight[i]·e. */
  readonly weight: Float64Array;
  /** E at the current point, after `evaluate`. */
  readonly residual: Float64Array;
  /** |residual[i]| ≤ tolerance[i] is what solved means; it contains the row's unit and its rounding. */
  readonly tolerance: Float64Array;
  /** Rows of E that say c[k] = distance: there |residual| ≤ c[k]/2 must hold too, so that a positive slack means a positive distance. */
  readonly gapRows: Int32Array;
  readonly gapSlacks: Int32Array;

  newDirection(): Direction;
  /** Computes E and its derivatives at the current point. */
  evaluate(): void;
  /** Factors the matrix of the last `evaluate`; false when it is singular or not finite. */
  factor(): boolean;
  /** Solves for the direction with   dE·Δ = −E   and   b∘Δc + c∘Δb = coneRhs. */
  solve(coneRhs: Float64Array, out: Direction): void;
  /** Remembers the current point. */
  save(): void;
  /** Goes to saved point + alpha·direction (a, b and c); false when that is outside the domain of E. */
  advance(alpha: number, direction: Direction): boolean;
}
