/** Inverse dynamics of what several contacts bear: the smallest inputs, with forces in their cones, beside closed forms. */
import { describe, expect, test } from "vitest";
import { compile, gravityCompensation, models, Simulation, startState } from "../../src/index.ts";

const g = 9.81;
const friction = 0.5;
/** Inputs are the smallest up to what they weigh beside the imbalance (forceFit.ts), relative to the weight. */
const tolerance = 1e-4;

/** A cube of 1 kg with an input on each of its six coordinates, on a floor that is tilted by `angle` about y. */
function onSlope(angle: number) {
  const gravity = [g * Math.sin(angle), 0, -g * Math.cos(angle)] as const;
  const mechanism = compile(models.block({ actuated: true, frictionCoefficient: friction, gravity }));
  const found = gravityCompensation(new Simulation(mechanism), startState(mechanism, "rest"));
  const forces = Object.values(found.contactForces);
  return { ...found, forces, normal: forces.reduce((sum, { normal }) => sum + normal, 0) };
}

const inCone = (forces: ReturnType<typeof onSlope>["forces"], coefficient: number): void => {
  for (const { normal, friction: along } of forces) {
    expect(normal).toBeGreaterThanOrEqual(0);
    expect(Math.hypot(...along)).toBeLessThanOrEqual(coefficient * normal + 1e-6 * g);
  }
};

describe("a cube on a slope, held by four corners", () => {
  test.each([0, 0.2, 0.4])("needs no input where friction holds it (%s rad)", (angle) => {
    const { input, residual, forces, normal } = onSlope(angle);
    expect(residual).toBeLessThan(1e-9);
    expect(Math.hypot(...input)).toBeLessThan(tolerance * g);
    expect(normal).toBeCloseTo(g * Math.cos(angle), 3);
    expect(forces).toHaveLength(4);
    inCone(forces, friction);
  });

  test.each([0.6, 0.9])("needs what lies beyond the friction cone where it does not (%s rad)", (angle) => {
    // the nearest force of the cone to the weight is at the angle atan μ: m g sin(θ − atan μ) is left
    const beyond = g * Math.sin(angle - Math.atan(friction));
    const { input, residual, forces } = onSlope(angle);
    expect(residual).toBeLessThan(1e-9);
    expect(Math.abs(Math.hypot(...input) / beyond - 1)).toBeLessThan(1e-3);
    inCone(forces, friction);
  });
});

test("a standing A1 is held by its feet within their cones", () => {
  const mechanism = compile(models.a1());
  const simulation = new Simulation(mechanism);
  const { residual, contactForces } = gravityCompensation(simulation, startState(mechanism, "rest"));
  expect(residual).toBeLessThan(1e-8);
  const forces = Object.values(contactForces);
  inCone(forces, 0.8);
  const mass = mechanism.bodies.reduce((sum, body) => sum + body.mass, 0);
  expect(forces.reduce((sum, { normal }) => sum + normal, 0)).toBeCloseTo(mass * g, 6);
});
