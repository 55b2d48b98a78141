/** Dense square matrices by rows, as far as condition numbers need them. */

export interface Dense {
  readonly size: number;
  readonly entries: Float64Array;
}

/**
 * Rows and columns scaled in turns until their Euclidean norms are about 1 (Ruiz's equilibration):
 *   entries = diag(rows)⁻¹ · given · diag(columns)⁻¹
 */
export function equilibrated({
  size: n,
  entries: given,
}: Dense): Dense & { rows: Float64Array; columns: Float64Array } {
  const rounds = 10;
  const entries = Float64Array.from(given);
  const [rows, columns] = [new Float64Array(n).fill(1), new Float64Array(n).fill(1)];
  for (let round = 0; round < rounds; round++) {
    const [rowSums, columnSums] = [new Float64Array(n), new Float64Array(n)];
    for (let i = 0, at = 0; i < n; i++) {
      for (let j = 0; j < n; j++, at++) {
        const square = entries[at] * entries[at];
        rowSums[i] += square;
        columnSums[j] += square;
      }
    }
    const [rowScale, columnScale] = [rowSums, columnSums].map((sums) => sums.map((sum) => sum ** 0.25));
    for (let i = 0, at = 0; i < n; i++) {
      rows[i] *= rowScale[i];
      columns[i] *= columnScale[i];
      for (let j = 0; j < n; j++, at++) entries[at] /= rowScale[i] * columnScale[j];
    }
  }
  return { size: n, entries, rows, columns };
}

/** The inverse by Gauss and Jordan, with the largest pivot of each column. */
export function inverse({ size: n, entries: given }: Dense): Dense {
  const entries = Float64Array.from(given);
  const swaps: number[] = [];
  const row = (i: number): Float64Array => entries.subarray(n * i, n * i + n);
  for (let k = 0; k < n; k++) {
    let pivot = k;
    for (let i = k + 1; i < n; i++) if (Math.abs(entries[n * i + k]) > Math.abs(entries[n * pivot + k])) pivot = i;
    swaps.push(pivot);
    if (pivot !== k) {
      const kept = row(k).slice();
      row(k).set(row(pivot));
      row(pivot).set(kept);
    }
    const own = row(k);
    const scale = 1 / own[k];
    own[k] = 1;
    for (let j = 0; j < n; j++) own[j] *= scale;
    for (let i = 0; i < n; i++) {
      const other = row(i);
      const factor = other[k];
      if (i === k || factor === 0) continue;
      other[k] = 0;
      for (let j = 0; j < n; j++) other[j] -= factor * own[j];
    }
  }
  // columns in the opposite order of the rows that were exchanged
  for (let k = n - 1; k >= 0; k--) {
    for (let i = 0; swaps[k] !== k && i < n; i++) {
      const at = n * i;
      [entries[at + k], entries[at + swaps[k]]] = [entries[at + swaps[k]], entries[at + k]];
    }
  }
  return { size: n, entries };
}

export function times({ size: n, entries }: Dense, vector: Float64Array): Float64Array {
  const out = new Float64Array(n);
  for (let i = 0, at = 0; i < n; i++) {
    let sum = 0;
    for (let j = 0; j < n; j++, at++) sum += entries[at] * vector[j];
    out[i] = sum;
  }
  return out;
}

export function transposedTimes({ size: n, entries }: Dense, vector: Float64Array): Float64Array {
  const out = new Float64Array(n);
  for (let i = 0, at = 0; i < n; i++) {
    const factor = vector[i];
    for (let j = 0; j < n; j++, at++) out[j] += factor * entries[at];
  }
  return out;
}

const mostRounds = 60;
const accuracy = 1e-3;

/** Spectral radius of a map with nonnegative entries, or of a positive semidefinite one, by powers. */
export function spectralRadius(size: number, map: (vector: Float64Array) => Float64Array): number {
  let vector: Float64Array = Float64Array.from({ length: size }, (_, i) => 1 + ((i * 7) % 5));
  let radius = 0;
  for (let round = 0; round < mostRounds; round++) {
    const norm = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
    const next = map(vector.map((value) => value / norm));
    const before = radius;
    radius = Math.sqrt(next.reduce((sum, value) => sum + value * value, 0));
    if (Math.abs(radius - before) < accuracy * radius) break;
    vector = next;
  }
  return radius;
}
