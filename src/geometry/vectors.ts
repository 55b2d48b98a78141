/** Vectors of three numbers in flat arrays. */

/** Makes n a unit vector square to a unit vector; false where nothing would be left. */
export function squareTo(n: Float64Array, line: Float64Array): boolean {
  const along = dot(n, line);
  for (let k = 0; k < 3; k++) n[k] -= along * line[k];
  const length = Math.sqrt(dot(n, n));
  if (!(length > 1e-3)) return false;
  for (let k = 0; k < 3; k++) n[k] /= length;
  return true;
}

export function dot(a: Float64Array, b: Float64Array): number {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

export function crossInto(out: Float64Array, a: Float64Array, b: Float64Array): void {
  const x = a[1] * b[2] - a[2] * b[1];
  const y = a[2] * b[0] - a[0] * b[2];
  out[2] = a[0] * b[1] - a[1] * b[0];
  out[0] = x;
  out[1] = y;
}

/** A unit vector square to n, from the axis that n is farthest from. */
export function anySquare(out: Float64Array, n: Float64Array): void {
  const x = Math.abs(n[0]);
  const y = Math.abs(n[1]);
  const z = Math.abs(n[2]);
  if (x <= y && x <= z) {
    const length = Math.sqrt(n[1] * n[1] + n[2] * n[2]);
    out[0] = 0;
    out[1] = n[2] / length;
    out[2] = -n[1] / length;
  } else if (y <= z) {
    const length = Math.sqrt(n[0] * n[0] + n[2] * n[2]);
    out[0] = -n[2] / length;
    out[1] = 0;
    out[2] = n[0] / length;
  } else {
    const length = Math.sqrt(n[0] * n[0] + n[1] * n[1]);
    out[0] = n[1] / length;
    out[1] = -n[0] / length;
    out[2] = 0;
  }
}
