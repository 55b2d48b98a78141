/**
 * How the bodies of a tree move with their joints' coordinates, from poses alone: no angle is taken only to be turned back into sines.
 * For the far body of a joint, in small displacements (δx, δθ) with δθ in the body's own frame,
 *   far = A near + B θ,      A = [1, −[x_far − x_near]× R_near; 0, R_farᵀ R_near].
 * A coordinate has a spin s and a slide d', seen in the joint's frames in child and parent. B of the child and of the parent:
 *   δθ_b = Q_b s,        δx_b = R_a Q_a d' − R_b (δθ_b × p_b)
 *   δθ_a = −Q_a r s,     δx_a = −R_a Q_a d' − (R_a δθ_a) × (x_b + R_b p_b − x_a)
 * One step earlier the same holds at z₋, with θ₋ = θ − h θ̇ but for rotation vectors.
 */
import {
  add,
  cross,
  div,
  matMul,
  matVec,
  mul,
  neg,
  quaternionConjugate,
  quaternionMultiply,
  rotate,
  rotateInverse,
  rotationMatrix,
  type Scalar,
  sqrt,
  square,
  sub,
  transpose,
  vadd,
  vscale,
  vsub,
} from "../symbolic/index.ts";
import {
  hasAxisOffset,
  type JointFrames,
  type JointType,
  type RelativePose,
  relativePose,
  turningCoordinates,
} from "./jointGeometry.ts";
import type { Pose } from "./pose.ts";
import { crossEntry, rotationVectorRates, rotationVectorSpins } from "./rotationVector.ts";

type Matrix = readonly (readonly Scalar[])[];

const axes = [0, 1, 2] as const;
const unit = (k: number): Scalar[] => axes.map((i) => (i === k ? 1 : 0));
const freeAxes = [[0, 1, 2], [0, 1], [2], []] as const;

/** What moves with one coordinate: a spin in the joint's frame in the child, a slide in its frame in the parent. */
interface Motion {
  readonly spin: readonly Scalar[];
  readonly slide: readonly Scalar[];
}

const still: readonly Scalar[] = [0, 0, 0];

/** The motions of all free coordinates, in their order. */
function motionsOf(type: JointType, { displacement, rotation: r }: RelativePose): Motion[] {
  const slides = freeAxes[type.translation].map((axis): Motion => ({ spin: still, slide: unit(axis) }));
  const spins = spinsOf(type, r).map((spin, i): Motion => {
    // the common perpendicular of two hinges turns with the first
    const slide = hasAxisOffset(type) && i === 0 ? cross(unit(0), displacement) : still;
    return { spin, slide };
  });
  return hasAxisOffset(type) ? spins : [...slides, ...spins];
}

/** 2 vec(r⁻¹ ∂r/∂θ) of the free rotations. */
function spinsOf(type: JointType, r: readonly Scalar[]): (readonly Scalar[])[] {
  if (type.serial) {
    const first = rotateInverse(r, unit(0));
    if (type.rotation === 1) return [first, unit(1)];
    // perpendicular to the first axis and to the last
    const [x, y] = first;
    const over = div(1, sqrt(add(square(x), square(y))));
    const last = unit(2);
    return [first, [neg(mul(over, y)), mul(over, x), 0], type.mirrored ? last.map(neg) : last];
  }
  if (type.rotation === 3) return [];
  if (type.rotation === 2) return [unit(2)];
  const columns = transpose(rotationVectorSpins(r));
  return type.rotation === 1 ? columns.slice(0, 2) : columns;
}

export interface TreeJoint {
  readonly type: JointType;
  readonly frames: JointFrames;
  /** Poses of parent and child. */
  readonly now: readonly Pose[];
  readonly before: readonly Pose[];
  /** Whether the far body is the parent, and whether the near one moves. */
  readonly reversed: boolean;
  readonly nearMoves: boolean;
  readonly h: Scalar;
}

