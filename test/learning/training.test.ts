/** Policies, filters, optimisers, and training that learns. */
import { describe, expect, test } from "vitest";
import {
  augmentedGradientSearch,
  augmentedRandomSearch,
  Environment,
  Episodes,
  environments,
  episodeRunner,
  minimalState,
  ObservationFilter,
  policyController,
  policyFromJson,
  policyJson,
  policyOf,
  policyScore,
  Random,
  randomPolicy,
  scoreStart,
  searchOf,
} from "../../src/index.ts";
import { clipNorm, decayed, optimizerOf } from "../../src/learning/optimizer.ts";

describe("policies", () => {
  test("a network gives V tanh(W o + b) + c", () => {
    const shape = { kind: "network", observationSize: 1, actionSize: 1, hiddenUnits: 2 } as const;
    const [w0, w1, b0, b1, v0, v1, c] = [0.5, -1, 0.1, 0.2, 2, 3, 0.7];
    const policy = policyOf(shape, [w0, w1, b0, b1, v0, v1, c]);
    const action = new Float64Array(1);
    policy.actInto(action, Float64Array.of(0.4));
    expect(action[0]).toBeCloseTo(v0 * Math.tanh(w0 * 0.4 + b0) + v1 * Math.tanh(w1 * 0.4 + b1) + c, 14);
  });

  test.each(["linear", "network"] as const)("%s: pulls cotangents back as differences do", (kind) => {
    const random = new Random(5);
    const policy = randomPolicy({ kind, observationSize: 4, actionSize: 3, hiddenUnits: 6 }, random);
    const observation = Float64Array.from({ length: 4 }, () => random.normal());
    // beyond what a network can tell apart
    observation[2] = 7;
    const weights = Float64Array.from({ length: 3 }, () => random.normal());
    const value = (): number => {
      const action = new Float64Array(3);
      policy.actInto(action, observation);
      return action.reduce((sum, a, i) => sum + weights[i] * a, 0);
    };
    const out = { parameters: new Float64Array(policy.parameters.length), observation: new Float64Array(4) };
    policy.pullInto(out, observation, weights);
    const expectSlopes = (variables: Float64Array, slopes: Float64Array): void => {
      for (let i = 0; i < variables.length; i++) {
        const at = variables[i];
        variables[i] = at + 1e-6;
        const above = value();
        variables[i] = at - 1e-6;
        const below = value();
        variables[i] = at;
        expect(slopes[i]).toBeCloseTo((above - below) / 2e-6, 7);
      }
    };
    expectSlopes(policy.parameters, out.parameters);
    expectSlopes(observation, out.observation);
    // the same, without looking at what it has just acted on again
    const again = new Float64Array(policy.parameters.length);
    policy.actInto(new Float64Array(3), observation);
    policy.pullParametersInto(again, observation, weights);
    expect(again).toEqual(out.parameters);
  });
});

describe("the observation filter", () => {
  test("has mean and variance of what it has seen, and a floor of 0.01", () => {
    const filter = new ObservationFilter(2);
    const out = new Float64Array(2);
    filter.normalizeInto(out, Float64Array.of(3, 4));
    expect(Array.from(out)).toEqual([3, 4]);
    for (const value of [1, 2, 6]) filter.observe(Float64Array.of(value, 7));
    filter.normalizeInto(out, Float64Array.of(4, 7.5));
    // mean 3, variance (4 + 1 + 9)/3; the second never changes
    expect(out[0]).toBeCloseTo(1 / Math.sqrt(14 / 3), 14);
    expect(out[1]).toBeCloseTo(0.5 / 0.1, 12);
    const again = ObservationFilter.from(JSON.parse(JSON.stringify(filter.state)));
    again.normalizeInto(out, Float64Array.of(4, 7.5));
    expect(out[1]).toBeCloseTo(5, 12);
  });
});

