import { describe, expect, test } from "vitest";
import { maximalState } from "../../coordinates/index.ts";
import type { MechanismDescription } from "../../mechanism/index.ts";
import { models } from "../../models/index.ts";
import { Simulation } from "../simulation.ts";
import { compile } from "../states/compileMechanism.ts";

/** Iterations of steps that go on, and of the same steps from a cold start; the largest difference of the states they lead to. */
function compared(description: MechanismDescription, steps: number, velocity: number) {
  const mechanism = compile(description);
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
  expect(simulation.stepper.problem.prediction).toBeUndefined();
  return count;
}

describe("a step that goes on", () => {
  test("starts where the last one came past, and takes fewer iterations to the same state", () => {
    // on pyramids of friction, with which starts are not predicted
    const a1 = models.a1();
    const contacts = a1.contacts?.map((contact) => ({ ...contact, model: "linear" as const }));
    const { on, cold, worst } = compared({ ...a1, ...(contacts && { contacts }) }, 40, 0);
    // 0.93 with warm joints alone
    expect(on).toBeLessThan(0.88 * cold);
    expect(worst).toBeLessThan(1e-5);
  });

  test("starts from the end of the last one where there are no limbs, and takes fewer iterations to the same state", () => {
    const { on, cold, worst } = compared(models.block(), 40, 2);
    // 0.89, of a block that slides and tumbles
    expect(on).toBeLessThan(0.95 * cold);
    expect(worst).toBeLessThan(1e-8);
  });
});
