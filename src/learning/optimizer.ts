/**
 * Steps of gradient ascent, θ ← θ + Δ. The size s falls from `step` in the first update to a share of it in the last, linearly or with a power
 * of the updates that are left.
 *   normalised   Δ = s g/‖g‖∞                        [AGS, Algorithm of the paper's code]
 *   Adam         Δ = s m̂/(√v̂ + 1e-8),   m, v running means of g and g² with β = 0.9, 0.99
 */
import { savedAmount, savedFields, savedList, savedNumbers } from "./savedState.ts";

const [firstBeta, secondBeta] = [0.9, 0.99];

export const optimizerKinds = ["normalized", "adam"] as const;
export type OptimizerKind = (typeof optimizerKinds)[number];

export interface StepSchedule {
  /** Size of the first update. */
  readonly step: number;
  readonly updates: number;
  /** Size of the last update over that of the first. Default a tenth. */
  readonly lastShare?: number;
  /** Default 1. */
  readonly power?: number;
}

/** What an optimiser remembers, as plain data. */
export interface OptimizerState {
  /** Running means, of Adam. */
  readonly first?: readonly number[];
  readonly second?: readonly number[];
  /** βᵗ of both means. */
  readonly powers?: readonly [number, number];
}

export interface Optimizer {
  /** Changes the parameters by update number k of all. */
  update(parameters: Float64Array, gradient: Float64Array, k: number): void;
  state: OptimizerState;
}

/** What an optimiser of a checkpoint remembers. Throws where a field is not what it should be. */
export function savedOptimizer(path: string, value: unknown, kind: OptimizerKind, size: number): OptimizerState {
  const { first, second, powers } = savedFields(path, value);
  if (kind !== "adam") return {};
  const [firstPower, secondPower] = savedList(`${path}.powers`, powers, 2, savedAmount);
  return {
    first: savedNumbers(`${path}.first`, first, size),
    second: savedList(`${path}.second`, second, size, savedAmount),
    powers: [firstPower, secondPower],
  };
}

/** Size of update k. */
export function decayed({ step, updates, lastShare = 0.1, power = 1 }: StepSchedule, k: number): number {
  if (power === 1) return step * (1 - ((1 - lastShare) * k) / Math.max(1, updates - 1));
  return step * (lastShare + (1 - lastShare) * (1 - k / Math.max(1, updates - 1)) ** power);
}

export function optimizerOf(kind: OptimizerKind, schedule: StepSchedule, size: number): Optimizer {
  return kind === "adam" ? new Adam(schedule, size) : new NormalizedSteps(schedule);
}

class NormalizedSteps implements Optimizer {
  state: OptimizerState = {};
  private readonly schedule: StepSchedule;

  constructor(schedule: StepSchedule) {
    this.schedule = schedule;
  }

  update(parameters: Float64Array, gradient: Float64Array, k: number): void {
    const largest = largestEntry(gradient);
    if (largest === 0) return;
    const factor = decayed(this.schedule, k) / largest;
    for (let i = 0; i < parameters.length; i++) parameters[i] += factor * gradient[i];
  }
}

class Adam implements Optimizer {
  private readonly schedule: StepSchedule;
  private readonly first: Float64Array;
  private readonly second: Float64Array;
  private firstPower = 1;
  private secondPower = 1;

  constructor(schedule: StepSchedule, size: number) {
    this.schedule = schedule;
    this.first = new Float64Array(size);
    this.second = new Float64Array(size);
  }

  get state(): OptimizerState {
    const { first, second, firstPower, secondPower } = this;
    return { first: Array.from(first), second: Array.from(second), powers: [firstPower, secondPower] };
  }

  set state({ first = [], second = [], powers = [1, 1] }: OptimizerState) {
    this.first.set(first);
    this.second.set(second);
    [this.firstPower, this.secondPower] = powers;
  }

  update(parameters: Float64Array, gradient: Float64Array, k: number): void {
    const { first, second } = this;
    const size = decayed(this.schedule, k);
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