describe("optimisers", () => {
  test("steps fall linearly to a tenth", () => {
    const schedule = { step: 0.03, updates: 11 };
    expect(decayed(schedule, 0)).toBe(0.03);
    expect(decayed(schedule, 5)).toBeCloseTo(0.55 * 0.03, 15);
    expect(decayed(schedule, 10)).toBeCloseTo(0.003, 15);
    expect(decayed({ ...schedule, lastShare: 1 }, 10)).toBe(0.03);
  });

  test("normalised steps move the largest entry by the step, Adam's first moves all by it", () => {
    const parameters = Float64Array.of(1, 1);
    const schedule = { step: 0.1, updates: 10 };
    optimizerOf("normalized", schedule, 2).update(parameters, Float64Array.of(-4, 2), 0);
    expect(Array.from(parameters)).toEqual([0.9, 1.05]);
    optimizerOf("adam", schedule, 2).update(parameters, Float64Array.of(-4, 2), 0);
    expect(parameters[0]).toBeCloseTo(0.8, 8);
    expect(parameters[1]).toBeCloseTo(1.15, 7);
  });

  test("long gradients are shortened, others are not", () => {
    const gradient = Float64Array.of(3, 4);
    clipNorm(gradient, 10);
    expect(Array.from(gradient)).toEqual([3, 4]);
    clipNorm(gradient, 1);
    expect(gradient[0]).toBeCloseTo(0.6, 15);
  });
});

