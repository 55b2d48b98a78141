/**
 * 3 × 3 matrices as rows of readonly tuples, and what inertias need of them: principal moments, and the change of
 * frame. For set-up code; every function returns new tuples.
 */
import { type Quaternion, toMatrix } from "./quaternion.ts";
import { cross, dot, type Matrix3, norm, scale, type Vector3 } from "./vector.ts";

export const identity: Matrix3 = diagonal(1, 1, 1);

export function diagonal(x: number, y: number, z: number): Matrix3 {
  return [
    [x, 0, 0],
    [0, y, 0],
    [0, 0, z],
  ];
}

export function transpose(m: Matrix3): Matrix3 {
  return [column(m, 0), column(m, 1), column(m, 2)];
}

export function column(m: Matrix3, j: 0 | 1 | 2): Vector3 {
  return [m[0][j], m[1][j], m[2][j]];
}

export function multiply(a: Matrix3, b: Matrix3): Matrix3 {
  const row = (r: Vector3): Vector3 => [dot(r, column(b, 0)), dot(r, column(b, 1)), dot(r, column(b, 2))];
  return [row(a[0]), row(a[1]), row(a[2])];
}

export function add(a: Matrix3, b: Matrix3): Matrix3 {
  return mapEntries((i, j) => a[i][j] + b[i][j]);
}

export function transform(m: Matrix3, v: Vector3): Vector3 {
  return [dot(m[0], v), dot(m[1], v), dot(m[2], v)];
}

/** R I Rᵀ: an inertia given in a frame that q turns, seen from outside. Symmetric to the last bit. */
export function rotateInertia(inertia: Matrix3, q: Quaternion): Matrix3 {
  const r = toMatrix(q);
  const turned = multiply(multiply(r, inertia), transpose(r));
  return mapEntries((i, j) => (turned[i][j] + turned[j][i]) / 2);
}

/** I + m (|d|² 1 − d dᵀ): from the centre of mass to a point at distance d (Steiner). */
export function parallelAxis(inertia: Matrix3, mass: number, d: Vector3): Matrix3 {
  const square = dot(d, d);
  return mapEntries((i, j) => inertia[i][j] + mass * ((i === j ? square : 0) - d[i] * d[j]));
}

/** Eigenvalues of a symmetric matrix, smallest first. */
export function symmetricEigenvalues(m: Matrix3): Vector3 {
  return symmetricEigen(m).values;
}

/**
 * Eigenvalues, smallest first, and the unit eigenvectors that belong to them as the columns of a rotation.
 * Jacobi's method: turn the plane of each off-diagonal entry in turn so that the entry vanishes,
 *   θ = (a_qq − a_pp) / 2a_pq    t = sign(θ) / (|θ| + √(θ² + 1))    c = 1/√(t² + 1)    s = t c.
 * It finds small eigenvalues to high relative accuracy, and uses nothing but + − × / √. A matrix with entries that are
 * not finite gives NaN.
 */
export function symmetricEigen(m: Matrix3): { readonly values: Vector3; readonly vectors: Matrix3 } {
  const a = m.map((row) => [...row]);
  const v = identity.map((row) => [...row]);
  const size = norm([...m[0], ...m[1], ...m[2]]);
  // sweeps converge quadratically: five reach rounding, twelve are never needed
  for (let sweep = 0; sweep < 12; sweep++) {
    const offDiagonal = Math.abs(a[0][1]) + Math.abs(a[0][2]) + Math.abs(a[1][2]);
    if (offDiagonal <= 1e-18 * size) break;
    eliminateEntry(a, v, 0, 1);
    eliminateEntry(a, v, 0, 2);
    eliminateEntry(a, v, 1, 2);
  }

  // sort, keeping the columns right-handed
  const order = [0, 1, 2].sort((i, j) => a[i][i] - a[j][j]);
  const even = order[1] === (order[0] + 1) % 3;
  const signs = [1, 1, even ? 1 : -1];
  return {
    values: [a[order[0]][order[0]], a[order[1]][order[1]], a[order[2]][order[2]]],
    vectors: mapEntries((i, j) => signs[j] * v[i][order[j]]),
  };
}

/** One Jacobi rotation of a (and of the eigenvector columns v) that makes a[p][q] zero. */
function eliminateEntry(a: number[][], v: number[][], p: number, q: number): void {
  if (a[p][q] === 0) return;
  const theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
  const t = (theta < 0 ? -1 : 1) / (Math.abs(theta) + Math.sqrt(theta * theta + 1));
  const c = 1 / Math.sqrt(t * t + 1);
  const s = t * c;
  const apq = a[p][q];
  a[p][p] -= t * apq;
  a[q][q] += t * apq;
  a[p][q] = 0;
  a[q][p] = 0;
  const r = 3 - p - q;
  const arp = a[r][p];
  const arq = a[r][q];
  a[r][p] = a[p][r] = c * arp - s * arq;
  a[r][q] = a[q][r] = s * arp + c * arq;
  for (const row of v) {
    const rp = row[p];
    const rq = row[q];
    row[p] = c * rp - s * rq;
    row[q] = s * rp + c * rq;
  }
}

type Index3 = 0 | 1 | 2;

function mapEntries(entry: (i: Index3, j: Index3) => number): Matrix3 {
  const row = (i: Index3): Vector3 => [entry(i, 0), entry(i, 1), entry(i, 2)];
  return [row(0), row(1), row(2)];
}

/** Inverse by cofactors; entries are not finite when the matrix is singular. */
export function inverse(m: Matrix3): Matrix3 {
  const [r0, r1, r2] = m;
  const c0 = cross(r1, r2);
  const c1 = cross(r2, r0);
  const c2 = cross(r0, r1);
  const d = 1 / dot(r0, c0);
  return transpose([scale(c0, d), scale(c1, d), scale(c2, d)]);
}
