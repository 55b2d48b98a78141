/**
 * Observations of mean 0 and variance 1, by the running mean and variance of all that was seen [Welford; Chan, Golub, LeVeque for sets]:
 *   ñ = (o − mean)/√max(variance, 0.01)
 * The floor is that of the published ARS; it keeps numbers that hardly change from being blown up.
 */
import { ArgumentError } from "../mechanism/index.ts";
import { savedAmount, savedCount, savedFields, savedList, savedNumbers } from "./savedState.ts";

const varianceFloor = 0.01;

/** A filter as data. */
export interface FilterState {
  readonly count: number;
  readonly mean: readonly number[];
  /** Sum of squared deviations. */
  readonly deviations: readonly number[];
}

/** A filter of a checkpoint. Throws where a field is not what it should be. */
export function savedFilter(path: string, value: unknown, size: number): FilterState {
  const { count, mean, deviations } = savedFields(path, value);
  return {
    count: savedCount(`${path}.count`, count),
    mean: savedNumbers(`${path}.mean`, mean, size),
    deviations: savedList(`${path}.deviations`, deviations, size, savedAmount),
  };
}

export class ObservationFilter {
  private count = 0;
  private readonly mean: Float64Array;
  private readonly deviations: Float64Array;
  /** Standard deviations, found when they are first needed after a change. */
  private readonly scale: Float64Array;
  private scaleIsOld = true;

  constructor(size: number) {
    this.mean = new Float64Array(size);
    this.deviations = new Float64Array(size);
    this.scale = new Float64Array(size);
  }

  static from(state: FilterState): ObservationFilter {
    const filter = new ObservationFilter(state.mean.length);
    filter.restore(state);
    return filter;
  }

  get size(): number {
    return this.mean.length;
  }

  get state(): FilterState {
    return { count: this.count, mean: Array.from(this.mean), deviations: Array.from(this.deviations) };
  }

  restore({ count, mean, deviations }: FilterState): void {
    if (mean.length !== this.size || deviations.length !== this.size) {
      const message = `has ${mean.length} means and ${deviations.length} deviations; give ${this.size} of both`;
      throw new ArgumentError("wrong-length", "filter", message);
    }
    this.count = count;
    this.mean.set(mean);
    this.deviations.set(deviations);
    this.scaleIsOld = true;
  }

  /** Forgets all that was seen. */
  clear(): void {
    this.count = 0;
    this.mean.fill(0);
    this.deviations.fill(0);
    this.scaleIsOld = true;
  }

  /** Takes an observation into mean and variance. */
  observe(observation: Float64Array): void {
    this.count++;
    for (let i = 0; i < observation.length; i++) {
      const before = observation[i] - this.mean[i];
      this.mean[i] += before / this.count;
      this.deviations[i] += before * (observation[i] - this.mean[i]);
    }
    this.scaleIsOld = true;
  }

  /** Takes in all that another filter has seen. */
  merge({ count, mean, deviations }: FilterState): void {
    if (count === 0) return;
    const total = this.count + count;
    for (let i = 0; i < this.size; i++) {
      const apart = mean[i] - this.mean[i];
      this.mean[i] += (apart * count) / total;
      this.deviations[i] += deviations[i] + (apart * apart * this.count * count) / total;
    }
    this.count = total;
    this.scaleIsOld = true;
  }

  /** 1 before anything was seen. */
  deviation(i: number): number {
    if (this.scaleIsOld) this.findScale();
    return this.scale[i];
  }

  normalizeInto(out: Float64Array, observation: Float64Array): void {
    if (this.scaleIsOld) this.findScale();
    const { mean, scale } = this;
    for (let i = 0; i < out.length; i++) out[i] = (observation[i] - mean[i]) / scale[i];
  }

  private findScale(): void {
    const { count, deviations, scale } = this;
    for (let i = 0; i < scale.length; i++) {
      scale[i] = count === 0 ? 1 : Math.sqrt(Math.max(deviations[i] / count, varianceFloor));
    }
    this.scaleIsOld = false;
  }
}
