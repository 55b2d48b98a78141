/** Checkpoints that were changed by hand, and what a training that diverges keeps. */
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
  type TrainingSettings,
} from "../../src/index.ts";

const environment = new Environment(environments.cartpole());

/** The JSON of a checkpoint after two updates. */
function written(settings: TrainingSettings): string {
  const search = searchOf(environment, settings);
  const run = episodeRunner(environment, search.shape);
  while (search.state.returns.length < 2) search.take(search.jobs().map(run));
  return checkpointJson({ environment: "cartpole", settings, state: search.state, done: false, seconds: 1 });
}

/** The same with the entry at a path replaced. */
function changed(text: string, path: string, value: unknown): string {
  const data = JSON.parse(text);
  const keys = path.split(/[.[\]]+/).filter((key) => key !== "");
  const owner = keys.slice(0, -1).reduce((node, key) => node[key], data);
  owner[keys[keys.length - 1]] = value;
  return JSON.stringify(data);
}

const common = [
  ["seconds", "x"],
  ["seconds", -1],
  ["done", 1],
  ["state", null],
  ["state.parameters[3]", null],
  ["state.parameters", []],
  ["state.filter", null],
  ["state.filter.mean[0]", null],
  ["state.filter.deviations[1]", -1],
  ["state.filter.count", -5],
  ["state.returns[1]", null],
  ["state.returns", "none"],
  ["state.spent", []],
  ["state.evaluations", "lots"],
  ["state.skipped", 0.5],
  ["state.idle", null],
  ["state.divergence", 3],
  ["state.random", null],
] as const;

const own = {
  ars: [["state.best.parameters", [1]]],
  ags: [
    ["state.own", null],
    ["state.own.filled", 1],
    ["state.own.optimizer.powers", [1]],
    ["state.own.optimizer.first[2]", null],
    ["state.best.return", null],
  ],
  shac: [
    ["state.own.critic.parameters[0]", "1"],
    ["state.own.actors", []],
    ["state.own.actors[0].step", -1],
    ["state.own.actors[0].state[4]", null],
    ["state.own.actors[0].continuation", { version: 99 }],
    ["state.own.earned[0]", null],
  ],
} as const;

describe.each([
  { method: "ars", seed: 1, policy: "linear", directions: 1 },
  { method: "ags", seed: 1, policy: "linear", optimizer: "adam", step: 0.01 },
  { method: "shac", seed: 1, policy: "linear", horizon: 3 },
] as const)("a checkpoint of $method", (settings) => {
  const text = written(settings);
  const resume = (given: string) => resumedSearch(environment, settings, checkpointFromJson(given));

  test("goes on as it is", () => expect(resume(text).state).toEqual(JSON.parse(text).state));

  test.each([...common, ...own[settings.method]])("is refused where %s is %j, by that path", (path, value) => {
    expect(() => resume(changed(text, path, value))).toThrow(`no-checkpoint at checkpoint.${path}: `);
  });
});

/** An outcome as `shac` takes it: a part with so much reward, after which the episode goes on or is over. */
function part(job: EpisodeJob, value: number, isOver: boolean): EpisodeOutcome {
  const run = episodeRunner(environment, searchOf(environment, { method: "shac", seed: 1 }).shape);
  const outcome = run({ ...job, start: 1, steps: 2 });
  if (!outcome.record) return outcome;
  const { end: pause, ...record } = outcome.record;
  const gradient = new Float64Array(job.parameters.length).fill(1);
  return { ...outcome, gradient, return: value, record: isOver ? record : { ...record, end: pause } };
}

test("shac keeps the policy of its best whole episode, not of its luckiest part", () => {
  const search = searchOf(environment, { method: "shac", seed: 1, updates: 100 });
  search.take(search.jobs().map((job) => part(job, 0, true)));
  const policies: (readonly number[])[] = [];
  for (const [value, isOver] of [
    [100, false],
    [-80, true],
    [10, false],
    [15, true],
    [60, false],
    [-50, true],
  ] as const) {
    policies.push(search.state.parameters);
    search.take(search.jobs().map((job) => part(job, value, isOver)));
  }
  // episodes came to 20, 25 and 10
  expect(search.state.best).toMatchObject({ return: 25, parameters: policies[3] });
});

test("parameters that grow beyond all sense are a divergence, and are not kept", () => {
  const search = searchOf(environment, { method: "ags", seed: 1, policy: "linear", step: 1e300 });
  const run = episodeRunner(environment, search.shape);
  while (!search.isDone) search.take(search.jobs().map(run));
  const { divergence, policy } = search.training;
  expect(divergence).toContain("parameters grow beyond 1e+8");
  for (const value of policy.parameters) expect(Math.abs(value)).toBeLessThanOrEqual(1e8);
});
