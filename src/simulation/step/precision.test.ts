/** Steps of four digits: what they cost, how far off they are, and that they still penetrate nothing. */
import { expect, test } from "vitest";
import { maximalState, startState } from "../../coordinates/index.ts";
import { Random } from "../../math/index.ts";
import { models, scenes } from "../../models/index.ts";
import { Simulation } from "../simulation.ts";
import { compile } from "../states/compileMechanism.ts";

const description = models.a1({ timestep: 0.01, bodyContacts: true });
const mechanism = compile(description);
const steps = 120;

function run(precision: "exact" | "fast", goesOn: boolean): { iterations: number; lowest: number } {
  const simulation = new Simulation(mechanism, { precision });
  const random = new Random(5);
  const state = maximalState(mechanism, description.states?.rest);
  let [iterations, lowest] = [0, Number.POSITIVE_INFINITY];
  for (let k = 0; k < steps; k++) {
    const input = Float64Array.from({ length: mechanism.inputSize }, () => random.uniform(-5, 5));
    if (!goesOn) simulation.continuation = undefined;
    const result = simulation.step(state, input);
    expect(result.status).toBe("solved");
    iterations += result.iterations;
    lowest = Math.min(lowest, simulation.smallestDistance);
    state.set(result.next);
  }
  return { iterations, lowest };
}

test("fast steps take fewer iterations, fewer still where they go on, and penetrate nothing", () => {
  const [exact, fast, cold] = [run("exact", true), run("fast", true), run("fast", false)];
  expect(fast.iterations).toBeLessThan(0.85 * exact.iterations);
  expect(fast.iterations).toBeLessThan(cold.iterations);
  expect(fast.lowest).toBeGreaterThan(0);
});

test("an arm among its limits takes fewer iterations too, none of them in vain", () => {
  const arm = compile(models.panda({ timestep: 0.01, floor: false }));
  const [exact, fast] = (["exact", "fast"] as const).map((precision) => {
    const simulation = new Simulation(arm, { precision });
    const random = new Random(5);
    const state = maximalState(arm, arm.description.states?.rest);
    let iterations = 0;
    for (let k = 0; k < steps; k++) {
      const input = Float64Array.from({ length: arm.inputSize }, () => random.uniform(-30, 30));
      const result = simulation.step(state, input);
      expect([result.status, result.retries]).toEqual(["solved", 0]);
      iterations += result.iterations;
      state.set(result.next);
    }
    return iterations;
  });
  expect(fast).toBeLessThan(0.9 * exact);
});

test("a block at rest hovers by no more than κ' g h² per contact", () => {
  const block = compile(models.block({ timestep: 0.01 }));
  const hovers = (precision: "exact" | "fast"): number => {
    const simulation = new Simulation(block, { precision });
    const start = maximalState(block, block.description.states?.rest);
    simulation.rollout(start, { steps: 200 });
    return simulation.smallestDistance;
  };
  const unit = 9.81 * 0.01 * 0.01 * block.contacts.length;
  expect(hovers("fast")).toBeGreaterThan(hovers("exact"));
  expect(hovers("fast")).toBeLessThan(1e-4 * unit);
  expect(hovers("exact")).toBeLessThan(1e-8 * unit);
});

test("a step ends as near to the exact one as √κ' says", () => {
  const [exact, fast] = [new Simulation(mechanism), new Simulation(mechanism, { precision: "fast" })];
  const state = maximalState(mechanism, description.states?.rest);
  const input = new Float64Array(mechanism.inputSize);
  const [a, b] = [exact.step(state, input).next, fast.step(state, input).next];
  // where a pair just touches, b = c = √κ' of their units: velocities to 1e-2 of g h, those of turning at the radius of gyration
  for (const { index, gyration } of mechanism.bodies) {
    for (let k = 0; k < 6; k++) {
      const apart = Math.abs(a[13 * index + 7 + k] - b[13 * index + 7 + k]) * (k < 3 ? 1 : gyration);
      expect(apart).toBeLessThan(1e-2 * 9.81 * 0.01);
    }
  }
});

test("what is no precision is refused, with those that there are", () => {
  expect(() => new Simulation(mechanism, { precision: "quick" as never })).toThrow(
    'options.precision: quick: give "exact", which is the default, or "fast"',
  );
});

test.each([
  ["a robot on its feet", description, 8, 58],
  ["a pyramid of boxes", scenes.pyramid(), 9, 135],
])("fast steps of %s differ from exact ones by no more than docs/solver.md says", (_, of, most90, most) => {
  const own = compile({ ...of, timestep: 0.01 });
  const [exact, fast] = [new Simulation(own), new Simulation(own, { precision: "fast" })];
  const random = new Random(3);
  const state = startState(own);
  const differences: number[] = [];
  for (let k = 0; k < 40; k++) {
    const input = Float64Array.from({ length: own.inputSize }, () => random.uniform(-1, 1));
    const { continuation } = fast;
    const { next } = fast.step(state, input);
    exact.continuation = continuation;
    const wanted = exact.step(state, input).next;
    const apart = own.bodies.flatMap(({ index, gyration }) =>
      [0, 1, 2, 3, 4, 5].map((i) => {
        const at = 13 * index + 7 + i;
        return Math.abs(next[at] - wanted[at]) * (i < 3 ? 1 : gyration);
      }),
    );
    // √κ' g h: the unit of speed is no smaller
    differences.push(Math.max(...apart) / (1e-2 * 9.81 * 0.01));
    state.set(next);
  }
  differences.sort((a, b) => a - b);
  expect(differences[36]).toBeLessThan(most90);
  expect(differences[39]).toBeLessThan(most);
});
