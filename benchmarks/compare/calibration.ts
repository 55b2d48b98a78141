/**
 * A fixed amount of arithmetic on small arrays, to measure a machine by: eliminations of a 12 × 12 matrix, in JavaScript. It must
 * stay as it is: recorded baselines are multiples of it.
 */
const size = 12;
const repeats = 4000;
const template = Float64Array.from({ length: size * size }, (_, k) => {
  const [i, j] = [Math.floor(k / size), k % size];
  return i === j ? size : 1 / (1 + i + j);
});
const matrix = new Float64Array(size * size);

function eliminate(): number {
  matrix.set(template);
  for (let i = 0; i < size; i++) {
    const inverse = 1 / matrix[i * size + i];
    for (let r = i + 1; r < size; r++) {
      const factor = matrix[r * size + i] * inverse;
      for (let c = i; c < size; c++) matrix[r * size + c] -= factor * matrix[i * size + c];
    }
  }
  return matrix[size * size - 1];
}

export function calibration(): number {
  let sum = 0;
  for (let k = 0; k < repeats; k++) sum += eliminate();
  return sum;
}
