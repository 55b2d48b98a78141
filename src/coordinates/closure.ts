/**
 * The projection onto loops and gears, made linear about a configuration that satisfies them. The nearest configuration in the
 * metric of the masses solves
 *   min ½ Δᵀ M Δ   with   c(z ⊕ ż ⊕ Δ; θ + θ̇) = 0       (bareStep.ts takes it as a step)
 * and to first order, J = ∂c/∂z:
 *   ż ← ż − M⁻¹Jᵀ (J M⁻¹ Jᵀ)⁺ (J ż + c_θ θ̇).
 * 1. With M = L Lᵀ and B = L⁻¹Jᵀ this is y ← y − Q Qᵀy − Q R⁻ᵀ (c_θ θ̇) for y = Lᵀż and B = Q R: an orthogonal projection.
 * 2. Loops have redundant rows (a planar four-bar three of them): columns of B that the others span within `rankTolerance`
 *    are left out. What remains of their drift would be inconsistent with the loop, and no small motion could close it.
 * 3. The pull is the transpose, step by step.
 */

import { dot, poseSize } from "../math/index.ts";
import { equalityGears, type Mechanism, worldIndex } from "../mechanism/index.ts";
import type { GeometryValues, GeometryVector } from "./geometry.ts";
import { constraintFunction, type PoseFunction, valueFunction } from "./jointFunctions.ts";
import { frameSize } from "./mapKernels.ts";
import { MassMetric, OrthonormalBasis } from "./massMetric.ts";

/** A column of B that the others leave this part of is redundant. Redundant ones leave 1e-15, the least independent ones seen 1e-4. */
const rankTolerance = 1e-9;

/** One row of J, with what it depends on. */
interface Row {
  /** (first of 6 columns, entries) of each body. */
  readonly bodies: { readonly at: number; readonly entries: Float64Array }[];
  readonly frames: { readonly joint: number; readonly entries: Float64Array }[];
  readonly gear?: { readonly index: number; readonly values: readonly number[] };
}

export class Closure {
  private readonly mechanism: Mechanism;
  private readonly values: GeometryValues;
  private metric: MassMetric | undefined;
  /** The rows that count, their columns of Q, and R as columns. */
  private rows: Row[] = [];
  private q: readonly Float64Array[] = [];
  private r: Float64Array[] = [];

  constructor(mechanism: Mechanism, values: GeometryValues) {
    this.mechanism = mechanism;
    this.values = values;
  }

  update(pose: (body: number) => Float64Array): void {
    const { mechanism, values } = this;
    const count = mechanism.bodies.length;
    const metric = new MassMetric(count, (body) => values.inertia(body));
    const basis = new OrthonormalBasis(rankTolerance);
    this.metric = metric;
    this.rows = [];
    this.r = [];
    for (const row of rowsOf(mechanism, values, pose)) {
      const b = new Float64Array(6 * count);
      for (const { at, entries } of row.bodies) b.set(entries, at);
      metric.scaleInverse(b);
      const coefficients = basis.add(b);
      if (!coefficients) continue;
      this.rows.push(row);
      this.r.push(coefficients);
    }
    this.q = basis.vectors;
  }

  /** Projects a tangent (δx, δθ per body) in place. */
  push(tangent: Float64Array, theta?: GeometryVector): void {
    const { q, r, metric } = this;
    metric?.scaleTransposed(tangent);
    const onto = q.map((column) => dot(column, tangent));
    if (theta) {
      // w ← R⁻ᵀ (c_θ θ̇), forward substitution
      const drift = this.rows.map((row) => driftOf(row, theta));
      drift.forEach((_, k) => {
        for (let i = 0; i < k; i++) drift[k] -= r[k][i] * drift[i];
        drift[k] /= r[k][k];
        onto[k] += drift[k];
      });
    }
    q.forEach((column, k) => {
      for (let i = 0; i < tangent.length; i++) tangent[i] -= onto[k] * column[i];
    });
    metric?.scaleInverseTransposed(tangent);
  }

