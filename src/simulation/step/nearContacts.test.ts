/** Contacts that are left out of a step: what is solved without them is solved with all of them. */
import { describe, expect, test } from "vitest";
import { maximalState } from "../../coordinates/index.ts";
import { Random } from "../../math/index.ts";
import {
  box,
  boxCorners,
  floating,
  frictionContact,
  impactContact,
  linearContact,
  type MechanismDescription,
  prismatic,
} from "../../mechanism/index.ts";
import { models } from "../../models/index.ts";
import { Simulation } from "../simulation.ts";
import { compile } from "../states/compileMechanism.ts";

/** The residual of the last step with all contacts, in tolerances, and the largest complementarity and the smallest distance. */
function withAllContacts(simulation: Simulation): { residual: number; complementarity: number; distance: number } {
  const { problem } = simulation.stepper;
  problem.takeAll();
  problem.evaluate();
  problem.measure(0);
  const { residualViolation: residual, complementarityViolation: complementarity } = problem.measures;
  return { residual, complementarity, distance: simulation.smallestDistance };
}

const chosen = ({ stepper }: Simulation): number =>
  stepper.problem.contacts?.slots.reduce((sum, one) => sum + one, 0) ?? NaN;

const crate = box({ size: [0.3, 0.2, 0.4], mass: 1 });
/** Two boxes on a slide, with corners of every kind. */
const sled: MechanismDescription = {
  timestep: 0.01,
  bodies: { one: crate, two: crate },
  joints: {
    base: floating({ parent: "world", child: "one" }),
    slide: prismatic({ parent: "one", child: "two", axis: [1, 0, 0], limits: [-0.5, 0.5], actuated: true }),
  },
  contacts: [
    ...boxCorners(crate).map((point) => linearContact({ body: "one", point, frictionCoefficient: 0.6 })),
    ...boxCorners(crate).map((point, i) =>
      i < 4 ? impactContact({ body: "two", point }) : frictionContact({ body: "two", point, frictionCoefficient: 0.6 }),
    ),
  ],
};

const a1 = models.a1({ timestep: 0.01, bodyContacts: true });
const scenes = {
  "a robot that falls": { description: a1, start: a1.states?.rest, effort: 5 },
  "boxes that tumble, with every kind of contact": {
    description: sled,
    start: { base: { position: [0, 0, 0.5, 0.3, 0.2, 0], velocity: [1, 0, 0, 3, 2, 1] } },
    effort: 20,
  },
} as const;

describe.each(Object.entries(scenes))("%s", (_, { description, start, effort }) => {
  test("every step is a solution with all contacts, though half of them take no part", () => {
    const mechanism = compile(description as MechanismDescription);
    const simulation = new Simulation(mechanism);
    const state = maximalState(mechanism, start);
    const random = new Random(3);
    let taken = 0;
    const steps = 200;
    for (let k = 0; k < steps; k++) {
      const input = Float64Array.from({ length: mechanism.inputSize }, () => random.uniform(-effort, effort));
      const result = simulation.step(state, input);
      expect(result.status).toBe("solved");
      taken += chosen(simulation);
      state.set(result.next);
      if (result.substeps > 1) continue;
      const { residual, complementarity, distance } = withAllContacts(simulation);
      expect(residual).toBeLessThanOrEqual(Math.max(1, 1.01 * result.residualViolation));
      expect(complementarity).toBeLessThanOrEqual(1.01e-8);
      expect(distance).toBeGreaterThan(0);
    }
    expect(taken).toBeGreaterThan(0);
    expect(taken).toBeLessThan(0.6 * steps * mechanism.contacts.length);
  });
});

/** A foot 20 cm above the floor, and a strong cylinder that pushes down what it hangs on: its own balance asks for nothing. */
const piston: MechanismDescription = {
  timestep: 0.01,
  bodies: { cylinder: crate, foot: crate },
  joints: {
    lift: prismatic({ parent: "world", child: "cylinder", axis: [0, 0, 1], actuated: true }),
    rail: prismatic({ parent: "cylinder", child: "foot", axis: [1, 0, 0], limits: [-1, 1] }),
  },
  contacts: boxCorners(crate).map((point) => frictionContact({ body: "foot", point, frictionCoefficient: 0.5 })),
};

describe("a contact that is crossed", () => {
  test("takes part when the step is solved again", () => {
    const mechanism = compile(piston);
    const simulation = new Simulation(mechanism);
    const state = maximalState(mechanism, { lift: { position: [0.4] }, rail: {} });
    const still = simulation.step(state, new Float64Array([2 * 9.81])).next.slice();
    expect(chosen(simulation)).toBe(0);
    // 25 m/s within a step
    const { status, retries, next } = simulation.step(still, new Float64Array([-5000]));
    expect([status, retries]).toEqual(["solved", 1]);
    expect(simulation.smallestDistance).toBeGreaterThan(0);
    expect(simulation.smallestDistance).toBeLessThan(1e-6);
    expect(Math.max(...next.slice(13 + 7, 13 + 10).map(Math.abs))).toBeLessThan(30);
  });

  test("one that is not crossed is read at its distance, without a force", () => {
    const mechanism = compile(piston);
    const simulation = new Simulation(mechanism);
    simulation.step(maximalState(mechanism, { lift: { position: [0.4] }, rail: {} }), new Float64Array([2 * 9.81]));
    const { name } = mechanism.contacts[0];
    const { normal, distance } = simulation.contact(name);
    expect(normal).toBeLessThan(1e-9);
    expect(distance).toBeCloseTo(simulation.smallestDistance, 12);
    expect(distance).toBeGreaterThan(0.15);
  });
});
