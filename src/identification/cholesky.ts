/** Symmetric positive definite matrices, row-major: A = L Lᵀ, and what is solved with it. */

/** Pivots below this part of their diagonal entry are rounding. */
const pivotTolerance = 1e-13;

/** L in the lower triangle, or the row whose pivot vanished. */
export function cholesky(A: Float64Array, n: number): Float64Array | number {
  const L = new Float64Array(n * n);
  for (let j = 0; j < n; j++) {
    let pivot = A[j * n + j];
    for (let k = 0; k < j; k++) pivot -= L[j * n + k] ** 2;
    if (!(pivot > pivotTolerance * A[j * n + j])) return j;
    const root = Math.sqrt(pivot);
    L[j * n + j] = root;
    for (let i = j + 1; i < n; i++) {
      let entry = A[i * n + j];
      for (let k = 0; k < j; k++) entry -= L[i * n + k] * L[j * n + k];
      L[i * n + j] = entry / root;
    }
  }
  return L;
}

/** x of L Lᵀ x = b, in place. */
export function choleskySolve(L: Float64Array, n: number, b: Float64Array): void {
  for (let i = 0; i < n; i++) {
    for (let k = 0; k < i; k++) b[i] -= L[i * n + k] * b[k];
    b[i] /= L[i * n + i];
  }
  for (let i = n - 1; i >= 0; i--) {
    for (let k = i + 1; k < n; k++) b[i] -= L[k * n + i] * b[k];
    b[i] /= L[i * n + i];
  }
}

export function choleskyInverse(L: Float64Array, n: number): Float64Array {
  const inverse = new Float64Array(n * n);
  for (let j = 0; j < n; j++) {
    const column = new Float64Array(n);
    column[j] = 1;
    choleskySolve(L, n, column);
    for (let i = 0; i < n; i++) inverse[i * n + j] = column[i];
  }
  return inverse;
}
