import { describe, expect, test } from "vitest";
import { startState } from "../../coordinates/index.ts";
import { models } from "../../models/index.ts";
import { Simulation } from "../simulation.ts";
import { compile } from "../states/compileMechanism.ts";

const mechanism = compile(models.nPendulum({ links: 3 }));
const simulation = new Simulation(mechanism);
const start = startState(mechanism);
const torque = [0.3, -0.2, 0.1];

describe("the inputs of a rollout", () => {
  test("one that is held, one per step and a controller that returns it are the same, bit for bit", () => {
    const held = simulation.rollout(start, { steps: 20, inputs: torque });
    const listed = simulation.rollout(start, { inputs: Array.from({ length: 20 }, () => Float64Array.from(torque)) });
    const returned = simulation.rollout(start, { steps: 20, controller: () => Float64Array.from(torque) });
    const filled = simulation.rollout(start, {
      steps: 20,
      controller: (_state, _step, input) => {
        input.set(torque);
      },
    });
    for (const run of [listed, returned, filled]) expect(run.states).toEqual(held.states);
    expect(held.steps).toBe(20);
    expect(held.inputs[7]).toEqual(Float64Array.from(torque));
    const still = simulation.rollout(start, { steps: 20 });
    expect(still.final).not.toEqual(held.final);
  });

  test("a mechanism without motors may be held by an empty list, as by an empty array", () => {
    const block = compile(models.block());
    const own = new Simulation(block);
    const alone = own.rollout(startState(block), { steps: 5 });
    for (const inputs of [[], new Float64Array(0)])
      expect(own.rollout(startState(block), { steps: 5, inputs }).final).toEqual(alone.final);
    expect(own.rollout(startState(block), { inputs: [] }).steps).toBe(0);
    expect(() => simulation.rollout(start, { steps: 5, inputs: [] })).toThrow("has 0 inputs for 5 steps");
  });

  test("a controller learns over which interval the velocities of its state are means", () => {
    const { timestep } = mechanism;
    const half = simulation.transferState(start, timestep / 2);
    const seen: number[] = [];
    const controller = (_state: Float64Array, _step: number, input: Float64Array, interval: number): Float64Array => {
      seen.push(interval);
      return input.fill(0);
    };
    simulation.rollout(half, { steps: 2, controller, interval: timestep / 2, check: false });
    expect(seen).toEqual([timestep / 2, timestep]);
  });

  test("a list may be longer than the steps taken, and its entries are copied", () => {
    const list = Array.from({ length: 5 }, (_, k) => [k, 0, 0]);
    const run = simulation.rollout(start, { steps: 3, inputs: list });
    list[1][0] = 99;
    expect(run.inputs.map(([first]) => first)).toEqual([0, 1, 2]);
  });

  test("entries that a controller leaves alone are zero in each step", () => {
    const run = simulation.rollout(start, {
      steps: 3,
      controller: (_state, step, input) => {
        input[step] += 1;
      },
    });
    expect(run.inputs.map((input) => Array.from(input))).toEqual([
      [1, 0, 0],
      [0, 1, 0],
      [0, 0, 1],
    ]);
  });

  test("a controller that neither returns nor fills is told so, with the way out; zeros that are written count", () => {
    const forgetful = () => simulation.rollout(start, { steps: 3, controller: () => undefined });
    expect(forgetful).toThrow(/no-input at controller: at step 0 .*return a Float64Array of 3 \(hinge1/);
    const late = (_: Float64Array, step: number) => (step < 2 ? Float64Array.from(torque) : undefined);
    expect(() => simulation.rollout(start, { steps: 3, controller: late })).toThrow(/at step 2/);
    const off = simulation.rollout(start, {
      steps: 3,
      controller: (_state, _step, input) => {
        input.fill(0);
      },
    });
    expect(off.states).toEqual(simulation.rollout(start, { steps: 3 }).states);
    const free = new Simulation(compile(models.nPendulum({ links: 2, actuated: false })));
    const observed = free.rollout(startState(free.mechanism), { steps: 2, controller: () => undefined });
    expect(observed.solved).toBe(true);
  });

  test.each([
    [{ inputs: [1, 2], steps: 3 }, /wrong-size at inputs: has 2 numbers; give 3: hinge1/],
    [{ inputs: [[1, 2, 3], [1]] }, /wrong-size at inputs\[1\]: has 1 numbers/],
    [{ inputs: [[1, 2, 3]], steps: 2 }, /wrong-length at inputs: has 1 inputs for 2 steps/],
    [{ inputs: torque }, /out-of-range at steps: undefined: give a whole number/],
    [{ inputs: torque, controller: () => undefined, steps: 2 }, /contradiction at inputs/],
    [{ inputs: [[1, Number.NaN, 3]] }, /NaN/],
  ])("%j is refused with its place", (options, message) => {
    expect(() => simulation.rollout(start, options)).toThrow(message);
  });
});
