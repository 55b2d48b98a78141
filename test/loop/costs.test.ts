/**
 * What a user's loop calls besides steps is cheap beside the step that it serves. What made it cheap is counted, not timed: times of some
 * microseconds say little while other tests run.
 */
import { expect, test, vi } from "vitest";
import {
  compile,
  ellipsoid,
  floating,
  maximalState,
  models,
  Simulation,
  sphere,
  spherical,
  startState,
} from "../../src/index.ts";

test("a humanoid's parameters are saved and restored by their places in memory, which are looked up once", () => {
  const description = models.humanoid();
  const mechanism = compile(description);
  const simulation = new Simulation(mechanism);
  const { parameterPlaces } = simulation;
  const lookUps = (["get", "has", "keys", "values", "entries", "forEach"] as const).map((name) =>
    vi.spyOn(parameterPlaces, name),
  );
  const count = (): number => lookUps.reduce((sum, { mock }) => sum + mock.calls.length, 0);
  const before = simulation.save();
  const first = count();
  expect(before.parameters.length).toBeGreaterThan(500);
  expect(first).toBeLessThan(3);
  for (let k = 0; k < 10; k++) simulation.restore(simulation.save());
  expect(count()).toBe(first);
  expect(simulation.save()).toEqual(before);
});

test("where round shapes touch is read with the normals that the step has found", () => {
  const contact = { frictionCoefficient: 0.5 };
  const names = ["one", "two", "three"];
  const mechanism = compile({
    timestep: 0.01,
    bodies: Object.fromEntries(names.map((name) => [name, ellipsoid({ radii: [0.2, 0.15, 0.1], mass: 1, contact })])),
    joints: Object.fromEntries(names.map((name) => [name, floating({ parent: "world", child: name })])),
    gravity: [0, 0, 0],
  });
  const simulation = new Simulation(mechanism);
  const at = (x: number, v: number) => ({ position: [x, 0, 0, 0, 0, 0], velocity: [v, 0, 0, 0, 0, 0] });
  const state = maximalState(mechanism, { one: at(-0.41, 0.2), two: at(0, 0), three: at(0.41, -0.2) });
  for (let k = 0; k < 50; k++) state.set(simulation.step(state).next);
  const found = simulation.touches();
  expect(found.map(({ feature }) => feature)).toEqual(["roundRound", "roundRound"]);
  // bodies have not turned, and touch along x
  for (const { normal } of found) expect(Math.abs(normal[0])).toBeCloseTo(1, 9);
  // other normals in memory are read as they are: none is found anew, which takes as long as a step
  simulation.step(state);
  const { touch, f64 } = simulation.system;
  for (const { observations } of touch?.boundNodes ?? []) f64.set([0, 0, 1], observations);
  for (const { normal } of simulation.touches()) expect(normal[2]).toBeCloseTo(1, 9);
});

test("the first step of a long chain takes time in proportion to its links", () => {
  const links = Array.from({ length: 1500 }, (_, i) => `link${i}`);
  const mechanism = compile({
    timestep: 0.01,
    bodies: Object.fromEntries(links.map((name) => [name, sphere({ radius: 0.04, mass: 0.1 })])),
    joints: Object.fromEntries(
      links.map((name, i) => {
        const parent = i > 0 ? links[i - 1] : "world";
        const parentAnchor = i > 0 ? ([0.05, 0, 0] as const) : ([0, 0, 1] as const);
        return [name, spherical({ parent, child: name, parentAnchor, childAnchor: [-0.05, 0, 0] })];
      }),
    ),
  });
  const simulation = new Simulation(mechanism);
  const state = startState(mechanism);
  const before = process.cpuUsage();
  expect(simulation.step(state).status).toBe("solved");
  const { user, system } = process.cpuUsage(before);
  // some 0.1 s; with work for every pair of links it would be 13 s
  expect((user + system) / 1e6).toBeLessThan(4);
});
