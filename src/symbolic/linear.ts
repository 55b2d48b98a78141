/**
 * Vectors, matrices and quaternions of scalars. Vectors are arrays, matrices arrays of rows, quaternions scalar first.
 *   rotate(q, v) = v + w t + u × t,  t = 2 u × v,  q = (w, u) of unit length, body to world
 */
import { add, mul, neg, sub, sum } from "./arithmetic.ts";
import type { Scalar } from "./expression.ts";

export type ScalarVector = readonly Scalar[];
export type ScalarMatrix = readonly ScalarVector[];

export function vadd(a: ScalarVector, b: ScalarVector): Scalar[] {
  checkLengths("vadd", a, b);
  return a.map((x, i) => add(x, b[i]));
}

export function vsub(a: ScalarVector, b: ScalarVector): Scalar[] {
  checkLengths("vsub", a, b);
  return a.map((x, i) => sub(x, b[i]));
}

export function vscale(a: ScalarVector, factor: Scalar): Scalar[] {
  return a.map((x) => mul(x, factor));
}

export function dot(a: ScalarVector, b: ScalarVector): Scalar {
  checkLengths("dot", a, b);
  const products: Scalar[] = [];
  for (let i = 0; i < a.length; i++) products.push(mul(a[i], b[i]));
  return sum(products);
}

export function cross(a: ScalarVector, b: ScalarVector): Scalar[] {
  return [
    sub(mul(a[1], b[2]), mul(a[2], b[1])),
    sub(mul(a[2], b[0]), mul(a[0], b[2])),
    sub(mul(a[0], b[1]), mul(a[1], b[0])),
  ];
}

export function matVec(m: ScalarMatrix, v: ScalarVector): Scalar[] {
  return m.map((row) => dot(row, v));
}

export function matMul(a: ScalarMatrix, b: ScalarMatrix): Scalar[][] {
  const columns = transpose(b);
  return a.map((row) => columns.map((column) => dot(row, column)));
}

export function transpose(m: ScalarMatrix): Scalar[][] {
  return m.length === 0 ? [] : m[0].map((_, j) => m.map((row) => row[j]));
}

export function identity(n: number): Scalar[][] {
  return Array.from({ length: n }, (_, i) => Array.from({ length: n }, (_, j) => (i === j ? 1 : 0)));
}

/** The Hamilton product p q: first turn by q, then by p. */
export function quaternionMultiply(p: ScalarVector, q: ScalarVector): Scalar[] {
  const [w, ...u] = p;
  const [s, ...v] = q;
  return [sub(mul(w, s), dot(u, v)), ...vadd(vadd(vscale(v, w), vscale(u, s)), cross(u, v))];
}

export function quaternionConjugate(q: ScalarVector): Scalar[] {
  return [q[0], neg(q[1]), neg(q[2]), neg(q[3])];
}

/** v turned by the unit quaternion q: from body to world. */
export function rotate(q: ScalarVector, v: ScalarVector): Scalar[] {
  const [w, ...u] = q;
  const t = vscale(cross(u, v), 2);
  return vadd(vadd(v, vscale(t, w)), cross(u, t));
}

/** v turned by the inverse of the unit quaternion q: from world to body. */
export function rotateInverse(q: ScalarVector, v: ScalarVector): Scalar[] {
  return rotate(quaternionConjugate(q), v);
}

/** The matrix R of the unit quaternion q: R v = rotate(q, v). */
export function rotationMatrix(q: ScalarVector): Scalar[][] {
  const [w, x, y, z] = q;
  const [x2, y2, z2] = [mul(x, 2), mul(y, 2), mul(z, 2)];
  const [xx, yy, zz] = [mul(x, x2), mul(y, y2), mul(z, z2)];
  const [xy, xz, yz] = [mul(x, y2), mul(x, z2), mul(y, z2)];
  const [wx, wy, wz] = [mul(w, x2), mul(w, y2), mul(w, z2)];
  return [
    [sub(1, add(yy, zz)), sub(xy, wz), add(xz, wy)],
    [add(xy, wz), sub(1, add(xx, zz)), sub(yz, wx)],
    [sub(xz, wy), add(yz, wx), sub(1, add(xx, yy))],
  ];
}

function checkLengths(name: string, a: ScalarVector, b: ScalarVector): void {
  if (a.length !== b.length) throw new Error(`${name} of vectors of length ${a.length} and ${b.length}`);
}
