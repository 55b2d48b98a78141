/** Fourth-order central differences of a vector function of one number. */
export function difference(f: (amount: number) => Float64Array, step: number): Float64Array {
  const [a, b, c, d] = [f(step), f(-step), f(2 * step), f(-2 * step)];
  return a.map((_, i) => (8 * (a[i] - b[i]) - (c[i] - d[i])) / (12 * step));
}

/** max |a − b| / max(1, ‖b‖∞). */
export function relativeError(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let size = 1;
  let worst = 0;
  for (let i = 0; i < b.length; i++) {
    size = Math.max(size, Math.abs(b[i]));
    const gap = Math.abs(a[i] - b[i]);
    if (!(gap <= worst)) worst = gap;
  }
  return worst / size;
}

/** Column j of a row-major matrix. */
export function column(matrix: Float64Array, columns: number, j: number): Float64Array {
  return Float64Array.from({ length: matrix.length / columns }, (_, i) => matrix[i * columns + j]);
}

/** A B, row-major. */
export function product(a: Float64Array, b: Float64Array, inner: number): Float64Array {
  const [rows, columns] = [a.length / inner, b.length / inner];
  const out = new Float64Array(rows * columns);
  for (let i = 0; i < rows; i++)
    for (let k = 0; k < inner; k++)
      for (let j = 0; j < columns; j++) out[i * columns + j] += a[i * inner + k] * b[k * columns + j];
  return out;
}
