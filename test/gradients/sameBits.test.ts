/** A run knows nothing of its gradients: its states have the same bits with and without them. */
import { describe, expect, test } from "vitest";
import { randomScene, sceneClasses } from "../../benchmarks/robustness/scenes.ts";
import {
  compile,
  type MechanismDescription,
  models,
  Random,
  type RolloutOptions,
  Simulation,
  type SimulationOptions,
  scenes,
  startState,
  stepGradients,
} from "../../src/index.ts";

/** Largest torques, forces and targets, in units of mass · 9.81 · size of the whole. */
const reach = 0.1;

/** Steps of which a run without gradients, one with them, and steps with Jacobians have the same bits, or fail alike. */
function stepsAlike(
  description: MechanismDescription,
  count: number,
  seed: number,
  options: SimulationOptions = {},
): number {
  const mechanism = compile(description);
  const weight = mechanism.bodies.reduce((sum, { mass, gyration }) => sum + mass * gyration, 0) * 9.81;
  const random = new Random(seed);
  const draw = (name: string): number => (name.startsWith("base.") ? 0 : random.uniform(-reach, reach) * weight);
  const inputs = Array.from({ length: count }, () => Float64Array.from(mechanism.inputNames, draw));
  const start = startState(mechanism);
  const given: RolloutOptions = { steps: count, inputs, continueOnFailure: true, check: false };
  const plain = new Simulation(mechanism, options).rollout(start, given);
  const recorded = new Simulation(mechanism, options).rollout(start, { ...given, gradients: true });
  expect(recorded.states).toEqual(plain.states);
  expect(recorded.reports.map(({ status }) => status)).toEqual(plain.reports.map(({ status }) => status));

  const simulation = new Simulation(mechanism, options);
  let state = start;
  for (let k = 0; k < plain.steps; k++) {
    const coordinates = k % 2 === 0 ? "minimal" : "maximal";
    const { status, next, differentiable } = stepGradients(simulation, state, inputs[k], {
      coordinates,
      interval: plain.interval(k),
    });
    // the end of a step from which none can be taken is not recorded
    if (!plain.states[k + 1]) break;
    expect(next).toEqual(plain.states[k + 1]);
    if (status === "solved") expect(differentiable).toBe(true);
    state = next;
  }
  return plain.steps;
}

describe("states have the same bits with and without gradients", () => {
  test.each(Object.keys(models))("of %s", (name) => {
    const make = models[name as keyof typeof models] as () => MechanismDescription;
    expect(stepsAlike(make(), 200, 3)).toBeGreaterThan(0);
  });

  test.each(["stack", "cardHouse", "pile"] as const)("of shapes that touch: %s", (name) => {
    expect(stepsAlike(scenes[name](), 40, 3)).toBe(40);
  });

  test("of the ant whose limbs touch each other, and of a crate whose steps a tolerance divides", () => {
    expect(stepsAlike(models.ant({ selfCollisions: true }), 60, 3)).toBe(60);
    expect(stepsAlike(models.block(), 60, 3, { errorTolerance: 1e-3 })).toBe(60);
  });

  test.each(sceneClasses)("of random scenes: %s", (kind) => {
    const random = new Random(11);
    let steps = 0;
    for (let scene = 0; scene < 6; scene++) steps += stepsAlike(randomScene(random, kind).description, 40, scene);
    expect(steps).toBeGreaterThan(100);
  });
});

test("smoothed gradients leave the bits of a run of robots and loops too", () => {
  for (const description of [models.a1(), models.humanoid(), models.fourBar(), models.snake()]) {
    const mechanism = compile(description);
    const random = new Random(5);
    const inputs = Array.from({ length: 60 }, () =>
      Float64Array.from(mechanism.inputNames, (name) => (name.startsWith("base.") ? 0 : random.uniform(-1, 1))),
    );
    const run = (gradients: RolloutOptions["gradients"]) =>
      new Simulation(mechanism).rollout(startState(mechanism), { inputs, gradients: gradients ?? false }).states;
    for (const gradients of [{ smoothing: 0.1 }, { kappa: 3e-4 }]) expect(run(gradients)).toEqual(run(false));
  }
});
