/** Friction against turning where corners of the world meet faces of a body that moves. */
import { expect, test } from "vitest";
import { box, compile, floating, maximalState, type Shape, Simulation } from "../../src/index.ts";

const [timestep, steps] = [0.01, 10];

test.each([
  ["torsional", { torsionalFriction: 0.02 }],
  ["torsional and rolling", { torsionalFriction: 0.02, rollingFriction: 0.01 }],
])("%s friction on corners of the world is that on a body that is bolted to it", (_, contact) => {
  const stone: Shape = { kind: "box", name: "stone", size: [0.2, 0.2, 0.2], position: [0, 0, -0.1], contact };
  const plate = { ...box({ size: [1, 1, 0.1], mass: 2, contact }) };
  const base = floating({ parent: "world", child: "plate" });
  const inWorld = compile({ timestep, bodies: { plate }, joints: { base }, shapes: [stone] });
  const bolted = compile({
    timestep,
    bodies: {
      plate,
      stone: { ...box({ size: [0.2, 0.2, 0.2], mass: 1 }), shapes: [{ ...stone, position: [0, 0, 0] }] },
    },
    joints: { base, bolt: { kind: "fixed", parent: "world", child: "stone", parentAnchor: [0, 0, -0.1] } },
  });
  const [one, two] = [inWorld, bolted].map((mechanism) => {
    const start = maximalState(mechanism, { base: { position: [0, 0, 0.05, 0, 0, 0], velocity: [0, 0, 0, 0, 0, 1] } });
    const run = new Simulation(mechanism).rollout(start, { steps });
    expect(run.solved).toBe(true);
    return run.final.slice(0, 13);
  });
  for (const [i, entry] of one.entries()) expect(Math.abs(entry - two[i])).toBeLessThan(1e-6);
  // the spin has slowed down
  expect(one[12]).toBeLessThan(0.95);
  expect(one[12]).toBeGreaterThanOrEqual(0);
});
