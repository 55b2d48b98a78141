/** Products of small row-major matrices, which lie in a larger array, with parts of vectors. */

/** out[outAt ..] += M v[vAt ..], M being rows × columns from `at` on. */
export function addMatrixInto(
  out: Float64Array,
  outAt: number,
  rows: number,
  matrix: Float64Array,
  at: number,
  v: Float64Array,
  vAt: number,
  columns: number,
): void {
  for (let i = 0; i < rows; i++) {
    let sum = 0;
    for (let j = 0; j < columns; j++) sum += matrix[at + i * columns + j] * v[vAt + j];
    out[outAt + i] += sum;
  }
}

/** out[outAt ..] += Mᵀ v[vAt ..], M being rows × columns from `at` on. */
export function addTransposedInto(
  out: Float64Array,
  outAt: number,
  columns: number,
  matrix: Float64Array,
  at: number,
  v: Float64Array,
  vAt: number,
  rows: number,
): void {
  for (let i = 0; i < rows; i++) {
    const weight = v[vAt + i];
    if (weight === 0) continue;
    for (let j = 0; j < columns; j++) out[outAt + j] += matrix[at + i * columns + j] * weight;
  }
}
