/** Copies in lock-step are, to the bit, environments of their own with the same seeds and actions. */
import { describe, expect, test } from "vitest";
import {
  type AutoresetMode,
  antEnvironment,
  cartpoleEnvironment,
  Environment,
  type EnvironmentDescription,
  halfCheetahEnvironment,
  Random,
  Simulation,
  type SimulationOptions,
  VectorEnvironment,
} from "../../src/index.ts";

const count = 3;

/** Actions of all copies in one step, a third of the space's width. */
function actionsOf({ actionSpace }: VectorEnvironment, random: Random): Float64Array {
  const rows = Array.from({ length: count }, () => Array.from(actionSpace.sample(random), (value) => value / 3));
  return Float64Array.from(rows.flat());
}

/** Steps single environments beside the copies, and compares every number. */
function expectSame(
  description: EnvironmentDescription,
  autoreset: AutoresetMode,
  steps: number,
  simulation: SimulationOptions = {},
): number {
  const vector = new VectorEnvironment(description, { count, autoreset, simulation });
  const single = Array.from({ length: count }, () => new Environment(description, simulation));
  const { size } = vector.observationSpace;
  const random = new Random(4);
  const observed = (all: Float64Array, i: number) => all.slice(i * size, (i + 1) * size);
  vector.reset({ seed: 10 });
  single.forEach((environment, i) => {
    expect(observed(vector.observations, i)).toEqual(environment.reset({ seed: 10 + i }).observation);
  });
  const isOver = single.map(() => false);
  let ended = 0;
  for (let k = 0; k < steps; k++) {
    const actions = actionsOf(vector, random);
    vector.step(actions);
    single.forEach((environment, i) => {
      if (isOver[i]) {
        // in mode "nextStep" this step only begins the next episode
        isOver[i] = false;
        expect(observed(vector.observations, i)).toEqual(environment.reset().observation);
        expect([vector.rewards[i], vector.terminated[i], vector.truncated[i], vector.steps[i]]).toEqual([0, 0, 0, 0]);
        return;
      }
      const width = vector.actionSpace.size;
      const expected = environment.step(actions.subarray(i * width, (i + 1) * width));
      const ends = expected.terminated || expected.truncated;
      if (ends) ended++;
      expect(vector.rewards[i]).toBe(expected.reward);
      expect([vector.terminated[i] === 1, vector.truncated[i] === 1]).toEqual([
        expected.terminated,
        expected.truncated,
      ]);
      expect(vector.statuses[i]).toBe(expected.info.status);
      const isReset = ends && autoreset === "sameStep";
      expect(observed(isReset ? vector.finalObservations : vector.observations, i)).toEqual(expected.observation);
      if (isReset) expect(observed(vector.observations, i)).toEqual(environment.reset().observation);
      isOver[i] = ends && autoreset === "nextStep";
    });
  }
  return ended;
}

