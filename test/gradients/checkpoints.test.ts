/**
 * Steps between checkpoints are taken again for gradients: bit by bit what they were, whatever divides them, drives them or bounces in them. Random
 * scenes cross a tolerance with inputs that change, restitution, springs, gears, shapes that touch and the precision of steps.
 */
import { describe, expect, test } from "vitest";
import {
  box,
  boxCorners,
  compile,
  floating,
  frictionContact,
  type MechanismDescription,
  maximalState,
  models,
  prismatic,
  pullback,
  Random,
  revolute,
  Simulation,
  type SimulationOptions,
  sphere,
} from "../../src/index.ts";

const steps = 13;

/** A crate thrown at the floor, by contacts or by shapes, beside two hinges with springs, a motor and a gear between them. */
function scene(random: Random, kind: "contacts" | "bounces" | "shapes"): MechanismDescription {
  const contact = kind === "shapes" && { contact: { frictionCoefficient: random.uniform(0.1, 0.8) } };
  const crate = box({ size: [0.4, 0.3, 0.2], mass: random.uniform(0.5, 2), ...contact });
  const ball = sphere({ radius: 0.1, mass: 1, ...contact });
  const bob = sphere({ radius: 0.05, mass: 0.4 });
  const restitution = kind === "bounces" ? { restitution: random.uniform(0.2, 0.9) } : {};
  const contacts = boxCorners(crate).map((point) =>
    frictionContact({ body: "crate", point, frictionCoefficient: 0.4, ...restitution }),
  );
  const spring = { stiffness: random.uniform(0, 20), damping: random.uniform(0, 0.2), rest: 0.3 };
  return {
    timestep: random.uniform(0.01, 0.04),
    springConservation: 1,
    damperCentering: 1,
    bodies: { crate, ball, left: bob, right: bob },
    joints: {
      base: floating({ parent: "world", child: "crate" }),
      rail: prismatic({ parent: "world", child: "ball", axis: [0, 0, 1], actuated: true }),
      left: revolute({ parent: "world", child: "left", axis: [0, 1, 0], childAnchor: [0, 0, 0.3], ...spring }),
      right: revolute({
        ...{ parent: "world", child: "right", axis: [0, 1, 0], childAnchor: [0, 0, 0.3] },
        ...{ actuated: true, limits: [-1.5, 1.5] as const },
      }),
    },
    gears: {
      pull: {
        terms: [
          { joint: "left", ratio: 1 },
          { joint: "right", ratio: random.uniform(-2, 2) },
        ],
        ...{ stiffness: 5, damping: 0.05 },
      },
    },
    ...(kind === "shapes"
      ? { shapes: [{ kind: "halfSpace", name: "floor", contact: true }] }
      : {
          contacts: [
            ...contacts,
            frictionContact({ body: "ball", point: [0, 0, 0], radius: 0.1, frictionCoefficient: 0.4 }),
          ],
        }),
  };
}

const ways: Readonly<Record<string, SimulationOptions>> = {
  "whole steps": {},
  "tolerance 1e-3": { errorTolerance: 1e-3 },
  "tolerance 1e-4": { errorTolerance: 1e-4 },
  "tolerance 1e-3, fast": { errorTolerance: 1e-3, precision: "fast" },
};

/** Boxes that fall onto each other. */
function pile(random: Random): MechanismDescription {
  const names = ["a", "b", "c", "d"];
  const body = () =>
    box({ size: [0.2, 0.15, 0.1], mass: random.uniform(0.5, 2), contact: { frictionCoefficient: 0.5 } });
  return {
    timestep: 0.02,
    bodies: Object.fromEntries(names.map((name) => [name, body()])),
    joints: Object.fromEntries(names.map((name) => [name, floating({ parent: "world", child: name })])),
    shapes: [{ kind: "halfSpace", name: "floor", contact: true }],
  };
}

