/** Distances of true shapes against closed forms. */
import { expect, test } from "vitest";
import { box, floating, type MechanismDescription, sphere } from "../../mechanism/index.ts";
import { compile } from "../states/compileMechanism.ts";
import { ShapeDistances } from "./shapeDistances.ts";

const touching = (body: ReturnType<typeof box>) => ({
  ...body,
  shapes: (body.shapes ?? []).map((shape) => ({ ...shape, name: "hull", contact: true })),
});
const description: MechanismDescription = {
  timestep: 0.01,
  bodies: {
    ball: touching(sphere({ radius: 0.5, mass: 1 })),
    crate: touching(box({ size: [1, 1, 1], mass: 1 })),
  },
  joints: { ball: floating({ parent: "world", child: "ball" }), crate: floating({ parent: "world", child: "crate" }) },
  shapes: [{ kind: "halfSpace", name: "floor", contact: true }],
};
const mechanism = compile(description);

/** The ball at (x, 0, z), the crate on the floor at the origin. */
function state(x: number, z: number): Float64Array {
  const values = new Float64Array(mechanism.stateSize);
  values.set([x, 0, z, 1], 0);
  values.set([0, 0, 0.5, 1], 13);
  return values;
}

test("those nearer than asked for are listed, the nearest first, by name", () => {
  const distances = new ShapeDistances(mechanism);
  const found = distances.at(state(1.2, 0.6), 0.25);
  expect(found.map(({ bodies, shapes }) => [...bodies, ...shapes].sort().join(" "))).toEqual([
    "crate floor hull world",
    "ball floor hull world",
    "ball crate hull hull",
  ]);
  const expected = [0, 0.1, 0.2];
  for (const [i, { distance }] of found.entries()) expect(distance).toBeCloseTo(expected[i], 12);
  expect(distances.at(state(1.2, 0.6))).toEqual([]);
});

test("overlap is negative", () => {
  const [deepest] = new ShapeDistances(mechanism).at(state(0.9, 0.6));
  expect(deepest.bodies).toContain("crate");
  expect(deepest.distance).toBeCloseTo(-0.1, 12);
});

test("a state of another size, or a distance below zero, is refused", () => {
  const distances = new ShapeDistances(mechanism);
  expect(() => distances.at(new Float64Array(13))).toThrow("give 26");
  expect(() => distances.at(state(2, 2), -1)).toThrow("within");
});
