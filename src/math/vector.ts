/**
 * Vectors of three numbers, as readonly tuples. For set-up code (descriptions, importers, tests): every function
 * returns a new tuple, so none of this belongs inside a step.
 *
 * Lengths are square roots of sums, not `Math.hypot`, whose last bit differs between engines.
 */
export type Vector3 = readonly [number, number, number];
/** Rows. */
export type Matrix3 = readonly [Vector3, Vector3, Vector3];

export const zero: Vector3 = [0, 0, 0];
export const unitX: Vector3 = [1, 0, 0];
export const unitY: Vector3 = [0, 1, 0];
export const unitZ: Vector3 = [0, 0, 1];

export function add(a: Vector3, b: Vector3): Vector3 {
  return [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
}

export function sub(a: Vector3, b: Vector3): Vector3 {
  return [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
}

export function scale(a: Vector3, factor: number): Vector3 {
  return [a[0] * factor, a[1] * factor, a[2] * factor];
}

export function dot(a: Vector3, b: Vector3): number {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

export function cross(a: Vector3, b: Vector3): Vector3 {
  return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
}

/** Length of a vector of any size. Scaled by its largest entry, so that nothing overflows on the way. */
export function norm(a: readonly number[]): number {
  let largest = 0;
  for (let i = 0; i < a.length; i++) {
    const size = Math.abs(a[i]);
    // a NaN must come out as NaN: the comparison alone would skip it
    if (size > largest || Number.isNaN(size)) largest = size;
    if (Number.isNaN(largest)) return Number.NaN;
  }
  if (largest === 0 || largest === Number.POSITIVE_INFINITY) return largest;
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += (a[i] / largest) ** 2;
  return largest * Math.sqrt(sum);
}

/** a / |a|; throws on a vector that has no direction. */
export function normalize(a: Vector3): Vector3 {
  const length = norm(a);
  if (!(length > 0 && length < Number.POSITIVE_INFINITY)) {
    throw new RangeError(`[${a.join(", ")}] has no direction: a vector to normalise must be finite and not zero`);
  }
  return [a[0] / length, a[1] / length, a[2] / length];
}

/**
 * Two unit vectors that make a right-handed frame (first, second, axis) with a unit axis. The axes of the frame
 * itself give its other two in cyclic order: z → (x, y), x → (y, z), y → (z, x).
 */
export function perpendicularBasis(axis: Vector3): readonly [Vector3, Vector3] {
  // start from the unit vector after the axis's largest entry: at least 45° away from it
  const sizes = axis.map(Math.abs);
  const largest = sizes[2] >= sizes[0] && sizes[2] >= sizes[1] ? 2 : sizes[1] >= sizes[0] ? 1 : 0;
  const start = [unitY, unitZ, unitX][largest];
  const first = normalize(sub(start, scale(axis, dot(start, axis))));
  return [first, cross(axis, first)];
}
