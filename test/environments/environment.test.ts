/** What an environment promises beyond the suite that all pass. */
import { describe, expect, test } from "vitest";
import {
  ArgumentError,
  antEnvironment,
  BoxSpace,
  cartpoleEnvironment,
  describeEnvironment,
  Environment,
  type EnvironmentDescription,
  type EnvironmentName,
  environmentSummaries,
  environments,
  expression,
  halfCheetahEnvironment,
  models,
  pendulumEnvironment,
  Random,
} from "../../src/index.ts";

describe("the half-cheetah", () => {
  test("has the paper's figures", () => {
    const { mechanism, horizon, actionScale, startNoise } = halfCheetahEnvironment();
    expect(mechanism.timestep).toBe(0.05);
    expect(horizon).toBe(80);
    expect(actionScale).toEqual([120, 90, 60, 120, 60, 30]);
    expect(startNoise).toBe(0.1);
    const joints = mechanism.joints ?? {};
    const hinges = ["bthigh", "bshin", "bfoot", "fthigh", "fshin", "ffoot"].map((name) => joints[name]);
    expect(hinges.map(({ stiffness }) => stiffness)).toEqual([240, 180, 120, 180, 120, 60]);
    expect(hinges.map(({ damping }) => damping)).toEqual([15, 11.25, 7.5, 11.25, 7.5, 3.75]);
    expect(hinges.map(({ limits }) => limits)).toEqual([
      [-0.52, 1.05],
      [-0.785, 0.785],
      [-0.4, 0.785],
      [-1, 0.7],
      [-1.2, 0.87],
      [-0.5, 0.5],
    ]);
    const environment = new Environment(halfCheetahEnvironment());
    expect(environment.mechanism.contacts.map(({ frictionCoefficient }) => frictionCoefficient)).toEqual(
      Array(9).fill(0.4),
    );
    expect(environment.observationSpace.size).toBe(18);
  });

  test("is rewarded with the torso's speed along x less a tenth of the squared action, clipped to ±1", () => {
    const clipped = new Environment(halfCheetahEnvironment());
    const raw = new Environment(halfCheetahEnvironment({ clipReward: false }));
    const action = [0.5, -0.2, 0.1, -0.4, 0.3, 0];
    const effort = 0.1 * action.reduce((sum, a) => sum + a * a, 0);
    clipped.reset({ seed: 4 });
    raw.reset({ seed: 4 });
    const values: number[] = [];
    for (let k = 0; k < 40; k++) {
      const { observation, reward } = raw.step(action.map((a) => a * (k < 20 ? 1 : 6)));
      const scale = k < 20 ? 1 : 36;
      // observed are nine coordinates, then their rates: z, x, pitch first
      expect(reward).toBeCloseTo(observation[10] - scale * effort, 12);
      values.push(reward);
      expect(clipped.step(action.map((a) => a * (k < 20 ? 1 : 6))).reward).toBe(Math.max(-1, Math.min(1, reward)));
    }
    expect(Math.min(...values)).toBeLessThan(-1);
  });
});

describe("the ant", () => {
  test("has the paper's figures", () => {
    const { mechanism, horizon, actionScale, stepsPerAction } = antEnvironment();
    expect([mechanism.timestep, horizon, actionScale, stepsPerAction]).toEqual([0.05, 150, 150, 1]);
    const hinges = Object.entries(mechanism.joints ?? {}).filter(([name]) => name !== "base");
    expect(hinges.map(([, { stiffness, damping }]) => [stiffness, damping])).toEqual(Array(8).fill([25, 50]));
    const environment = new Environment(antEnvironment());
    expect(environment.mechanism.contacts.map(({ frictionCoefficient }) => frictionCoefficient)).toEqual(
      Array(9).fill(0.5),
    );
    expect(environment.observationSpace.size).toBe(28 + 9);
    const { observation } = environment.reset({ seed: 1 });
    expect(observation[2]).toBe(0.63);
    expect(Array.from(observation.subarray(28))).toEqual(Array(9).fill(0));
    expect(environment.reset({ seed: 2 }).observation).toEqual(observation);
  });

  test("is rewarded with twice its speed less effort and impacts, and observes the impulses that carry it", () => {
    const environment = new Environment(antEnvironment({ clipReward: false }));
    const action = [0.1, -0.1, 0.2, 0, 0, 0.1, -0.2, 0];
    const effort = 0.05 * action.reduce((sum, a) => sum + a * a, 0);
    let x = environment.reset({ seed: 1 }).observation[0];
    let last = environment.step(action);
    for (let k = 0; k < 60; k++) {
      x = last.observation[0];
      last = environment.step(action);
      const impulses = last.observation.subarray(28);
      const impacts = 5e-4 * impulses.reduce((sum, impulse) => sum + impulse * impulse, 0);
      expect(last.reward).toBeCloseTo((2 * (last.observation[0] - x)) / 0.05 - effort - impacts + 0.05, 11);
    }
    // at rest the floor gives back what gravity takes in a step
    const mass = environment.mechanism.bodies.reduce((sum, body) => sum + body.mass, 0);
    const carried = last.observation.subarray(28).reduce((sum, impulse) => sum + impulse, 0);
    expect(carried).toBeCloseTo(9.81 * mass * 0.05, 4);
  });

  test("ends an episode that leaves the floor, or falls", () => {
    const environment = new Environment({
      ...antEnvironment(),
      start: { ...antEnvironment().start, base: { position: [0, 0, 1.2, 0, 0, 0] } },
    });
    environment.reset({ seed: 1 });
    expect(environment.step(Array(8).fill(0))).toMatchObject({ terminated: true, truncated: false });
  });
});