  /** Pulls a cotangent back in place, and adds what the drift is due. */
  pull(cotangent: Float64Array, theta?: GeometryVector): void {
    const { q, r, metric } = this;
    metric?.scaleInverse(cotangent);
    const onto = q.map((column) => dot(column, cotangent));
    q.forEach((column, k) => {
      for (let i = 0; i < cotangent.length; i++) cotangent[i] -= onto[k] * column[i];
    });
    if (theta) {
      // w ← −R⁻¹ Qᵀ(…), back substitution
      for (let k = onto.length - 1; k >= 0; k--) {
        for (let j = k + 1; j < onto.length; j++) onto[k] -= r[j][k] * onto[j];
        onto[k] /= r[k][k];
      }
      this.rows.forEach((row, k) => {
        addDriftInto(theta, row, -onto[k]);
      });
    }
    metric?.scale(cotangent);
  }
}

/** All constraints: those of every joint, then the gears. */
function rowsOf(mechanism: Mechanism, values: GeometryValues, pose: (body: number) => Float64Array): Row[] {
  const evaluated = (made: PoseFunction, j: number): PoseFunction => {
    const { parent, child } = mechanism.joints[j];
    made.input.set(values.frame(j));
    if (parent !== worldIndex) made.input.set(pose(parent), frameSize);
    made.input.set(pose(child), frameSize + poseSize);
    made.run();
    return made;
  };
  const rowAt = ({ parts }: PoseFunction, j: number, row: number, factor: number): Row => {
    const { parent, child } = mechanism.joints[j];
    const cut = (matrix: Float64Array, columns: number): Float64Array =>
      matrix.slice(columns * row, columns * row + columns).map((entry) => factor * entry);
    const bodies = [{ at: 6 * child, entries: cut(parts.byChild, 6) }];
    if (parent !== worldIndex) bodies.push({ at: 6 * parent, entries: cut(parts.byParent, 6) });
    return { bodies, frames: [{ joint: j, entries: cut(parts.byFrame, frameSize) }] };
  };
  const joints = mechanism.joints.flatMap((joint, j) => {
    const made = evaluated(constraintFunction(joint.shape, joint.parent !== worldIndex), j);
    return Array.from(made.parts.rows, (_, row) => rowAt(made, j, row, 1));
  });
  const gears = equalityGears(mechanism).map(({ terms, index: g }): Row => {
    const angles: number[] = [];
    const parts = terms.map(({ joint: j, coordinate }, t) => {
      const joint = mechanism.joints[j];
      const made = evaluated(valueFunction(joint.shape, joint.parent !== worldIndex), j);
      angles.push(made.parts.rows[coordinate]);
      return rowAt(made, j, coordinate, values.ratio(g, t));
    });
    return {
      bodies: merged(parts.flatMap((part) => part.bodies)),
      frames: parts.flatMap((part) => part.frames),
      gear: { index: g, values: angles },
    };
  });
  return [...joints, ...gears];
}

/** Entries of one body added up. */
function merged(bodies: Row["bodies"]): Row["bodies"] {
  const byPlace = new Map<number, Float64Array>();
  for (const { at, entries } of bodies) {
    const known = byPlace.get(at);
    byPlace.set(at, known ? known.map((entry, i) => entry + entries[i]) : entries);
  }
  return [...byPlace].map(([at, entries]) => ({ at, entries }));
}

/** c_θ θ̇ of one row. */
function driftOf({ frames, gear }: Row, theta: GeometryVector): number {
  let drift = 0;
  for (const { joint, entries } of frames) drift += dot(entries, theta.frame(joint));
  if (gear) {
    gear.values.forEach((value, t) => {
      drift += value * theta.ratio(gear.index, t)[0];
    });
    drift -= theta.offset(gear.index)[0];
  }
  return drift;
}

/** θ̄ += c_θᵀ amount. */
function addDriftInto(theta: GeometryVector, { frames, gear }: Row, amount: number): void {
  for (const { joint, entries } of frames) {
    const target = theta.frame(joint);
    for (let i = 0; i < frameSize; i++) target[i] += amount * entries[i];
  }
  if (!gear) return;
  gear.values.forEach((value, t) => {
    theta.ratio(gear.index, t)[0] += amount * value;
  });
  theta.offset(gear.index)[0] -= amount;
}
