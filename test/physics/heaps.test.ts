/** Heaps in which friction wedges dozens of bodies: every step solved, with all of the friction, and nothing in anything else. */
import { expect, test } from "vitest";
import { compile, ShapeDistances, Simulation, scenes, startState, stateAt } from "../../src/index.ts";

/** m: depth that rounding leaves of distances between bodies of 5 cm, and that of rims that roll on while they are checked. */
const ROUNDING = 1e-8;

test("60 bodies of all shapes are poured into a narrow bin, friction 0.8: before, 6 of these steps were taken with less of it", () => {
  const description = scenes.pile({ count: 60, width: 0.45, frictionCoefficient: 0.8 });
  const mechanism = compile(description);
  const simulation = new Simulation(mechanism);
  const run = simulation.rollout(stateAt(simulation, description.states?.poured), {
    steps: 120,
    onStep: ({ frictionScale, precision, overlap = 0 }, step) => {
      expect({ step, frictionScale, precision }).toEqual({ step, frictionScale: 1, precision: undefined });
      expect(overlap).toBeLessThan(ROUNDING);
      return true;
    },
  });
  expect(run.solved).toBe(true);
  // true distances, by another search
  for (const { distance } of new ShapeDistances(mechanism).at(run.final, 1e-3))
    expect(distance).toBeGreaterThan(-ROUNDING);
  // momentum of the fall is gone below: bodies that have landed do not go through each other
  const heights = Array.from({ length: 60 }, (_, i) => run.final[13 * i + 2]);
  expect(Math.min(...heights)).toBeGreaterThan(0.01);
});

test("in a wider bin no step makes energy: before, one of these made a quarter of what there was", () => {
  // of the kinetic energy that a step began with; steps of heaps are taken in halves from 1% on
  const mostGain = 0.05;
  const description = scenes.pile({ count: 60, frictionCoefficient: 0.8 });
  const simulation = new Simulation(compile(description));
  const run = simulation.rollout(startState(simulation.mechanism, "poured"), { steps: 75 });
  expect(run.solved).toBe(true);
  const energies = run.states.map((state, k) => simulation.energy(state, run.reports[k - 1]?.interval));
  // the first step is that of bodies at rest
  for (let k = 2; k < energies.length; k++) {
    const [before, after] = [energies[k - 1], energies[k]];
    const gain = after.kinetic + after.potential - before.kinetic - before.potential;
    expect(gain, `step ${k}`).toBeLessThan(mostGain * before.kinetic);
  }
});

test("short parts of a step do not burst together: before, one of these steps made 47 times the energy that there was", () => {
  const simulation = new Simulation(compile(scenes.pile({ count: 60, seed: 5, frictionCoefficient: 0.8 })));
  const run = simulation.rollout(startState(simulation.mechanism, "poured"), { steps: 55 });
  expect(run.solved).toBe(true);
  for (const { overlap = 0 } of run.reports) expect(overlap).toBeLessThan(ROUNDING);
  const energies = run.states.map((state, k) => simulation.energy(state, run.reports[k - 1]?.interval));
  for (let k = 2; k < energies.length; k++) {
    const gain = energies[k].total - energies[k - 1].total;
    expect(gain, `step ${k}`).toBeLessThan(0.05 * energies[k - 1].kinetic);
  }
});

test("a step that is solved only as a whole has what would overlap in it: before, one of these left 1.6 mm", () => {
  const description = scenes.pile({ count: 60, width: 0.45, timestep: 0.005, seed: 5, frictionCoefficient: 0.8 });
  const simulation = new Simulation(compile(description));
  const run = simulation.rollout(startState(simulation.mechanism, "poured"), { steps: 140 });
  expect(run.solved).toBe(true);
  for (const { overlap = 0 } of run.reports) expect(overlap).toBeLessThan(ROUNDING);
});

test("a can falls flat on the side of a capsule: before, the normal of its rim was none, and the step was not solved", () => {
  const simulation = new Simulation(compile(scenes.pile({ count: 60, seed: 18, frictionCoefficient: 0.8 })));
  const run = simulation.rollout(startState(simulation.mechanism, "poured"), { steps: 60 });
  expect(run.solved).toBe(true);
  for (const { overlap = 0 } of run.reports) expect(overlap).toBeLessThan(ROUNDING);
});
