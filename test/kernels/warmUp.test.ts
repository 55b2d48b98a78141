/** Kernels that a first step does not need are made when a step first does, or all at once. */
import { expect, test } from "vitest";
import { compile, models, Simulation, startState, type Target } from "../../src/index.ts";
import { watchedTarget } from "./watchedTarget.ts";

/** A target, and how many instructions it has loaded. */
function counting(): { readonly target: Target; readonly count: () => number } {
  let count = 0;
  const target = watchedTarget({
    loads({ instructions }) {
      count += instructions.length;
    },
  });
  return { target, count: () => count };
}

const description = models.a1({ timestep: 0.02 });
const mechanism = compile(description);
const start = startState(mechanism, Object.keys(description.states ?? {})[0]);

/** 40 steps, with what each of them loads. */
function run(warm: boolean): { readonly states: Float64Array[]; readonly loaded: number[] } {
  const { target, count } = counting();
  const simulation = new Simulation(mechanism, { target });
  const loaded = [count()];
  if (warm) simulation.warmUp();
  loaded.push(count());
  const states: Float64Array[] = [];
  let state = Float64Array.from(start);
  for (let k = 0; k < 40; k++) {
    state = Float64Array.from(simulation.step(state).next);
    states.push(state);
    loaded.push(count());
  }
  return { states, loaded };
}

const [cold, warm] = [run(false), run(true)];

test("a first step makes two thirds of the kernels at most, and steps that go on make more", () => {
  const all = warm.loaded[1];
  expect(cold.loaded[2]).toBeLessThan((2 / 3) * all);
  expect(cold.loaded[41]).toBeGreaterThan(cold.loaded[2]);
  expect(cold.loaded[41]).toBeLessThanOrEqual(all);
});

test("after warmUp no step makes any, and a second one makes none either", () => {
  expect(new Set(warm.loaded.slice(1)).size).toBe(1);
  const { target, count } = counting();
  const simulation = new Simulation(mechanism, { target });
  simulation.warmUp();
  const once = count();
  simulation.warmUp();
  expect(count()).toBe(once);
});

test("steps have the same bits with and without it", () => {
  expect(cold.states).toEqual(warm.states);
});
