/**
 * Differences of minimal states, for tracking, estimation and learning:
 *   x ⊖ reference     x as the nearest of its equivalents to the reference, less the reference
 *   x ⊕ error         x + error, so that (x ⊕ e) ⊖ x = e up to half a turn
 * Angles are equivalent where they differ by whole turns, and so are rotation vectors along themselves: r and r (1 + 2πk/|r|) are one
 * attitude. Rates are the same for all of them. Where turns count, on limits, springs and servos, plain differences are right instead.
 */

import { coordinates, turningCoordinates } from "../equations/index.ts";
import { cached } from "../math/index.ts";
import { ArgumentError, type Mechanism } from "../mechanism/index.ts";

const turn = 2 * Math.PI;
/** A rotation vector shorter than this has no direction of its own. */
const shortest = 1e-12;

/** Indices of all angles, and of the entries of each rotation vector, among the coordinates of a mechanism. */
interface Rotations {
  readonly angles: readonly number[];
  readonly vectors: readonly (readonly number[])[];
}

const known = new WeakMap<object, Rotations>();

function rotationsOf({ tree, joints }: Mechanism): Rotations {
  return cached(known, tree, () => ({
    angles: joints.flatMap(({ shape, coordinateOffset }) =>
      coordinates(shape).flatMap(({ period }, i) => (period > 0 ? [coordinateOffset + i] : [])),
    ),
    vectors: joints
      .map(({ shape, coordinateOffset }) => turningCoordinates(shape).map((i) => coordinateOffset + i))
      .filter(({ length }) => length > 0),
  }));
}

/** x ⊖ reference, into `out` if it is given. */
export function minimalError(
  mechanism: Mechanism,
  reference: Float64Array,
  x: Float64Array,
  out = new Float64Array(x.length),
): Float64Array {
  const size = 2 * mechanism.coordinateCount;
  requireSize("reference", reference, size);
  requireSize("x", x, size);
  requireSize("out", out, size);
  const { angles, vectors } = rotationsOf(mechanism);
  for (let i = 0; i < size; i++) out[i] = x[i] - reference[i];
  for (const i of angles) out[i] -= turn * Math.round(out[i] / turn);
  for (const entries of vectors) {
    let square = 0;
    let along = 0;
    let ofReference = 0;
    for (const i of entries) {
      const own = out[i] + reference[i];
      square += own * own;
      along += own * reference[i];
      ofReference += reference[i] * reference[i];
    }
    const length = Math.sqrt(square);
    // a rotation vector of no length is a whole turn about any axis: the nearest is that of the reference
    const referenceLength = Math.sqrt(ofReference);
    const hasAxis = length > shortest;
    const amount = hasAxis ? along / length - length : referenceLength;
    const turns = turn * Math.round(amount / turn);
    if (turns === 0) continue;
    for (const i of entries)
      out[i] += turns * (hasAxis ? (out[i] + reference[i]) / length : reference[i] / referenceLength);
  }
  return out;
}

/** x ⊕ error, into `out` if it is given, which may be x itself. */
export function addMinimalError(
  mechanism: Mechanism,
  x: Float64Array,
  error: Float64Array,
  out = new Float64Array(x.length),
): Float64Array {
  const size = 2 * mechanism.coordinateCount;
  requireSize("x", x, size);
  requireSize("error", error, size);
  requireSize("out", out, size);
  for (let i = 0; i < size; i++) out[i] = x[i] + error[i];
  return out;
}

function requireSize(path: string, { length }: Float64Array, size: number): void {
  if (length === size) return;
  const message = `has ${length} numbers; give ${size}: ${size / 2} joint positions, then as many velocities`;
  throw new ArgumentError("wrong-size", path, message);
}
