/** Steps whose central path folds just above the κ at which they should end: loads that joint limits and sliding contacts share. */
import { expect, test } from "vitest";
import { compile, maximalFromMinimal, models, Simulation } from "../../src/index.ts";

test("A1, folded up on the floor with eight hinges at their limits, takes its step whole: before, 64 parts did not solve it", () => {
  const mechanism = compile(models.a1({ timestep: 0.01, bodyContacts: true }));
  const base = [-0.027154262, 0.01060901, 0.082675177, -0.000049728, -0.00040702, -0.243146126];
  const legs = [
    ...[-0.499999993, 0.872493959, -2.5, 0.5, 0.87249398, -2.5],
    ...[-0.5, 0.86879563, -2.5, 0.5, 0.86879563, -2.5],
  ];
  const inside = (angle: number): number => (Math.abs(angle) < 0.6 ? 0.5 - 1e-9 : 2.5 - 1e-9) * Math.sign(angle);
  const positions = [...base, ...legs.map((angle) => (angle > 0.6 ? angle : inside(angle)))];
  const state = maximalFromMinimal(mechanism, Float64Array.from([...positions, ...positions.map(() => 0)]));
  const input = Float64Array.of(
    ...[-4.364, -0.242, -0.511, 3.028, 2.814, -4.583, 0.676, 2.691, -4.985, 0.212, -0.063, 2.586],
  );
  const simulation = new Simulation(mechanism);
  const { status, substeps, iterations, next } = simulation.step(state, input);
  expect({ status, substeps }).toEqual({ status: "solved", substeps: 1 });
  expect(iterations).toBeLessThan(200);
  expect(simulation.smallestDistance).toBeGreaterThan(0);
  // gravity and its motors press it together: it hardly moves
  const speeds = mechanism.bodies.map((_, i) => Math.hypot(next[13 * i + 7], next[13 * i + 8], next[13 * i + 9]));
  expect(Math.max(...speeds)).toBeLessThan(1e-6);
});
