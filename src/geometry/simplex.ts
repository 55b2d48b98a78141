/**
 * The point of a simplex that is nearest to the origin, and the least part of the simplex that holds it.
 *
 * A simplex has up to four *support pairs*: points of the difference b − a of two bodies, each with the points of a and of b that it
 * comes from. One pair is 9 numbers: difference 3, point of a 3, point of b 3.
 */

export const pairSize = 9;

export class Simplex {
  count = 0;
  readonly pairs = new Float64Array(4 * pairSize);
  /** Weights of the corners in the nearest point. */
  readonly weights = new Float64Array(4);
  /** The nearest point. */
  readonly nearest = new Float64Array(3);

  private readonly kept = new Float64Array(4 * pairSize);
  private readonly chosen = new Int32Array(4);
  private readonly trial = new Float64Array(4);
  private readonly trialChosen = new Int32Array(4);

  /** Whether a corner is where the difference `from[at …]` is, to the last bit. */
  has(from: Float64Array, at: number): boolean {
    for (let i = 0; i < this.count * pairSize; i += pairSize) {
      const p = this.pairs;
      if (p[i] === from[at] && p[i + 1] === from[at + 1] && p[i + 2] === from[at + 2]) return true;
    }
    return false;
  }

  push(from: Float64Array, at: number): void {
    const start = this.count++ * pairSize;
    for (let k = 0; k < pairSize; k++) this.pairs[start + k] = from[at + k];
  }

  /** Finds the nearest point and drops the corners that do not hold it. Four corners remain where the origin is inside. */
  reduce(): void {
    const { chosen, weights, kept, pairs } = this;
    let left = 0;
    if (this.count === 1) {
      chosen[0] = 0;
      weights[0] = 1;
      left = 1;
    } else if (this.count === 2) left = this.segment(0, 1, weights, chosen);
    else if (this.count === 3) left = this.triangle(0, 1, 2, weights, chosen);
    else left = this.tetrahedron();

    kept.set(pairs);
    for (let i = 0; i < left; i++) {
      for (let k = 0; k < pairSize; k++) pairs[i * pairSize + k] = kept[chosen[i] * pairSize + k];
    }
    this.count = left;
    this.combine(this.nearest, 0);
  }

  /** Σ weight · corner of the differences (offset 0), of the points of a (3) or of those of b (6). */
  combine(out: Float64Array, offset: number): void {
    for (let k = 0; k < 3; k++) {
      let sum = 0;
      for (let i = 0; i < this.count; i++) sum += this.weights[i] * this.pairs[i * pairSize + offset + k];
      out[k] = sum;
    }
  }

  private segment(i: number, j: number, weights: Float64Array, chosen: Int32Array): number {
    const p = this.pairs;
    const a = i * pairSize;
    const b = j * pairSize;
    const dx = p[b] - p[a];
    const dy = p[b + 1] - p[a + 1];
    const dz = p[b + 2] - p[a + 2];
    const along = -(p[a] * dx + p[a + 1] * dy + p[a + 2] * dz);
    const length = dx * dx + dy * dy + dz * dz;
    if (along <= 0 || !(length > 0)) return one(i, weights, chosen);
    if (along >= length) return one(j, weights, chosen);
    weights[0] = 1 - along / length;
    weights[1] = along / length;
    chosen[0] = i;
    chosen[1] = j;
    return 2;
  }

