/**
 * Observations of mean 0 and variance 1, by the running mean and variance of all that was seen [Welford]:
 *   ñ = (o − mean)/√max(variance, 0.01)
 * The floor is that of the published ARS; it keeps numbers that hardly change from being blown up.
 */
import { ArgumentError } from "../mechanism/index.ts";

const varianceFloor = 0.01;

/** A filter as data. */
export interface FilterState {
  readonly count: number;
  readonly mean: readonly number[];
  /** Sum of squared deviations. */
  readonly deviations: readonly number[];
}

export class ObservationFilter {
  private count = 0;
  private readonly mean: Float64Array;
  private readonly deviations: Float64Array;

  constructor(size: number) {
    this.mean = new Float64Array(size);
    this.deviations = new Float64Array(size);
  }

  static from(state: FilterState): ObservationFilter {
    const { count, mean, deviations } = state;
    if (mean.length !== deviations.length) {
      const message = `has ${mean.length} means and ${deviations.length} deviations; give as many of both`;
      throw new ArgumentError("wrong-length", "filter", message);
    }
    const filter = new ObservationFilter(mean.length);
    filter.count = count;
    filter.mean.set(mean);
    filter.deviations.set(deviations);
    return filter;
  }

  get size(): number {
    return this.mean.length;
  }

  get state(): FilterState {
    return { count: this.count, mean: Array.from(this.mean), deviations: Array.from(this.deviations) };
  }

  /** Takes an observation into mean and variance. */
  observe(observation: Float64Array): void {
    this.count++;
    for (let i = 0; i < observation.length; i++) {
      const before = observation[i] - this.mean[i];
      this.mean[i] += before / this.count;
      this.deviations[i] += before * (observation[i] - this.mean[i]);
    }
  }

  /** 1 before anything was seen. */
  deviation(i: number): number {
    return this.count === 0 ? 1 : Math.sqrt(Math.max(this.deviations[i] / this.count, varianceFloor));
  }

  normalizeInto(out: Float64Array, observation: Float64Array): void {
    for (let i = 0; i < out.length; i++) out[i] = (observation[i] - this.mean[i]) / this.deviation(i);
  }
}