describe("training", () => {
  const cheetah = new Environment(environments["half-cheetah"]());
  const cartpole = new Environment(environments.cartpole());

  // without `steady` these two end at 58 and 44: one falls from some starts, the other was thrown on its back
  test.each([1, 5])("a network of the half-cheetah runs from unseen starts, seed %i", (seed) => {
    const search = searchOf(cheetah, { method: "ags", policy: "network", seed });
    const run = episodeRunner(cheetah, search.shape);
    while (!search.isDone) search.take(search.jobs().map(run));
    expect(search.training.evaluations).toBe(5680);
    expect(policyScore(cheetah, search.training.policy, { starts: 20 })).toBeGreaterThan(65);
  });

  test("gradients teach a network to run, with the evaluations that are counted, and the same bits twice", () => {
    const options = { seed: 2, policy: "network", updates: 12 } as const;
    const updates: number[] = [];
    const trained = augmentedGradientSearch(cheetah, {
      ...options,
      onUpdate: ({ update, evaluations }) => {
        expect(evaluations).toBe(80 + 160 * update);
        updates.push(update);
        return undefined;
      },
    });
    expect(updates).toHaveLength(12);
    expect(trained.evaluations).toBe(80 + 12 * 160);
    // a policy that stands still gets about 0, one that runs all the time 80
    expect(policyScore(cheetah, trained.policy, { starts: 5 })).toBeGreaterThan(20);
    expect(augmentedGradientSearch(cheetah, { ...options, updates: 2 }).returns).toEqual(
      augmentedGradientSearch(new Environment(environments["half-cheetah"]()), { ...options, updates: 2 }).returns,
    );
  });

  test("random search counts its steps and is the same to the bit with the same seed", () => {
    const train = () => augmentedRandomSearch(cheetah, { seed: 1, updates: 3, directions: 2 });
    const trained = train();
    expect(trained.evaluations).toBe(3 * 2 * 2 * 80);
    expect(trained).toEqual(train());
  });

  test("gradients teach a linear policy to balance a pole, through episodes that end early", () => {
    const trained = augmentedGradientSearch(cartpole, { seed: 1, updates: 40, step: 0.3 });
    const untrained = augmentedGradientSearch(cartpole, { seed: 1, updates: 1, step: 1e-12 });
    const [before, after] = [untrained, trained].map(({ policy }) => policyScore(cartpole, policy, { starts: 10 }));
    expect(before).toBeLessThan(100);
    expect(after).toBeGreaterThan(190);
  });

  test("κ, step, optimizer, norm, the gradient's kind and units have an effect; a false of onUpdate ends it", () => {
    const parameters = (options: Partial<Parameters<typeof augmentedGradientSearch>[1]>) =>
      augmentedGradientSearch(cheetah, { seed: 1, updates: 1, ...options }).policy.parameters;
    const usual = parameters({});
    for (const options of [
      { relativeKappa: 0.01 },
      { kappa: 1e-2 },
      { step: 0.01 },
      { optimizer: "adam" },
      { gradient: "published" },
      { optimizer: "adam", step: 0.01, policy: "network", hiddenUnits: 3 },
    ] as const)
      expect(parameters(options)).not.toEqual(usual);
    expect(parameters({ relativeKappa: 1 })).toEqual(usual);
    expect(augmentedGradientSearch(cheetah, { seed: 1, updates: 1, skipFrom: 1e-9 }).skipped).toBe(1);
    expect(augmentedGradientSearch(cheetah, { seed: 1, onUpdate: () => false }).returns).toHaveLength(1);
    // a short gradient and a long one make the same first step of Adam, and others after it
    const network = { policy: "network", optimizer: "adam", updates: 3 } as const;
    expect(parameters({ ...network, largestNorm: 1e-3 })).not.toEqual(parameters({ ...network, largestNorm: 1e9 }));
  });

  test("a policy survives JSON, scores the same, and controls a rollout as it acts in the environment", () => {
    const { policy } = augmentedGradientSearch(cheetah, { seed: 3, policy: "network", updates: 2 });
    const read = policyFromJson(policyJson(policy));
    expect(read).toEqual(policy);
    const score = policyScore(cheetah, policy, { starts: 1 });
    cheetah.simulation.continuation = undefined;
    const trajectory = cheetah.simulation.rollout(cheetah.start(new Random(scoreStart(0))), {
      steps: 80,
      controller: policyController(cheetah, read),
    });
    let sum = 0;
    let before = {
      minimal: minimalState(cheetah.mechanism, trajectory.states[0]),
      state: trajectory.states[0],
      time: 0,
    };
    trajectory.inputs.forEach((input, k) => {
      const state = trajectory.states[k + 1];
      const minimal = minimalState(cheetah.mechanism, state, trajectory.interval(k + 1), before.minimal);
      const after = { minimal, state, time: 0.05 * (k + 1) };
      sum += cheetah.functions.reward(before, input, after);
      before = after;
    });
    expect(trajectory.states).toHaveLength(81);
    expect(sum).toBe(score);
  });

  test("what is no policy, or one of another environment, is refused", () => {
    const { policy } = augmentedRandomSearch(cartpole, { seed: 1, updates: 1, directions: 1 });
    expect(() => policyFromJson("{")).toThrow("is no JSON");
    expect(() => policyFromJson("{}")).toThrow("policy.format");
    const text = (change: object): string => JSON.stringify({ ...JSON.parse(policyJson(policy)), ...change });
    expect(() => policyFromJson(text({ parameters: [1] }))).toThrow("has 1 numbers");
    expect(() => policyFromJson(text({ parameters: "a" }))).toThrow("policy.parameters: is no list");
    expect(() => policyFromJson(text({ parameters: [1, 2, null, 4] }))).toThrow("policy.parameters[2]: null");
    const negative = { ...policy.filter, deviations: [0, 1, 1, -1] };
    expect(() => policyFromJson(text({ filter: negative }))).toThrow("policy.filter.deviations[3]: -1");
    expect(() => policyFromJson(text({ filter: { ...policy.filter, count: null } }))).toThrow("policy.filter.count");
    expect(() => policyFromJson(text({ shape: { kind: "deep" } }))).toThrow("linear, network");
    expect(() => policyFromJson(text({ environment: 1 }))).toThrow("policy.environment");
    expect(() => policyFromJson(text({ filter: { count: 1, mean: [], deviations: [] } }))).toThrow("policy.filter");
    expect(() => policyScore(cheetah, policy)).toThrow("it says that it was trained in cartpole");
    expect(() => augmentedGradientSearch(cartpole, { seed: 1, updates: 0 })).toThrow("updates");
    expect(() => augmentedGradientSearch(cartpole, { seed: 1, step: -1 })).toThrow("step");
    expect(() => augmentedGradientSearch(cartpole, { seed: 1, policy: "network", hiddenUnits: 0 })).toThrow(
      "hiddenUnits",
    );
    expect(() => augmentedRandomSearch(cartpole, { seed: 1, directions: 0.5 })).toThrow("directions");
  });

  test("policies of shapes that there are none of, and in environments that they do not fit", () => {
    const shape = { kind: "network", observationSize: 4, actionSize: 1 } as const;
    expect(() => policyOf({ ...shape, kind: "deep" as "linear" })).toThrow("linear, network");
    expect(() => policyOf({ ...shape, observationSize: undefined as unknown as number })).toThrow("observationSize");
    expect(() => randomPolicy({ ...shape, actionSize: 1.5 }, new Random(1))).toThrow("actionSize");
    expect(() => new Episodes(cheetah, policyOf(shape), new ObservationFilter(4))).toThrow(
      "wrong-environment at policy",
    );
    expect(() => new Episodes(cartpole, policyOf(shape), new ObservationFilter(3))).toThrow("wrong-size at filter");
  });
});
