/** How a quantity that should stay the same changes: its trend, and how it fluctuates about the trend. */
import type { Motion, Reading } from "./motion.ts";

export interface Drift {
  /** Change over the whole motion of the straight line through the errors, relative to the value at the start. */
  readonly trend: number;
  /** Root mean square about that line, relative as well. */
  readonly fluctuation: number;
  /** Largest error, relative. */
  readonly largest: number;
}

export interface Drifts {
  readonly energy: Drift;
  readonly linear: Drift;
  readonly angular: Drift;
}

export function driftsOf({ readings }: Motion): Drifts {
  const [first] = readings;
  const times = readings.map(({ time }) => time);
  const vectorErrors = (key: "linear" | "angular"): number[] => {
    const scale = Math.hypot(...first[key]);
    // of a body that rotates in place there is no linear momentum: what it has is given in kg·m/s
    return readings.map((reading) => Math.hypot(...reading[key].map((v, i) => v - first[key][i])) / (scale || 1));
  };
  return {
    energy: drift(times, energyErrors(readings)),
    linear: drift(times, vectorErrors("linear")),
    angular: drift(times, vectorErrors("angular")),
  };
}

export function energyErrors(readings: readonly Reading[]): number[] {
  return readings.map(({ energy }) => energy / readings[0].energy - 1);
}

function drift(times: readonly number[], errors: readonly number[]): Drift {
  const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [middle, level] = [mean(times), mean(errors)];
  const covariance = mean(times.map((time, i) => (time - middle) * (errors[i] - level)));
  const slope = covariance / mean(times.map((time) => (time - middle) ** 2));
  const rest = errors.map((error, i) => error - level - slope * (times[i] - middle));
  return {
    trend: slope * (times[times.length - 1] - times[0]),
    fluctuation: Math.sqrt(mean(rest.map((value) => value * value))),
    largest: Math.max(...errors.map(Math.abs)),
  };
}
