/** Plans of mechanisms whose joints close loops: their coordinates depend on each other, and plans keep them closed. */
import { describe, expect, test } from "vitest";
import {
  checkState,
  compile,
  cost,
  effort,
  equals,
  expression,
  maximalFromMinimal,
  models,
  type Plan,
  planController,
  planTrajectory,
  projectState,
  reach,
  Simulation,
  startState,
} from "../../src/index.ts";

const expectClosed = (simulation: Simulation, { states }: Plan): void => {
  for (const state of states) expect(checkState(simulation, state, { tolerance: 1e-7 })).toEqual([]);
};

describe("a delta robot", () => {
  const steps = 12;
  const mechanism = compile(models.delta({ timestep: 0.04 }));
  const simulation = new Simulation(mechanism);
  const start = startState(mechanism, "rest");
  const at = 13 * mechanism.bodies.findIndex(({ name }) => name === "platform");
  const goal = [0.1, -0.05, start[at + 2] + 0.08];
  const plan = planTrajectory({
    name: "place",
    simulation,
    start,
    steps,
    cost: (q) => [effort(q, 1e-3), cost(q.body("platform").velocity, 1e-3)],
    constraints: (q) => [
      reach(q, Object.fromEntries(["x", "y", "z"].map((axis, i) => [`bodies.platform.position.${axis}`, goal[i]]))),
      equals(q.body("platform").velocity, "final"),
    ],
  });
  const missed = (state: Float64Array): number => Math.hypot(...goal.map((value, i) => state[at + i] - value));

  test("brings its platform to a place, at rest", () => {
    expect(plan.reason).toBeUndefined();
    expect(missed(plan.states[steps])).toBeLessThan(1e-6);
    expect(Math.hypot(...plan.states[steps].subarray(at + 7, at + 10))).toBeLessThan(1e-5);
    expectClosed(simulation, plan);
    // a simulation of its own ends there too
    const { final } = new Simulation(mechanism).rollout(start, { steps, inputs: [...plan.inputs] });
    expect(missed(final)).toBeLessThan(1e-6);
  });

  test("is brought back by the plan's gains from a start beside it", () => {
    const other = new Simulation(mechanism);
    const aside = projectState(
      other,
      start.map((value, i) => (i === at ? value + 0.02 : value)),
    );
    const open = other.rollout(aside, { steps, inputs: [...plan.inputs] });
    const closed = other.rollout(aside, { steps, controller: planController(plan, mechanism) });
    expect(missed(open.final)).toBeGreaterThan(5e-3);
    expect(missed(closed.final)).toBeLessThan(0.2 * missed(open.final));
  });
});

test("a four-bar linkage is swung to its side from a guess whose states do not follow from its inputs", () => {
  const steps = 40;
  const simulation = new Simulation(compile(models.fourBar({ timestep: 0.05, actuated: true })));
  const { mechanism } = simulation;
  const start = startState(mechanism);
  const between = (k: number): Float64Array =>
    projectState(simulation, maximalFromMinimal(mechanism, Float64Array.of((0.8 * k) / steps, 0, 0, 0, 0, 0, 0, 0)));
  const plan = planTrajectory({
    name: "swing",
    simulation,
    start,
    steps,
    guess: {
      states: Array.from({ length: steps + 1 }, (_, k) => (k === 0 ? start : between(k))),
      inputs: Array.from({ length: steps }, () => [0.5]),
    },
    cost: (q) => [effort(q, 1e-3)],
    constraints: (q) => [
      equals([expression.sub(q.coordinate("leftPivot.angle"), 0.8), q.rate("leftPivot.angle")], "final"),
    ],
    inputBounds: { lower: [-6], upper: [6] },
  });
  expect(plan.reason).toBeUndefined();
  expect(plan.violation).toBeLessThan(1e-6);
  expectClosed(simulation, plan);
});
