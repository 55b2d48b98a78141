/** Searches that a single update could ruin: they go back, and end with what a stretch of updates has shown to be good. */
import { describe, expect, test } from "vitest";
import {
  checkpointFromJson,
  checkpointJson,
  Environment,
  type EpisodeJob,
  type EpisodeOutcome,
  environments,
  episodeRunner,
  resumedSearch,
  searchOf,
} from "../../src/index.ts";
import { GradientSearch } from "../../src/learning/gradientSearch.ts";
import { Stretches } from "../../src/learning/stretches.ts";

const filter = { count: 0, mean: [], deviations: [] };

/** Policies 0, 1, 2 … of one number each, with these returns; the place that each update goes back to. */
function gone(returns: readonly (number | undefined)[], stretches = new Stretches(12)): (number | undefined)[] {
  return returns.map((reached, k) => {
    stretches.add(reached, [k], filter);
    return stretches.goBack()?.parameters[0];
  });
}

describe("stretches of updates", () => {
  test("go back to the last policy of the best four once returns have fallen for good, not for one fall", () => {
    const rise = [0, 10, 40, 60, 65, 70, 71, 70, 72];
    const back = gone([...rise, 3, 72, 71, 5, 70, 71, 6, 4, 3, 2]);
    expect(back).toEqual(back.map((_, k) => (k === 16 ? 8 : undefined)));
  });

  test("do not go back by chance, before anything was learned", () => {
    const back = gone([3, -3, 2, -2, 6, 0, 9, 1, -3, 2, -2, -2, 2, 4, -3, -3, 4, -1]);
    expect(back.every((place) => place === undefined)).toBe(true);
  });

  test("end with the mean policy of the best third of updates, of those that follow each other and were solved", () => {
    const stretches = new Stretches(12);
    gone([0, 50, 60, 70, 70, 70, undefined, 90, 90, 90, 20], stretches);
    // policies 2 to 5 have 67.5 in the mean; 7 to 10 have 72.5
    expect(stretches.chosen?.parameters).toEqual([8.5]);
    const short = new Stretches(12);
    gone([0, 50, 60], short);
    expect(short.chosen).toBeUndefined();
  });
});

const cartpole = new Environment(environments.cartpole());

test("a search whose policy was ruined goes on from the one before, by its parameters and its filter", () => {
  const search = new GradientSearch(cartpole, { seed: 1, updates: 40, step: 0.1, steady: true });
  const tried: Float64Array[] = [];
  const outcome = ({ parameters, gradient }: EpisodeJob): EpisodeOutcome => {
    const update = search.training.returns.length;
    if (gradient) tried.push(parameters.slice());
    const isRuined = update >= 12;
    const seen = { count: 1, mean: [0, 0, 0, 0], deviations: [0, 0, 0, 0] };
    const value = isRuined ? 0 : Math.min(70, 10 * update);
    return { return: value, steps: 10, solved: true, terminated: false, seen, gradient: parameters.map(() => 1) };
  };
  while (search.training.returns.length < 14) search.take(search.jobs().map(outcome));
  const [next] = search.jobs();
  expect(Array.from(next.parameters)).toEqual(Array.from(tried[11]));
  // one episode before the first update, and one of each update before the policy that was good
  expect(next.filter.count).toBe(12);
});

test("a checkpoint has the stretches, and a search goes on from them to the bit", () => {
  const settings = { method: "ags", seed: 2, policy: "network", updates: 9, steady: true } as const;
  const search = searchOf(cartpole, settings);
  const run = episodeRunner(cartpole, search.shape);
  while (search.state.returns.length < 6) search.take(search.jobs().map(run));
  const text = checkpointJson({ environment: "cartpole", settings, state: search.state, done: false, seconds: 1 });
  const again = resumedSearch(cartpole, settings, checkpointFromJson(text));
  expect(again.state).toEqual(search.state);
  for (const each of [search, again]) while (!each.isDone) each.take(each.jobs().map(run));
  expect(again.training).toEqual(search.training);
  const broken = JSON.parse(text);
  broken.state.own.stretches.tried[0].return = null;
  expect(() => resumedSearch(cartpole, settings, checkpointFromJson(JSON.stringify(broken)))).toThrow(
    "no-checkpoint at checkpoint.state.own.stretches.tried[0].return: ",
  );
});
