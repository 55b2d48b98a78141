/**
 * Where the next direction aims. [paper eq:centering_0 to eq:centering_3]
 *   μ = Σ (b⁽ⁱ⁾)ᵀc⁽ⁱ⁾/weightᵢ / deg K            μ_aff = the same at (b + αΔb, c + αΔc)
 *   σ = (|μ_aff − κ_t| / |μ − κ_t|)³, at most 1, and 0 once μ ≤ 2κ_t
 *   κ = κ_t + σ(μ − κ_t)
 *   right-hand side of the cone rows:  κ·weight·e − b∘c − Δb_aff∘Δc_aff
 *
 * DEPARTURE(predictor-target): the paper's predictor aims at 0 and its corrector at max(σμ, κ_tol/5). To land on the central
 * path both must aim at the target κ_t: with a predictor aimed at 0, Δb_aff∘Δc_aff is of order κ at the solution itself and
 * the corrector never settles (37 iterations, 56% failures, measured).
 * DEPARTURE(second-order-term): the listing pc_algo leaves Δb_aff∘Δc_aff out; the text and the Julia code use it (7.4 → 4.8 iterations).
 */

/** σ: how much of the way from μ to κ_t to leave for later. [paper eq:centering_3, measured from κ_t] */
export function centering(mu: number, muAffine: number, target: number): number {
  if (mu <= 2 * target) return 0;
  const ratio = Math.abs(muAffine - target) / Math.abs(mu - target);
  return ratio < 1 ? ratio * ratio * ratio : 1;
}
