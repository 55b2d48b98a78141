/** A worker's part of a batch. */
import type { Simulation } from "../simulation/index.ts";
import { type Batch, iterationSum, nextRollout, type RolloutFailure, solvedSteps } from "./batch.ts";

/** Takes one rollout after the other until none is left. */
export function runBatch(simulation: Simulation, batch: Batch): RolloutFailure[] {
  const failures: RolloutFailure[] = [];
  const state = new Float64Array(simulation.stateSize);
  const input = new Float64Array(simulation.inputSize);
  for (;;) {
    const rollout = Atomics.add(batch.counts, nextRollout, 1);
    if (rollout >= batch.count) return failures;
    const failure = runRollout(simulation, batch, rollout, state, input);
    if (failure) failures.push(failure);
  }
}

/** Ends at the first step that is not solved; states that were not reached stay NaN. */
function runRollout(
  simulation: Simulation,
  batch: Batch,
  rollout: number,
  state: Float64Array,
  input: Float64Array,
): RolloutFailure | undefined {
  const { steps, starts, inputs, states, counts, keepsAll } = batch;
  const { stateSize, inputSize } = simulation;
  const size = keepsAll ? (steps + 1) * stateSize : stateSize;
  const kept = states.subarray(rollout * size, (rollout + 1) * size).fill(Number.NaN);
  const from = rollout * batch.startStride;
  state.set(starts.subarray(from, from + stateSize));
  kept.set(state);
  // as in `rollout`: steps go on in parts where a body is too fast for the time step
  const options = { ...simulation.options, interval: simulation.timestep };
  for (let k = 0; k < steps; k++) {
    const at = rollout * batch.inputStride + k * inputSize;
    input.set(inputs.subarray(at, at + inputSize));
    let reason: string;
    try {
      const { status, next, iterations, interval } = simulation.step(state, input, options);
      options.interval = interval;
      counts[iterationSum(batch.count, rollout)] += iterations;
      state.set(next);
      reason = status;
    } catch (error) {
      reason = (error as Error).message;
    }
    if (reason !== "solved") return { rollout, step: k, reason };
    counts[solvedSteps(rollout)] = k + 1;
    kept.set(state, keepsAll ? (k + 1) * stateSize : 0);
  }
  return undefined;
}
