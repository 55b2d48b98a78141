/** Searches as such: on toy returns, saved and restored, and where they diverge. */
import { describe, expect, test } from "vitest";
import {
  augmentedRandomSearch,
  Environment,
  type EpisodeJob,
  type EpisodeOutcome,
  Episodes,
  environments,
  episodeRunner,
  executeScore,
  executeSearch,
  inlineExecutor,
  ObservationFilter,
  policyOf,
  policyScore,
  Random,
  randomPolicy,
  recipeOf,
  type Search,
  type SearchState,
  searchOf,
  shortHorizonSearch,
  usualMethod,
} from "../../src/index.ts";
import { Critic } from "../../src/learning/critic.ts";
import { GradientSearch } from "../../src/learning/gradientSearch.ts";
import { RandomSearch } from "../../src/learning/randomSearch.ts";
import { requireSchedule, scheduled } from "../../src/learning/schedule.ts";
import { ShortHorizonSearch } from "../../src/learning/shortHorizonSearch.ts";

const cartpole = new Environment(environments.cartpole());
const cheetah = new Environment(environments["half-cheetah"]());

describe("the observation filter", () => {
  test("merges what others have seen, as if it had seen it itself", () => {
    const random = new Random(3);
    const [all, merged] = [new ObservationFilter(2), new ObservationFilter(2)];
    for (const count of [5, 1, 0, 9]) {
      const part = new ObservationFilter(2);
      for (let i = 0; i < count; i++) {
        const seen = Float64Array.of(random.normal(), 4 + 0.3 * random.normal());
        all.observe(seen);
        part.observe(seen);
      }
      merged.merge(part.state);
    }
    expect(merged.state.count).toBe(15);
    for (const part of ["mean", "deviations"] as const) {
      merged.state[part].forEach((value, i) => {
        expect(value).toBeCloseTo(all.state[part][i], 13);
      });
    }
  });
});

describe("schedules", () => {
  test("a list is held for equal shares of the updates", () => {
    expect([0, 1, 2, 3, 4, 5].map((k) => scheduled([1, 0.3, 0.1], k, 6))).toEqual([1, 1, 0.3, 0.3, 0.1, 0.1]);
    expect(scheduled(0.5, 3, 6)).toBe(0.5);
    for (const bad of [0, -1, Number.NaN, [], [1, 0]]) expect(() => requireSchedule("kappa", bad, 6)).toThrow("kappa");
  });

  test("one that is longer than there are updates is refused: some of it would never be used", () => {
    expect(() => requireSchedule("kappa", [1, 2, 3], 2)).toThrow(/has 3 numbers for 2 updates/);
    expect(() => requireSchedule("kappa", [1, 2, 3], 3)).not.toThrow();
  });
});

/** An episode whose return is −‖θ − θ*‖², θ* all ones; its slope is known. */
function toyOutcome({ parameters, gradient }: EpisodeJob): EpisodeOutcome {
  const value = -parameters.reduce((sum, entry) => sum + (entry - 1) ** 2, 0);
  const seen = { count: 0, mean: [0, 0, 0, 0], deviations: [0, 0, 0, 0] };
  const outcome = { return: value, steps: 10, solved: true, terminated: false, seen };
  return gradient ? { ...outcome, gradient: parameters.map((entry) => -2 * (entry - 1)) } : outcome;
}

function last(search: Search, run: (job: EpisodeJob) => EpisodeOutcome): ReturnType<Search["take"]> {
  let progress: ReturnType<Search["take"]>;
  while (!search.isDone) progress = search.take(search.jobs().map(run));
  return progress;
}

describe("on a toy return", () => {
  test("every method climbs", () => {
    const ars = new RandomSearch(cartpole, { seed: 1, updates: 200, step: 0.05 });
    const ags = new GradientSearch(cartpole, { seed: 1, updates: 60, step: 0.1 });
    const random = new GradientSearch(cartpole, { seed: 1, updates: 200, step: 0.1, gradient: "differences" });
    // all begin at about −4, four parameters that are 1 off
    for (const search of [ars, ags, random]) expect(last(search, toyOutcome)?.return).toBeGreaterThan(-0.05);
  });

  test("differences along many directions come near the slope", () => {
    const options = { seed: 1, gradient: "differences", directions: 4000, optimizer: "normalized" } as const;
    const search = new GradientSearch(cartpole, { ...options, updates: 1, step: 1 });
    last(search, toyOutcome);
    // all slopes are equal at zero, and the mean of δδᵀ is 1 within √(2/4000) and √(1/4000) off the diagonal
    for (const entry of search.training.policy.parameters) expect(entry).toBeGreaterThan(0.85);
  });

  test("an update without effect is left out, and ten in a row end the run with the best policy", () => {
    const search = new GradientSearch(cartpole, { seed: 1, updates: 50, step: 0.1 });
    const unsolved = (job: EpisodeJob): EpisodeOutcome => {
      const { gradient: _, ...outcome } = toyOutcome(job);
      return search.training.returns.length < 5 ? toyOutcome(job) : { ...outcome, return: -99, solved: false };
    };
    last(search, unsolved);
    const { divergence, returns, skipped, policy } = search.training;
    expect(divergence).toContain("10 updates in a row changed nothing: steps cannot be solved");
    expect(returns).toHaveLength(15);
    expect(skipped).toBe(10);
    // of the last episode that was solved, before its own update
    const best = -policy.parameters.reduce((sum, entry) => sum + (entry - 1) ** 2, 0);
    expect(best).toBeCloseTo(Math.max(...returns), 12);
  });
});

