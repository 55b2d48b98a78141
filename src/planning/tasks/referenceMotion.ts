/** A motion that a plan is to follow, given as joint coordinates knot by knot; rates are those of the interval that ends there. */
import { maximalState } from "../../coordinates/index.ts";
import type { Mechanism } from "../../mechanism/index.ts";
import type { Quantities } from "../../quantities/index.ts";
import { sub } from "../../symbolic/index.ts";
import { type CostTerm, cost } from "../terms.ts";

export interface ReferenceMotion {
  /** States of the bodies, one per knot. */
  readonly states: readonly Float64Array[];
  /** Parameters for the task, whose terms read them. */
  readonly parameters: Readonly<Record<string, (knot: number) => number>>;
  /** What it costs to be elsewhere, with a weight for each coordinate and each rate by its name. */
  readonly tracking: (
    q: Quantities,
    weights: { readonly coordinate: (name: string) => number; readonly rate: (name: string) => number },
  ) => readonly CostTerm[];
}

/** `pose(k)` is asked for k = −1 too: the motion may be under way at the first knot. */
export function referenceMotion(
  mechanism: Mechanism,
  steps: number,
  pose: (knot: number) => readonly number[],
): ReferenceMotion {
  const { coordinateNames: names, timestep } = mechanism;
  const knots = Array.from({ length: steps + 1 }, (_, k) => k);
  const poses = knots.map(pose);
  const before = pose(-1);
  const rates = poses.map((values, k) => values.map((value, i) => (value - (poses[k - 1] ?? before)[i]) / timestep));
  const named = (what: string, values: readonly (readonly number[])[]) =>
    names.map((name, i) => [`${what} of ${name}`, (k: number) => values[k][i]] as const);
  return {
    states: knots.map((k) => stateFrom(mechanism, poses[k], rates[k])),
    parameters: Object.fromEntries([...named("reference", poses), ...named("reference rate", rates)]),
    tracking: (q, weights) => [
      cost(
        names.map((name) => sub(q.coordinate(name), q.parameter(`reference of ${name}`))),
        names.map(weights.coordinate),
      ),
      cost(
        names.map((name) => sub(q.rate(name), q.parameter(`reference rate of ${name}`))),
        names.map(weights.rate),
      ),
    ],
  };
}

function stateFrom(mechanism: Mechanism, positions: readonly number[], velocities: readonly number[]): Float64Array {
  return maximalState(
    mechanism,
    Object.fromEntries(
      mechanism.joints.map(({ name, coordinateOffset: at, coordinates: { length } }) => [
        name,
        { position: positions.slice(at, at + length), velocity: velocities.slice(at, at + length) },
      ]),
    ),
  );
}
