/** Suspicions with a mechanism that gives each, and its twin that does not. */
import { expect, test } from "vitest";
import {
  box,
  compile,
  fixed,
  floating,
  frictionContact,
  inspect,
  type MechanismDescription,
  prismatic,
  revolute,
  Simulation,
  scenes,
  sphere,
} from "../../src/index.ts";

const codesOf = (description: MechanismDescription): readonly string[] =>
  inspect(new Simulation(compile(description))).suspicions.map(({ code }) => code);

const arm = (mass: number): MechanismDescription => ({
  timestep: 0.01,
  bodies: { heavy: box({ size: [1, 1, 1], mass: 100 }), light: box({ size: [0.1, 0.1, 0.1], mass }) },
  joints: {
    base: fixed({ parent: "world", child: "heavy" }),
    hinge: revolute({ parent: "heavy", child: "light", axis: [1, 0, 0], actuated: true }),
  },
});
const ball = (radius: number, touches: boolean): MechanismDescription => ({
  timestep: 0.01,
  bodies: { ball: sphere({ radius, mass: 1 }) },
  joints: { free: floating({ parent: "world", child: "ball" }) },
  contacts: touches ? [frictionContact({ body: "ball", point: [0, 0, 0], radius, frictionCoefficient: 0.5 })] : [],
});
/** A crate on a rail along x, with its contact at a gap from the floor that the rail keeps. */
const crate = (height: number): MechanismDescription => ({
  timestep: 0.01,
  bodies: { crate: box({ size: [1, 1, 1], mass: 1 }) },
  joints: {
    rail: prismatic({ parent: "world", child: "crate", axis: [1, 0, 0], parentAnchor: [0, 0, height], actuated: true }),
  },
  contacts: [frictionContact({ body: "crate", point: [0, 0, -0.5], frictionCoefficient: 0.5 })],
});

test.each([
  ["light-body", arm(1e-5), arm(50)],
  ["no-contacts", ball(0.5, false), ball(0.5, true)],
  ["small-body", scenes.marbles({ radius: 1e-4 }), scenes.marbles()],
  ["excluded-contacts", crate(0.5), crate(0.6)],
] as const)("%s", (code, faulty, clean) => {
  expect(codesOf(faulty)).toContain(code);
  expect(codesOf(clean)).not.toContain(code);
});
