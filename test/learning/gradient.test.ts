/** The gradient of a return with respect to a policy's parameters, against central differences of the return itself. */
import { describe, expect, test } from "vitest";
import {
  antEnvironment,
  cartpoleEnvironment,
  Environment,
  type EnvironmentDescription,
  Episodes,
  expression,
  halfCheetahEnvironment,
  models,
  ObservationFilter,
  type PolicyKind,
  pendulumEnvironment,
  Random,
  randomPolicy,
} from "../../src/index.ts";

/**
 * Without contact the gradient at a small κ is that of the simulated steps, and differences over 1e-5 have errors of 1e-9 or so, times what
 * the steps make of rounding.
 */
const tolerance = 1e-6;
const shift = 1e-5;

/** In the air, with soft hinges only: limits and contacts out of reach, so that returns are smooth in the parameters. */
const flying = (): EnvironmentDescription => {
  const cheetah = halfCheetahEnvironment({ clipReward: false });
  const base = cheetah.start?.base.position ?? [];
  return {
    ...cheetah,
    horizon: 12,
    start: { ...cheetah.start, base: { position: [base[0] + 5, base[1], base[2]] } },
    // bodies and both moments, beside joint coordinates
    observation: (q) => [...q.minimalState, ...q.body("torso").velocity, ...q.body("ffoot").axes[2]],
    reward: ({ before, after, action }) =>
      expression.sub(
        expression.add(cheetah.reward({ before, after, action }), after.body("bfoot").position[2]),
        expression.square(before.body("torso").velocity[0]),
      ),
  };
};

/** Loops, whose joint coordinates depend on each other. */
const looped = (name: "fourBar" | "delta"): EnvironmentDescription => {
  const mechanism = name === "delta" ? models.delta() : models.fourBar({ actuated: true, damping: 0.05 });
  const end = name === "delta" ? "platform" : "coupler";
  return {
    name,
    mechanism,
    horizon: 12,
    start: Object.values(mechanism.states ?? {})[0],
    startNoise: 0.05,
    observation: (q) => [...q.minimalState, ...q.body(end).velocity],
    reward: ({ before, after, action }) =>
      expression.sub(
        expression.add(expression.square(after.minimalState[0]), after.body(end).position[2]),
        expression.mul(expression.square(before.body(end).velocity[0]), expression.square(action[0])),
      ),
  };
};

/**
 * In contact, of a simulation that itself ends at the gradients' κ: its returns are smooth, and the gradient is theirs. Its points must be on
 * the central path more closely than simulating needs.
 */
const smooth = { kappa: 1e-3, exact: true, pathTolerance: 1e-11 };
const inContact: readonly (readonly [string, EnvironmentDescription])[] = [
  ["half-cheetah", { ...halfCheetahEnvironment({ clipReward: false }), horizon: 12 }],
  ["ant, which observes impulses and pays for them", { ...antEnvironment({ clipReward: false }), horizon: 12 }],
  ["ant, whose actions last for five steps", { ...antEnvironment({ clipReward: false, timestep: 0.01 }), horizon: 8 }],
  [
    "ant, rewarded for impulses at both moments",
    {
      ...antEnvironment(),
      horizon: 8,
      reward: ({ before, after }) => {
        const product = (name: string) => {
          const [now, then] = [after.contact(name), before.contact(name)];
          return expression.mul(now.normalImpulse, expression.add(then.normalImpulse, now.frictionImpulse[0]));
        };
        return expression.sum(after.mechanism.contacts.map(({ name }) => product(name)));
      },
    },
  ],
];

const cases: readonly (readonly [string, EnvironmentDescription, PolicyKind])[] = [
  ["pendulum, linear", { ...pendulumEnvironment(), horizon: 40 }, "linear"],
  ["pendulum, network", { ...pendulumEnvironment(), horizon: 40 }, "network"],
  ["cartpole, network", { ...cartpoleEnvironment(), horizon: 10 }, "network"],
  ["half-cheetah in the air, linear", flying(), "linear"],
  ["half-cheetah in the air, network", flying(), "network"],
  ["four-bar linkage, network", looped("fourBar"), "network"],
  ["delta robot, linear", looped("delta"), "linear"],
];

