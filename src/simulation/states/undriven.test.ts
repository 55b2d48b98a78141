import { expect, test } from "vitest";
import { maximalState } from "../../coordinates/index.ts";
import { capsule, compile, floating, type JointDescription, revolute } from "../../mechanism/index.ts";
import { Simulation } from "../simulation.ts";
import { Undriven } from "./undriven.ts";

const ends = { parent: "a", child: "b", parentAnchor: [0, 0, -0.15], childAnchor: [0, 0, 0.15] } as const;

/** Whether two links with this hinge are undriven, after something was done to their simulation. */
function holds(hinge: Partial<JointDescription>, change: (simulation: Simulation) => void = () => {}): boolean {
  const rod = capsule({ radius: 0.04, length: 0.2, mass: 1 });
  const joints = { base: floating({ parent: "world", child: "a" }), hinge: { ...revolute(ends), ...hinge } };
  const mechanism = compile({ timestep: 0.01, bodies: { a: rod, b: rod }, joints });
  const simulation = new Simulation(mechanism);
  change(simulation);
  return new Undriven(mechanism).holds(simulation.system);
}

test("hinges, dampers, friction and limits drive nothing, nor do motors without input", () => {
  expect(holds({})).toBe(true);
  expect(holds({ damping: 0.1, friction: 0.2, limits: [-1, 1], actuated: true, effortLimit: 5 })).toBe(true);
});

test("springs, rotors and servos do, springs that are added later too", () => {
  expect(holds({ stiffness: 1 })).toBe(false);
  expect(holds({ armature: 0.1 })).toBe(false);
  expect(holds({ servo: { stiffness: 1, damping: 1 } })).toBe(false);
  expect(holds({ actuated: true, effortLimit: 5, effortCenter: 1 })).toBe(false);
  const later = { stiffness: 0 };
  expect(holds(later)).toBe(true);
  expect(holds(later, (simulation) => simulation.setParameter("joints.hinge.stiffness.0", 2))).toBe(false);
});

test("inputs and wrenches do", () => {
  const push = (simulation: Simulation): void => {
    simulation.step(maximalState(simulation.mechanism, {}), Float64Array.of(1));
  };
  expect(holds({ actuated: true }, push)).toBe(false);
  expect(holds({}, (simulation) => simulation.setWrench("b", { force: [0, 0, 1] }))).toBe(false);
});
