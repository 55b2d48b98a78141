/** Robots whose limbs touch each other: true distances of all their shapes, by the narrow phase alone, after every step. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { composePose, placementBetween, prepareShape, signedDistance } from "../../src/geometry/index.ts";
import {
  checkState,
  compile,
  importMjcf,
  type MechanismDescription,
  models,
  Random,
  Simulation,
  selfCollisionModels,
  startState,
} from "../../src/index.ts";

/** Torques in N·m that move limbs to their limits within a second. */
const torques = { ant: 20, a1: 15, atlas: 60, humanoid: 40, panda: 25 } as const;

/** The least distance of two shapes on links that may touch, by state. */
function leastDistance(description: MechanismDescription): (state: Float64Array) => number {
  const { joints = {}, collisions, bodies } = description;
  const joined = Object.values(joints).map(({ parent, child }) => [parent, child] as const);
  const apart = new Set([...joined, ...(collisions?.exclude ?? [])].flatMap(([a, b]) => [`${a} ${b}`, `${b} ${a}`]));
  const shapes = Object.entries(bodies).flatMap(([name, body], index) =>
    (body.shapes ?? []).map((shape) => {
      const { position = [0, 0, 0], orientation = [1, 0, 0, 0] } = shape;
      const inBody = Float64Array.from([...position, ...orientation]);
      return { name, index, inBody, form: prepareShape(shape), pose: new Float64Array(7) };
    }),
  );
  const pairs = shapes.flatMap((a, i) =>
    shapes
      .slice(i + 1)
      .filter((b) => a.name !== b.name && !apart.has(`${a.name} ${b.name}`))
      .map((b) => [a, b] as const),
  );
  const between = new Float64Array(12);
  return (state) => {
    for (const { index, inBody, pose } of shapes) composePose(pose, 0, state, 13 * index, inBody, 0);
    return pairs.reduce((least, [a, b]) => {
      placementBetween(between, a.pose, 0, b.pose, 0);
      return Math.min(least, signedDistance(a.form, b.form, between));
    }, Number.POSITIVE_INFINITY);
  };
}

function tumble(name: keyof typeof torques, selfCollisions: boolean, steps: number) {
  const joints = name === "atlas" ? { damper: 25 } : {};
  const distance = leastDistance(models[name]({ selfCollisions: true, ...joints }));
  return shake(models[name]({ selfCollisions, ...joints }), "rest", distance, torques[name], steps);
}

/** Random torques on all motors, and how deep shapes got into each other. */
function shake(
  description: MechanismDescription,
  start: string | undefined,
  distance: (state: Float64Array) => number,
  torque: number,
  steps: number,
) {
  const mechanism = compile(description);
  const simulation = new Simulation(mechanism);
  const state = startState(mechanism, start);
  const input = new Float64Array(mechanism.inputSize);
  const random = new Random(7);
  let [failed, deepest] = [0, 0];
  for (let k = 0; k < steps; k++) {
    if (k % 20 === 0) {
      mechanism.inputNames.forEach((motor, i) => {
        // not the force that a model may have on its root
        input[i] = motor.startsWith("base.") ? 0 : random.uniform(-torque, torque);
      });
    }
    const { status, next } = simulation.step(state, input);
    if (status !== "solved") failed++;
    state.set(next);
    deepest = Math.max(deepest, -distance(state));
  }
  return { failed, deepest };
}

describe("limbs that touch each other", () => {
  test.each(selfCollisionModels)(
    "%s: no named state has an overlap, and nothing changes unless it is asked for",
    (name) => {
      const description = models[name]({ selfCollisions: true });
      const mechanism = compile(description);
      const simulation = new Simulation(mechanism);
      for (const state of Object.keys(description.states ?? {})) {
        expect(checkState(simulation, startState(mechanism, state))).toEqual([]);
      }
      expect(models[name]({ selfCollisions: false })).toEqual(models[name]());
      expect(compile(models[name]()).touch).toBeUndefined();
    },
  );

  test.each([
    ["a1", 100],
    ["humanoid", 100],
  ] as const)("%s under random torques: limbs pass through each other without, and never with it", (name, steps) => {
    expect(tumble(name, false, steps).deepest).toBeGreaterThan(0.005);
    const { failed, deepest } = tumble(name, true, steps);
    expect(failed).toBe(0);
    // rounding of distances
    expect(deepest).toBeLessThan(1e-9);
  });

  test("fingers of a hand pass through each other without, and never with it", () => {
    const text = readFileSync(join(import.meta.dirname, "../fixtures/hand.xml"), "utf8");
    const { description } = importMjcf(text, { collisions: "shapes" });
    const distance = leastDistance(description);
    const { collisions } = description;
    const apart = shake({ ...description, collisions: { ...collisions, only: [] } }, undefined, distance, 0.05, 100);
    expect(apart.deepest).toBeGreaterThan(0.005);
    const { failed, deepest } = shake(description, undefined, distance, 0.05, 100);
    expect(failed).toBe(0);
    expect(deepest).toBeLessThan(1e-9);
  });
});
