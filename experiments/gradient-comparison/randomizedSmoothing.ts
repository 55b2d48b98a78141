/**
 * Randomised smoothing, the gradient that needs no derivative: with samples w ~ N(0, σ²),
 *   dΔ/df ≈ mean of (Δ(f + w) − Δ(f)) w / σ².
 */
import type { Random } from "dojo-sim";

export function smoothedGradient(
  f: (x: number) => number,
  x: number,
  sigma: number,
  samples: number,
  random: Random,
): number {
  const centre = f(x);
  let total = 0;
  for (let i = 0; i < samples; i++) {
    const w = sigma * random.normal();
    total += (f(x + w) - centre) * w;
  }
  return total / (samples * sigma * sigma);
}
