/** Friction of shapes as `touches` reads it: within a step normals turn, and forces of several poses are added. */
import { expect, test } from "vitest";
import { box, compile, floating, maximalState, Random, Simulation } from "../../src/index.ts";

const frictionCoefficient = 0.4;

test.each([
  ["whole steps", {}, undefined],
  ["whole steps that bounce", {}, 0.5],
  ["a tolerance", { errorTolerance: 1e-4 }, undefined],
  ["a tolerance and bounces", { errorTolerance: 1e-4 }, 0.5],
] as const)("%s: friction is never above its coefficient times the normal force", (_, options, restitution) => {
  const contact = { frictionCoefficient, ...(restitution !== undefined && { restitution }) };
  const crate = box({ size: [0.4, 0.3, 0.2], mass: 1, contact });
  const joints = Object.fromEntries(["a", "b"].map((child) => [child, floating({ parent: "world", child })]));
  const mechanism = compile({ timestep: 0.02, gravity: [0, 0, 0], bodies: { a: crate, b: crate }, joints });
  let [met, across] = [0, 0];
  for (let seed = 0; seed < 12; seed++) {
    const random = new Random(seed);
    const three = (): [number, number, number] => [random.normal(), random.normal(), random.normal()];
    const simulation = new Simulation(mechanism, options);
    const state = maximalState(mechanism, {
      a: { position: [-0.35, 0, 0, ...three()], velocity: [3, 0, 0, ...three().map((rate) => 5 * rate)] },
      b: { position: [0.35, 0.05, 0.05, ...three()], velocity: [-3, 0, 0, ...three().map((rate) => 5 * rate)] },
    });
    for (let k = 0; k < 12; k++) {
      const { next } = simulation.step(state);
      for (const { force, normal, normalForce, frictionForce } of simulation.touches()) {
        if (normalForce < 1e-3) continue;
        met++;
        expect(frictionForce).toBeLessThan(frictionCoefficient * normalForce * (1 + 1e-6));
        const along = force.reduce((sum, entry, i) => sum + entry * normal[i], 0);
        const rest = Math.hypot(...force.map((entry, i) => entry - along * normal[i]));
        across = Math.max(across, rest / (frictionCoefficient * along));
      }
      state.set(next);
    }
  }
  expect(met).toBeGreaterThan(5);
  // what is read off the sum of forces across the last normal is another thing
  if (restitution !== undefined) expect(across).toBeGreaterThan(1);
});