describe("actions that last for several steps", () => {
  test("are held, and impulses are summed: as many steps of an environment with the shorter time step", () => {
    const coarse = new Environment(antEnvironment({ timestep: 0.01, clipReward: false }));
    const fine = new Environment({ ...antEnvironment({ timestep: 0.01 }), stepsPerAction: 1, horizon: 750 });
    expect(coarse.timestep).toBe(0.05);
    coarse.reset({ seed: 1 });
    fine.reset({ seed: 1 });
    const random = new Random(2);
    for (let k = 0; k < 20; k++) {
      const action = Array.from({ length: 8 }, () => 0.3 * random.normal());
      const impulses = new Float64Array(9);
      let observation: Float64Array = new Float64Array(0);
      for (let part = 0; part < 5; part++) {
        observation = fine.step(action).observation;
        const forces = fine.mechanism.contacts.map(({ name }) => 0.01 * fine.simulation.contact(name).normal);
        forces.forEach((force, i) => {
          impulses[i] += force;
        });
      }
      const { observation: seen, info } = coarse.step(action);
      expect(seen.subarray(0, 28)).toEqual(observation.subarray(0, 28));
      seen.subarray(28).forEach((impulse, i) => {
        expect(impulse).toBeCloseTo(Math.min(1, impulses[i]), 12);
      });
      expect(info).toMatchObject({ steps: k + 1, time: (k + 1) * 0.05 });
    }
  });

  test("time steps that do not divide the interval between actions are refused", () => {
    expect(() => antEnvironment({ timestep: 0.03 })).toThrow("are no multiple of it; give 0.05, 0.025, 0.01");
    for (const timestep of [-0.05, 0, Number.NaN])
      expect(() => antEnvironment({ timestep })).toThrow(`timestep: ${timestep}: it must be above 0; give 0.05`);
  });
});

describe("episodes of the library", () => {
  /** Whether the task is lost, by what is observed. Heights of robots are those of their bases, within 2 cm of their centres of mass. */
  const lost: readonly (readonly [EnvironmentName, (o: Float64Array) => boolean | undefined])[] = [
    ["hopper", ([z, pitch]) => z < 0.7 || Math.abs(pitch) > 1],
    ["walker", ([z, pitch]) => z < 0.8 || Math.abs(pitch) > 1],
    ["humanoid-stand", ([z]) => near(z, 0.9)],
    ["quadruped-walk", ([z]) => near(z, 0.15)],
    ["quadrotor-waypoints", ([x, y, z, , , up]) => x * x + y * y + z * z > 9 || up < 0],
    ["box-push", ([, , , , y]) => Math.abs(y) > 0.2],
  ];
  const near = (z: number, least: number): boolean | undefined => (Math.abs(z - least) < 0.02 ? undefined : z < least);

  test.each(lost)("%s: ends where its task is lost, and at the horizon", (name, isLost) => {
    const environment = new Environment(environments[name]());
    const random = new Random(1);
    let ends = 0;
    for (let seed = 1; seed <= 3; seed++) {
      environment.reset({ seed });
      for (let k = 1; ; k++) {
        const transition = environment.step(environment.actionSpace.sample(random));
        const expected = isLost(transition.observation);
        if (expected !== undefined) expect(transition.terminated).toBe(expected);
        expect(transition.truncated).toBe(k === environment.description.horizon);
        if (!transition.terminated && !transition.truncated) continue;
        ends++;
        break;
      }
    }
    expect(ends).toBe(3);
  });
});

