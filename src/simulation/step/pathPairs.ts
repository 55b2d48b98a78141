/**
 * Pairs on the central path that are nearest to a guess. A guess is an impulse x and what it pairs with, y, both as they come: negative
 * distances, friction beyond its bound. With β and γ the units of the two, βγ the unit of the cone, and z = x/β − y/γ:
 *   orthant   b/β − c/γ = z,   (b/β)(c/γ) = μ
 *   friction  ξ₁ is given, ξ̄/β − η̄/γ = z (math/cones/frictionPath.ts)
 */
import { frictionOnPath, largerOf, numbers } from "../../math/index.ts";

/** Where pairs are written, and at which μ. */
export interface PathPoint {
  readonly b: Float64Array;
  readonly c: Float64Array;
  /** β and γ of every cone, at its first entry. */
  readonly beta: Float64Array;
  readonly gamma: Float64Array;
  mu: number;
}

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
  const z = [x1 / beta - y1 / gamma, x2 / beta - y2 / gamma];
  const [xi, eta] = frictionOnPath(numbers, bound, z, mu, beta, gamma);
  b[at] = bound;
  b.set(xi, at + 1);
  c.set(eta, at);
}
