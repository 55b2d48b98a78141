/**
 * Losses ρ(s) of the squared residual s = ‖r‖² of one frame, with the weight w = ρ'(s) that it gets in the normal equations
 * (iteratively reweighted least squares). c is the size of residual beyond which a frame counts less.
 *   squared   ρ = s                      w = 1               b = 0
 *   huber     ρ = 2c√s − c² beyond c²    w = c/√s            b = 1
 *   cauchy    ρ = c² ln(1 + s/c²)        w = 1/(1 + s/c²)    b = 2s/(c² + s), at most 1
 * The curvature of ρ(‖r‖²) along r is w (1 − b), b = −2 s ρ''/ρ': a frame far out hardly resists being moved along its residual. Where it
 * would be negative it counts as none, so that normal equations stay positive [Triggs et al. 2000].
 */
import { ArgumentError } from "../mechanism/index.ts";

export const lossKinds = ["squared", "huber", "cauchy"] as const;

export interface Loss {
  readonly kind: (typeof lossKinds)[number];
  /** c, in standard deviations of the noise. Default 3. */
  readonly size?: number;
}

export function requireLoss({ kind, size = 3 }: Loss): void {
  if (!lossKinds.includes(kind)) {
    throw new ArgumentError("out-of-range", "loss.kind", `"${kind}" is not one of ${lossKinds.join(", ")}`);
  }
  if (!(size > 0 && Number.isFinite(size)))
    throw new ArgumentError("non-positive", "loss.size", `${size} must be above 0`);
}

export interface LossAt {
  readonly value: number;
  readonly weight: number;
  /** b. */
  readonly bend: number;
}

export function lossOf({ kind, size = 3 }: Loss, s: number): LossAt {
  const limit = size * size;
  if (kind === "cauchy") {
    const weight = 1 / (1 + s / limit);
    return { value: limit * Math.log1p(s / limit), weight, bend: Math.min(1, (2 * s * weight) / limit) };
  }
  if (kind === "huber" && s > limit) {
    return { value: 2 * size * Math.sqrt(s) - limit, weight: size / Math.sqrt(s), bend: 1 };
  }
  return { value: s, weight: 1, bend: 0 };
}
