/**
 * Pairs on the central path that are nearest to a guess. A guess is an impulse x and what it pairs with, y, both as they come: negative
 * distances, friction beyond its bound. With β and γ the units of the two, βγ the unit of the cone, and z = x/β − y/γ:
 *   orthant   b/β − c/γ = z,   (b/β)(c/γ) = μ
 *   friction  ξ₁ = r β is given; ξ̄ and η̄ lie along z, ξ̄/β = t z/|z|, with ξ∘η = μ e:
 *             t + μ t/(r² − t²) = |z|,   η̄/γ = −μ (ξ̄/β)/(r² − t²),   η₁/γ = μ r/(r² − t²)
 */

import { largerOf } from "../../math/index.ts";

/** Where pairs are written, and at which μ. */
export interface PathPoint {
  readonly b: Float64Array;
  readonly c: Float64Array;
  /** β and γ of every cone, at its first entry. */
  readonly beta: Float64Array;
  readonly gamma: Float64Array;
  mu: number;
}

const mostIterations = 30;
const precision = 1e-9;

/** `answer`: y/x of the guess's own dynamics, by which β and γ are chosen: γ/β. */
export function placeOrthant(point: PathPoint, at: number, unit: number, answer: number, x: number, y: number): void {
  const { mu } = point;
  const beta = Math.sqrt(unit / answer);
  const gamma = beta * answer;
  point.beta[at] = beta;
  point.gamma[at] = gamma;
  const z = x / beta - y / gamma;
  const larger = largerOf(z, mu);
  point.b[at] = beta * (z > 0 ? larger : mu / larger);
  point.c[at] = gamma * (z > 0 ? mu / larger : larger);
}

/** Friction with bound ξ₁, impulses x and slips y along two tangents. */
export function placeFriction(
  { b, c, beta: betas, gamma: gammas, mu }: PathPoint,
  at: number,
  unit: number,
  answer: number,
  bound: number,
  x1: number,
  x2: number,
  y1: number,
  y2: number,
): void {
  const beta = Math.sqrt(unit / answer);
  const gamma = beta * answer;
  betas[at] = beta;
  gammas[at] = gamma;
  const r = bound / beta;
  const z1 = x1 / beta - y1 / gamma;
  const z2 = x2 / beta - y2 / gamma;
  const size = Math.sqrt(z1 * z1 + z2 * z2);
  work[0] = r;
  work[1] = size;
  work[2] = mu;
  findDistanceToBound();
  const d = work[3];
  const left = d * (2 * r - d);
  const along = size > 0 ? (r - d) / size : 0;
  b[at] = bound;
  b[at + 1] = beta * along * z1;
  b[at + 2] = beta * along * z2;
  c[at] = (gamma * mu * r) / left;
  c[at + 1] = (-gamma * mu * along * z1) / left;
  c[at + 2] = (-gamma * mu * along * z2) / left;
}

/** r, |z|, μ and d: numbers that functions hand each other are objects unless they lie in memory. */
const work = new Float64Array(4);

/** d = r − t, the root of (r − d)(p + μ) − |z| p with p = d (2r − d) = r² − t²: it falls from rμ at 0 to −|z| r² at r. */
function findDistanceToBound(): void {
  const r = work[0];
  const size = work[1];
  const mu = work[2];
  let low = 0;
  let high = r;
  // p ≈ 2 r d
  const steep = 2 * r * (size - r) + mu;
  let d = steep > 0 ? Math.min(r, (r * mu) / steep) : r;
  for (let k = 0; k < mostIterations; k++) {
    const p = d * (2 * r - d);
    const value = (r - d) * (p + mu) - size * p;
    if (value > 0) low = d;
    else high = d;
    const slope = 2 * (r - d) * (r - d - size) - p - mu;
    let next = d - value / slope;
    if (!(next > low && next < high)) next = (low + high) / 2;
    const isThere = Math.abs(next - d) <= precision * next;
    d = next;
    if (isThere) break;
  }
  work[3] = d;
}
