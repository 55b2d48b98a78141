/** Free differences: what checkGradients says of gradients that hold what moves, and of corners. */
import { describe, expect, test } from "vitest";
import { type Column, columnError, cornerOf } from "../../src/gradients/checkColumns.ts";
import {
  type BodyDescription,
  box,
  checkGradients,
  compile,
  cylinder,
  floating,
  maximalState,
  type Shape,
  Simulation,
  sphere,
} from "../../src/index.ts";

const contact = { frictionCoefficient: 0.5 };
const floor: Shape = { kind: "halfSpace", name: "floor", contact };
const slab: Shape = { kind: "box", name: "slab", size: [1, 1, 1], position: [-0.5, 0, -0.5], contact };

function loose(body: BodyDescription, shapes: readonly Shape[], position: number[], velocity: number[]) {
  const joints = { base: floating({ parent: "world", child: "a" }) };
  const mechanism = compile({ timestep: 0.01, bodies: { a: body }, joints, shapes });
  const state = maximalState(mechanism, { base: { position, velocity } });
  return { simulation: new Simulation(mechanism), state };
}

describe("a column", () => {
  const lengths = [1e-4, 1e-5, 1e-6, 1e-7];
  const column = (slope: number): Column => ({
    ...{ matrix: Float64Array.of(slope), width: 1, j: 0, norm: Math.abs(slope), name: "x", rows: ["y"] },
  });
  const judged = (slope: number, f: (x: number) => number) => {
    const along = (e: number) => Float64Array.of((f(e) - f(-e)) / (2 * e));
    const toSide = (e: number) => Float64Array.of((4 * f(e) - 3 * f(0) - f(2 * e)) / (2 * e));
    const error = columnError(column(slope), lengths, along, 1e-9);
    return { error: error.worst, corner: cornerOf(column(slope), lengths, toSide, error) };
  };

  test("that is wrong where the function is smooth is an error and no corner", () => {
    const { error, corner } = judged(0.7, (x) => Math.sin(x));
    expect(error).toBeCloseTo(0.3, 6);
    expect(corner).toBeUndefined();
    // nor is it one beside a corner that the shorter lengths do not reach
    expect(judged(0.7, (x) => Math.sin(x) + Math.max(0, x - 3e-6)).corner).toBeUndefined();
  });

  test("of a corner is that of either side, or between them", () => {
    const bent = (x: number) => (x < 0 ? -x : 3 * x);
    for (const slope of [-1, 3, 1.7]) expect(judged(slope, bent).corner).toMatchObject({ entry: "d(y)/d(x)" });
    const { corner } = judged(3, bent);
    expect(corner?.below).toBeCloseTo(-1, 9);
    expect(corner?.above).toBeCloseTo(3, 9);
    // of no side
    expect(judged(5, bent).corner).toBeUndefined();
  });

  test("at a jump has a corner", () => {
    expect(judged(1, (x) => (x > 0 ? x + 1e-3 : x)).corner).toBeDefined();
  });
});

describe("checkGradients", () => {
  test.each([
    ["a box that slides", box({ size: [0.2, 0.3, 0.2], mass: 1, contact }), [0, 0, 0.1005, 0.01, 0.003, 0]],
    ["a ball that rolls", sphere({ radius: 0.1, mass: 1, contact }), [0, 0, 0.1, 0, 0, 0]],
    ["a cylinder on its rim", cylinder({ radius: 0.1, length: 0.3, mass: 1, contact }), [0, 0, 0.172, 0.3, 0.1, 0]],
  ])("finds free differences of %s as near as those with features held", (_, body, position) => {
    const { simulation, state } = loose(body, [floor], position, [0.5, 0.1, -0.1, 0, 0.2, 1]);
    for (const relativeKappa of [0.1, 1e-4]) {
      const parameters = ["bodies.a.mass", "surfaces.world.floor.frictionCoefficient", "timestep"];
      const check = checkGradients(simulation, state, undefined, { relativeKappa, parameters });
      expect(check.worst, check.format()).toBeLessThan(1e-6);
      expect(check.free?.worst, check.format()).toBeLessThan(1e-5);
      expect(check.free?.corners).toEqual([]);
      expect(check.blocks.every(({ free }) => free)).toBe(true);
      expect(check.format()).toMatch(/^block +error +free +norm/);
    }
  });

  test("says that a step has no derivative where a ball goes from a face on to its edge", () => {
    const ball = sphere({ radius: 0.1, mass: 1, contact });
    const { simulation, state } = loose(ball, [slab], [0, 0, 0.1, 0, 0, 0], [0, 0.3, 0, 0, 0, 0]);
    const check = checkGradients(simulation, state);
    expect(check.free?.worst, check.format()).toBeLessThan(1e-6);
    expect(check.free?.corners.map(({ entry }) => entry)).toEqual(["d(a.angularVelocity.z)/d(a.position.x)"]);
    expect(check.format()).toContain("1 of 12 columns have no derivative here");
    expect(checkGradients(simulation, state, undefined, { free: false }).free).toBeUndefined();
  });

  test("has no free differences where no shapes touch", () => {
    const { simulation, state } = loose(box({ size: [1, 1, 1], mass: 1 }), [], [0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0]);
    expect(checkGradients(simulation, state).free).toBeUndefined();
  });
});
