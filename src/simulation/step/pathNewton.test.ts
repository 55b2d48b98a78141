/** Newton's method from predicted starts; what its pairs are, and that steps by it are steps. */
import { expect, test } from "vitest";
import { maximalState } from "../../coordinates/index.ts";
import { Random } from "../../math/index.ts";
import { models } from "../../models/index.ts";
import { Simulation } from "../simulation.ts";
import { compile } from "../states/compileMechanism.ts";

const description = models.humanoid({ timestep: 0.01, bodyContacts: true });
const mechanism = compile(description);

function* fallingSteps(steps: number) {
  const simulation = new Simulation(mechanism);
  const random = new Random(5);
  const state = maximalState(mechanism, description.states?.rest);
  for (let k = 0; k < steps; k++) {
    const input = Float64Array.from({ length: mechanism.inputSize }, () => random.uniform(-20, 20));
    const step = simulation.step(state, input);
    expect(step.status).toBe("solved");
    yield { simulation, step };
    state.set(step.next);
  }
}

/** Rounding of products of impulses and distances that differ by many powers of ten. */
const rounding = 1e-4;

test("after every step all pairs are inside their cones, and on the path where the step would have left them", () => {
  const [mu, count] = [1e-6, { kept: 0, onPath: 0 }];
  for (const { simulation } of fallingSteps(40)) {
    const { problem } = simulation.stepper;
    const { b, c, cones, weight, prediction } = problem;
    if (!prediction) throw new Error("no prediction");
    problem.survey();
    problem.startPredicted(prediction, undefined, true, false, true);
    problem.takeWeights();
    problem.evaluate();
    problem.measure(0);
    expect(problem.stepToPath(mu)).toBe(true);
    cones.forEach(({ offset, size }, i) => {
      if (problem.isOut(i)) return;
      const pair = [b, c].map((side) => [...side.subarray(offset, offset + size)]);
      for (const [head, ...tail] of pair) expect(head).toBeGreaterThan(Math.hypot(...tail));
      const [[b1, ...bs], [c1, ...cs]] = pair;
      const product = [b1 * c1 + bs.reduce((sum, entry, k) => sum + entry * cs[k], 0)];
      product.push(...bs.map((entry, k) => b1 * cs[k] + c1 * entry));
      const scaled = product.map((entry) => entry / (weight[i] * mu));
      for (const entry of scaled) expect(Math.abs(entry)).toBeLessThan(10 * (1 + rounding));
      if (scaled.every((entry, k) => Math.abs(entry - (k === 0 ? 1 : 0)) < rounding)) count.onPath++;
      else count.kept++;
    });
  }
  expect(count.onPath).toBeGreaterThan(100);
  expect(count.kept).toBeGreaterThan(100);
});

test("a humanoid that falls takes half of its steps or more so, in about three iterations with one solve each", () => {
  const finished = { steps: 0, iterations: 0 };
  let steps = 0;
  for (const { simulation, step } of fallingSteps(120)) {
    const { finisher } = simulation.stepper.solve.newton;
    steps++;
    if (step.retries > 0 || finisher.result.status !== "solved" || finisher.result.iterations !== step.iterations)
      continue;
    finished.steps++;
    finished.iterations += step.iterations;
    expect(finisher.result.linearSolves).toBe(step.iterations);
  }
  expect(finished.steps).toBeGreaterThan(0.5 * steps);
  expect(finished.iterations).toBeLessThan(3.5 * finished.steps);
});