/** Along a random direction of the parameters. */
function expectSlope(
  episodes: Episodes,
  parameters: Float64Array,
  start: Float64Array,
  gradient: Float64Array,
  random: Random,
  by = shift,
): void {
  const direction = parameters.map(() => random.normal());
  const center = parameters.slice();
  const returnAt = (amount: number): number => {
    parameters.set(center.map((entry, i) => entry + amount * direction[i]));
    return episodes.run(start).return;
  };
  const difference = (returnAt(by) - returnAt(-by)) / (2 * by);
  const slope = gradient.reduce((sum, entry, i) => sum + entry * direction[i], 0);
  expect(Math.abs(difference)).toBeGreaterThan(1e-3);
  expect(Math.abs(slope - difference)).toBeLessThan(tolerance * (1 + Math.abs(difference)));
}

describe("the gradient of a return", () => {
  test.each(cases)("%s: is that of central differences", (_, description, kind) => {
    const environment = new Environment(description);
    const { observationSpace, actionSpace } = environment;
    const random = new Random(12);
    const shape = { kind, observationSize: observationSpace.size, actionSize: actionSpace.size, hiddenUnits: 5 };
    const policy = randomPolicy(shape, random);
    const filter = new ObservationFilter(observationSpace.size);
    const episodes = new Episodes(environment, policy, filter);
    const first = episodes.run(environment.start(random));
    for (let k = 0; k < first.steps; k++) filter.observe(episodes.observation(k));
    const start = environment.start(random);
    const { return: value, solved } = episodes.run(start, { gradients: { relativeKappa: 1e-6 } });
    expect(solved).toBe(true);
    const gradient = episodes.gradient();
    // steps that keep a point for gradients end elsewhere within their tolerance of 1e-8
    expect(episodes.run(start).return).toBeCloseTo(value, 6);
    expectSlope(episodes, policy.parameters, start, gradient, random);
  });

  test.each(inContact)("%s: is that of central differences in contact", (_, description) => {
    const environment = new Environment(description, smooth);
    const { observationSpace, actionSpace } = environment;
    const random = new Random(5);
    const sizes = { observationSize: observationSpace.size, actionSize: actionSpace.size };
    const policy = randomPolicy({ kind: "network", ...sizes, hiddenUnits: 5 }, random);
    const episodes = new Episodes(environment, policy, new ObservationFilter(observationSpace.size));
    const start = environment.start(random);
    const { steps } = episodes.run(start, { gradients: { kappa: smooth.kappa } });
    expect(steps).toBe(description.horizon);
    expectSlope(episodes, policy.parameters, start, episodes.gradient(), random, 1e-6);
  });

  test("has no share of an action that is clipped", () => {
    const environment = new Environment({ ...pendulumEnvironment(), horizon: 5 });
    const random = new Random(1);
    const policy = randomPolicy({ kind: "linear", observationSize: 3, actionSize: 1 }, random);
    policy.parameters.set([1000, 1000, 1000]);
    const episodes = new Episodes(environment, policy, new ObservationFilter(3));
    episodes.run(environment.start(random), { gradients: { relativeKappa: 1 } });
    expect(Array.from(episodes.gradient())).toEqual([0, 0, 0]);
  });

  test("as published leaves out what the policy makes of a changed observation", () => {
    const { observationSpace, actionSpace } = new Environment(flying());
    const shape = { kind: "linear", observationSize: observationSpace.size, actionSize: actionSpace.size } as const;
    const gradientOf = (kind: "full" | "published", horizon: number): Float64Array => {
      const short = new Environment({ ...flying(), horizon });
      const policy = randomPolicy(shape, new Random(3));
      const episodes = new Episodes(short, policy, new ObservationFilter(observationSpace.size));
      episodes.run(short.start(new Random(4)), { gradients: { relativeKappa: 1e-6 } });
      return episodes.gradient(kind);
    };
    // in one step there is nothing to feed back, and a filter that has seen nothing changes no observation
    expect(gradientOf("published", 1)).toEqual(gradientOf("full", 1));
    expect(gradientOf("published", 12)).not.toEqual(gradientOf("full", 12));
  });
});
