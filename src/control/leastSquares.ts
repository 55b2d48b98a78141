/**
 * Least squares by singular values: x = −A⁺ b, the smallest of all x that minimise ‖A x + b‖. One-sided Jacobi: columns are
 * turned against each other in pairs until all are perpendicular; their lengths are then the singular values. Accurate where
 * forming AᵀA would square the condition.
 */
import { dot } from "../math/index.ts";

const mostSweeps = 60;
/** Singular values below this part of the largest count as zero. */
const rankTolerance = 1e-11;
/** Parts of a length that are rounding. */
const rounding = 1e-15;

/** `columns` of A, each as long as b. */
export function leastSquares(columns: readonly Float64Array[], b: Float64Array): Float64Array {
  const n = columns.length;
  const x = new Float64Array(n);
  if (n <= b.length) {
    // A V = U Σ:   x = −V Σ⁻¹ Uᵀ b
    const { u, v, squares } = turnedColumns(columns);
    squares.forEach((square, j) => {
      if (square > 0) addInto(x, v[j], -dot(u[j], b) / square);
    });
    return x;
  }
  // fewer rows than columns: Aᵀ V = U Σ, and x = −U Σ⁻¹ Vᵀ b
  const rows = Array.from(b, (_, i) => Float64Array.from(columns, (column) => column[i]));
  const { u, v, squares } = turnedColumns(rows);
  squares.forEach((square, j) => {
    if (square > 0) addInto(x, u[j], -dot(v[j], b) / square);
  });
  return x;
}

/** U Σ, V and the squares of the singular values; 0 of those that count as zero. */
function turnedColumns(columns: readonly Float64Array[]): {
  readonly u: Float64Array[];
  readonly v: Float64Array[];
  readonly squares: number[];
} {
  const n = columns.length;
  const u = columns.map((column) => Float64Array.from(column));
  const v = columns.map((_, j) => Float64Array.from({ length: n }, (_, i) => (i === j ? 1 : 0)));
  const lengths = (): number[] => u.map((column) => dot(column, column));
  const nothing = rounding ** 2 * Math.max(0, ...lengths());
  for (let sweep = 0; sweep < mostSweeps; sweep++) {
    let turned = false;
    for (let p = 0; p < n; p++) for (let q = p + 1; q < n; q++) turned = rotate(u, v, p, q, nothing) || turned;
    if (!turned) break;
  }
  const squares = lengths();
  const smallest = rankTolerance ** 2 * Math.max(0, ...squares);
  return { u, v, squares: squares.map((square) => (square > smallest ? square : 0)) };
}

function addInto(out: Float64Array, column: Float64Array, amount: number): void {
  for (let i = 0; i < out.length; i++) out[i] += amount * column[i];
}

/** Turns columns p and q of U = A V until they are perpendicular. Those whose square is `nothing` are left: rounding has no direction. */
function rotate(u: Float64Array[], v: Float64Array[], p: number, q: number, nothing: number): boolean {
  const a = dot(u[p], u[p]);
  const b = dot(u[q], u[q]);
  if (a <= nothing || b <= nothing) return false;
  const c = dot(u[p], u[q]);
  if (Math.abs(c) <= rounding * Math.sqrt(a * b)) return false;
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
