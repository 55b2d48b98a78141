/**
 * Costs and constraints, written once as expressions over named quantities.
 *   cost         Σ weight · residual²           its curvature is that of Gauss and Newton: 2 Jᵀ W J
 *   constraint   rows = 0, or rows ≤ 0
 * and the ready-made ones: track, reach, effort, upright, clearance.
 */
import { ArgumentError } from "../mechanism/index.ts";
import type { Quantities } from "../quantities/index.ts";
import { type Scalar, sub } from "../symbolic/index.ts";
import type { ConstraintKind } from "./problem.ts";

/** At which knots a term counts: all, the last, all but the last, one, or those that a function picks. */
export type When = "always" | "final" | "running" | number | ((knot: number) => boolean);

export interface CostTerm {
  readonly residuals: readonly Scalar[];
  /** One for all residuals, or one for each. Default 1. */
  readonly weights?: number | readonly number[];
  /** Default "always"; terms that read inputs count at all knots but the last, which has none. */
  readonly at?: When;
}

export interface ConstraintTerm {
  readonly kind: ConstraintKind;
  readonly rows: readonly Scalar[];
  /** Default "always". */
  readonly at?: When;
}

export const cost = (
  residuals: readonly Scalar[],
  weights: number | readonly number[] = 1,
  at: When = "always",
): CostTerm => ({ residuals, weights, at });

export const equals = (rows: readonly Scalar[], at: When = "always"): ConstraintTerm => ({
  kind: "equality",
  rows,
  at,
});

/** rows ≤ 0. */
export const atMostZero = (rows: readonly Scalar[], at: When = "always"): ConstraintTerm => ({
  kind: "inequality",
  rows,
  at,
});

/** Named quantities near their targets: `track(q, { "bodies.torso.position.z": 1.2 }, 10)`. */
export function track(
  q: Quantities,
  targets: Readonly<Record<string, Scalar>>,
  weights: number | readonly number[] = 1,
  at: When = "always",
): CostTerm {
  return cost(differences(q, targets), weights, at);
}

/** Named quantities at their targets: a constraint, by default at the last knot. */
export function reach(q: Quantities, targets: Readonly<Record<string, Scalar>>, at: When = "final"): ConstraintTerm {
  return equals(differences(q, targets), at);
}

/** Inputs near zero, or near a reference: weight · u². */
export function effort(q: Quantities, weight: number | readonly number[], reference: readonly Scalar[] = []): CostTerm {
  const residuals = q.inputs.map((input, i) => sub(input, reference[i] ?? 0));
  return cost(residuals, weight, "running");
}

/** The body's z axis near the world's. */
export function upright(q: Quantities, body: string, weight = 1, at: When = "always"): CostTerm {
  const [, , z] = q.body(body).axes;
  return cost([z[0], z[1], sub(z[2], 1)], weight, at);
}

/** Contacts at least this far from what they could touch. */
export function clearance(
  q: Quantities,
  distances: Readonly<Record<string, Scalar>>,
  at: When = "always",
): ConstraintTerm {
  return atMostZero(
    Object.entries(distances).map(([name, least]) => sub(least, q.contact(name).distance)),
    at,
  );
}

function differences(q: Quantities, targets: Readonly<Record<string, Scalar>>): Scalar[] {
  return Object.entries(targets).map(([path, target]) => sub(q.named(path), target));
}

/** The knots at which a term counts, of knots 0 … steps. */
export function knotsOf(at: When, steps: number, path: string): boolean[] {
  const knots = Array.from({ length: steps + 1 }, (_, k) => k);
  if (typeof at === "function") return knots.map(at);
  if (at === "always") return knots.map(() => true);
  if (at === "final") return knots.map((k) => k === steps);
  if (at === "running") return knots.map((k) => k < steps);
  if (!Number.isInteger(at) || at < 0 || at > steps) {
    throw new ArgumentError("out-of-range", `${path}.at`, `${at} is no knot; give 0 … ${steps}`);
  }
  return knots.map((k) => k === at);
}