export interface TreeMotion {
  /** A now and one step earlier, 6 × 6; empty where the near body is the world. */
  readonly near: Scalar[][];
  readonly nearBefore: Scalar[][];
  /** B by positions, and one step earlier by positions and by velocities, 6 × coordinates. */
  readonly values: Scalar[][];
  readonly beforeByValues: Scalar[][];
  readonly beforeByRates: Scalar[][];
}

export function treeMotion(joint: TreeJoint): TreeMotion {
  const { type, frames, now, before, reversed, nearMoves, h } = joint;
  const at = (poses: readonly Pose[]) => {
    const relative = relativePose(frames, poses[0], poses[1]);
    const [near, far] = reversed ? [poses[1], poses[0]] : poses;
    const moved = (motion: Motion): Scalar[] => farMotion(frames, relative, poses, reversed, motion);
    return { relative, moved, carried: nearMoves ? carried(near, far) : [] };
  };
  const [here, there] = [at(now), at(before)];
  const motions = motionsOf(type, here.relative);
  const earlier = motionsOf(type, there.relative);
  const back = earlierSpins(type, there.relative.rotation, here.relative.rotation, h);
  const count = motions.length;
  const turning = turningCoordinates(type);
  const columnBefore = (j: number, by: "values" | "rates"): Scalar[] => {
    const k = turning.indexOf(j);
    if (k >= 0) return there.moved({ spin: back[by][k], slide: still });
    const column = there.moved(earlier[j]);
    return by === "values" ? column : column.map((entry) => neg(mul(h, entry)));
  };
  const numbers = Array.from({ length: count }, (_, j) => j);
  return {
    near: here.carried,
    nearBefore: there.carried,
    values: fromColumns(motions.map(here.moved)),
    beforeByValues: fromColumns(numbers.map((j) => columnBefore(j, "values"))),
    beforeByRates: fromColumns(numbers.map((j) => columnBefore(j, "rates"))),
  };
}

/** Six rows, also of no column. */
function fromColumns(columns: Matrix): Scalar[][] {
  return [0, 1, 2, 3, 4, 5].map((i) => columns.map((column) => column[i]));
}

/** A: bodies that move as one. */
function carried(near: Pose, far: Pose): Scalar[][] {
  const [turn, farTurn] = [near, far].map(({ orientation }) => rotationMatrix(orientation));
  const lever = vsub(far.position, near.position);
  const swung = transpose(transpose(turn).map((axis) => cross(axis, lever)));
  const turned = matMul(transpose(farTurn), turn);
  return [...axes.map((i) => [...unit(i), ...swung[i]]), ...axes.map((i) => [0, 0, 0, ...turned[i]])];
}

/** A column of B. */
function farMotion(
  { parentFrame, childFrame, childAnchor }: JointFrames,
  { rotation }: RelativePose,
  [parent, child]: readonly Pose[],
  reversed: boolean,
  { spin, slide }: Motion,
): Scalar[] {
  const [turn, childTurn] = [parent, child].map(({ orientation }) => rotationMatrix(orientation));
  const slid = matVec(turn, matVec(rotationMatrix(parentFrame), slide));
  const arm = matVec(childTurn, childAnchor);
  if (!reversed) {
    const angle = matVec(rotationMatrix(childFrame), spin);
    return [...vsub(slid, cross(matVec(childTurn, angle), arm)), ...angle];
  }
  const angle = matVec(rotationMatrix(parentFrame), rotate(rotation, spin)).map(neg);
  const lever = vsub(vadd(child.position, arm), parent.position);
  return [...vadd(slid, cross(matVec(turn, angle), lever)).map(neg), ...angle];
}

