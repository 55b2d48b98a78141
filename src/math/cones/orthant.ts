/**
 * The positive orthant R₊ⁿ = {y : y₍ₖ₎ ≥ 0} in slices y[offset .. offset + size). [paper section "Cones"]
 *   product    b ∘ c = (b₁c₁, …, bₙcₙ)
 *   identity   e = (1, …, 1)
 *   degree     n
 *   step       largest α with y + αΔ in the cone:  α = min over Δ₍ₖ₎ < 0 of −y₍ₖ₎/Δ₍ₖ₎   [paper eq:alpha_ort]
 * A pair (b, c) has the eigenvalues bₖcₖ; on the central path all of them are κ.
 */

export function productInto(out: Float64Array, b: Float64Array, c: Float64Array, offset: number, size: number): void {
  for (let k = offset; k < offset + size; k++) out[k] = b[k] * c[k];
}

/** out ← scale·e. */
export function identityInto(out: Float64Array, scale: number, offset: number, size: number): void {
  out.fill(scale, offset, offset + size);
}

export function degree(size: number): number {
  return size;
}

/** How far inside the cone y is: positive inside, zero on the boundary. */
export function margin(y: Float64Array, offset: number, size: number): number {
  let smallest = y[offset];
  for (let k = offset + 1; k < offset + size; k++) if (!(y[k] >= smallest)) smallest = y[k];
  return smallest;
}

/**
 * Distance to the boundary along Δ, in units of Δ; Infinity when Δ never leaves the cone. Not capped at 1: the line
 * search does that after the boundary fraction.
 * DEPARTURE(orthant-min): eq:alpha_ort prints the max of the ratios; the first variable to reach zero decides, so it is the min.
 */
export function largestStep(y: Float64Array, delta: Float64Array, offset: number, size: number): number {
  let alpha = Infinity;
  for (let k = offset; k < offset + size; k++) {
    if (delta[k] < 0) {
      const ratio = -y[k] / delta[k];
      if (ratio < alpha) alpha = ratio;
    }
  }
  return alpha;
}

/** Smallest eigenvalue of the pair (b + αΔb, c + αΔc); not positive when either is outside. */
export function smallestEigenvalue(
  b: Float64Array,
  c: Float64Array,
  deltaB: Float64Array,
  deltaC: Float64Array,
  alpha: number,
  offset: number,
  size: number,
): number {
  let smallest = Infinity;
  for (let k = offset; k < offset + size; k++) {
    const bk = b[k] + alpha * deltaB[k];
    const ck = c[k] + alpha * deltaC[k];
    const eigenvalue = bk > 0 && ck > 0 ? bk * ck : Math.min(bk, ck);
    if (!(eigenvalue >= smallest)) smallest = eigenvalue;
  }
  return smallest;
}
