/**
 * Least squares by singular values: x = −A⁺ b, the smallest of all x that minimise ‖A x + b‖. One-sided Jacobi: columns are
 * turned against each other in pairs until all are perpendicular; their lengths are then the singular values. Accurate where
 * forming AᵀA would square the condition.
 */
import { dot } from "../math/index.ts";

const mostSweeps = 60;
/** Singular values below this part of the largest count as zero. */
const rankTolerance = 1e-11;

/** `columns` of A, each as long as b. */
export function leastSquares(columns: readonly Float64Array[], b: Float64Array): Float64Array {
  const n = columns.length;
  const u = columns.map((column) => Float64Array.from(column));
  const v = columns.map((_, j) => Float64Array.from({ length: n }, (_, i) => (i === j ? 1 : 0)));
  for (let sweep = 0; sweep < mostSweeps; sweep++) {
    let turned = false;
    for (let p = 0; p < n; p++) for (let q = p + 1; q < n; q++) turned = rotate(u, v, p, q) || turned;
    if (!turned) break;
  }
  const squares = u.map((column) => dot(column, column));
  const smallest = rankTolerance ** 2 * Math.max(0, ...squares);
  const x = new Float64Array(n);
  squares.forEach((square, j) => {
    if (square <= smallest) return;
    const along = -dot(u[j], b) / square;
    for (let i = 0; i < n; i++) x[i] += along * v[j][i];
  });
  return x;
}

/** Turns columns p and q of U = A V until they are perpendicular. */
function rotate(u: Float64Array[], v: Float64Array[], p: number, q: number): boolean {
  const [a, b, c] = [dot(u[p], u[p]), dot(u[q], u[q]), dot(u[p], u[q])];
  if (Math.abs(c) <= 1e-15 * Math.sqrt(a * b) || c === 0) return false;
  const zeta = (b - a) / (2 * c);
  const t = (zeta < 0 ? -1 : 1) / (Math.abs(zeta) + Math.sqrt(1 + zeta * zeta));
  const cosine = 1 / Math.sqrt(1 + t * t);
  for (const matrix of [u, v]) {
    const [x, y] = [matrix[p], matrix[q]];
    for (let i = 0; i < x.length; i++) {
      const old = x[i];
      x[i] = cosine * (old - t * y[i]);
      y[i] = cosine * (y[i] + t * old);
    }
  }
  return true;
}
