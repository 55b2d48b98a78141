/**
 * What the interior-point solver is handed [ncp_abstract]:
 *   find a, b, c   with   E(a, b, c) = 0,   b ∘ c = κ e,   b, c ∈ K.
 * The problem owns the variables and everything that is as long as they are: how to linearise, how to solve its own (sparse,
 * condensed) linear system, and how far its vectors are from where they should be. The solver sees numbers (`measures`)
 * and decides. It has never heard of a robot.
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

/** What the last call found. One object a problem, overwritten. NaN anywhere in the vectors becomes NaN here. */
export interface Measures {
  /** max |E|. [paper eq:r_vio]      Of `evaluate`. */
  residual: number;
  /** max |Eᵢ|/toleranceᵢ: solved means at most 1.      Of `evaluate`. */
  residualViolation: number;
  /**
   * max 2|Eⱼ|/cⱼ over the rows that say cⱼ = distance: at most 1 means that a positive slack is a positive distance.      Of `evaluate`.
   */
  gapViolation: number;
  /** μ = Σ bᵀc/weight / deg K. [paper eq:centering_1]      Of `measure` and `advance`, like the next three. */
  mu: number;
  /** max ‖b∘c − centre·weight·e‖∞/weight. [paper eq:kappa_vio] */
  complementarityViolation: number;
  /** The same less the rounding of b∘c: a sliding contact at κ = 1e-10 has entries of size 1 cancelling to 1e-10. */
  pathDistance: number;
  /** Smallest eigenvalue of all pairs (b, c), each in units of its weight; not positive outside K. */
  smallestEigenvalue: number;
  /** Distance to the boundary of K along the direction, in units of the direction.      Of `solve`, like the rest. */
  boundary: number;
  /** μ(b + αΔb, c + αΔc) = μ + slope·α + curvature·α². [paper eq:centering_2] */
  slope: number;
  curvature: number;
  /** ‖Δb∘Δc‖∞/weight of the last uncorrected direction: how far from its aim its full step lands. */
  secondOrder: number;
}

export interface ConeProblem {
  readonly cones: readonly Cone[];
  /** Cone variables at the current point, strictly inside their cones. */
  readonly b: Float64Array;
  readonly c: Float64Array;
  /** Unit of complementarity of each cone, at every entry of it: its target is κ·weight·e. */
  readonly weight: Float64Array;
  readonly measures: Measures;
  /** Smallest eigenvalue of each pair in units of its weight, at its first entry, where it was last measured; and where the point was remembered. */
  readonly eigenvalues: Float64Array;
  readonly eigenvaluesBefore: Float64Array;
  /** deg K: how many cones take part, which may change between solves and at holds. [paper eq:centering_0] */
  readonly degree: number;

  /** Whether cone i takes no part; left out where all do. */
  isOut?(i: number): boolean;
  newDirection(): Direction;
  /** Is called when weights have changed. */
  takeWeights(): void;
  /** Computes E and its derivatives at the current point. */
  evaluate(): void;
  /** How far the cone variables are from the central path at κ = centre. */
  measure(centre: number): void;
  /** Factors the matrix of the last `evaluate` and remembers the current point; false when it is singular or not finite. */
  factor(): boolean;
  /** Is called instead of `factor`: remembers the current point, for a direction with the factors that there are. */
  keepFactors(): void;
  /**
   * Only this part of what keeps the problem from being monotone counts in the matrix from here on, 1 for all of it: E itself stays. Left out
   * where there is no such thing.
   */
  relax?(part: number): void;
  /**
   * The direction with   dE·Δ = −E   and   b∘Δc + c∘Δb = κ·weight·e − b∘c,   or with that less Δb_aff∘Δc_aff of the last
   * uncorrected direction.
   */
  solve(kappa: number, corrected: boolean, out: Direction): void;
  /** Goes to remembered point + alpha·direction (a, b and c) and measures as before; false when that is outside the domain of E. */
  advance(alpha: number, direction: Direction): boolean;
}

export function newMeasures(): Measures {
  return {
    residual: 0.5,
    residualViolation: 0.5,
    gapViolation: 0.5,
    mu: 0.5,
    complementarityViolation: 0.5,
    pathDistance: 0.5,
    smallestEigenvalue: 0.5,
    boundary: 0.5,
    slope: 0.5,
    curvature: 0.5,
    secondOrder: 0.5,
  };
}
