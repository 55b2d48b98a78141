/**
 * Steps of gradient ascent, θ ← θ + Δ. The size s falls linearly from `step` in the first update to a tenth of it in the last.
 *   normalised   Δ = s g/‖g‖∞                        [AGS, Algorithm of the paper's code]
 *   Adam         Δ = s m̂/(√v̂ + 1e-8),   m, v running means of g and g² with β = 0.9, 0.99
 */
const lastShare = 0.1;
const [firstBeta, secondBeta] = [0.9, 0.99];

export const optimizerKinds = ["normalized", "adam"] as const;
export type OptimizerKind = (typeof optimizerKinds)[number];

export interface Optimizer {
  /** Changes the parameters by update number k of all. */
  update(parameters: Float64Array, gradient: Float64Array, k: number): void;
}

/** Size of update k of `updates`. */
export function decayed(step: number, k: number, updates: number): number {
  return step * (1 - ((1 - lastShare) * k) / Math.max(1, updates - 1));
}

export function optimizerOf(kind: OptimizerKind, step: number, updates: number, size: number): Optimizer {
  return kind === "adam" ? new Adam(step, updates, size) : new NormalizedSteps(step, updates);
}

class NormalizedSteps implements Optimizer {
  private readonly step: number;
  private readonly updates: number;

  constructor(step: number, updates: number) {
    this.step = step;
    this.updates = updates;
  }

  update(parameters: Float64Array, gradient: Float64Array, k: number): void {
    const largest = largestEntry(gradient);
    if (largest === 0) return;
    const factor = decayed(this.step, k, this.updates) / largest;
    for (let i = 0; i < parameters.length; i++) parameters[i] += factor * gradient[i];
  }
}

class Adam implements Optimizer {
  private readonly step: number;
  private readonly updates: number;
  private readonly first: Float64Array;
  private readonly second: Float64Array;
  /** βᵗ of both means. */
  private firstPower = 1;
  private secondPower = 1;

  constructor(step: number, updates: number, size: number) {
    this.step = step;
    this.updates = updates;
    this.first = new Float64Array(size);
    this.second = new Float64Array(size);
  }

  update(parameters: Float64Array, gradient: Float64Array, k: number): void {
    const { first, second } = this;
    const size = decayed(this.step, k, this.updates);
    this.firstPower *= firstBeta;
    this.secondPower *= secondBeta;
    for (let i = 0; i < parameters.length; i++) {
      first[i] += (1 - firstBeta) * (gradient[i] - first[i]);
      second[i] += (1 - secondBeta) * (gradient[i] * gradient[i] - second[i]);
      const mean = first[i] / (1 - this.firstPower);
      parameters[i] += (size * mean) / (Math.sqrt(second[i] / (1 - this.secondPower)) + 1e-8);
    }
  }
}

/** ‖g‖∞; NaN where an entry is none. */
export function largestEntry(gradient: Float64Array): number {
  let largest = 0;
  for (const entry of gradient) largest = Math.max(largest, Math.abs(entry));
  return largest;
}

/** Shortens the gradient to a 2-norm of `most` where it is longer. */
export function clipNorm(gradient: Float64Array, most: number): void {
  let sum = 0;
  for (const entry of gradient) sum += entry * entry;
  const norm = Math.sqrt(sum);
  if (!(norm > most)) return;
  for (let i = 0; i < gradient.length; i++) gradient[i] *= most / norm;
}
