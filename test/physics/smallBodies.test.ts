import { expect, test } from "vitest";
import { box, compile, floating, Simulation, smallBodies, sphere } from "../../src/index.ts";

function dice(size: number, timestep: number, gravityScale = 1) {
  return compile({
    timestep,
    bodies: {
      die: { ...box({ size: [size, size, size], mass: 1, contact: true }), gravityScale },
      ball: sphere({ radius: 1, mass: 1, contact: true }),
      ghost: sphere({ radius: size, mass: 1 }),
    },
    joints: {
      die: floating({ parent: "world", child: "die" }),
      ball: floating({ parent: "world", child: "ball" }),
      ghost: floating({ parent: "world", child: "ghost" }),
    },
    shapes: [{ kind: "halfSpace", contact: true }],
  });
}

test("bodies that fall by a quarter of their radius of gyration per step are small, whatever the units", () => {
  // a cube's radius of gyration is its side over √6
  const fall = (size: number, timestep: number): number => (9.81 * timestep ** 2 * Math.sqrt(6)) / size;
  for (const [size, timestep] of [
    [1e-3, 0.01],
    [0.1, 0.1],
  ]) {
    const [{ body, fall: found, timestep: short }, ...others] = smallBodies(dice(size, timestep));
    expect(smallBodies(dice(size, 0.99 * short))).toEqual([]);
    expect(body).toBe("die");
    expect(found).toBeCloseTo(fall(size, timestep), 9);
    expect(others).toEqual([]);
  }
  expect(smallBodies(dice(0.02, 0.01))).toEqual([]);
  expect(smallBodies(dice(1e-3, 0.01, 0.1))).toEqual([]);
});

test("the time step that a simulation has now counts", () => {
  const simulation = new Simulation(dice(1e-3, 0.01));
  expect(smallBodies(simulation)).toHaveLength(1);
  simulation.setParameter("timestep", 0.001);
  expect(smallBodies(simulation)).toEqual([]);
});
