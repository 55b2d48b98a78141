/** Losses: weight and bend are first and second derivative of the loss along a residual. */
import { expect, it } from "vitest";
import { lossKinds, lossOf } from "./loss.ts";

it.each(lossKinds)("%s: weight and bend are the loss's own slope and curvature", (kind) => {
  const [size, d] = [3, 1e-3];
  const at = (r: number): number => lossOf({ kind, size }, r * r).value;
  for (const r of [0.1, 1, 2, 2.9, 3.1, 8]) {
    const { weight, bend } = lossOf({ kind, size }, r * r);
    // d/dr = 2 w r, d²/dr² = 2 w (1 − b), of differences to d² of what changes over the size
    expect((at(r + d) - at(r - d)) / (2 * d)).toBeCloseTo(2 * weight * r, 5);
    const curvature = (at(r + d) - 2 * at(r) + at(r - d)) / d ** 2;
    expect(2 * weight * (1 - bend)).toBeCloseTo(Math.max(0, curvature), 4);
  }
});
