/** dojo train, on trainings small enough for a test. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { beforeAll, describe, expect, test } from "vitest";
import { curveSvg } from "../../src/cli/training/curves.ts";
import { TrainingFolder } from "../../src/cli/training/folder.ts";
import { settingsOf } from "../../src/cli/training/settings.ts";
import {
  augmentedGradientSearch,
  augmentedRandomSearch,
  checkpointFromJson,
  checkpointJson,
  Environment,
  environments,
  episodeRunner,
  namedEnvironment,
  policyFromJson,
  policyJson,
  searchOf,
  type TrainingSettings,
} from "../../src/index.ts";
import { buildCli, dojo, dojoJson, dojoProcess, dojoProcessJson, workFolder } from "./runCli.ts";

interface Result {
  readonly environment: string;
  readonly seeds: readonly {
    seed: number;
    reward: number;
    fineReward?: number;
    evaluations: number;
    seconds: number;
  }[];
  readonly mean: number;
  readonly deviation: number;
  readonly files: readonly string[];
}

// replays have the built viewer in them
beforeAll(buildCli);

test("trains a policy per seed, scores it and writes it: the one that the library trains, to the bit", async () => {
  const folder = join(workFolder(), "policies");
  const options = ["--method", "ars", "--policy", "linear", "--updates", "2", "--seeds", "2", "--starts", "3"];
  const result = await dojoProcessJson<Result>(["train", "cartpole", ...options, "--out", folder]);
  expect(result.seeds.map(({ seed }) => seed)).toEqual([1, 2]);
  const [first, second] = result.seeds;
  expect(result.mean).toBeCloseTo((first.reward + second.reward) / 2, 12);
  expect(result.deviation).toBeCloseTo(Math.abs(first.reward - second.reward) / Math.SQRT2, 12);
  for (const { seconds } of result.seeds) expect(seconds).toBeGreaterThan(0);
  expect(readdirSync(folder).sort()).toEqual([
    "cartpole-ars-linear-1.json",
    "cartpole-ars-linear-1.training.json",
    "cartpole-ars-linear-2.json",
    "cartpole-ars-linear-2.training.json",
    "cartpole-ars-linear.svg",
  ]);
  const written = policyFromJson(readFileSync(join(folder, "cartpole-ars-linear-2.json"), "utf8"));
  const expected = augmentedRandomSearch(new Environment(environments.cartpole()), { seed: 2, updates: 2 });
  expect(written).toEqual(expected.policy);
  expect(second.evaluations).toBe(expected.evaluations);
});

test("shows its updates, the learning curve and a table", async () => {
  const { code, stdout } = await dojo(["train", "cartpole", "--updates", "2", "--starts", "2"]);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^ +1 +2\/2 +[\d.]+ +\d+$/m);
  expect(stdout).toMatch(/[\u2801-\u28ff]/);
  expect(stdout).toMatch(/^ +1 +[\d.]+ +\d+ +\S/m);
  expect(stdout).toContain("mean of 2 starts each");
});

test("one thread and two give the same bits, at another time step too", async () => {
  const args = [
    "train",
    "half-cheetah",
    "--updates",
    "2",
    "--seeds",
    "2",
    "--starts",
    "2",
    "--score-timestep",
    "0.025",
  ];
  const [one, two] = await Promise.all(
    ["1", "2"].map((workers) => dojoProcessJson<Result>([...args, "--workers", workers, "--relative-kappa", "1,0.5"])),
  );
  const untimed = ({ seeds }: Result) => seeds.map(({ seconds: _, ...rest }) => rest);
  expect(untimed(two)).toEqual(untimed(one));
  for (const { reward, fineReward } of one.seeds) expect(fineReward).not.toBe(reward);
});

describe("a training that is ended", () => {
  const args = ["train", "cartpole", "--policy", "network", "--updates", "4000", "--seeds", "2", "--starts", "1"];
  const stem = "cartpole-ags-network-1";

  test.each([
    ["SIGINT", 130],
    ["SIGKILL", null],
  ] as const)("by %s leaves the state of one that was not, to the bit", async (signal, expected) => {
    const folder = join(workFolder(), "out");
    const checkpoint = join(folder, `${stem}.training.json`);
    const updates = (): number => JSON.parse(readFileSync(checkpoint, "utf8")).state.returns.length;
    const ended = await dojoProcess([...args, "--out", folder, "--json"], undefined, async (child) => {
      while (!(existsSync(checkpoint) && updates() > 0)) await setTimeout(20);
      child.kill(signal);
    });
    expect(ended.code).toBe(expected);
    const done = updates();
    expect(done).toBeGreaterThan(0);
    expect(done).toBeLessThan(4000);
    const before = JSON.parse(readFileSync(checkpoint, "utf8"));
    const environment = new Environment(environments.cartpole());
    const read = checkpointFromJson(readFileSync(checkpoint, "utf8"));
    // what went before is what the library does without a break
    const whole = searchOf(environment, read.settings);
    const run = episodeRunner(environment, whole.shape);
    while (whole.state.returns.length < done) whole.take(whole.jobs().map(run));
    expect(JSON.parse(JSON.stringify(whole.state))).toEqual(before.state);
  });

  test("is not written over, and is refused with another environment, other settings or another version", () => {
    const path = join(workFolder(), "out");
    const environment = new Environment(environments.cartpole());
    const settings = { method: "ags", policy: "linear", seed: 1, updates: 5 } as const;
    const search = searchOf(environment, settings);
    new TrainingFolder(path, "cartpole").save(settings, search, 1);
    const check = (resumes: boolean, wanted: TrainingSettings = settings): void =>
      new TrainingFolder(path, "cartpole", resumes ? "resumed" : "refused").check(environment, [wanted]);
    expect(() => check(true)).not.toThrow();
    expect(() => check(false)).toThrow("is of an earlier training: --resume goes on with it, --overwrite replaces it");
    expect(() => check(true, { ...settings, step: 0.5 })).toThrow(
      "settings.step: it was begun with its default, not with 0.5",
    );
    expect(() => check(true, { ...settings, seed: 2 })).toThrow("has no checkpoint of such a training");
    const file = join(path, "cartpole-ags-linear-1.training.json");
    const written = JSON.parse(readFileSync(file, "utf8"));
    const changed = (change: object): void => writeFileSync(file, JSON.stringify({ ...written, ...change }));
    changed({ version: "0.0.1" });
    expect(() => check(true)).toThrow('"0.0.1": it was written by another version');
    changed({ environment: "ant" });
    expect(() => check(true)).toThrow("it trains in ant, not in cartpole");
    writeFileSync(file, "{");
    expect(() => check(true)).toThrow("is no JSON");
  });

  test("leaves files that are replaced only with --overwrite: a checkpoint that is done, or a policy alone", () => {
    const environment = new Environment(environments.cartpole());
    const settings = { method: "ars", policy: "linear", seed: 1, updates: 1, directions: 1 } as const;
    const search = searchOf(environment, settings);
    search.take(search.jobs().map(episodeRunner(environment, search.shape)));
    expect(search.isDone).toBe(true);
    for (const leave of [
      (folder: TrainingFolder) => folder.save(settings, search, 1),
      (folder: TrainingFolder) => folder.writePolicy(settings, search.training.policy),
    ]) {
      const path = join(workFolder(), "out");
      leave(new TrainingFolder(path, "cartpole"));
      const check = (earlier: "refused" | "overwritten"): void =>
        new TrainingFolder(path, "cartpole", earlier).check(environment, [{ ...settings, noise: 0.5 }]);
      expect(() => check("refused")).toThrow("--overwrite replaces it; or give another folder");
      expect(() => check("overwritten")).not.toThrow();
    }
  });

  test("is finished by --resume, with the policy that it would have had", async () => {
    const folder = join(workFolder(), "out");
    const short = ["train", "cartpole", "--updates", "5", "--starts", "1", "--out", folder];
    const whole = await dojoJson<Result>(short);
    const policy = readFileSync(join(folder, "cartpole-ags-network-1.json"), "utf8");
    const path = join(folder, "cartpole-ags-network-1.training.json");
    const environment = new Environment(environments.cartpole());
    const checkpoint = checkpointFromJson(readFileSync(path, "utf8"));
    const search = searchOf(environment, checkpoint.settings);
    const run = episodeRunner(environment, search.shape);
    for (let k = 0; k < 3; k++) search.take(search.jobs().map(run));
    writeFileSync(path, checkpointJson({ ...checkpoint, state: search.state, done: false, seconds: 100 }));
    const resumed = await dojoJson<Result>([...short, "--resume"]);
    expect(readFileSync(join(folder, "cartpole-ags-network-1.json"), "utf8")).toBe(policy);
    expect(resumed.seeds[0]).toMatchObject({ reward: whole.mean, evaluations: whole.seeds[0].evaluations });
    expect(resumed.seeds[0].seconds).toBeGreaterThan(100);
  });
});

describe("simulate --policy", () => {
  const folder = workFolder();
  const file = join(folder, "policy.json");
  const environment = new Environment(environments["half-cheetah"]());
  const { policy } = augmentedGradientSearch(environment, { seed: 1, policy: "network", updates: 3 });
  writeFileSync(file, policyJson(policy));

  test.each([
    ["as in training", 0.05],
    ["with five steps per action", 0.01],
  ])("gives the return of an episode, to the bit, %s", async (_, timestep) => {
    const args = ["simulate", "--policy", file, "--seed", "3", "--timestep", String(timestep), "--out", "run.html"];
    const { episode, steps } = await dojoJson<{ episode: object; steps: number }>([...args], folder);
    const same = namedEnvironment("half-cheetah", { timestep });
    const job = { parameters: Float64Array.from(policy.parameters), filter: policy.filter, start: 3 };
    const { return: expected } = episodeRunner(same, policy.shape)(job);
    expect(steps).toBe(4 / timestep);
    expect(episode).toEqual({ return: expected, actions: 80, terminated: false });
    expect(existsSync(join(folder, "run.html"))).toBe(true);
  });

  test("refuses another model, options that have no effect, and what is no policy", async () => {
    const refused = async (...words: string[]): Promise<string> => {
      const { code, stderr } = await dojo(["simulate", "--policy", file, ...words]);
      expect(code).toBe(2);
      return stderr;
    };
    expect(await refused("ant")).toContain('was trained in half-cheetah; leave "ant" out');
    expect(await refused("--gravity", "0,0,-1")).toContain("--gravity: a policy runs in its environment as it is");
    writeFileSync(join(folder, "other.json"), policyJson({ ...policy, environment: "cartpole" }));
    const other = await dojo(["simulate", "--policy", join(folder, "other.json")]);
    const message = "cartpole has 4 and 1; it says that it was trained in cartpole";
    expect([other.code, other.stderr]).toEqual([2, expect.stringContaining(message)]);
  });

  test("names the file and the step where a policy's numbers overflow", async () => {
    const huge = join(folder, "huge.json");
    writeFileSync(huge, policyJson({ ...policy, parameters: policy.parameters.map(() => 1e308) }));
    const { code, stderr } = await dojo(["simulate", "--policy", huge]);
    expect(code).toBe(2);
    expect(stderr).toMatch(/huge\.json: not-finite at policy's action\[0\]: is (-?Infinity|NaN) at step 0/);
  });
});

test("a training that diverges ends with its best policy, says why, and is exit code 1", async () => {
  const { code, stdout, stderr } = await dojo(["train", "half-cheetah", "--step", "1e6", "--starts", "1", "--json"]);
  expect(code).toBe(1);
  expect(stderr).toContain("seed 1 diverged and ended with its best policy: 10 updates in a row changed nothing");
  expect(JSON.parse(stdout).seeds[0].divergence).toContain("changed nothing");
});

test("a training that ends worse than it began says so, and what to try", async () => {
  const words = ["train", "pendulum", "--method", "ags", "--step", "1", "--updates", "6", "--starts", "3", "--json"];
  const { code, stdout, stderr } = await dojo(words);
  expect(code).toBe(0);
  expect(stderr).toMatch(/seed 1 ended with a reward of -\S+, worse than an untrained policy's -\S+/);
  expect(JSON.parse(stdout).seeds[0].warning).toContain("try --method ars or a smaller --step");
});

test.each([
  [[-4000, -1500], 0],
  [[3, 8], 8],
])("curves of %j have an axis up to %d", (returns, top) => {
  const svg = curveSvg("curves", [
    { spent: [1, 2], returns },
    { spent: [1, 2], returns: returns.map((value) => value / 2) },
  ]);
  const labels = [...svg.matchAll(/text-anchor="end" dy="4">([^<]+)</g)].map(([, label]) => Number(label));
  expect(Math.max(...labels)).toBe(top);
});

test.each([
  ["an unknown environment", ["cartpol"], 'did you mean "cartpole"'],
  ["an unknown method", ["cartpole", "--method", "sac"], "--method"],
  ["no seeds", ["cartpole", "--seeds", "0"], "--seeds"],
  ["a time step that actions are no multiple of", ["cartpole", "--score-timestep", "0.013"], "--score-timestep"],
  ["noise beyond all sense", ["cartpole", "--method", "ars", "--noise", "1e300"], "noise"],
  ["a κ that no update has", ["cartpole", "--updates", "2", "--kappa", "1,2,3"], "has 3 numbers for 2 updates"],
  ["nothing to write over", ["cartpole", "--overwrite"], "--out"],
  ["to go on and to begin anew", ["cartpole", "--overwrite", "--resume", "--out", "out"], "give one of them"],
  ["nothing to go on with", ["cartpole", "--resume"], "--out"],
  ["a folder that is nowhere", ["cartpole", "--out", "/nowhere/at/all"], "there is no folder"],
])("%s is bad input", async (_, words, message) => {
  const { code, stderr } = await dojo(["train", ...words]);
  expect(code).toBe(2);
  expect(stderr).toContain(message);
});

describe("options of a training", () => {
  const usual = { method: "ags", policy: "network" };

  test("become settings", () => {
    const flags = { ...usual, kappa: "1e-3,1e-4", clip: "5", hiddenUnits: "8", updates: "7" };
    const expected = { ...usual, kappa: [1e-3, 1e-4], largestNorm: 5, hiddenUnits: 8, updates: 7, seed: 3 };
    expect(settingsOf(flags, "ant")(3)).toEqual(expected);
    expect(settingsOf({ policy: "network" }, "ant")(1).method).toBe("ags");
    expect(settingsOf({ policy: "linear", directions: "4", noise: "0.1" }, "pendulum")(1)).toEqual({
      ...{ method: "ars", policy: "linear", directions: 4, noise: 0.1, seed: 1 },
    });
  });

  test.each([
    ["an unknown method", { method: "sac" }, "--method"],
    ["an unknown policy", { policy: "deep" }, "--policy"],
    ["a step of NaN", { step: "NaN" }, "--step"],
    ["a negative κ in a schedule", { kappa: "1e-3,-1" }, "--kappa"],
    ["both κ", { kappa: "1", relativeKappa: "1" }, "give one of them"],
    ["an option of another method", { method: "ars", clip: "1" }, "--clip: --method ars has none"],
    ["units of a linear policy", { policy: "linear", hiddenUnits: "3" }, "--hidden-units"],
    ["updates that are no number", { updates: "many" }, "--updates"],
    ["half an actor", { method: "shac", actors: "0.5" }, "--actors"],
  ])("%s is bad input", (_, flags, message) => {
    expect(() => settingsOf({ ...usual, ...flags }, "ant")).toThrow(message);
  });
});
