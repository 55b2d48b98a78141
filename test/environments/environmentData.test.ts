/** Environments as data, beside the same written as functions. */
import { expect, test } from "vitest";
import {
  ArgumentError,
  describeEnvironment,
  Environment,
  type EnvironmentData,
  type EnvironmentDescription,
  Episodes,
  models,
  ObservationFilter,
  policyOf,
  Random,
  readEnvironment,
} from "../../src/index.ts";

/** The cartpole of the library, as data. */
function cartpole(): EnvironmentData {
  const { observation: _, reward: __, alive: ___, goal: ____, ...rest } = describeEnvironment("cartpole");
  return {
    ...rest,
    observation: ["rail.slide", "hinge.angle - pi", "rail.slide.rate", "hinge.angle.rate"],
    reward: "cos(hinge.angle - pi) - 0.1 rail.slide^2 - 0.01 action.rail.slide^2",
    alive: ["|rail.slide| <= 2", "abs(hinge.angle - pi) <= 0.6"],
  };
}

/** The ant of the library, with impulses of contacts and the state before the step. */
function ant(): EnvironmentData {
  const {
    observation: _,
    reward: __,
    alive: ___,
    goal: ____,
    ...rest
  } = describeEnvironment("ant", { clipReward: false });
  const contacts = models.ant().contacts ?? [];
  const pressures = contacts.map(({ name }) => `clip(${name}.normalImpulse, -1, 1)`);
  return {
    ...rest,
    observation: ["coordinates", "rates", ...pressures],
    reward: `40 (torso.x - before.torso.x) - 0.05 |action|^2 - 5e-4 (${pressures.map((text) => `${text}^2`).join(" + ")}) + 0.05`,
    alive: ["torso.z >= 0.2", "torso.z <= 1"],
  };
}

/** Everything that an episode gives, with actions that are drawn. */
function episode(description: EnvironmentDescription): { numbers: number[]; gradient: Float64Array } {
  const environment = new Environment(description);
  const random = new Random(3);
  const numbers: number[] = [...environment.reset({ seed: 5 }).observation];
  for (let k = 0; k < 15; k++) {
    const action = Float64Array.from({ length: environment.actionSpace.size }, () => random.uniform(-0.5, 0.5));
    const { observation, reward, terminated } = environment.step(action);
    numbers.push(...observation, reward, Number(terminated));
    if (terminated) break;
  }
  const shape = {
    kind: "linear",
    observationSize: environment.observationSpace.size,
    actionSize: environment.actionSpace.size,
  } as const;
  const policy = policyOf(shape);
  for (let i = 0; i < policy.parameters.length; i++) policy.parameters[i] = 0.05 * random.normal();
  const episodes = new Episodes(environment, policy, new ObservationFilter(shape.observationSize));
  episodes.run(environment.start(new Random(2)), { gradients: { relativeKappa: 0.1 }, steps: 8 });
  return { numbers, gradient: episodes.gradient() };
}

function expectNear(ours: ArrayLike<number>, theirs: ArrayLike<number>): void {
  expect(ours).toHaveLength(theirs.length);
  const size = Math.max(1, ...Array.from(theirs, Math.abs));
  for (let i = 0; i < ours.length; i++) expect(Math.abs(ours[i] - theirs[i])).toBeLessThan(1e-9 * size);
}

test.each([
  ["cartpole", cartpole(), {}],
  ["ant", ant(), { clipReward: false }],
] as const)("%s as data is the library's: observations, rewards, ends and gradients", (name, data, options) => {
  const [ours, theirs] = [episode(readEnvironment(data)), episode(describeEnvironment(name, options))];
  expect(theirs.numbers.length).toBeGreaterThan(50);
  expectNear(ours.numbers, theirs.numbers);
  expect(theirs.gradient.some((entry) => entry !== 0)).toBe(true);
  expectNear(ours.gradient, theirs.gradient);
});

test("its JSON says the same", () => {
  const data = cartpole();
  const [one, other] = [readEnvironment(data), readEnvironment(JSON.stringify(data))].map(episode);
  expect(other.numbers).toEqual(one.numbers);
});

test.each<[Partial<Record<keyof EnvironmentData, unknown>>, RegExp]>([
  [{ reward: "hinge.angel" }, /reward, column 1: there is no quantity "hinge\.angel"; did you mean "hinge\.angle"/],
  [{ reward: "coordinates" }, /reward: it has 2 values/],
  [{ reward: undefined }, /environment\.reward: is missing/],
  [{ observation: ["rail.slide", "1 +"] }, /observation\[1\], column 4: it ends/],
  [{ alive: "rail.slide" }, /alive, column 11: it ends where <=, >= or =/],
  [{ alive: ["rail.slide = 1"] }, /alive\[0\]: an episode goes on while an inequality holds/],
  [{ rewrd: "1" } as never, /rewrd/],
])("%j is refused with its place", (change, message) => {
  const data = { ...cartpole(), ...change } as EnvironmentData;
  expect(() => new Environment(readEnvironment(data))).toThrow(ArgumentError);
  expect(() => new Environment(readEnvironment(data))).toThrow(message);
});

test("text that is no JSON is refused", () => {
  expect(() => readEnvironment("{")).toThrow(/no-json at environment/);
  expect(() => readEnvironment(null as never)).toThrow(/give an object with name/);
});