  /** Finds the nearest point by the regions of the triangle's corners, edges and inside (Ericson, Real-Time Collision Detection, 5.1.5). */
  private triangle(i: number, j: number, k: number, weights: Float64Array, chosen: Int32Array): number {
    const p = this.pairs;
    const a = i * pairSize;
    const b = j * pairSize;
    const c = k * pairSize;
    const abx = p[b] - p[a];
    const aby = p[b + 1] - p[a + 1];
    const abz = p[b + 2] - p[a + 2];
    const acx = p[c] - p[a];
    const acy = p[c + 1] - p[a + 1];
    const acz = p[c + 2] - p[a + 2];
    const d1 = -(abx * p[a] + aby * p[a + 1] + abz * p[a + 2]);
    const d2 = -(acx * p[a] + acy * p[a + 1] + acz * p[a + 2]);
    if (d1 <= 0 && d2 <= 0) return one(i, weights, chosen);
    const d3 = -(abx * p[b] + aby * p[b + 1] + abz * p[b + 2]);
    const d4 = -(acx * p[b] + acy * p[b + 1] + acz * p[b + 2]);
    if (d3 >= 0 && d4 <= d3) return one(j, weights, chosen);
    const d5 = -(abx * p[c] + aby * p[c + 1] + abz * p[c + 2]);
    const d6 = -(acx * p[c] + acy * p[c + 1] + acz * p[c + 2]);
    if (d6 >= 0 && d5 <= d6) return one(k, weights, chosen);
    const vc = d1 * d4 - d3 * d2;
    if (vc <= 0 && d1 >= 0 && d3 <= 0) return this.segment(i, j, weights, chosen);
    const vb = d5 * d2 - d1 * d6;
    if (vb <= 0 && d2 >= 0 && d6 <= 0) return this.segment(i, k, weights, chosen);
    const va = d3 * d6 - d5 * d4;
    if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0) return this.segment(j, k, weights, chosen);
    const sum = va + vb + vc;
    weights[1] = vb / sum;
    weights[2] = vc / sum;
    weights[0] = 1 - weights[1] - weights[2];
    chosen[0] = i;
    chosen[1] = j;
    chosen[2] = k;
    return 3;
  }

  /** The nearest of the faces that the origin is outside of; all four corners where it is outside of none. */
  private tetrahedron(): number {
    const { trial, trialChosen, weights, chosen } = this;
    let best = Number.POSITIVE_INFINITY;
    let left = 0;
    for (let f = 0; f < 4; f++) {
      const [i, j, k, opposite] = faces[f];
      if (!this.isOutside(i, j, k, opposite)) continue;
      const count = this.triangle(i, j, k, trial, trialChosen);
      const square = this.squareOf(count);
      if (square >= best) continue;
      best = square;
      left = count;
      weights.set(trial);
      chosen.set(trialChosen);
    }
    if (left > 0) return left;
    for (let i = 0; i < 4; i++) {
      weights[i] = 0.25;
      chosen[i] = i;
    }
    return 4;
  }

  private squareOf(count: number): number {
    const { pairs, trial, trialChosen } = this;
    let square = 0;
    for (let c = 0; c < 3; c++) {
      let sum = 0;
      for (let i = 0; i < count; i++) sum += trial[i] * pairs[trialChosen[i] * pairSize + c];
      square += sum * sum;
    }
    return square;
  }

  /** Whether the origin and the opposite corner are on different sides of a face, or the tetrahedron is flat. */
  private isOutside(i: number, j: number, k: number, opposite: number): boolean {
    const p = this.pairs;
    const a = i * pairSize;
    const b = j * pairSize;
    const c = k * pairSize;
    const d = opposite * pairSize;
    const ux = p[b] - p[a];
    const uy = p[b + 1] - p[a + 1];
    const uz = p[b + 2] - p[a + 2];
    const vx = p[c] - p[a];
    const vy = p[c + 1] - p[a + 1];
    const vz = p[c + 2] - p[a + 2];
    const nx = uy * vz - uz * vy;
    const ny = uz * vx - ux * vz;
    const nz = ux * vy - uy * vx;
    const origin = -(nx * p[a] + ny * p[a + 1] + nz * p[a + 2]);
    const side = nx * (p[d] - p[a]) + ny * (p[d + 1] - p[a + 1]) + nz * (p[d + 2] - p[a + 2]);
    return !(origin * side > 0);
  }
}

const faces = [
  [0, 1, 2, 3],
  [0, 1, 3, 2],
  [0, 2, 3, 1],
  [1, 2, 3, 0],
] as const;

function one(i: number, weights: Float64Array, chosen: Int32Array): number {
  weights[0] = 1;
  chosen[0] = i;
  return 1;
}
