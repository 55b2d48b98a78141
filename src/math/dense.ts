/** Vectors of any length, and symmetric positive definite matrices, row-major: A = L Lᵀ, and what is solved with it. */

/**
 * Puts L into the lower triangle of A. Returns the row whose pivot is no more than rounding, the part `tolerance` of its diagonal entry;
 * −1 where there is none.
 */
export function cholesky(A: Float64Array, n: number, tolerance = 1e-14): number {
  for (let i = 0; i < n; i++) {
    for (let j = 0; j <= i; j++) {
      let sum = A[i * n + j];
      for (let k = 0; k < j; k++) sum -= A[i * n + k] * A[j * n + k];
      if (i === j) {
        if (!(sum > tolerance * Math.abs(A[i * n + i]))) return i;
        A[i * n + i] = Math.sqrt(sum);
      } else A[i * n + j] = sum / A[j * n + j];
    }
  }
  return -1;
}

/** X ← (L Lᵀ)⁻¹ X for X (n × c). */
export function choleskySolve(L: Float64Array, X: Float64Array, n: number, c: number): void {
  for (let i = 0; i < n; i++) {
    for (let k = 0; k < i; k++) {
      const a = L[i * n + k];
      for (let j = 0; j < c; j++) X[i * c + j] -= a * X[k * c + j];
    }
    for (let j = 0; j < c; j++) X[i * c + j] /= L[i * n + i];
  }
  for (let i = n - 1; i >= 0; i--) {
    for (let k = i + 1; k < n; k++) {
      const a = L[k * n + i];
      for (let j = 0; j < c; j++) X[i * c + j] -= a * X[k * c + j];
    }
    for (let j = 0; j < c; j++) X[i * c + j] /= L[i * n + i];
  }
}

/** The product of two vectors of any length. */
export function dot(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i] * b[i];
  return sum;
}
