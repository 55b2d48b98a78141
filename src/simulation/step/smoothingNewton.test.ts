/** Steps that go on by Newton's method on the central path: the interior point, from a cold start, is the oracle. */
import { describe, expect, test } from "vitest";
import { javascript, webassembly } from "../../codegen/index.ts";
import { maximalState } from "../../coordinates/index.ts";
import { Random } from "../../math/index.ts";
import { capsule, type MechanismDescription, prismatic, revolute } from "../../mechanism/index.ts";
import { models } from "../../models/index.ts";
import { Simulation } from "../simulation.ts";
import { compile } from "../states/compileMechanism.ts";

const link = capsule({ radius: 0.05, length: 0.4, mass: 1 });
const below = { childAnchor: [0, 0, 0.2], parentAnchor: [0, 0, -0.2] } as const;

/** A chain that swings against its limits, with a slide, and two hinges that may not differ by much. */
const chain: MechanismDescription = {
  timestep: 0.01,
  bodies: { one: link, two: link, three: link, slider: link },
  joints: {
    one: revolute({
      parent: "world",
      child: "one",
      axis: [1, 0, 0],
      childAnchor: [0, 0, 0.2],
      limits: [-0.4, 0.6],
      actuated: true,
    }),
    two: revolute({ parent: "one", child: "two", axis: [1, 0, 0], ...below, damping: 0.1, actuated: true }),
    three: revolute({ parent: "two", child: "three", axis: [0, 1, 0], ...below, limits: [-0.1, 0.1], actuated: true }),
    slider: prismatic({
      parent: "three",
      child: "slider",
      axis: [0, 0, 1],
      ...below,
      limits: [-0.02, 0.03],
      actuated: true,
    }),
  },
  gears: {
    tendon: {
      range: [-0.3, 0.2],
      terms: [
        { joint: "one", ratio: 1 },
        { joint: "two", ratio: -1 },
      ],
    },
  },
};

const scenes = {
  "an arm with limits and a gear": { description: models.panda({ timestep: 0.01, floor: false }), effort: 30 },
  "a chain with a slide and a tendon": { description: chain, effort: 4 },
} satisfies Record<string, { description: MechanismDescription; effort: number }>;

const steps = 150;
/** Both ends lie on the path, one exactly, one within tolerances of 1e-8. */
const sameEnd = 1e-6;

describe.each(Object.entries(scenes))("%s", (_, { description, effort }) => {
  const mechanism = compile(description);
  const run = new Simulation(mechanism);
  const cold = new Simulation(mechanism);
  const random = new Random(7);
  const inputs = Array.from({ length: steps }, () =>
    Float64Array.from({ length: mechanism.inputSize }, () => random.uniform(-effort, effort)),
  );

  test("goes on to where a cold start ends, in fewer iterations, every time", () => {
    const state = maximalState(mechanism, description.states?.rest);
    let [iterations, coldIterations, retries] = [0, 0, 0];
    // the first step is cold, and ends anywhere below the path
    state.set(run.step(state, inputs[0]).next);
    for (const input of inputs.slice(1)) {
      const result = run.step(state, input);
      expect(result.status).toBe("solved");
      cold.continuation = undefined;
      const other = cold.step(state, input, { relativeKappa: 1e-8, exact: true });
      expect(other.status).toBe("solved");
      for (let i = 0; i < state.length; i++) expect(Math.abs(result.next[i] - other.next[i])).toBeLessThan(sameEnd);
      iterations += result.iterations;
      coldIterations += other.iterations;
      retries += result.retries;
      state.set(result.next);
    }
    expect(iterations).toBeLessThan(0.6 * coldIterations);
    expect(retries).toBeLessThanOrEqual(1);
  });
  test("smoothed points are those of a cold start", () => {
    const points = [{ relativeKappa: 0.1 }];
    const state = maximalState(mechanism, description.states?.rest);
    const heldBy = (simulation: Simulation, input: Float64Array): Float64Array => {
      expect(simulation.stepWith(state, input, { points }).status).toBe("solved");
      return simulation.stepper.solve.kept[0].points[0];
    };
    for (const input of inputs.slice(0, 40)) {
      cold.continuation = undefined;
      const other = heldBy(cold, input);
      const held = heldBy(run, input);
      const sizes = held.reduce((largest, entry) => Math.max(largest, Math.abs(entry)), 0);
      for (let i = 0; i < held.length; i++) expect(Math.abs(held[i] - other[i])).toBeLessThan(sameEnd * sizes);
      state.set(run.stepper.history.lastState as Float64Array);
    }
  });
  test("runs alike on every target, to the bit", () => {
    const runs = [webassembly, javascript].map((target) => {
      const controller = (_: Float64Array, k: number): Float64Array => inputs[k];
      const start = maximalState(mechanism, description.states?.rest);
      return new Simulation(mechanism, { target }).rollout(start, { steps: 40, controller }).final;
    });
    expect(Array.from(runs[0])).toEqual(Array.from(runs[1]));
  });
});