test.each([1e6, 1e305])("steps of %s end a training with its best policy, and the reason", (step) => {
  const search = new GradientSearch(cheetah, { seed: 1, policy: "network", step });
  last(search, episodeRunner(cheetah, search.shape));
  const { divergence, returns, policy } = search.training;
  expect(divergence).toMatch(/updates in a row changed nothing|grow beyond 1e\+8/);
  expect(returns.length).toBeLessThan(35);
  expect(policy.parameters.every((entry) => Math.abs(entry) < 10)).toBe(true);
});

describe("a search that is made anew from its state goes on to the bit", () => {
  test.each([
    ["ars", () => new RandomSearch(cartpole, { seed: 4, updates: 4, directions: 3 })],
    ["ags, linear", () => new GradientSearch(cartpole, { seed: 4, updates: 4 })],
    ["ags, network", () => new GradientSearch(cartpole, { seed: 4, updates: 4, policy: "network" })],
    ["random", () => new GradientSearch(cartpole, { seed: 4, updates: 4, gradient: "differences" })],
    // episodes end within these updates, by falling poles
    [
      "shac",
      () => new ShortHorizonSearch(cartpole, { seed: 4, updates: 6, horizon: 25, actors: 2, policy: "network" }),
    ],
  ] as const)("%s", (_, make) => {
    const whole = make();
    const run = episodeRunner(cartpole, whole.shape);
    const states: SearchState[] = [];
    while (!whole.isDone) {
      states.push(JSON.parse(JSON.stringify(whole.state)));
      whole.take(whole.jobs().map(run));
    }
    for (const state of states) {
      const again = make();
      again.restore(state);
      last(again, episodeRunner(new Environment(environments.cartpole()), again.shape));
      expect(again.state).toEqual(whole.state);
    }
  });
});

test("settings that are left out are those known for the environment, if any", () => {
  expect(searchOf(cartpole, { method: "ags", seed: 1, policy: "network" }).updates).toBe(60);
  expect(searchOf(cartpole, { method: "ags", seed: 1, policy: "network", updates: 3 }).updates).toBe(3);
  expect(searchOf(cheetah, { method: "ags", seed: 1 }).updates).toBe(35);
  expect(recipeOf("ant", "ars", "linear")).toEqual({ updates: 100 });
  const pendulum = new Environment(environments.pendulum());
  const known = searchOf(pendulum, { method: usualMethod("pendulum"), seed: 1, policy: "network" });
  expect([known.episodesPerUpdate, known.shape.hiddenUnits]).toEqual([16, 16]);
  expect([usualMethod("ant"), usualMethod("toString")]).toEqual(["ags", "ags"]);
  expect(recipeOf("toString", "ars", "linear")).toEqual({});
});

test("an executor gives the bits of this thread", async () => {
  const context = { environment: "cartpole", policy: { kind: "linear", observationSize: 4, actionSize: 1 } } as const;
  const settings = { method: "ars", seed: 2, updates: 2 } as const;
  const inline = await executeSearch(inlineExecutor(), context, searchOf(cartpole, settings));
  expect(inline).toEqual(augmentedRandomSearch(cartpole, settings));
  expect(await executeScore(inlineExecutor(), context, inline.policy, { starts: 4 })).toBe(
    policyScore(cartpole, inline.policy, { starts: 4 }),
  );
});

