/** Steps whose central path folds, below the point that is differentiated or without one. */
import { expect, test } from "vitest";
import { compile, type Mechanism, models, Random, Simulation, startState, stepGradients } from "../../src/index.ts";

/** Next states of two ways to the same end differ by no more: m, m/s, rad/s. */
const samePlace = 1e-6;

test("where A1 slides and the path folds below the smoothed point, the step is the one without gradients, and the point is found", () => {
  const mechanism = compile(models.a1({ timestep: 0.01 }));
  const [smoothed, plain] = [0, 1].map(() => new Simulation(mechanism));
  const random = new Random(36);
  let state = startState(mechanism, "rest");
  for (let k = 0; k < 24; k++) {
    const input = Float64Array.from(mechanism.inputNames, () => random.uniform(-5, 5));
    const { status, substeps, differentiable, next } = stepGradients(smoothed, state, input, { smoothing: 0.1 });
    expect({ status, substeps, differentiable }).toEqual({ status: "solved", substeps: 1, differentiable: true });
    expect(plain.step(state, input).next).toEqual(next);
    state = next.slice();
  }
});

/** A1 with contacts all over, after so many steps under random torques, and the torques of the next one. */
function slidingA1(seed: number, steps: number): { mechanism: Mechanism; state: Float64Array; input: Float64Array } {
  const mechanism = compile(models.a1({ timestep: 0.01, bodyContacts: true }));
  const simulation = new Simulation(mechanism);
  const random = new Random(seed);
  const randomInput = (): Float64Array => Float64Array.from(mechanism.inputNames, () => random.uniform(-5, 5));
  const state = startState(mechanism, "rest");
  for (let k = 0; k < steps; k++) state.set(simulation.step(state, randomInput()).next);
  return { mechanism, state, input: randomInput() };
}

test.each([
  [7, 265],
  [8, 100],
])(
  "a retry with a relaxed matrix leads past a fold: before, this step was taken in two parts (seed %i, step %i)",
  (seed, steps) => {
    const { mechanism, state, input } = slidingA1(seed, steps);
    const { status, substeps, retries, next } = new Simulation(mechanism).step(state, input);
    expect({ status, substeps }).toEqual({ status: "solved", substeps: 1 });
    // the first attempt still meets the fold
    expect(retries).toBeGreaterThan(0);
    // what was found is a solution by the equations themselves: it stays where it is to a tighter tolerance
    const whole = next.slice();
    const finer = new Simulation(mechanism).step(state, input, { tolerance: 1e-10 });
    expect(finer.status).toBe("solved");
    expect(Math.max(...whole.map((entry, i) => Math.abs(entry - finer.next[i])))).toBeLessThan(samePlace);
  },
);

test("a step in parts is differentiated in these, without trying again what has failed before", () => {
  const { mechanism, state, input } = slidingA1(14, 690);
  let seen = 0;
  const simulation = new Simulation(mechanism, { onIteration: () => seen++ });
  const { substeps, iterations, retries } = simulation.step(state, input);
  expect(substeps).toBeGreaterThan(1);
  const once = seen;
  seen = 0;
  const gradients = stepGradients(simulation, state, input, { coordinates: "minimal" });
  expect(gradients.differentiable).toBe(true);
  // it is reported as the step that it is
  expect(gradients).toMatchObject({ substeps, iterations, retries });
  expect(seen).toBe(once);
});
