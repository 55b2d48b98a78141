/**
 * Unit quaternions as readonly tuples (w, x, y, z): scalar first, mapping body to world, q ⊗ p applies p first.
 *   rotate(q, v) = vector part of q ⊗ (0, v) ⊗ q*
 *
 * For set-up code only. `Math.sin`, `cos` and `atan2` may differ in the last bit between engines, so these functions
 * must not be used inside a step, whose results are bit-identical everywhere.
 */
import { add, cross, type Matrix3, norm, perpendicularBasis, scale, type Vector3 } from "./vector.ts";

export type Quaternion = readonly [number, number, number, number];

export const identity: Quaternion = [1, 0, 0, 0];

export function multiply(a: Quaternion, b: Quaternion): Quaternion {
  return [
    a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
    a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
    a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
    a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
  ];
}

/** The inverse of a unit quaternion. */
export function conjugate(q: Quaternion): Quaternion {
  return [q[0], -q[1], -q[2], -q[3]];
}

/** q / |q|; throws on one that has no direction. */
export function normalize(q: Quaternion): Quaternion {
  const length = norm(q);
  if (!(length > 0 && length < Number.POSITIVE_INFINITY)) {
    throw new RangeError(`[${q.join(", ")}] is no rotation: a quaternion must be finite and not zero`);
  }
  return [q[0] / length, q[1] / length, q[2] / length, q[3] / length];
}

/** Body vector to world: v + 2w (u × v) + 2 u × (u × v), with q = (w, u). */
export function rotate(q: Quaternion, v: Vector3): Vector3 {
  const u: Vector3 = [q[1], q[2], q[3]];
  const t = scale(cross(u, v), 2);
  return add(add(v, scale(t, q[0])), cross(u, t));
}

/** World vector to body. */
export function rotateInverse(q: Quaternion, v: Vector3): Vector3 {
  return rotate(conjugate(q), v);
}

/** Turn by `angle` about a unit axis. */
export function fromAxisAngle(axis: Vector3, angle: number): Quaternion {
  const s = Math.sin(angle / 2);
  return [Math.cos(angle / 2), axis[0] * s, axis[1] * s, axis[2] * s];
}

/** Turn by |r| about r. */
export function fromRotationVector(r: Vector3): Quaternion {
  const angle = norm(r);
  // sin(x)/x to rounding below 1e-8, where the quotient would be 0/0 in the end
  const s = angle < 1e-8 ? 0.5 : Math.sin(angle / 2) / angle;
  return [Math.cos(angle / 2), r[0] * s, r[1] * s, r[2] * s];
}

/** The shortest rotation vector of q, of length at most π: q and −q give the same one. */
export function toRotationVector(q: Quaternion): Vector3 {
  const sign = q[0] < 0 ? -1 : 1;
  const u: Vector3 = [sign * q[1], sign * q[2], sign * q[3]];
  const s = norm(u);
  const factor = s < 1e-8 ? 2 : (2 * Math.atan2(s, sign * q[0])) / s;
  return scale(u, factor);
}

/** The shortest rotation that takes the direction of a to the direction of b; a half turn about any perpendicular if opposite. */
export function betweenVectors(a: Vector3, b: Vector3): Quaternion {
  const from = scale(a, 1 / norm(a));
  const to = scale(b, 1 / norm(b));
  const half = add(from, to);
  const length = norm(half);
  // below this the half-way vector is rounding noise
  if (length < 1e-12) {
    const [axis] = perpendicularBasis(from);
    return [0, axis[0], axis[1], axis[2]];
  }
  // |a + b| = 2 cos θ/2 and |a × b| = sin θ: no acos, so accurate up to nearly opposite vectors
  const u = scale(cross(from, to), 1 / length);
  return normalize([length / 2, u[0], u[1], u[2]]);
}

/** Rows of the rotation matrix R with R v = rotate(q, v). */
export function toMatrix(q: Quaternion): Matrix3 {
  const [w, x, y, z] = q;
  return [
    [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
    [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
    [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
  ];
}

/** The quaternion with w ≥ 0 of a rotation matrix, built from its largest entry so that no digits cancel. */
export function fromMatrix(m: Matrix3): Quaternion {
  const [[xx, xy, xz], [yx, yy, yz], [zx, zy, zz]] = m;
  // four times the square of each entry, at least one of which is ≥ 1
  const squares = [1 + xx + yy + zz, 1 + xx - yy - zz, 1 - xx + yy - zz, 1 - xx - yy + zz];
  const largest = squares.indexOf(Math.max(...squares));
  const columns: readonly Quaternion[] = [
    [squares[0], zy - yz, xz - zx, yx - xy],
    [zy - yz, squares[1], xy + yx, xz + zx],
    [xz - zx, xy + yx, squares[2], yz + zy],
    [yx - xy, xz + zx, yz + zy, squares[3]],
  ];
  const q = normalize(columns[largest]);
  return q[0] < 0 ? [-q[0], -q[1], -q[2], -q[3]] : q;
}
