/**
 * What constraints leave of forces on bodies. Forces act by the power that they have on motions which the constraints allow: of motions
 * t of all bodies (twists, six numbers each) those with Cᵀt = 0 for the columns C of all constraint impulses. With orthonormal
 * motions G = Lᵀ T in the metric of the masses M = L Lᵀ, a force p is worth
 *   Gᵀ L⁻¹ p,
 * one number per free coordinate, whose length is that of the accelerations it causes in that metric.
 *
 * A joint of the tree says how the body below it moves. Its columns have a part c on that body and a part p on the one above:
 *   cᵢ·t + pᵢ·t_above = 0.   With c = Q R:   t = −Σ qⱼ (p̂ⱼ·t_above) + Σ nₗ θ̇ₗ,   p̂ = p R⁻¹,   n what Q leaves of the six directions.
 * So T is built from the root to the leaves. What closes loops, gears, and a joint's column whose part c the others span are taken out
 * of the worths afterwards.
 */
import { type MassMetric, OrthonormalBasis } from "../coordinates/index.ts";
import { dot } from "../math/index.ts";
import { type Mechanism, worldIndex } from "../mechanism/index.ts";

/** Columns that the others leave this part of are spanned by them. */
const rankTolerance = 1e-9;
/** Motions are never spanned by others, but for rounding. */
const rounding = 1e-14;
const twistSize = 6;

export class FreeMotions {
  private readonly metric: MassMetric;
  private readonly size: number;
  /** G, motion by motion. */
  private readonly basis = new OrthonormalBasis(rounding);
  /** What loops and gears bear, in worths. */
  private readonly ties = new OrthonormalBasis(rankTolerance);

  /** `columnsOf` has the columns of a joint's constraints on all bodies, `others` those of gears. */
  constructor(
    mechanism: Mechanism,
    metric: MassMetric,
    columnsOf: (joint: number) => readonly Float64Array[],
    others: readonly Float64Array[],
  ) {
    this.metric = metric;
    this.size = twistSize * mechanism.bodies.length;
    const { motions, left } = treeMotions(mechanism, columnsOf);
    for (const motion of motions) {
      metric.scaleTransposed(motion);
      this.basis.add(motion);
    }
    for (const column of [...left, ...mechanism.loopJoints.flatMap(columnsOf), ...others]) {
      const { worth, length } = this.worthWithin(column);
      this.ties.add(worth, length);
    }
  }

  /** The worth of forces on all bodies. */
  worthOf(force: Float64Array): Float64Array {
    const { worth } = this.worthWithin(force);
    this.ties.reject(worth);
    return worth;
  }

  /** The force that no constraint takes a part of, with this worth. */
  forceOf(worth: Float64Array): Float64Array {
    const force = this.basis.sum(worth, this.size);
    this.metric.scale(force);
    return force;
  }

  /** The worth on what the tree leaves free, and the weighed length of the whole force. */
  private worthWithin(force: Float64Array): { readonly worth: Float64Array; readonly length: number } {
    const weighed = force.slice();
    this.metric.scaleInverse(weighed);
    return { worth: this.basis.along(weighed), length: Math.sqrt(dot(weighed, weighed)) };
  }
}

/** T, and the columns that say nothing of the body below their joint. */
function treeMotions(
  { bodies, joints, tree }: Mechanism,
  columnsOf: (joint: number) => readonly Float64Array[],
): { readonly motions: readonly Float64Array[]; readonly left: readonly Float64Array[] } {
  const size = twistSize * bodies.length;
  const motions: Float64Array[] = [];
  const left: Float64Array[] = [];
  for (const { joint, reversed } of tree) {
    const { parent, child } = joints[joint];
    const [above, below] = reversed ? [child, parent] : [parent, child];
    const at = twistSize * below;
    const part = (column: Float64Array, body: number): Float64Array =>
      body === worldIndex ? new Float64Array(twistSize) : column.slice(twistSize * body, twistSize * (body + 1));
    // c = Q R, and p̂ along with it
    const directions = new OrthonormalBasis(rankTolerance);
    const onAbove: Float64Array[] = [];
    for (const column of columnsOf(joint)) {
      const coefficients = directions.add(part(column, below));
      if (!coefficients) {
        left.push(column);
        continue;
      }
      const p = part(column, above);
      onAbove.forEach((other, j) => {
        for (let i = 0; i < twistSize; i++) p[i] -= coefficients[j] * other[i];
      });
      const last = coefficients[onAbove.length];
      onAbove.push(p.map((entry) => entry / last));
    }
    // carried along by the body above
    if (above !== worldIndex) {
      for (const motion of motions) {
        const twist = motion.subarray(twistSize * above, twistSize * (above + 1));
        directions.vectors.forEach((q, j) => {
          const amount = -dot(onAbove[j], twist);
          if (amount !== 0) for (let i = 0; i < twistSize; i++) motion[at + i] += amount * q[i];
        });
      }
    }
    // and by itself
    for (const direction of complement(directions.vectors)) {
      const motion = new Float64Array(size);
      motion.set(direction, at);
      motions.push(motion);
    }
  }
  return { motions, left };
}

/** Orthonormal directions that complete these to all six: what is left of an axis the most of comes first. */
function complement(given: readonly Float64Array[]): Float64Array[] {
  const basis = new OrthonormalBasis(0);
  for (const vector of given) basis.add(vector);
  const found: Float64Array[] = [];
  while (basis.vectors.length < twistSize) {
    let most = new Float64Array(twistSize);
    for (let axis = 0; axis < twistSize; axis++) {
      const rest = new Float64Array(twistSize);
      rest[axis] = 1;
      basis.reject(rest);
      if (dot(rest, rest) > dot(most, most)) most = rest;
    }
    basis.add(most);
    found.push(basis.vectors[basis.vectors.length - 1]);
  }
  return found;
}
