/**
 * The second-order cone Qⁿ = {(y₁, y_v) : ‖y_v‖ ≤ y₁} in slices y[offset .. offset + size). [paper section "Cones"]
 *   product    b ∘ c = (bᵀc, b₁c_v + c₁b_v)                                   [paper soc_product]
 *   identity   e = (1, 0, …, 0)
 *   degree     1, because bᵀc = κ on the central path whatever n is
 *   step       first root of   ν + 2ζα + ϖα² = 0,   the determinant of y + αΔ   [paper eq:alpha_soc]
 *                ν = (y₁ − ‖y_v‖)(y₁ + ‖y_v‖)    ζ = y₁Δ₁ − y_vᵀΔ_v    ϖ = (Δ₁ − ‖Δ_v‖)(Δ₁ + ‖Δ_v‖)
 *
 * Which eigenvalue measures nearness to the boundary. For b, c inside, b ∘ c itself may lie outside Qⁿ, so its smallest
 * eigenvalue says nothing about b or c. P(b^½)c is the cone's own notion of "b times c": it is inside when b and c are, is
 * symmetric in them, does not change when b is stretched and c shrunk by the same automorphism, and is κe exactly when
 * b ∘ c = κe. Its eigenvalues λ± have the sum 2bᵀc and the product det b · det c, so
 *   λ₋ = det b · det c / (bᵀc + √((bᵀc)² − det b · det c)),    det y = y₁² − ‖y_v‖²,
 * which for size 1 is the orthant's bₖcₖ. DEPARTURE(neighbourhood) in solver/neighbourhood.ts uses it.
 */

// DEPARTURE(soc-product): the section "Cones" prints a₁b_v + a₁b_v; the appendix's a₁b_v + b₁a_v is meant.
export function productInto(out: Float64Array, b: Float64Array, c: Float64Array, offset: number, size: number): void {
  const b1 = b[offset];
  const c1 = c[offset];
  let dot = b1 * c1;
  for (let k = offset + 1; k < offset + size; k++) {
    dot += b[k] * c[k];
    out[k] = b1 * c[k] + c1 * b[k];
  }
  out[offset] = dot;
}

/** out ← scale·e. */
export function identityInto(out: Float64Array, scale: number, offset: number, size: number): void {
  out.fill(0, offset, offset + size);
  out[offset] = scale;
}

export function degree(_size: number): number {
  return 1;
}

/** How far inside the cone y is, y₁ − ‖y_v‖: positive inside, zero on the boundary. */
export function margin(y: Float64Array, offset: number, size: number): number {
  let square = 0;
  for (let k = offset + 1; k < offset + size; k++) square += y[k] * y[k];
  return y[offset] - Math.sqrt(square);
}

/**
 * Distance to the boundary along Δ, in units of Δ; Infinity when Δ never leaves the cone. Not capped at 1.
 * DEPARTURE(quadratic-root): the printed ρ formula subtracts nearly equal numbers close to the boundary; this one does not.
 */
export function largestStep(y: Float64Array, delta: Float64Array, offset: number, size: number): number {
  const y1 = y[offset];
  const d1 = delta[offset];
  let yy = 0;
  let yd = 0;
  let dd = 0;
  for (let k = offset + 1; k < offset + size; k++) {
    yy += y[k] * y[k];
    yd += y[k] * delta[k];
    dd += delta[k] * delta[k];
  }
  const yNorm = Math.sqrt(yy);
  const dNorm = Math.sqrt(dd);
  return firstRoot((y1 - yNorm) * (y1 + yNorm), y1 * d1 - yd, (d1 - dNorm) * (d1 + dNorm));
}

/** Smallest α > 0 with ν + 2ζα + ϖα² = 0, for ν > 0; Infinity when there is none. */
function firstRoot(nu: number, zeta: number, varpi: number): number {
  // negative only by rounding: inside a cone ζ² ≥ νϖ (the reversed Cauchy-Schwarz inequality)
  const root = Math.sqrt(Math.max(0, zeta * zeta - nu * varpi));
  if (zeta < 0) return nu / (root - zeta);
  if (varpi < 0) return (root + zeta) / -varpi;
  return Infinity;
}

/** Smallest eigenvalue λ₋ of the pair (b + αΔb, c + αΔc); not positive when either is outside. */
export function smallestEigenvalue(
  b: Float64Array,
  c: Float64Array,
  deltaB: Float64Array,
  deltaC: Float64Array,
  alpha: number,
  offset: number,
  size: number,
): number {
  const b1 = b[offset] + alpha * deltaB[offset];
  const c1 = c[offset] + alpha * deltaC[offset];
  let bb = 0;
  let bc = 0;
  let cc = 0;
  for (let k = offset + 1; k < offset + size; k++) {
    const bk = b[k] + alpha * deltaB[k];
    const ck = c[k] + alpha * deltaC[k];
    bb += bk * bk;
    bc += bk * ck;
    cc += ck * ck;
  }
  const bNorm = Math.sqrt(bb);
  const cNorm = Math.sqrt(cc);
  if (!(b1 > bNorm && c1 > cNorm)) return Math.min(b1 - bNorm, c1 - cNorm);
  return smallerOf(b1 * c1 + bc, (b1 - bNorm) * (b1 + bNorm) * (c1 - cNorm) * (c1 + cNorm));
}

/** The smaller of two numbers with the given half sum and product, without subtracting. */
function smallerOf(halfSum: number, product: number): number {
  return product / (halfSum + Math.sqrt(Math.max(0, halfSum * halfSum - product)));
}
