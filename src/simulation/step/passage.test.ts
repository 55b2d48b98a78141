import { describe, expect, test } from "vitest";
import { maximalState } from "../../coordinates/index.ts";
import { models } from "../../models/index.ts";
import { Simulation } from "../simulation.ts";
import { compile } from "../states/compileMechanism.ts";

/** Iterations of steps that go on, and of the same steps from a cold start; the largest difference of the states they lead to. */
function compared(name: "atlas" | "block", steps: number, velocity: number) {
  const mechanism = compile(models[name]());
  const [simulation, cold] = [new Simulation(mechanism), new Simulation(mechanism)];
  let state = maximalState(mechanism, mechanism.description.states?.rest);
  for (let body = 0; body < mechanism.bodies.length; body++) state[13 * body + 7] = velocity;
  const input = Float64Array.from({ length: mechanism.inputSize }, (_, i) => 20 * Math.sin(i));
  const count = { on: 0, cold: 0, worst: 0 };
  for (let k = 0; k < steps; k++) {
    const on = simulation.step(state, input);
    cold.continuation = undefined;
    const again = cold.step(state, input);
    expect([on.status, again.status]).toEqual(["solved", "solved"]);
    count.on += on.iterations;
    count.cold += again.iterations;
    for (let i = 0; i < state.length; i++) count.worst = Math.max(count.worst, Math.abs(on.next[i] - again.next[i]));
    state = on.next.slice();
  }
  return count;
}

describe("a step that goes on", () => {
  test("starts where the last one came past, and takes fewer iterations to the same state", () => {
    const { on, cold, worst } = compared("atlas", 30, 0);
    expect(on).toBeLessThan(0.7 * cold);
    expect(worst).toBeLessThan(1e-5);
  });

  test("starts cold where there are no limbs, to the same bits", () => {
    const { on, cold, worst } = compared("block", 40, 2);
    expect(on).toBe(cold);
    expect(worst).toBe(0);
  });
});