/** (w ± [ψ]×)/h of a turn Δ = (w, ψ): how its rate 2 vec(Δ)/h answers to spins at its end (+), and at its start (−) with a minus. */
function ends(delta: readonly Scalar[], h: Scalar): { byStart: Scalar[][]; byEnd: Scalar[][] } {
  const [w, ...psi] = vscale(delta, div(1, h));
  const entry = (i: number, j: number): Scalar => (i === j ? w : crossEntry(psi, i, j));
  return {
    byStart: axes.map((i) => axes.map((j) => (i === j ? neg(w) : entry(i, j)))),
    byEnd: axes.map((i) => axes.map((j) => entry(i, j))),
  };
}

/** Rows of turning coordinates: as many as are free. */
const freeRows = (type: JointType, matrix: Matrix): Scalar[][] =>
  matrix.slice(0, 3 - type.rotation).map((row) => [...row]);

const isTurning = (type: JointType): boolean => !type.serial && type.rotation < 2;

/**
 * Spins of rotation vectors one step ago, by their rates θ̇ = 2 vec(r₋⁻¹ r)/h: with J = spins by θ and the blocks E₋, E of the rates by both ends,
 *   θ̇ = E₋ J₋ θ₋ + E J θ,   so spins at r₋ are J₋ (E₋ J₋)⁻¹ (θ̇ − E J θ).
 */
function earlierSpins(
  type: JointType,
  before: readonly Scalar[],
  now: readonly Scalar[],
  h: Scalar,
): { readonly values: Scalar[][]; readonly rates: Scalar[][] } {
  if (!isTurning(type)) return { values: [], rates: [] };
  const spins = transpose(spinsOf(type, now));
  const turn = quaternionMultiply(quaternionConjugate(before), now);
  const { byStart, byEnd } = ends(turn, h);
  const spinsBefore = transpose(spinsOf(type, before));
  // of three, J₋ (E₋ J₋)⁻¹ = E₋⁻¹
  const back =
    type.rotation === 0
      ? endInverse(turn, h, -1)
      : matMul(spinsBefore, inverse(freeRows(type, matMul(byStart, spinsBefore))));
  const byValues = matMul(back, freeRows(type, matMul(byEnd, spins)));
  return { values: transpose(byValues).map((column) => column.map(neg)), rates: transpose(back) };
}

/**
 * Rates θ̇₊ = f(θ, θ₊) of the turning coordinates, in their order: df/dθ, and dθ₊/dθ̇₊ = (df/dθ₊)⁻¹. Of all others f = (θ₊ − θ)/h.
 */
export function turningRates(
  type: JointType,
  now: readonly Scalar[],
  next: readonly Scalar[],
  h: Scalar,
): { byValue: Scalar[][]; valueByRate: Scalar[][] } {
  if (!isTurning(type)) return { byValue: [], valueByRate: [] };
  const turn = quaternionMultiply(quaternionConjugate(now), next);
  const { byStart, byEnd } = ends(turn, h);
  return {
    byValue: freeRows(type, matMul(byStart, transpose(spinsOf(type, now)))),
    valueByRate:
      type.rotation === 0
        ? matMul(rotationVectorRates(next), endInverse(turn, h, 1))
        : inverse(freeRows(type, matMul(byEnd, transpose(spinsOf(type, next))))),
  };
}

/** (w ± [ψ]×)⁻¹ = w ∓ [ψ]× + ψψᵀ/w, w² + |ψ|² = 1: the inverse of `byEnd` (1) or of `byStart` (−1), which has a minus. */
function endInverse([w, ...psi]: readonly Scalar[], h: Scalar, end: 1 | -1): Scalar[][] {
  const over = div(1, w);
  return axes.map((i) =>
    axes.map((j) => {
      const turned = i === j ? w : mul(-end, crossEntry(psi, i, j));
      return mul(mul(end, h), add(turned, mul(over, mul(psi[i], psi[j]))));
    }),
  );
}

/** The inverse of a 2 × 2 matrix. */
function inverse([[a, b], [c, d]]: Matrix): Scalar[][] {
  const over = div(1, sub(mul(a, d), mul(b, c)));
  return [
    [d, neg(b)],
    [neg(c), a],
  ].map((row) => row.map((entry) => mul(over, entry)));
}
