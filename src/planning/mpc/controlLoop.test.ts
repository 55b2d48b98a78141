/** Control in a loop: what it keeps up, that the same run gives the same bits, and what latency means. */
import { describe, expect, test } from "vitest";
import { ArgumentError } from "../../mechanism/index.ts";
import { Simulation, type SimulationOptions } from "../../simulation/index.ts";
import { type ControlRun, controlTasks, runControl } from "./index.ts";

describe("the cart and its pole", () => {
  const task = controlTasks.cartpole.make();
  const run = runControl(task, { seed: 1 });

  test("swings up from hanging, and stands again after three knocks", () => {
    expect(run.reason).toBeUndefined();
    expect(run.survived).toBe(true);
    expect(run.trajectory.steps).toBe(800);
    // upright before the first knock, at 3 s: the pole's z axis points down where it stands
    const [, , , w, x, y, z] = run.trajectory.states[300].subarray(13);
    expect(w * w - x * x - y * y + z * z).toBeLessThan(-0.95);
  });

  test("costs a pass of gradients per knot and plan, and at most four rollouts", () => {
    const { plans, gradients, steps } = run;
    expect(plans).toBe(160);
    expect(gradients).toBe(plans * task.plan.steps);
    expect(steps).toBeGreaterThanOrEqual(2 * plans * task.plan.steps);
    expect(steps).toBeLessThanOrEqual(4 * plans * task.plan.steps);
  });

  test("falls where nothing is planned", () => {
    // a plan that is never renewed swings the pole up, and knows nothing of knocks
    const open = runControl(task, { seed: 1, every: 10_000 });
    expect(open.plans).toBe(1);
    expect(open.survived).toBe(false);
    expect(open.reason).toMatch(/fell at|not come back/);
  });

  test("is the same to the bit when it runs again", () => {
    const again = runControl(task, { seed: 1 });
    expect(again.trajectory.states).toEqual(run.trajectory.states);
    expect(again.trajectory.inputs).toEqual(run.trajectory.inputs);
    const fresh = runControl(controlTasks.cartpole.make(), { seed: 1 });
    expect(fresh.trajectory.states).toEqual(run.trajectory.states);
  });
});

describe("latency", () => {
  const task = { ...controlTasks.hopper.make(), seconds: 1 };

  test("without a push costs nothing: the predicted state is the one that comes", () => {
    const prompt = runControl(task, { impulse: 0 });
    const late = runControl(task, { impulse: 0, latency: 0.02 });
    expect(prompt.survived && late.survived).toBe(true);
    // the last one would begin after the end
    expect(late.plans).toBe(prompt.plans + 1);
    prompt.trajectory.states.forEach((state, k) => {
      state.forEach((value, i) => {
        expect(Math.abs(value - late.trajectory.states[k][i])).toBeLessThan(1e-9);
      });
    });
  });

  test.each<[string, SimulationOptions, number, number]>([
    ["heavier than its model", {}, 1.2, 1e-9],
    ["smoothed", { relativeKappa: 1, exact: true }, 1, 1e-9],
    ["divided by a tolerance", { errorTolerance: 1e-3 }, 1, 1e-2],
  ])("of a plant that is %s costs nothing either", (_, options, factor, tolerance) => {
    const { mechanism } = task.plant;
    // the predictor belongs to the plant, and has seen it as it was
    const plant = new Simulation(mechanism, options);
    const own = { ...task, plant, seconds: 0.4 };
    runControl(own, { impulse: 0, latency: 0.02 });
    const [{ name }] = mechanism.bodies;
    plant.setParameter(`bodies.${name}.mass`, factor * plant.parameter(`bodies.${name}.mass`));
    const prompt = runControl(own, { impulse: 0 }).trajectory.states;
    const late = runControl(own, { impulse: 0, latency: 0.02 }).trajectory.states;
    expect(prompt).toHaveLength(late.length);
    const differences = prompt.map((state, k) => Math.max(...state.map((value, i) => Math.abs(value - late[k][i]))));
    expect(Math.max(...differences)).toBeLessThan(tolerance);
  });

  test("delays the answer to a push", () => {
    const inputs = [0, 0.02].map((latency) => runControl(task, { seed: 3, latency }).trajectory.inputs);
    const first = task.push.at[0] / task.plant.timestep;
    const differs = (k: number) => inputs[0][k].some((value, i) => Math.abs(value - inputs[1][k][i]) > 1e-6);
    const earliest = inputs[0].findIndex((_, k) => differs(k));
    expect(earliest).toBeGreaterThan(first);
    expect(earliest).toBeLessThanOrEqual(first + 4);
  });

  test("longer than the time between plans is refused, and so is part of a step", () => {
    for (const latency of [0.03, 0.005, -0.01])
      expect(() => runControl(task, { latency }), String(latency)).toThrow(ArgumentError);
    expect(() => runControl(task, { every: 0 })).toThrow(/every/);
    expect(() => runControl(task, { servosAlone: true })).toThrow(/no servos/);
  });
});

