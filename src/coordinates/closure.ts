/**
 * The projection onto loops and gears, made linear about a configuration that satisfies them. The nearest configuration in the
 * metric of the masses solves
 *   min ½ Δᵀ M Δ   with   c(z ⊕ ż ⊕ Δ; θ + θ̇) = 0       (bareStep.ts takes it as a step)
 * 1. ż comes from the coordinates of a tree and so keeps its joints. Of c only what ties them further is left: the rows J ż + c_θ θ̇ of
 *    joints that close loops and of gears. Δ keeps the tree's joints too: it is S w, with S what the coordinates move.
 * 2. With M = L Lᵀ, an orthonormal basis E of Lᵀ S and Eᵀ L⁻¹Jᵀ = Q R this is Δ = − C R⁻ᵀ (J ż + c_θ θ̇), C = L⁻ᵀ E Q.
 * 3. Loops have redundant rows (a planar four-bar three of them): columns of L⁻¹Jᵀ of which the tree's joints and the others leave less
 *    than `rankTolerance` are left out. What remains of their drift would be inconsistent with the loop, and no small motion could close it.
 * 4. The pull is the transpose, step by step.
 */

import { dot, poseSize } from "../math/index.ts";
import { equalityGears, type Mechanism, worldIndex } from "../mechanism/index.ts";
import type { GeometryValues, GeometryVector } from "./geometry.ts";
import { constraintFunction, type PoseFunction, valueFunction } from "./jointFunctions.ts";
import { MassMetric, OrthonormalBasis } from "./massMetric.ts";
import { frameSize } from "./sectionLayout.ts";

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
  /** The rows that count, R as columns, and the columns of C. */
  private rows: Row[] = [];
  private r: Float64Array[] = [];
  private c: Float64Array[] = [];
  /** One number per row. */
  private along = new Float64Array(0);

  constructor(mechanism: Mechanism, values: GeometryValues) {
    this.mechanism = mechanism;
    this.values = values;
  }

  /** `moves` are the columns of S, six entries (δx, δθ) per body. */
  update(moves: readonly Float64Array[], pose: (body: number) => Float64Array): void {
    const { mechanism, values } = this;
    const size = 6 * mechanism.bodies.length;
    const metric = new MassMetric(mechanism.bodies.length, (body) => values.inertia(body));
    const tree = new OrthonormalBasis(rankTolerance);
    for (const move of moves) {
      const weighed = move.slice();
      metric.scaleTransposed(weighed);
      tree.add(weighed);
    }
    const basis = new OrthonormalBasis(rankTolerance);
    this.rows = [];
    this.r = [];
    const b = new Float64Array(size);
    for (const row of rowsOf(mechanism, values, pose)) {
      b.fill(0);
      for (const { at, entries } of row.bodies) b.set(entries, at);
      metric.scaleInverse(b);
      const coefficients = basis.add(tree.along(b), Math.sqrt(dot(b, b)));
      if (!coefficients) continue;
      this.rows.push(row);
      this.r.push(coefficients);
    }
    this.c = basis.vectors.map((q) => {
      const column = tree.sum(q, size);
      metric.scaleInverseTransposed(column);
      return column;
    });
    this.along = new Float64Array(this.rows.length);
  }

  /** Projects a tangent (δx, δθ per body) that the coordinates of the tree have led to, in place. */
  push(tangent: Float64Array, theta?: GeometryVector): void {
    const { rows, r, c, along } = this;
    // w ← R⁻ᵀ (J ż + c_θ θ̇), forward substitution
    for (let k = 0; k < rows.length; k++) {
      let rest = theta ? driftOf(rows[k], theta) : 0;
      for (const { at, entries } of rows[k].bodies) for (let i = 0; i < 6; i++) rest += entries[i] * tangent[at + i];
      for (let i = 0; i < k; i++) rest -= r[k][i] * along[i];
      along[k] = rest / r[k][k];
    }
    for (let k = 0; k < c.length; k++) {
      const column = c[k];
      const amount = along[k];
      if (amount === 0) continue;
      for (let i = 0; i < tangent.length; i++) tangent[i] -= amount * column[i];
    }
  }

  /** Pulls a cotangent back in place, and adds what the drift is due. */
  pull(cotangent: Float64Array, theta?: GeometryVector): void {
    const { rows, r, c, along } = this;
    // w ← −R⁻¹ Cᵀ z̄, back substitution
    for (let k = rows.length - 1; k >= 0; k--) {
      let rest = -dot(c[k], cotangent);
      for (let j = k + 1; j < rows.length; j++) rest -= r[j][k] * along[j];
      along[k] = rest / r[k][k];
    }
    for (let k = 0; k < rows.length; k++) {
      const amount = along[k];
      for (const { at, entries } of rows[k].bodies)
        for (let i = 0; i < 6; i++) cotangent[at + i] += amount * entries[i];
      if (theta) addDriftInto(theta, rows[k], amount);
    }
  }
}

/** What ties the coordinates of the tree: joints that close loops, then the gears. */
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
    const cut = (matrix: Float64Array, columns: number): Float64Array => {
      const entries = matrix.slice(columns * row, columns * row + columns);
      for (let i = 0; i < columns; i++) entries[i] *= factor;
      return entries;
    };
    const bodies = [{ at: 6 * child, entries: cut(parts.byChild, 6) }];
    if (parent !== worldIndex) bodies.push({ at: 6 * parent, entries: cut(parts.byParent, 6) });
    return { bodies, frames: [{ joint: j, entries: cut(parts.byFrame, frameSize) }] };
  };
  const loops = mechanism.loopJoints.flatMap((j) => {
    const joint = mechanism.joints[j];
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
  return [...loops, ...gears];
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
