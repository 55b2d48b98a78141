/** M = L Lᵀ of all bodies, six rows per body (δx, δθ), and products with L. */
import { dot } from "../math/index.ts";

/** Numbers of a body's factor: √m, then the lower triangle of the inertia's factor: xx, yx, yy, zx, zy, zz. */
const factorSize = 7;

export class MassMetric {
  private readonly factors: Float64Array;

  /** `inertia` of a body: mass; xx, yy, zz, xy, xz, yz. */
  constructor(bodies: number, inertia: (body: number) => ArrayLike<number>) {
    this.factors = new Float64Array(factorSize * bodies);
    for (let i = 0; i < bodies; i++) this.factors.set(factorOf(inertia(i)), factorSize * i);
  }

  /** v ← L v. */
  scale(v: Float64Array): void {
    const { factors: l } = this;
    for (let f = 0, at = 0; f < l.length; f += factorSize, at += 6) {
      for (let k = 0; k < 3; k++) v[at + k] *= l[f];
      const x = v[at + 3];
      const y = v[at + 4];
      v[at + 3] = l[f + 1] * x;
      v[at + 4] = l[f + 2] * x + l[f + 3] * y;
      v[at + 5] = l[f + 4] * x + l[f + 5] * y + l[f + 6] * v[at + 5];
    }
  }

  /** v ← L⁻¹ v. */
  scaleInverse(v: Float64Array): void {
    const { factors: l } = this;
    for (let f = 0, at = 0; f < l.length; f += factorSize, at += 6) {
      for (let k = 0; k < 3; k++) v[at + k] /= l[f];
      v[at + 3] /= l[f + 1];
      v[at + 4] = (v[at + 4] - l[f + 2] * v[at + 3]) / l[f + 3];
      v[at + 5] = (v[at + 5] - l[f + 4] * v[at + 3] - l[f + 5] * v[at + 4]) / l[f + 6];
    }
  }

  /** v ← Lᵀ v. */
  scaleTransposed(v: Float64Array): void {
    const { factors: l } = this;
    for (let f = 0, at = 0; f < l.length; f += factorSize, at += 6) {
      for (let k = 0; k < 3; k++) v[at + k] *= l[f];
      const y = v[at + 4];
      const z = v[at + 5];
      v[at + 3] = l[f + 1] * v[at + 3] + l[f + 2] * y + l[f + 4] * z;
      v[at + 4] = l[f + 3] * y + l[f + 5] * z;
      v[at + 5] = l[f + 6] * z;
    }
  }

  /** v ← L⁻ᵀ v. */
  scaleInverseTransposed(v: Float64Array): void {
    const { factors: l } = this;
    for (let f = 0, at = 0; f < l.length; f += factorSize, at += 6) {
      for (let k = 0; k < 3; k++) v[at + k] /= l[f];
      v[at + 5] /= l[f + 6];
      v[at + 4] = (v[at + 4] - l[f + 5] * v[at + 5]) / l[f + 3];
      v[at + 3] = (v[at + 3] - l[f + 2] * v[at + 4] - l[f + 4] * v[at + 5]) / l[f + 1];
    }
  }
}

function factorOf(entries: ArrayLike<number>): number[] {
  const [mass, xx, yy, zz, xy, xz, yz] = Array.from(entries);
  const a = Math.sqrt(xx);
  const b = xy / a;
  const d = xz / a;
  const c = Math.sqrt(yy - b * b);
  const e = (yz - d * b) / c;
  return [Math.sqrt(mass), a, b, c, d, e, Math.sqrt(zz - d * d - e * e)];
}

/**
 * Perpendicular unit vectors, one after another; what the others leave less than `rankTolerance` of is left out. Zeros are passed over where
 * a vector begins and ends, and blocks of zeros between: constraints of a robot's arm have none of its legs. That changes no bits.
 */
export class OrthonormalBasis {
  readonly vectors: Float64Array[] = [];
  /** Where what is not zero begins and ends in each vector, in turns. */
  private readonly spans: Int32Array[] = [];
  private readonly rankTolerance: number;

  constructor(rankTolerance: number) {
    this.rankTolerance = rankTolerance;
  }

  /**
   * Adds the part of v that is new; its coefficients on the vectors, the new one last, or undefined if there is no such part. `length` is
   * what its size is measured by: default that of v.
   */
  add(v: Float64Array, length = Math.sqrt(dot(v, v))): Float64Array | undefined {
    const rest = v.slice();
    const coefficients = new Float64Array(this.vectors.length + 1);
    coefficients.set(this.reject(rest));
    const left = Math.sqrt(dot(rest, rest));
    if (!(left > this.rankTolerance * length)) return undefined;
    coefficients[this.vectors.length] = left;
    for (let i = 0; i < rest.length; i++) rest[i] /= left;
    this.vectors.push(rest);
    this.spans.push(spansOf(rest));
    return coefficients;
  }

  /** How far v goes along each of the vectors. */
  along(v: Float64Array): Float64Array {
    const along = new Float64Array(this.vectors.length);
    const spans = spansOf(v);
    for (let k = 0; k < along.length; k++) along[k] = sumOver(spans, this.vectors[k], v);
    return along;
  }

  /** The sum of the vectors, each so many times; it has `size` entries. */
  sum(amounts: Float64Array, size: number): Float64Array {
    const sum = new Float64Array(size);
    for (let k = 0; k < this.vectors.length; k++) {
      const u = this.vectors[k];
      const amount = amounts[k];
      for (let i = 0; i < size; i++) sum[i] += amount * u[i];
    }
    return sum;
  }

  /** Takes out of v, in place, what the vectors span; returns how much of each that was. Twice, for rounding. */
  reject(v: Float64Array): Float64Array {
    const { vectors, spans } = this;
    const taken = new Float64Array(vectors.length);
    for (let round = 0; round < 2; round++) {
      for (let k = 0; k < vectors.length; k++) taken[k] += takeOut(v, vectors[k], spans[k]);
    }
    return taken;
  }
}

/** v ← v − (u·v) u; returns u·v. */
function takeOut(v: Float64Array, u: Float64Array, spans: Int32Array): number {
  const along = sumOver(spans, u, v);
  if (along === 0) return 0;
  for (let s = 0; s < spans.length; s += 2) for (let i = spans[s]; i < spans[s + 1]; i++) v[i] -= along * u[i];
  return along;
}

/** u·v, of which one is zero outside the spans. */
function sumOver(spans: Int32Array, u: Float64Array, v: Float64Array): number {
  let sum = 0;
  for (let s = 0; s < spans.length; s += 2) for (let i = spans[s]; i < spans[s + 1]; i++) sum += u[i] * v[i];
  return sum;
}

/** Fewer zeros than this between two numbers are no gap. */
const gap = 6;

function spansOf(u: Float64Array): Int32Array {
  const spans: number[] = [];
  for (let i = 0; i < u.length; i++) {
    if (u[i] === 0) continue;
    if (spans.length > 0 && i - spans[spans.length - 1] < gap) spans[spans.length - 1] = i + 1;
    else spans.push(i, i + 1);
  }
  return Int32Array.from(spans);
}
