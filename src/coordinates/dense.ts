/** Products of small row-major matrices with parts of vectors. */

/** out += M v[start .. start + columns). */
export function addMatrixInto(
  out: Float64Array,
  matrix: Float64Array,
  v: Float64Array,
  start: number,
  columns: number,
): void {
  for (let i = 0; i < out.length; i++) {
    let sum = 0;
    for (let j = 0; j < columns; j++) sum += matrix[i * columns + j] * v[start + j];
    out[i] += sum;
  }
}

/** out[start .. start + columns) += Mᵀ v. */
export function addTransposedInto(
  out: Float64Array,
  start: number,
  columns: number,
  matrix: Float64Array,
  v: Float64Array,
): void {
  for (let i = 0; i < v.length; i++) {
    if (v[i] === 0) continue;
    for (let j = 0; j < columns; j++) out[start + j] += matrix[i * columns + j] * v[i];
  }
}
