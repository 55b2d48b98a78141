/** A job → its outcome, by a simulation of its mechanism. All that runs rollouts ends up here. */
import { requireValidStart, type Simulation } from "../simulation/index.ts";
import { keptSize, type RolloutEnd, type RolloutJob, type RolloutOutcome } from "./job.ts";

export interface RunRolloutOptions {
  /** Where the states go. Default an array of its own. */
  readonly into?: Float64Array | undefined;
  /** Asked before each step; true ends the rollout, whose outcome nobody then wants. Default never. */
  readonly isCancelled?: (() => boolean) | undefined;
}

/** Parameters are the simulation's own again afterwards. Throws where the job cannot be begun. */
export function runRollout(simulation: Simulation, job: RolloutJob, options: RunRolloutOptions = {}): RolloutOutcome {
  if (!job.parameters) return take(simulation, job, options);
  const before = simulation.save();
  try {
    simulation.setParameters(job.parameters);
    return take(simulation, job, options);
  } finally {
    simulation.restore(before);
  }
}

/** Ends at the first step that is not solved; states that were not reached stay NaN. */
function take(simulation: Simulation, job: RolloutJob, { into, isCancelled }: RunRolloutOptions): RolloutOutcome {
  const { start, steps, inputs, keep, check = !job.continuation } = job;
  const { stateSize, inputSize } = simulation;
  const states = (into ?? new Float64Array(keptSize(simulation, job))).fill(Number.NaN);
  const state = Float64Array.from(start);
  const input = new Float64Array(inputSize);
  states.set(state);
  // whoever ran what before: without a continuation of its own it starts cold
  simulation.continuation = job.continuation;
  // as in `rollout`: steps go on in parts where a body is too fast for the time step
  const stepOptions = { ...simulation.options, interval: job.continuation?.interval ?? simulation.timestep };
  let iterations = 0;
  let failure: RolloutEnd | undefined;
  let k = 0;
  if (check) {
    try {
      requireKnownStart(simulation, state, job);
    } catch (error) {
      failure = { step: 0, reason: (error as Error).message };
    }
  }
  for (; k < steps && !failure && !isCancelled?.(); k++) {
    if (inputs) input.set(inputs.subarray(k * inputSize, (k + 1) * inputSize));
    try {
      const result = simulation.stepWith(state, input, stepOptions);
      iterations += result.iterations;
      if (result.status === "solved") {
        stepOptions.interval = result.interval;
        state.set(result.next);
        states.set(state, keep === "all" ? (k + 1) * stateSize : 0);
      } else failure = { step: k, reason: result.status };
    } catch (error) {
      failure = { step: k, reason: (error as Error).message };
    }
  }
  const solvedSteps = failure ? failure.step : k;
  const continuation = job.continues && !failure ? (steps > 0 ? simulation.continuation : job.continuation) : undefined;
  return { states, solvedSteps, iterations, ...(failure && { failure }), ...(continuation && { continuation }) };
}

/** The start that was checked last, and the parameters that it was checked with: many rollouts have the same. */
const checked = new WeakMap<Simulation, { readonly start: Float64Array; readonly changes: number }>();

/** Throws where the start has faults, as a rollout of the simulation does. */
function requireKnownStart(simulation: Simulation, start: Float64Array, { continuation }: RolloutJob): void {
  const changes = simulation.parameterChanges;
  const last = checked.get(simulation);
  if (!continuation && last?.changes === changes && start.every((entry, i) => Object.is(entry, last.start[i]))) return;
  const timestep = continuation?.interval ?? simulation.timestep;
  requireValidStart(simulation, start, { timestep, ...(continuation && { continuation }) });
  if (!continuation) checked.set(simulation, { start: start.slice(), changes });
}
