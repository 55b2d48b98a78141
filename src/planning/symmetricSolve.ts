/**
 * The smallest x that comes nearest to H x = b for a symmetric positive semidefinite H, by its eigenvectors (cyclic Jacobi rotations).
 * Eigenvalues below `rankTolerance` of the largest count as zero. H is scaled to a unit diagonal first, so that rows in metres and rows
 * in radians count alike.
 */
const mostSweeps = 50;
const rankTolerance = 1e-10;

export function symmetricSolve(H: Float64Array, b: ArrayLike<number>): Float64Array {
  const n = b.length;
  const scale = Float64Array.from({ length: n }, (_, i) => 1 / Math.sqrt(Math.max(H[i * n + i], Number.MIN_VALUE)));
  const D = H.map((entry, at) => entry * scale[Math.floor(at / n)] * scale[at % n]);
  const V = Float64Array.from({ length: n * n }, (_, at) => (at % (n + 1) === 0 ? 1 : 0));
  for (let sweep = 0; sweep < mostSweeps; sweep++) {
    let turned = false;
    for (let p = 0; p < n; p++) for (let q = p + 1; q < n; q++) turned = rotate(D, V, p, q, n) || turned;
    if (!turned) break;
  }
  let largest = 0;
  for (let i = 0; i < n; i++) largest = Math.max(largest, D[i * n + i]);
  const x = new Float64Array(n);
  for (let j = 0; j < n; j++) {
    const eigenvalue = D[j * n + j];
    if (!(eigenvalue > rankTolerance * largest)) continue;
    let along = 0;
    for (let i = 0; i < n; i++) along += V[i * n + j] * scale[i] * b[i];
    for (let i = 0; i < n; i++) x[i] += (along / eigenvalue) * V[i * n + j] * scale[i];
  }
  return x;
}

/** One rotation that makes entry (p, q) of D zero. */
function rotate(D: Float64Array, V: Float64Array, p: number, q: number, n: number): boolean {
  const off = D[p * n + q];
  if (Math.abs(off) <= 1e-16 * Math.sqrt(Math.abs(D[p * n + p] * D[q * n + q])) || off === 0) return false;
  const zeta = (D[q * n + q] - D[p * n + p]) / (2 * off);
  const t = (zeta < 0 ? -1 : 1) / (Math.abs(zeta) + Math.sqrt(1 + zeta * zeta));
  const c = 1 / Math.sqrt(1 + t * t);
  const s = c * t;
  for (let k = 0; k < n; k++) {
    const [a, b] = [D[k * n + p], D[k * n + q]];
    D[k * n + p] = c * a - s * b;
    D[k * n + q] = s * a + c * b;
  }
  for (let k = 0; k < n; k++) {
    const [a, b] = [D[p * n + k], D[q * n + k]];
    D[p * n + k] = c * a - s * b;
    D[q * n + k] = s * a + c * b;
    const [v, w] = [V[k * n + p], V[k * n + q]];
    V[k * n + p] = c * v - s * w;
    V[k * n + q] = s * v + c * w;
  }
  return true;
}
