/** Times of a step and of a step with its Jacobians. */
import { type GradientOptions, type Simulation, stepGradients } from "../../index.ts";

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted.length === 0 ? Number.NaN : sorted[sorted.length >> 1];
}

/** Milliseconds that a measurement may take, and repeats at least and at most. */
const budget = 300;
const leastRepeats = 5;
const mostRepeats = 500;

/** Median seconds of one call, after a first that does not count. */
function medianSeconds(call: () => void): number {
  call();
  const times: number[] = [];
  const begin = performance.now();
  while (times.length < leastRepeats || (performance.now() - begin < budget && times.length < mostRepeats)) {
    const start = performance.now();
    call();
    times.push((performance.now() - start) / 1000);
  }
  return median(times);
}

/** Times of the step from one state: alone, and with all its Jacobians. */
export function stepTimes(
  simulation: Simulation,
  state: Float64Array,
  input: Float64Array,
  options: GradientOptions,
): { readonly stepSeconds: number; readonly jacobianSeconds: number } {
  return {
    stepSeconds: medianSeconds(() => simulation.step(state, input, { interval: options.interval })),
    jacobianSeconds: medianSeconds(() => stepGradients(simulation, state, input, options)),
  };
}
