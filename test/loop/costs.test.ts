/** What a user's loop calls besides steps costs a small part of the step that it serves: the least of many times, in this process. */
import { expect, test } from "vitest";
import { compile, ellipsoid, floating, maximalState, models, Simulation } from "../../src/index.ts";

/** Least times of two functions in turns, for as long as other tests may keep the threads busy that compile them. */
function least(...runs: (() => void)[]): number[] {
  const best = runs.map(() => Number.POSITIVE_INFINITY);
  for (const end = performance.now() + 600; performance.now() < end; ) {
    runs.forEach((run, k) => {
      const before = performance.now();
      run();
      best[k] = Math.min(best[k], performance.now() - before);
    });
  }
  return best;
}

test("a humanoid's parameters are saved in a quarter of a step", () => {
  const description = models.humanoid();
  const mechanism = compile(description);
  const simulation = new Simulation(mechanism);
  const state = maximalState(mechanism, Object.values(description.states ?? {})[0]);
  const [step, saved] = least(
    () => state.set(simulation.step(state).next),
    () => simulation.save(),
  );
  expect(saved / step).toBeLessThan(0.25);
});

test("where round shapes touch is read in less than the step, which has found their normals", () => {
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
  expect(simulation.touches().map(({ feature }) => feature)).toEqual(["roundRound", "roundRound"]);
  const [step, read] = least(
    () => state.set(simulation.step(state).next),
    () => simulation.touches(),
  );
  expect(read / step).toBeLessThan(1);
});
