/** What the playground keeps for an export. */
import { compile, models, Simulation, startState } from "dojo-sim";
import { expect, test } from "vitest";
import { Recording } from "../../apps/playground/engine/recording.ts";

test("a record that is full keeps at least its last half, up to the last step", () => {
  const mechanism = compile(models.pendulum());
  const simulation = new Simulation(mechanism);
  const state = startState(mechanism);
  // room for a hundred states
  const recording = new Recording(simulation, state, simulation.timestep, 100 * state.length);
  const input = new Float64Array(mechanism.inputSize);
  for (let step = 1; step <= 500; step++) {
    const result = simulation.step(state, input);
    recording.add(state, simulation.timestep, input, result);
    state.set(result.next);
    const steps = Math.round(recording.duration / simulation.timestep);
    expect(steps).toBeGreaterThanOrEqual(Math.min(step, 50));
    expect(steps).toBeLessThanOrEqual(101);
  }
  const { states } = JSON.parse(recording.export("json", "pendulum").parts[0]);
  expect(states.at(-1)).toEqual(Array.from(state));
  recording.begin(state, simulation.timestep);
  expect(recording.duration).toBe(0);
});