describe("copies in lock-step", () => {
  const cases: readonly (readonly [string, EnvironmentDescription, number])[] = [
    ["cartpole", cartpoleEnvironment(), 60],
    ["half-cheetah", { ...halfCheetahEnvironment(), horizon: 12 }, 40],
    ["ant", { ...antEnvironment(), horizon: 12 }, 30],
  ];
  for (const autoreset of ["nextStep", "sameStep"] as const) {
    test.each(cases)(`%s, ${autoreset}: every number is that of an environment of its own`, (_, description, steps) => {
      expect(expectSame(description, autoreset, steps)).toBeGreaterThan(count - 1);
    });
  }

  test("with a tolerance too, and these are steps of a rollout that it divides", () => {
    const options = { errorTolerance: 1e-3 };
    const description = { ...halfCheetahEnvironment(), horizon: 12 };
    expect(expectSame(description, "nextStep", 30, options)).toBeGreaterThan(count - 1);
    const environment = new Environment(description, options);
    environment.reset({ seed: 2 });
    const start = environment.state.slice();
    const action = new Float64Array(6).fill(0.3);
    const input = new Float64Array(6);
    environment.inputInto(input, action);
    const states = Array.from({ length: 12 }, () => {
      environment.step(action);
      return environment.state.slice();
    });
    const rollout = (own: SimulationOptions) =>
      new Simulation(environment.mechanism, own).rollout(start, { steps: 12, inputs: input });
    const divided = rollout(options);
    expect(states).toEqual(divided.states.slice(1));
    expect(states).not.toEqual(rollout({}).states.slice(1));
  });

  test("without autoreset, a copy that is over refuses steps until it is reset", () => {
    const vector = new VectorEnvironment({ ...cartpoleEnvironment(), horizon: 2 }, { count, autoreset: "disabled" });
    vector.reset({ seed: [5, 5, 9] });
    expect(vector.observations.slice(0, 4)).toEqual(vector.observations.slice(4, 8));
    vector.step([0, 0, 0]).step([0, 0, 0]);
    expect(Array.from(vector.truncated)).toEqual([1, 1, 1]);
    expect(() => vector.step([0, 0, 0])).toThrow("call reset first");
    vector.reset({ mask: vector.truncated });
    expect(Array.from(vector.step([0, 0, 0]).steps)).toEqual([1, 1, 1]);
  });

  const someActions = (): readonly (readonly [string, unknown, string])[] => [
    ["one too few", [1, 1], "actions: has 2 numbers; give 3"],
    ["none", null, "actions: is null, no array; give 3"],
    ["undefined", [1, undefined, 1], "actions[1]: undefined; give a finite number; it is entry 0 of copy 1"],
    ["a word", [1, 1, "abc"], 'actions[2]: "abc"; give a finite number; it is entry 0 of copy 2'],
    ["a number as a word", [1, "1", 1], 'actions[1]: "1"; give a finite number'],
    ["null", [1, null, 1], "actions[1]: null; give a finite number"],
  ];
  test.each(someActions())("actions with %s: refused, and no copy has moved", (_, actions, message) => {
    const vector = new VectorEnvironment(cartpoleEnvironment(), { count });
    vector.reset({ seed: 3 });
    const before = vector.copies.map(({ state }) => Array.from(state));
    expect(() => vector.step(actions as number[])).toThrow(message);
    expect(vector.copies.map(({ state }) => Array.from(state))).toEqual(before);
  });

  test("an action whose input would overflow is refused before any copy moves", () => {
    const vector = new VectorEnvironment(halfCheetahEnvironment(), { count: 2 });
    vector.reset({ seed: 3 });
    const before = vector.copies.map(({ state }) => Array.from(state));
    const actions = new Float64Array(12);
    // 120 N·m per unit are more than a double holds
    actions[6] = 1e307;
    expect(() => vector.step(actions)).toThrow("actions[6]: 1e+307; give a finite number; it is entry 0 of copy 1");
    expect(vector.copies.map(({ state }) => Array.from(state))).toEqual(before);
  });

  test("a copy that is over keeps all from stepping, and is named", () => {
    const vector = new VectorEnvironment({ ...cartpoleEnvironment(), horizon: 2 }, { count, autoreset: "disabled" });
    vector.reset({ seed: 1 }).step([0, 0, 0]).step([0, 0, 0]);
    vector.reset({ mask: [1, 0, 1] });
    const before = vector.copies.map(({ state }) => Array.from(state));
    expect(() => vector.step([1, 1, 1])).toThrow("not-reset at copies[1]: no episode has begun, or it is over");
    expect(vector.copies.map(({ state }) => Array.from(state))).toEqual(before);
    expect(Array.from(vector.steps)).toEqual([0, 2, 0]);
  });

  test("a seed that is none keeps all from starting, and is named", () => {
    const vector = new VectorEnvironment(cartpoleEnvironment(), { count });
    vector.reset({ seed: 1 });
    const before = vector.copies.map(({ state }) => Array.from(state));
    const refused = (seed: unknown, message: string) => {
      expect(() => vector.reset({ seed: seed as number })).toThrow(message);
    };
    refused([1, Number.NaN, 2], "seed[1]: NaN: give a whole number from 0");
    refused(null, "seed: null: give a whole number from 0");
    refused(Number.MAX_SAFE_INTEGER - 1, "give a whole number from 0");
    expect(vector.copies.map(({ state }) => Array.from(state))).toEqual(before);
  });

  test('steps are those of the episode that has ended, in mode "sameStep" too', () => {
    const short = { ...cartpoleEnvironment(), horizon: 2 };
    const vector = new VectorEnvironment(short, { count, autoreset: "sameStep" }).reset({ seed: 1 });
    const lengths = [1, 2, 3].map(() => Array.from(vector.step([0, 0, 0]).steps));
    expect(lengths).toEqual([
      [1, 1, 1],
      [2, 2, 2],
      [1, 1, 1],
    ]);
  });

  test("what does not fit is refused with its place", () => {
    const cartpole = cartpoleEnvironment();
    expect(() => new VectorEnvironment(cartpole, { count: 0 })).toThrow("count: 0: give a whole number of copies");
    expect(() => new VectorEnvironment(cartpole, { count, autoreset: "never" as never })).toThrow(
      "give one of nextStep",
    );
    const vector = new VectorEnvironment(cartpole, { count });
    expect(() => vector.step([0, 0, 0])).toThrow("call reset first");
    expect(() => vector.reset()).toThrow("give reset({ seed: 1 })");
    expect(() => vector.reset({ seed: [1, 2] })).toThrow("seed: has 2 entries; give one for each of 3 copies");
    vector.reset({ seed: 1 });
    expect(() => vector.step([0])).toThrow("actions: has 1 numbers; give 3: 1 for each of 3 copies");
    expect(() => vector.step([0, Number.NaN, 0])).toThrow("actions[1]: NaN; give a finite number");
    // and no copy has stepped
    expect(Array.from(vector.step([0, 0, Number.POSITIVE_INFINITY]).steps)).toEqual([1, 1, 1]);
  });

  test("steps allocate no arrays, and little else", () => {
    const endless = { ...halfCheetahEnvironment(), horizon: 1e6 };
    const vector = new VectorEnvironment(endless, { count, autoreset: "disabled" });
    const actions = new Float64Array(count * vector.actionSpace.size);
    const steps = 200;
    const run = (): { readonly buffers: number; readonly heap: number } => {
      const before = process.memoryUsage();
      for (let k = 0; k < steps; k++) vector.step(actions);
      const after = process.memoryUsage();
      return { buffers: after.arrayBuffers - before.arrayBuffers, heap: after.heapUsed - before.heapUsed };
    };
    vector.reset({ seed: 1 });
    for (let warm = 0; warm < 8; warm++) run();
    const runs = Array.from({ length: 5 }, run);
    expect(Math.min(...runs.map(({ buffers }) => buffers))).toBeLessThanOrEqual(0);
    // numbers on the heap: 900 bytes per step of a copy, and up to 2,300 where other mechanisms ran before in this process and functions
    // that hand each other numbers are not inlined; an array per step would be more. The median, since garbage may be collected
    const [, , median] = runs.map(({ heap }) => heap / (steps * count)).sort((x, y) => x - y);
    expect(median).toBeLessThan(3000);
  });
});
