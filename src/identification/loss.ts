/**
 * Losses ρ(s) of the squared residual s = ‖r‖² of one frame, with the weight w = ρ'(s) that it gets in the normal equations
 * (iteratively reweighted least squares). c is the size of residual beyond which a frame counts less.
 *   squared   ρ = s                      w = 1
 *   huber     ρ = 2c√s − c² beyond c²    w = c/√s
 *   cauchy    ρ = c² ln(1 + s/c²)        w = 1/(1 + s/c²)
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

export function lossOf({ kind, size = 3 }: Loss, s: number): { readonly value: number; readonly weight: number } {
  const limit = size * size;
  if (kind === "cauchy") return { value: limit * Math.log1p(s / limit), weight: 1 / (1 + s / limit) };
  if (kind === "huber" && s > limit) return { value: 2 * size * Math.sqrt(s) - limit, weight: size / Math.sqrt(s) };
  return { value: s, weight: 1 };
}