describe.each(Object.entries(ways))("%s", (_, options) => {
  test("a pile of boxes: gradients with checkpoints are those without", () => {
    for (let seed = 0; seed < 2; seed++) {
      const random = new Random(seed);
      const mechanism = compile(pile(random));
      const start = maximalState(
        mechanism,
        Object.fromEntries(
          mechanism.joints.map(({ name }, i) => [
            name,
            {
              position: [0.03 * i, 0.02 * i, 0.15 + 0.22 * i, random.uniform(0, 0.6), 0.1 * i, 0],
              velocity: [0.2, 0, -1, 0.5, random.normal(), 0],
            },
          ]),
        ),
      );
      const cotangent = Float64Array.from({ length: 48 }, () => random.normal());
      const pulled = (checkpointEvery: number) => {
        const trajectory = new Simulation(mechanism, options).rollout(start, {
          steps: 25,
          gradients: { checkpointEvery },
        });
        expect(trajectory.solved).toBe(true);
        return pullback(trajectory, [...new Array(25).fill(undefined), cotangent]).state;
      };
      expect(pulled(4)).toEqual(pulled(1));
    }
  });

  test.each(["contacts", "bounces", "shapes"] as const)("%s: gradients with checkpoints are those without", (kind) => {
    for (let seed = 0; seed < 2; seed++) {
      const random = new Random(100 + seed);
      const mechanism = compile(scene(random, kind));
      const start = maximalState(mechanism, {
        base: {
          position: [1, 0, 0.35, random.uniform(-0.3, 0.3), random.uniform(-0.3, 0.3), 0],
          velocity: [random.normal(), random.normal(), -2, random.normal(), random.normal(), random.normal()],
        },
        rail: { position: [0.15], velocity: [-1] },
        left: { position: [1], velocity: [2] },
      });
      const inputs = Array.from({ length: steps }, () => [random.uniform(-5, 15), random.uniform(-1, 1)]);
      const size = 12 * mechanism.bodies.length;
      const cotangent = Float64Array.from({ length: size }, () => random.normal());
      const pulled = (checkpointEvery: number) => {
        const simulation = new Simulation(mechanism, options);
        const trajectory = simulation.rollout(start, { inputs, gradients: { checkpointEvery }, check: false });
        const weights = [...new Array(trajectory.steps).fill(undefined), cotangent];
        expect(trajectory.solved).toBe(true);
        const { state, inputs: byInput, parameters } = pullback(trajectory, weights, { parameters: ["gravity.z"] });
        return { state, byInput, parameters };
      };
      expect(pulled(4)).toEqual(pulled(1));
    }
  });
});

test.each(Object.entries(ways))("%s: a robot that falls, in a simulation that has run before", (_, options) => {
  const mechanism = compile(models.humanoid({ timestep: 0.02 }));
  const random = new Random(3);
  const inputs = Array.from({ length: steps }, () =>
    Array.from({ length: mechanism.inputSize }, () => random.uniform(-20, 20)),
  );
  const height = (z: number) =>
    maximalState(mechanism, { ...mechanism.description.states?.standing, root: { position: [0, 0, z, 0, 0.1, 0] } });
  const used = new Simulation(mechanism, options);
  used.rollout(height(2), { steps: 7, check: false });
  const cotangent = Float64Array.from({ length: 12 * mechanism.bodies.length }, () => random.normal());
  const pulled = (simulation: Simulation, checkpointEvery: number) => {
    const trajectory = simulation.rollout(height(1.3), { inputs, gradients: { checkpointEvery }, check: false });
    return pullback(trajectory, [...new Array(trajectory.steps).fill(undefined), cotangent]).state;
  };
  const kept = pulled(new Simulation(mechanism, options), 1);
  expect(pulled(used, 5)).toEqual(kept);
  expect(pulled(used, 4)).toEqual(kept);
});

test("a stretch that does not end where it was recorded is an error", () => {
  const mechanism = compile(pile(new Random(1)));
  const start = maximalState(mechanism, {
    a: { position: [0, 0, 0.5, 0, 0, 0] },
    b: { position: [0.5, 0, 0.5, 0, 0, 0] },
  });
  const trajectory = new Simulation(mechanism).rollout(start, {
    ...{ steps: 9, gradients: { checkpointEvery: 4 }, check: false },
  });
  trajectory.states[1][2] += 1e-12;
  const pulled = () => pullback(trajectory, [...new Array(9).fill(undefined), new Float64Array(48).fill(1)]);
  expect(pulled).toThrow(
    /steps 4 to 7, taken again from the checkpoint, end in another state .*without checkpointEvery/,
  );
});