describe("environments by name", () => {
  test("are described as data, with their options", () => {
    const summaries = environmentSummaries();
    expect(JSON.parse(JSON.stringify(summaries))).toEqual(summaries);
    expect(summaries.map(({ name }) => name)).toEqual(Object.keys(environments));
    for (const { name, options } of summaries) {
      const defaults = Object.fromEntries(options.map((option) => [option.name, option.default]));
      const { mechanism, horizon } = describeEnvironment(name, defaults);
      expect({ mechanism, horizon }).toEqual({
        mechanism: environments[name]().mechanism,
        horizon: environments[name]().horizon,
      });
    }
    expect(describeEnvironment("ant", { timestep: 0.01 }).stepsPerAction).toBe(5);
  });

  test("options have an effect", () => {
    const far = (goal: string): number[] => {
      const environment = new Environment(describeEnvironment("box", { goal }));
      return Array.from(environment.reset({ seed: 1 }).observation.subarray(0, 3), Math.round);
    };
    expect(far("right")).toEqual([-1, 0, 0]);
    expect(far("up").map(Math.abs)).toEqual([0, 0, 1]);
  });

  const wrong: readonly (readonly [string, Readonly<Record<string, unknown>>, string])[] = [
    ["ants", {}, 'there is no "ants" (have: half-cheetah, ant,'],
    ["ant", { clip: true }, 'there is no "clip" (have: timestep, clipReward)'],
    ["ant", { clipReward: 1 }, "environments.ant.clipReward: 1: give a boolean"],
    ["box", { goal: "left" }, 'environments.box.goal: "left": give one of right, up'],
  ];
  test.each(wrong)("%s %o is refused", (name, options, message) => {
    expect(() => describeEnvironment(name, options)).toThrow(message);
  });

  test("constructors refuse the same, and take what is undefined as left out", () => {
    const made = (name: EnvironmentName, options: unknown) =>
      (environments[name] as (given: unknown) => unknown)(options);
    for (const [name, options, message] of wrong.slice(1))
      expect(() => made(name as EnvironmentName, options)).toThrow(message);
    for (const name of Object.keys(environments) as EnvironmentName[]) {
      expect(() => made(name, { gaol: "up" })).toThrow(`environments.${name}.gaol: there is no "gaol" (have: timestep`);
      expect(() => made(name, { timestep: "0.05" })).toThrow(`environments.${name}.timestep: "0.05": give a number`);
      expect(() => made(name, null)).toThrow(`environments.${name}: null: give an object of options`);
      expect(() => made(name, { timestep: undefined })).not.toThrow();
    }
  });
});

describe("episodes", () => {
  test("are truncated at the horizon, terminated where a margin is negative, and over then", () => {
    const pendulum = new Environment(pendulumEnvironment());
    pendulum.reset({ seed: 1 });
    for (let k = 1; k < 200; k++) expect(pendulum.step([0]).truncated).toBe(false);
    expect(pendulum.step([0])).toMatchObject({ truncated: true, terminated: false, info: { steps: 200, time: 10 } });
    expect(() => pendulum.step([0])).toThrow("call reset first");

    const cartpole = new Environment(cartpoleEnvironment());
    cartpole.reset({ seed: 1 });
    let last = cartpole.step([1]);
    while (!last.terminated && !last.truncated) last = cartpole.step([1]);
    expect(last).toMatchObject({ truncated: false, terminated: true });
    const [x, lean] = last.observation;
    expect(Math.abs(x) > 2.4 || Math.abs(lean) > (12 * Math.PI) / 180).toBe(true);
  });

  test("actions are clipped to their space, and scaled", () => {
    const pendulum = new Environment(pendulumEnvironment());
    const input = new Float64Array(1);
    pendulum.inputInto(input, [7]);
    expect(input[0]).toBe(2);
    const cheetah = new Environment(halfCheetahEnvironment());
    const inputs = new Float64Array(6);
    cheetah.inputInto(inputs, [2, 0, 0, 0, 0, -1]);
    expect(Array.from(inputs)).toEqual([240, 0, 0, 0, 0, -30]);
  });

  test("a step that is not solved truncates the episode and says how the solver ended", () => {
    const environment = new Environment(halfCheetahEnvironment());
    environment.reset({ seed: 1 });
    let last = environment.step([0, 0, 0, 0, 0, 0]);
    // a million times the torque of a motor
    for (let k = 0; k < 50 && last.info.status === "solved" && !last.truncated; k++)
      last = environment.step(Array(6).fill(1e6 * (k % 2 === 0 ? 1 : -1)));
    expect(last.info.status).not.toBe("solved");
    expect(last).toMatchObject({ truncated: true, reward: 0 });
  });

  test("rewards and observations may read bodies, contacts, both moments and time", () => {
    const { sub, div } = expression;
    const environment = new Environment({
      name: "drop",
      mechanism: models.block({ timestep: 0.02 }),
      horizon: 5,
      observation: (q) => [...q.body("block").position, q.contact("corner0").distance, q.time],
      reward: ({ before, after }) => div(sub(before.body("block").position[2], after.body("block").position[2]), 0.02),
      start: { base: { position: [0, 0, 3, 0, 0, 0] } },
    });
    environment.reset({ seed: 1 });
    const { observation, reward } = environment.step([]);
    expect(reward).toBeCloseTo(9.81 * 0.02, 9);
    expect(observation[4]).toBe(0.02);
  });
});

