/** Chains of rods that swing freely: small torques move them far beyond what their linearisation says. */
import { expect, it } from "vitest";
import {
  capsule,
  compile,
  effort,
  equals,
  expression,
  type Mechanism,
  maximalState,
  planTrajectory,
  revolute,
  Simulation,
} from "../../src/index.ts";

function chain(length: number): Mechanism {
  const links = Array.from({ length }, (_, i) => i);
  return compile({
    timestep: 0.05,
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

it("a chain with a motor in every hinge turns its first rod up", () => {
  const mechanism = chain(2);
  const plan = planTrajectory({
    name: "up",
    simulation: new Simulation(mechanism),
    start: maximalState(mechanism),
    steps: 30,
    cost: (q) => [effort(q, 1e-2)],
    constraints: (q) => [equals([expression.sub(q.coordinate("hinge0.angle"), 3)], "final")],
  });
  expect(plan.reason).toBeUndefined();
  expect(plan.violation).toBeLessThan(1e-6);
  expect(plan.cost).toBeLessThan(1.5);
  // the rounds of both attempts
  expect(plan.rounds).toBeGreaterThan(10);
});
