/** Scenes are what their summaries say, start without fault, and rest where they rest. */
import { describe, expect, test } from "vitest";
import {
  checkState,
  compile,
  maximalState,
  Simulation,
  sceneSummaries,
  scenes,
  startState,
  stateAt,
  stateInput,
} from "../../src/index.ts";

/** Largest distance that a body's centre moves, m. */
function moved(a: Float64Array, b: Float64Array): number {
  let most = 0;
  for (let at = 0; at < a.length; at += 13)
    most = Math.max(most, Math.hypot(b[at] - a[at], b[at + 1] - a[at + 1], b[at + 2] - a[at + 2]));
  return most;
}

describe.each(sceneSummaries)("$name", ({ name, bodies }) => {
  const description = scenes[name]();
  const mechanism = compile(description);

  test("has as many bodies as its summary says, and shapes that touch", () => {
    expect(mechanism.bodies.length).toBe(bodies);
    expect(mechanism.touch?.shapes.length).toBeGreaterThanOrEqual(bodies);
  });

  test.each(Object.keys(description.states ?? {}))("the state %s is free of faults", (state) => {
    const simulation = new Simulation(mechanism);
    expect(checkState(simulation, maximalState(mechanism, description.states?.[state]))).toEqual([]);
  });
});

test.each(["stack", "gripper", "pegInHole"] as const)("%s stays where it rests", (name) => {
  const description = scenes[name]();
  const simulation = new Simulation(compile(description));
  const input = stateInput(simulation.mechanism, "rest");
  let state = stateAt(simulation, description.states?.rest, { input });
  // the servo of the hand gives way to its weight first
  const settle = name === "gripper" ? 100 : 5;
  for (let step = 0; step < settle; step++) state = simulation.step(state, input).next.slice();
  const settled = state;
  for (let step = 0; step < 20; step++) {
    const { next, status } = simulation.step(state, input);
    expect(status).toBe("solved");
    state = next.slice();
  }
  // 1 µm/s over 0.2 s
  expect(moved(settled, state)).toBeLessThan(name === "gripper" ? 1e-5 : 2e-7);
});

test("the smallest gap of the cradle is one between its balls, and none where nothing came near anything", () => {
  const simulation = new Simulation(compile(scenes.cradle()));
  let state = startState(simulation.mechanism);
  let [near, away] = [0, 0];
  for (let step = 0; step < 60; step++) {
    state = simulation.step(state).next.slice();
    const gap = simulation.smallestDistance;
    if (Number.isFinite(gap)) near++;
    else away++;
    expect(simulation.touches().length > 0).toBe(Number.isFinite(gap));
    // the cradle is no larger
    if (Number.isFinite(gap)) expect(gap).toBeLessThan(0.5);
  }
  expect(Math.min(near, away)).toBeGreaterThan(5);
});
