/** Steps with gradients whose central path folds below the point that is differentiated. */
import { expect, test } from "vitest";
import { compile, models, Random, Simulation, startState } from "../../src/index.ts";

/** Next states of two ways to the same end differ by no more: m, m/s, rad/s. */
const samePlace = 1e-6;

test("where A1 slides, the end is found as a step without gradients finds it: before, this step was taken in two parts, and another in 64", () => {
  const mechanism = compile(models.a1({ timestep: 0.01 }));
  const simulation = new Simulation(mechanism);
  const random = new Random(36);
  const randomInput = (): Float64Array => Float64Array.from(mechanism.inputNames, () => random.uniform(-5, 5));
  const hold = { relativeKappa: 0.1 };
  let state = startState(mechanism, "rest");
  for (let k = 0; k < 23; k++) state = simulation.step(state, randomInput(), { hold }).next.slice();
  const { continuation } = simulation;
  const input = randomInput();
  const { status, substeps, iterations, next } = simulation.step(state, input, { hold });
  const held = next.slice();
  expect({ status, substeps }).toEqual({ status: "solved", substeps: 1 });
  // 108 in two parts
  expect(iterations).toBeLessThan(50);
  const plain = simulation.step(state, input, { ...(continuation && { continuation }) });
  expect(plain.status).toBe("solved");
  expect(Math.max(...held.map((entry, i) => Math.abs(entry - plain.next[i])))).toBeLessThan(samePlace);
});