describe("the critic", () => {
  const options = { discount: 0.9, lambda: 0.5, step: 0.02, fits: 400 };

  test("targets are mixtures of n-step returns, and end with nothing where the episode was terminated", () => {
    const critic = new Critic(1, 4, options, new Random(1));
    const part = { observations: Float64Array.of(0.1, 0.4, -0.3), rewards: Float64Array.of(1, 2), terminated: false };
    const [, v1, v2] = [0, 1, 2].map((k) => critic.valueOf(part.observations, k));
    const [one, two] = [1 + 0.9 * v1, 1 + 0.9 * (2 + 0.9 * v2)];
    const [first, second] = critic.targets(part);
    expect(first).toBeCloseTo(0.5 * one + 0.5 * two, 14);
    expect(second).toBeCloseTo(2 + 0.9 * v2, 14);
    expect(critic.targets({ ...part, terminated: true })[1]).toBe(2);
  });

  test("it comes to the sum of what follows", () => {
    const critic = new Critic(1, 8, { ...options, lambda: 1 }, new Random(1));
    // one reward of each state, then the end
    const observations = Float64Array.of(-1, 0, 1, 5);
    critic.fit([{ observations, rewards: Float64Array.of(3, 2, 1), terminated: true }]);
    const values = [0, 1, 2].map((k) => critic.valueOf(observations, k));
    [3 + 0.9 * 2 + 0.81, 2 + 0.9, 1].forEach((value, k) => {
      expect(values[k]).toBeCloseTo(value, 1);
    });
  });
});

test("short horizons with a critic teach a network to run", () => {
  const trained = shortHorizonSearch(cheetah, { seed: 1, policy: "network", updates: 30 });
  expect(trained.evaluations).toBe(80 + 30 * 2 * 20);
  // a policy that stands still gets about 0, one that runs all the time 80
  expect(policyScore(cheetah, trained.policy, { starts: 3 })).toBeGreaterThan(15);
  expect(() => shortHorizonSearch(cheetah, { seed: 1, discount: 1.5 })).toThrow("discount");
  expect(() => shortHorizonSearch(cheetah, { seed: 1, horizon: 0 })).toThrow("horizon");
});

test("an episode in parts is the whole one, to the bit", () => {
  const random = new Random(2);
  const policy = randomPolicy({ kind: "network", observationSize: 18, actionSize: 6 }, random);
  const filter = new ObservationFilter(18);
  const episodes = new Episodes(cheetah, policy, filter);
  const start = cheetah.start(random);
  const whole = episodes.run(start);
  const rewards = episodes.rewards.slice();
  const end = episodes.observation(80).slice();
  expect(whole.steps).toBe(80);
  expect(episodes.pause).toBeUndefined();
  const inParts: number[] = [];
  let from: Parameters<Episodes["run"]>[0] = start;
  for (const steps of [13, 40, 100]) {
    const part = episodes.run(from, { steps });
    inParts.push(...episodes.rewards.subarray(0, part.steps));
    const { pause } = episodes;
    if (!pause) expect(episodes.observation(part.steps)).toEqual(end);
    // it survives being sent elsewhere
    else from = structuredClone(pause);
    new Episodes(cheetah, policy, filter).run(cheetah.start(random), { steps: 2 });
  }
  expect(inParts).toEqual(Array.from(rewards));
});

test("with a horizon, the gradient is that of discounted rewards and the critic's value of the end", () => {
  const pendulum = new Environment(environments.pendulum());
  const random = new Random(7);
  const policy = randomPolicy({ kind: "network", observationSize: 3, actionSize: 1, hiddenUnits: 4 }, random);
  const critic = policyOf({ kind: "network", observationSize: 3, actionSize: 1, hiddenUnits: 5 });
  for (let i = 0; i < critic.parameters.length; i++) critic.parameters[i] = random.normal();
  const filter = ObservationFilter.from({ count: 4, mean: [0.1, -0.2, 0.3], deviations: [2, 3, 20] });
  const episodes = new Episodes(pendulum, policy, filter);
  const start = pendulum.start(random);
  const [discount, steps] = [0.9, 12];
  episodes.run(start, { steps, gradients: { relativeKappa: 1e-6 } });
  const gradient = episodes.gradient("full", { discount, critic });
  const [normalized, value] = [new Float64Array(3), new Float64Array(1)];
  const objective = (): number => {
    episodes.run(start, { steps });
    filter.normalizeInto(normalized, episodes.observation(steps));
    critic.actInto(value, normalized);
    const sum = episodes.rewards.subarray(0, steps).reduce((total, reward, k) => total + discount ** k * reward, 0);
    return sum + discount ** steps * value[0];
  };
  const shift = 1e-5;
  for (const i of [0, 5, 13, policy.parameters.length - 1]) {
    const at = policy.parameters[i];
    policy.parameters[i] = at + shift;
    const above = objective();
    policy.parameters[i] = at - shift;
    const below = objective();
    policy.parameters[i] = at;
    // steps are solved to 1e-8 or better, over 2e-5
    expect(gradient[i]).toBeCloseTo((above - below) / (2 * shift), 4);
    expect(Math.abs(gradient[i])).toBeGreaterThan(1e-3);
  }
});
