/**
 * Products and factors of row-major matrices on flat arrays, for the Riccati pass. The inner loops run along rows, four rows of the
 * right factor at a time: a load and a store of the result serve four products.
 */

/** C += Aᵀ B with A (p × r), B (p × c), C (r × c). Where `lower`, r = c and only entries on and below the diagonal are computed. */
export function addTransposedProductInto(
  C: Float64Array,
  A: Float64Array,
  B: Float64Array,
  p: number,
  r: number,
  c: number,
  lower = false,
): void {
  for (let i = 0; i < r; i++) {
    const end = lower ? i + 1 : c;
    const out = i * c;
    let k = 0;
    for (; k + 3 < p; k += 4) {
      const a0 = A[k * r + i];
      const a1 = A[(k + 1) * r + i];
      const a2 = A[(k + 2) * r + i];
      const a3 = A[(k + 3) * r + i];
      const b0 = k * c;
      const b1 = b0 + c;
      const b2 = b1 + c;
      const b3 = b2 + c;
      for (let j = 0; j < end; j++) C[out + j] += a0 * B[b0 + j] + a1 * B[b1 + j] + a2 * B[b2 + j] + a3 * B[b3 + j];
    }
    for (; k < p; k++) {
      const a = A[k * r + i];
      const b = k * c;
      for (let j = 0; j < end; j++) C[out + j] += a * B[b + j];
    }
  }
}

/** C += A B with A (r × p), B (p × c), C (r × c). */
export function addProductInto(
  C: Float64Array,
  A: Float64Array,
  B: Float64Array,
  r: number,
  p: number,
  c: number,
): void {
  for (let i = 0; i < r; i++) {
    const out = i * c;
    const row = i * p;
    let k = 0;
    for (; k + 3 < p; k += 4) {
      const a0 = A[row + k];
      const a1 = A[row + k + 1];
      const a2 = A[row + k + 2];
      const a3 = A[row + k + 3];
      const b0 = k * c;
      const b1 = b0 + c;
      const b2 = b1 + c;
      const b3 = b2 + c;
      for (let j = 0; j < c; j++) C[out + j] += a0 * B[b0 + j] + a1 * B[b1 + j] + a2 * B[b2 + j] + a3 * B[b3 + j];
    }
    for (; k < p; k++) {
      const a = A[row + k];
      const b = k * c;
      for (let j = 0; j < c; j++) C[out + j] += a * B[b + j];
    }
  }
}

/** y += A x with A (r × c). */
export function addTimesInto(y: Float64Array, A: Float64Array, x: Float64Array, r: number, c: number): void {
  for (let i = 0; i < r; i++) {
    let sum = 0;
    for (let j = 0, at = i * c; j < c; j++, at++) sum += A[at] * x[j];
    y[i] += sum;
  }
}

/** y += Aᵀ x with A (r × c). */
export function addTransposedTimesInto(y: Float64Array, A: Float64Array, x: Float64Array, r: number, c: number): void {
  for (let i = 0; i < r; i++) {
    const a = x[i];
    for (let j = 0, at = i * c; j < c; j++, at++) y[j] += A[at] * a;
  }
}

/** Copies the lower triangle of a square matrix to its upper one. */
export function mirrorLower(A: Float64Array, n: number): void {
  for (let i = 0; i < n; i++) for (let j = 0; j < i; j++) A[j * n + i] = A[i * n + j];
}

/** out += AᵀB where that is symmetric (n × n, of `rows` rows each); `work` is room for as much. */
export function addSymmetricProductInto(
  out: Float64Array,
  work: Float64Array,
  A: Float64Array,
  B: Float64Array,
  rows: number,
  n: number,
): void {
  work.fill(0);
  addTransposedProductInto(work, A, B, rows, n, n, true);
  mirrorLower(work, n);
  for (let i = 0; i < work.length; i++) out[i] += work[i];
}