describe("spaces", () => {
  test("contain what has the right length, is finite and keeps to the bounds", () => {
    const space = new BoxSpace(2, [-1, Number.NEGATIVE_INFINITY], 1);
    expect(space.contains([0, -50])).toBe(true);
    expect(space.contains([0])).toBe(false);
    expect(space.contains([-2, 0])).toBe(false);
    expect(space.contains([0, 2])).toBe(false);
    expect(space.contains([Number.NaN, 0])).toBe(false);
    const random = new Random(1);
    const mixed = new BoxSpace(
      4,
      [-1, 3, Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY],
      [1, Number.POSITIVE_INFINITY, 2, Number.POSITIVE_INFINITY],
    );
    for (let i = 0; i < 100; i++) expect(mixed.contains(mixed.sample(random))).toBe(true);
    expect(JSON.parse(JSON.stringify(mixed))).toEqual({
      kind: "box",
      low: [-1, 3, null, null],
      high: [1, null, 2, null],
    });
  });
});

describe("what is refused", () => {
  const pendulum = pendulumEnvironment();
  const wrong: readonly (readonly [string, Partial<EnvironmentDescription>, string])[] = [
    ["a horizon of no steps", { horizon: 0 }, "give a whole number of steps"],
    ["actions of no steps", { stepsPerAction: 0.5 }, "give a whole number of steps"],
    [
      "gradients beyond the central path",
      { relativeKappa: -1 },
      "relativeKappa[0]: -1: give a number that is positive",
    ],
    ["scales of the wrong number", { actionScale: [1, 2] }, "has 2 numbers; give 1"],
    ["a scale of zero", { actionScale: 0 }, "give a number that is positive"],
    ["a limit of zero", { actionLimit: 0 }, "give a number that is positive"],
    ["noise below zero", { startNoise: -1 }, "give a number that is 0 or more"],
    ["bounds in the wrong order", { observationBounds: { low: 1, high: -1 } }, "exchange them"],
    ["an observation of the input", { observation: (q) => q.inputs }, "no step has been chosen yet"],
  ];
  test.each(wrong)("%s", (_, change, message) => {
    expect(() => new Environment({ ...pendulum, ...change })).toThrow(message);
  });

  test("a first reset without a seed, steps before it, and actions of the wrong length or no numbers", () => {
    const environment = new Environment(pendulum);
    expect(() => environment.reset()).toThrow("give reset({ seed: 1 })");
    expect(() => environment.step([0])).toThrow("call reset first");
    environment.reset({ seed: 1 });
    expect(() => environment.step([0, 0])).toThrow("give 1: hinge.angle");
    expect(() => environment.step([Number.NaN])).toThrow("action[0]: NaN; give a finite number");
    // where actions are not clipped, they must be finite themselves
    const cheetah = new Environment(halfCheetahEnvironment());
    cheetah.reset({ seed: 1 });
    expect(() => cheetah.step([0, 0, Number.POSITIVE_INFINITY, 0, 0, 0])).toThrow("action[2]: Infinity");
    expect(environment.step([Number.POSITIVE_INFINITY]).info.status).toBe("solved");
  });

  const actions: readonly (readonly [string, unknown, string])[] = [
    ["null for a number", [null], "action[0]: null; give a finite number"],
    ["a number as a word", ["1"], 'action[0]: "1"; give a finite number'],
    ["an array in an array", [[1]], "action[0]: an object; give a finite number"],
    ["null", null, "action: is null, no array; give 1: hinge.angle"],
    ["a number", 1, "action: is 1, no array; give 1: hinge.angle"],
  ];
  test.each(actions)("an action that is %s", (_, action, message) => {
    const environment = new Environment(pendulum);
    environment.reset({ seed: 1 });
    const before = Array.from(environment.state);
    expect(() => environment.step(action as number[])).toThrow(ArgumentError);
    expect(() => environment.step(action as number[])).toThrow(message);
    expect(Array.from(environment.state)).toEqual(before);
  });

  test.each([Number.NaN, Number.POSITIVE_INFINITY, -1, 0.5, null, "1"])("a seed of %o", (seed) => {
    const environment = new Environment(pendulum);
    expect(() => environment.reset({ seed: seed as number })).toThrow(ArgumentError);
    expect(() => environment.reset({ seed: seed as number })).toThrow(
      /seed: .*: give a whole number from 0 to 2\^53 − 1/,
    );
    expect(environment.isOver).toBe(true);
  });
});
