/** Chains that are thrown at each other, in steps that a tolerance divides. */

import { expect, test } from "vitest";
import {
  box,
  checkGradients,
  compile,
  cylinder,
  floating,
  type MechanismDescription,
  maximalState,
  ShapeDistances,
  Simulation,
  scenes,
  spherical,
  stateAt,
  stepGradients,
} from "../../src/index.ts";

const contact = { frictionCoefficient: 0.5 };
const links = {
  boxes: box({ size: [0.06, 0.06, 0.2], mass: 1, contact }),
  cylinders: cylinder({ radius: 0.04, length: 0.2, mass: 1, contact }),
};
/** Both had met with parts that only the end of a step shows, and were thrown apart by the shortest parts of it: 28 J became 18,000, and 44 became 1,900. */
const throws = [
  {
    kind: "boxes",
    timestep: 0.003,
    steps: 32,
    met: 27,
    start: {
      p0: { position: [-0.35, -0.027, 0.161, -0.059, -0.15, 0.899], velocity: [3.589, 0, 0, -0.558, 1.6, -2.476] },
      p1: { velocity: [1.061, -0.149, -1.689] },
      p2: { velocity: [1.735, -0.246, 0.964] },
      q0: { position: [0.35, -0.071, -0.144, 0.397, -0.13, -0.006], velocity: [-3.589, 0, 0, -1.23, -2.38, -1.349] },
      q1: { velocity: [-1.288, -1.122, -1.041] },
      q2: { velocity: [1.035, -1.177, 1.242] },
    },
  },
  {
    kind: "cylinders",
    timestep: 0.01,
    steps: 16,
    met: 11,
    start: {
      p0: { position: [-0.35, 0.075, 0.173, -0.445, 0.625, -0.096], velocity: [3.967, 0, 0, 2.563, 0.298, 1.531] },
      p1: { velocity: [0.727, -0.172, 1.855] },
      p2: { velocity: [-1.367, 1.455, 0.12] },
      q0: { position: [0.35, 0.002, -0.025, -0.026, 0.001, 0.401], velocity: [-3.967, 0, 0, 1.11, 2.423, -1.377] },
      q1: { velocity: [0.837, 1.122, -1.429] },
      q2: { velocity: [-1.6, -1.199, 0.046] },
    },
  },
] as const;

function chains(kind: keyof typeof links, timestep: number): MechanismDescription {
  const names = ["p0", "p1", "p2", "q0", "q1", "q2"];
  const joints = names.map((child) => {
    const above = `${child[0]}${Number(child[1]) - 1}`;
    const anchors = { parentAnchor: [0, 0, -0.14], childAnchor: [0, 0, 0.14] } as const;
    return [
      child,
      child[1] === "0" ? floating({ parent: "world", child }) : spherical({ parent: above, child, ...anchors }),
    ];
  });
  const bodies = names.map((name) => [name, links[kind]]);
  return { timestep, gravity: [0, 0, 0], bodies: Object.fromEntries(bodies), joints: Object.fromEntries(joints) };
}

test.each(throws)("chains of $kind gain no energy where they meet", ({ kind, timestep, steps, start }) => {
  const mechanism = compile(chains(kind, timestep));
  const simulation = new Simulation(mechanism, { errorTolerance: 1e-3 });
  const state = maximalState(mechanism, start);
  const run = simulation.rollout(state, { steps });
  expect(run.solved).toBe(true);
  let before = simulation.energy(state).kinetic;
  const first = before;
  run.states.slice(1).forEach((next, k) => {
    const energy = simulation.energy(next, run.reports[k].interval).kinetic;
    expect(energy).toBeLessThan(1.03 * before);
    before = energy;
  });
  // they have met
  expect(before).toBeLessThan(0.95 * first);
});

test.each(throws)(
  "gradients of such steps of $kind agree with differences",
  ({ kind, timestep, steps, start, met }) => {
    const mechanism = compile(chains(kind, timestep));
    const simulation = new Simulation(mechanism, { errorTolerance: 1e-3 });
    const run = simulation.rollout(maximalState(mechanism, start), { steps });
    for (const k of [met - 1, met]) {
      const continuation = run.continuationAt(k);
      const gradients = stepGradients(simulation, run.states[k], undefined, { continuation });
      expect(gradients.differentiable).toBe(true);
      expect(gradients.next).toEqual(run.states[k + 1]);
      const worst = (smoothing: number): number =>
        checkGradients(simulation, run.states[k], undefined, { continuation, smoothing }).worst;
      expect(worst(0.1)).toBeLessThan(1e-6);
      // contacts are 1e5 times as stiff at the end, and differences of it drown sooner
      expect(worst(0)).toBeLessThan(1e-5);
    }
  },
);

test("what falls beside bodies that meet falls as the parabola does, and again where a step is taken once more from its start", () => {
  // the step in which the bricks meet needs parts of them that only its end shows, and is not divided, after steps that are
  const brick = box({ size: [0.3, 0.2, 0.1], mass: 1, contact });
  const bodies = { low: brick, high: brick, witness: box({ size: [0.1, 0.1, 0.1], mass: 1 }) };
  const names = Object.keys(bodies) as (keyof typeof bodies)[];
  const joints = Object.fromEntries(names.map((child) => [child, floating({ parent: "world", child })]));
  const timestep = 0.02;
  const mechanism = compile({ timestep, bodies, joints, shapes: [{ kind: "halfSpace", contact }] });
  const simulation = new Simulation(mechanism, { errorTolerance: 1e-3 });
  const start = stateAt(simulation, {
    low: { position: [0, 0, 0.3, 0.4, -0.08, 0], velocity: [0, 0, 0, -0.2, -3, 1] },
    high: { position: [0.05, 0.02, 0.55, -0.3, -0.06, -0.26], velocity: [0, 0, -1, -3, -0.5, 4] },
    witness: { position: [0, 3, 9, 0, 0, 0] },
  });
  let state = start;
  for (let k = 1; k <= 16; k++) {
    const next = simulation.step(state).next.slice();
    expect(Math.abs(next[26 + 2] - 9 + (9.81 * (k * timestep) ** 2) / 2)).toBeLessThan(1e-9);
    expect(simulation.step(state).next).toEqual(next);
    state = next;
  }
});

test("what shapes were in each other in a solve that was not taken is not reported: cards that are put down from 2 mm", () => {
  const description = scenes.cardHouse();
  const mechanism = compile(description);
  const options = { errorTolerance: 1e-3 };
  const simulation = new Simulation(mechanism, options);
  const start = stateAt(simulation, description.states?.dropped, options);
  const { states, reports } = simulation.rollout(start, { steps: 6 });
  // half of a step takes what the whole could not: in it a corner had come 0.5 mm through a card
  expect(Math.max(...reports.map(({ substeps }) => substeps))).toBeGreaterThan(1);
  expect(Math.max(...reports.map(({ overlap = 0 }) => overlap))).toBeLessThan(1e-12);
  const distances = new ShapeDistances(mechanism);
  for (const state of states.slice(1)) expect(distances.at(state, 1e-3)[0].distance).toBeGreaterThan(0);
});