describe("goals", () => {
  const last = ({ trajectory }: ControlRun): Float64Array => trajectory.states[trajectory.states.length - 1];

  test("the cart rolls there and stays, its pole up", () => {
    const task = { ...controlTasks.cartpole.make(), seconds: 6 };
    const run = runControl(task, { goal: [3, 0], impulse: 0 });
    expect(run.survived).toBe(true);
    expect(Math.abs(last(run)[0] - 3)).toBeLessThan(0.3);
  });

  test("the hopper hops there: its foot leaves the floor, and it stands in the end", () => {
    const task = { ...controlTasks.hopper.make(), seconds: 3 };
    const goal = [0.5, -0.5] as const;
    const run = runControl(task, { goal, impulse: 0 });
    expect(run.reason).toBeUndefined();
    const [foot, radius] = [13, 0.05];
    const gaps = run.trajectory.states.map((state) => state[foot + 2] - radius);
    expect(Math.max(...gaps)).toBeGreaterThan(0.02);
    expect(Math.hypot(last(run)[0] - goal[0], last(run)[1] - goal[1])).toBeLessThan(0.05);
    expect(gaps[gaps.length - 1]).toBeLessThan(1e-4);
  });

  test("A1 trots there, facing it, and stands; the same run gives the same bits", () => {
    const task = { ...controlTasks["a1-walk"].make(), seconds: 2.5 };
    const goal = [0.35, 0.45] as const;
    const run = runControl(task, { goal, impulse: 0 });
    expect(run.reason).toBeUndefined();
    const [x, y, z, , , , turned] = last(run);
    expect(Math.hypot(x - goal[0], y - goal[1])).toBeLessThan(0.08);
    expect(z).toBeGreaterThan(0.29);
    // towards the left
    expect(turned).toBeGreaterThan(0.05);
    // another run before it makes no difference
    const brief = { ...task, seconds: 0.3 };
    runControl(brief, { goal: [-1, 0], impulse: 0 });
    const again = runControl(brief, { goal, impulse: 0 });
    expect(again.trajectory.states).toEqual(run.trajectory.states.slice(0, 31));
  });

  test("that are no places are refused, and so are those of tasks that stay", () => {
    const hopper = controlTasks.hopper.make();
    expect(() => runControl(hopper, { goal: [Number.NaN, 0] })).toThrow(/goal\[0\]: NaN/);
    expect(() => runControl(controlTasks["a1-stand"].make(), { goal: [1, 0] })).toThrow(/stays where it is/);
  });
});

describe("A1", () => {
  test("survives a push that knocks it over on servos alone", () => {
    const task = { ...controlTasks["a1-stand"].make(), seconds: 1.2 };
    const servos = runControl(task, { seed: 1, impulse: 30, servosAlone: true });
    expect(servos.survived).toBe(false);
    const planned = runControl(task, { seed: 1, impulse: 30 });
    expect(planned.reason).toBeUndefined();
    expect(planned.survived).toBe(true);
  });

  test("survives a push that left it to tip over, its legs at their limits, when all gradients were sharp", () => {
    const { reason } = runControl(controlTasks["a1-stand"].make(), { seed: 105, impulse: 30 });
    expect(reason).toBeUndefined();
  });
});
