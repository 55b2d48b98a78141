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
import { type ConeTable, coneIdentityInto, coneTable } from "../math/index.ts";
import type { ConeProblem, Direction } from "./problem.ts";

/** Cone-sized working vectors of one solver, entry k belonging to b[k] and c[k]. */
export interface ConeWork {
  /** weightᵢ·e⁽ⁱ⁾: the cone product on the central path at κ = 1. */
  readonly unit: Float64Array;
  /** 1/weightᵢ at every entry of cone i. */
  readonly scale: Float64Array;
  /** b∘c at the current point. */
  readonly product: Float64Array;
  /** Δb_aff∘Δc_aff. */
  readonly second: Float64Array;
  readonly rhs: Float64Array;
  readonly table: ConeTable;
}

export function newConeWork(problem: ConeProblem): ConeWork {
  const size = problem.b.length;
  return {
    unit: new Float64Array(size),
    scale: new Float64Array(size),
    product: new Float64Array(size),
    second: new Float64Array(size),
    rhs: new Float64Array(size),
    table: coneTable(problem.cones),
  };
}

/** Reads the weights, which may change between solves. */
export function weighInto(work: ConeWork, problem: ConeProblem): void {
  for (let i = 0; i < problem.cones.length; i++) {
    const cone = problem.cones[i];
    coneIdentityInto(work.unit, problem.weight[i], cone);
    work.scale.fill(1 / problem.weight[i], cone.offset, cone.offset + cone.size);
  }
}

/** μ at the current point. [paper eq:centering_1] */
export function mean(problem: ConeProblem, work: ConeWork): number {
  const { b, c } = problem;
  const { scale, table } = work;
  let sum = 0;
  for (let k = 0; k < scale.length; k++) sum += b[k] * c[k] * scale[k];
  return sum / table.degree;
}

/** μ at (b + αΔb, c + αΔc). [paper eq:centering_2] */
export function meanAlong(problem: ConeProblem, work: ConeWork, direction: Direction, alpha: number): number {
  const { b, c } = problem;
  const { b: deltaB, c: deltaC } = direction;
  const { scale, table } = work;
  let sum = 0;
  for (let k = 0; k < scale.length; k++) {
    sum += (b[k] + alpha * deltaB[k]) * (c[k] + alpha * deltaC[k]) * scale[k];
  }
  return sum / table.degree;
}

/** σ: how much of the way from μ to κ_t to leave for later. [paper eq:centering_3, measured from κ_t] */
export function centering(mu: number, muAffine: number, target: number): number {
  if (mu <= 2 * target) return 0;
  const ratio = Math.abs(muAffine - target) / Math.abs(mu - target);
  return ratio < 1 ? ratio * ratio * ratio : 1;
}

/** rhs ← κ·weight·e − b∘c. */
export function aimInto(work: ConeWork, kappa: number): void {
  const { rhs, unit, product } = work;
  for (let k = 0; k < rhs.length; k++) rhs[k] = kappa * unit[k] - product[k];
}

/** rhs ← rhs − Δb_aff∘Δc_aff. */
export function correctInto(work: ConeWork): void {
  const { rhs, second } = work;
  for (let k = 0; k < rhs.length; k++) rhs[k] -= second[k];
}

/** ‖Δb_aff∘Δc_aff‖∞ in units of the weights: how far from its aim a full predictor step lands. */
export function secondOrderSize(work: ConeWork): number {
  const { second, scale } = work;
  let largest = 0;
  for (let k = 0; k < second.length; k++) {
    const size = Math.abs(second[k]) * scale[k];
    if (!(size <= largest)) largest = size;
  }
  return largest;
}
