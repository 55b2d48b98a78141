/** What rests is solved as well as ever while something else falls out of the world. */
import { expect, test } from "vitest";
import { box, compile, cylinder, floating, maximalState, Simulation, sphere } from "../../src/index.ts";

test("a can on a box creeps no faster while a ball falls at 90 m/s: before, a hundredth of that was the unit of all contacts", () => {
  const bodies = {
    crate: box({ size: [0.2, 0.2, 0.1], mass: 1, contact: true }),
    can: cylinder({ radius: 0.05, length: 0.1, mass: 0.5, contact: true }),
    ball: sphere({ radius: 0.05, mass: 1, contact: true }),
  };
  const joints = Object.fromEntries(Object.keys(bodies).map((child) => [child, floating({ parent: "world", child })]));
  const table = { kind: "box", size: [2, 2, 0.2], position: [0, 0, -0.1], contact: true } as const;
  const mechanism = compile({ timestep: 0.01, gravity: [1, 0, -9.81], bodies, joints, shapes: [table] });
  const simulation = new Simulation(mechanism);
  const start = maximalState(mechanism, {
    crate: { position: [0, 0, 0.05, 0, 0, 0] },
    can: { position: [0.02, 0.01, 0.15, 0, 0, 0] },
    ball: { position: [3, 0, -400, 0, 0, 0], velocity: [0, 0, -90, 0, 0, 0] },
  });
  const { solved, reports, final } = simulation.rollout(start, { steps: 100 });
  expect(solved).toBe(true);
  expect(Math.max(...reports.map(({ iterations }) => iterations))).toBeLessThanOrEqual(5);
  for (const body of [0, 1]) expect(Math.hypot(...final.subarray(13 * body + 7, 13 * body + 13))).toBeLessThan(1e-8);
  // in free flight: −90 m/s, and g for a second more
  expect(final[13 * 2 + 9]).toBeCloseTo(-90 - 9.81, 9);
});
