/** Chains of rods that swing freely: small torques move them far beyond what their linearisation says. */
import { expect, it } from "vitest";
import {
  capsule,
  compile,
  cost,
  effort,
  equals,
  expression,
  type Mechanism,
  maximalState,
  type Plan,
  type PlanningTask,
  planTrajectory,
  type Quantities,
  revolute,
  Simulation,
} from "../../src/index.ts";

function chain(length: number): Mechanism {
  const links = Array.from({ length }, (_, i) => i);
  return compile({
    timestep: 0.05,
    damperCentering: 0,
    bodies: Object.fromEntries(links.map((i) => [`rod${i}`, capsule({ radius: 0.04, length: 0.6, mass: 0.8 })])),
    joints: Object.fromEntries(
      links.map((i) => [
        `hinge${i}`,
        revolute({
          parent: i === 0 ? "world" : `rod${i - 1}`,
          child: `rod${i}`,
          axis: [1, 0, 0],
          parentAnchor: [0, 0, i === 0 ? 0 : -0.3],
          childAnchor: [0, 0, 0.3],
          actuated: true,
          damping: 0.1,
        }),
      ]),
    ),
  });
}

const up = (terms: Partial<PlanningTask>): Plan => {
  const mechanism = chain(2);
  const simulation = new Simulation(mechanism);
  const start = maximalState(mechanism);
  return planTrajectory({ name: "up", simulation, start, steps: 30, cost: (q) => [effort(q, 1e-2)], ...terms });
};
const missed = (q: Quantities, angle: number): ReturnType<typeof expression.sub> =>
  expression.sub(q.coordinate("hinge0.angle"), angle);

it("a chain with a motor in every hinge turns its first rod up", () => {
  const plan = up({ constraints: (q) => [equals([missed(q, 3)], "final")] });
  expect(plan.reason).toBeUndefined();
  expect(plan.violation).toBeLessThan(1e-6);
  expect(plan.cost).toBeLessThan(1.5);
  // the rounds of both attempts
  expect(plan.rounds).toBeGreaterThan(10);
});

it("it does so for a cost in place of a constraint too, where it once stayed half-way at a cost of 3638", () => {
  const plan = up({ cost: (q) => [effort(q, 1e-2), cost([missed(q, 3)], 1000, "final")] });
  expect(plan.solved).toBe(true);
  expect(plan.cost).toBeLessThan(2.5);
});
