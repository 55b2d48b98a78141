import { expect, test } from "vitest";
import { maximalState } from "../../coordinates/index.ts";
import type { Vector3 } from "../../math/index.ts";
import { box, boxCorners, floating, frictionContact, impactContact, linearContact } from "../../mechanism/index.ts";
import { Simulation } from "../simulation.ts";
import { compile } from "../states/compileMechanism.ts";
import { scatterContacts } from "./attempts.ts";

const crate = box({ size: [0.4, 0.4, 0.4], mass: 2 });
const kinds = [
  (point: Vector3) => frictionContact({ body: "crate", point, frictionCoefficient: 0.5 }),
  (point: Vector3) => linearContact({ body: "crate", point, frictionCoefficient: 0.5 }),
  (point: Vector3) => impactContact({ body: "crate", point }),
];
const mechanism = compile({
  timestep: 0.01,
  bodies: { crate },
  joints: { base: floating({ parent: "world", child: "crate" }) },
  contacts: boxCorners(crate).map((point, i) => kinds[i % 3](point)),
});

test("a scattered start keeps every product b∘c to the bit, differs from contact to contact, and is the same for the same seed", () => {
  const simulation = new Simulation(mechanism);
  const { problem } = simulation.stepper;
  simulation.step(maximalState(mechanism, { base: { position: [0, 0, 0.5, 0.1, 0.2, 0] } }));
  const start = { impulse: 0.01, length: 1, change: 1 };
  const scattered = (seed: number) => {
    problem.start(start, 1e-8);
    scatterContacts(problem, seed);
    return { b: problem.b.slice(), c: problem.c.slice(), product: problem.b.map((b, i) => b * problem.c[i]) };
  };
  const [even, first, again, second] = [0, 1, 1, 2].map(scattered);
  expect(first.product).toEqual(even.product);
  expect(first).toEqual(again);
  expect(second.b).not.toEqual(first.b);
  const shares = new Set(first.b.map((b, i) => (even.b[i] === 0 ? 1 : b / even.b[i])));
  expect(shares.size).toBeGreaterThan(3);
});
