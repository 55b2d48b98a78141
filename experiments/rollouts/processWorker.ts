/**
 * A process that does its share of the rollouts with one simulation, each time it is told to. What the pool is measured against:
 * no memory, heap or code in common.
 */
import { compile, Simulation } from "dojo-sim";
import { checksum, quadrupedWork } from "./work.ts";

export interface Share {
  readonly from: number;
  readonly to: number;
  readonly steps: number;
}

/** Checksums of the final states, by rollout. */
export type ShareDone = readonly number[];

let run: (() => ShareDone) | undefined;

function prepare(share: Share): () => ShareDone {
  const { description, start, inputs } = quadrupedWork(share.steps);
  const simulation = new Simulation(compile(description));
  const { inputSize } = simulation;
  const all = Array.from({ length: share.to - share.from }, (_, i) => inputs(share.from + i));
  return () =>
    all.map((own) => {
      const state = Float64Array.from(start);
      for (let k = 0; k < share.steps; k++) {
        state.set(simulation.step(state, own.subarray(k * inputSize, (k + 1) * inputSize)).next);
      }
      return checksum(state);
    });
}

// the first message says which share it is, every other that it is time
process.on("message", (message) => {
  if (run) process.send?.(run());
  else {
    run = prepare(message as Share);
    process.send?.("ready");
  }
});
