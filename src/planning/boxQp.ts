/**
 * A small quadratic program with bounds, by projected Newton steps (Bertsekas 1982, as in control-limited DDP, Tassa 2014):
 *   min ½ δᵀ H δ + gᵀ δ   with   lower ≤ δ ≤ upper
 * 1. An entry is clamped where it stands at a bound and the gradient Hδ + g pushes it outwards; the others are free.
 * 2. Newton's step in the free entries, then a search along the projection onto the box.
 * It ends at the exact minimum: the free set stops changing and the free gradient vanishes. Nothing is allocated.
 */
import { cholesky, choleskySolve } from "../math/index.ts";

const mostIterations = 100;
const sufficientDecrease = 0.1;

export class BoxQp {
  /** The minimum found. */
  readonly solution: Float64Array;
  /** 1 where an entry is free. */
  readonly free: Uint8Array;
  /** How many entries are free; their indices come first in `freeIndices`. */
  freeCount = 0;
  readonly freeIndices: Int32Array;
  /** Cholesky factor of the free block of H, freeCount × freeCount. */
  readonly factor: Float64Array;

  private readonly size: number;
  private readonly gradient: Float64Array;
  private readonly direction: Float64Array;
  private readonly trial: Float64Array;

  constructor(size: number) {
    this.size = size;
    this.solution = new Float64Array(size);
    this.free = new Uint8Array(size);
    this.freeIndices = new Int32Array(size);
    this.factor = new Float64Array(size * size);
    this.gradient = new Float64Array(size);
    this.direction = new Float64Array(size);
    this.trial = new Float64Array(size);
  }

  /** Solves from δ = 0 projected onto the box. False where the free block of H is not positive definite. */
  solve(H: Float64Array, g: Float64Array, lower: ArrayLike<number>, upper: ArrayLike<number>): boolean {
    const { size, solution, gradient, direction, trial, freeIndices, factor } = this;
    for (let i = 0; i < size; i++) solution[i] = Math.min(upper[i], Math.max(lower[i], 0));
    let isFactored = false;
    for (let iteration = 0; iteration < mostIterations; iteration++) {
      // the gradient, and which entries it leaves free
      let changed = iteration === 0;
      this.freeCount = 0;
      for (let i = 0; i < size; i++) {
        let sum = g[i];
        for (let j = 0; j < size; j++) sum += H[i * size + j] * solution[j];
        gradient[i] = sum;
        const clamped = (solution[i] <= lower[i] && sum > 0) || (solution[i] >= upper[i] && sum < 0);
        const isFree = clamped ? 0 : 1;
        if (isFree !== this.free[i]) changed = true;
        this.free[i] = isFree;
        if (isFree) freeIndices[this.freeCount++] = i;
      }
      if (this.freeCount === 0) return true;
      if (changed || !isFactored) {
        if (!this.factorFree(H)) return false;
        isFactored = true;
      }

      // Newton's step in the free entries
      for (let i = 0; i < this.freeCount; i++) direction[i] = -gradient[freeIndices[i]];
      choleskySolve(factor, direction, this.freeCount, 1);
      let slope = 0;
      let largest = 0;
      for (let i = 0; i < this.freeCount; i++) {
        slope += direction[i] * gradient[freeIndices[i]];
        largest = Math.max(largest, Math.abs(direction[i]) / (1e-30 + Math.abs(solution[freeIndices[i]])));
      }
      if (!(slope < 0) || largest < 1e-14) return true;

      // along its projection onto the box, until the value has fallen enough
      const before = value(H, g, solution, size);
      let accepted = false;
      for (let alpha = 1; alpha > 1e-12; alpha *= 0.5) {
        trial.set(solution);
        for (let i = 0; i < this.freeCount; i++) {
          const at = freeIndices[i];
          trial[at] = Math.min(upper[at], Math.max(lower[at], solution[at] + alpha * direction[i]));
        }
        let along = 0;
        for (let i = 0; i < size; i++) along += gradient[i] * (trial[i] - solution[i]);
        if (value(H, g, trial, size) > before + sufficientDecrease * along) continue;
        accepted = true;
        break;
      }
      // no decrease is left within rounding
      if (!accepted) return true;
      solution.set(trial);
    }
    return true;
  }

  private factorFree(H: Float64Array): boolean {
    const { size, freeCount, freeIndices, factor } = this;
    for (let i = 0; i < freeCount; i++)
      for (let j = 0; j < freeCount; j++) factor[i * freeCount + j] = H[freeIndices[i] * size + freeIndices[j]];
    return cholesky(factor, freeCount) < 0;
  }
}

function value(H: Float64Array, g: Float64Array, x: Float64Array, n: number): number {
  let sum = 0;
  for (let i = 0; i < n; i++) {
    let row = 0;
    for (let j = 0; j < n; j++) row += H[i * n + j] * x[j];
    sum += x[i] * (0.5 * row + g[i]);
  }
  return sum;
}
