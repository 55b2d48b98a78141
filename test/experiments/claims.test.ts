/** What the experiments claim, of results measured here and now: all of them run in their short form. */
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test, vi } from "vitest";
import { realDistances, realFlips } from "../../experiments/arm/fit.ts";
import type { Result as ArmResult } from "../../experiments/arm/result.ts";
import type { Result as AtlasDropResult } from "../../experiments/atlas-drop/run.ts";
import type { ConservationResult } from "../../experiments/conservation/run.ts";
import type { ConvergenceResult } from "../../experiments/convergence/run.ts";
import type { Experiment } from "../../experiments/experiment.ts";
import { resultText } from "../../experiments/files.ts";
import type { Result as IdentificationResult } from "../../experiments/identification/result.ts";
import type { LowRateResult } from "../../experiments/low-rate/run.ts";
import { reportPage } from "../../experiments/page.ts";
import type { Result as PlanningResult } from "../../experiments/planning/result.ts";
import type { Result as PolicyResult } from "../../experiments/policy/result.ts";
import type { TimingResult } from "../../experiments/timing/result.ts";
import type { Result as TouchingResult } from "../../experiments/touching/run.ts";
import type { WorkPrecisionResult } from "../../experiments/work-precision/run.ts";
import { experimentSummaries } from "../../src/cli/experiments.ts";
import { dojoProcess, workFolder } from "../cli/runCli.ts";

/** Milliseconds for one experiment: some seconds on a quiet core, and other tests run beside. */
const patience = 300_000;
vi.setConfig({ testTimeout: patience });
afterAll(() => vi.resetConfig());

const folder = join(import.meta.dirname, "../../experiments");
const names = experimentSummaries().map(({ name }) => name);
/** Those whose threads are bundles of their own are run by the command, the others here, with the kernels of the tests before. */
const byCommand = ["policy", "rollouts"];

interface Done {
  readonly experiment: Experiment;
  readonly result: unknown;
  readonly seconds: number;
}
const done = new Map<string, Promise<Done>>();

/** Of the short form, which is run when its result is first asked for. */
function run(name: string): Promise<Done> {
  const known = done.get(name) ?? runNow(name);
  done.set(name, known);
  return known;
}

async function runNow(name: string): Promise<Done> {
  const begin = performance.now();
  const { default: experiment } = (await import(join(folder, name, "run.ts"))) as { default: Experiment };
  const out = workFolder();
  let result: unknown;
  if (byCommand.includes(name)) {
    const { code, stdout, stderr } = await dojoProcess(["experiment", name, "--quick", "--json", "--out", out]);
    expect(code, stderr).toBe(0);
    for (const { name: figure } of experiment.present(JSON.parse(stdout)).figures)
      expect(existsSync(join(out, `${figure}.svg`)), figure).toBe(true);
    result = JSON.parse(stdout);
  }
  // as it is read from its file
  else result = JSON.parse(resultText(await experiment.run({ quick: true, progress: () => {}, redis: undefined })));
  rmSync(out, { recursive: true });
  return { experiment, result, seconds: (performance.now() - begin) / 1000 };
}

const resultOf = async <T>(name: string): Promise<T> => (await run(name)).result as T;

test("arm: a short fit has the flips of the real box, and comes to rest within a centimetre of it in the mean", async () => {
  const [{ rows, gap }] = (await resultOf<ArmResult>("arm")).fits;
  expect(rows.map(({ flipped }) => flipped)).toEqual(realFlips);
  expect(rows.every(({ sound }) => sound)).toBe(true);
  expect(gap).toBeLessThan(0.01);
  // the last box is out of reach
  expect(rows[4].distance).toBeCloseTo(realDistances[4], 9);
});

test("atlas-drop: no foot of ours enters the floor, and those of MuJoCo do, at the paper's time steps", async () => {
  const { rows, feetOnlyRows } = await resultOf<AtlasDropResult>("atlas-drop");
  for (const list of [rows, feetOnlyRows]) {
    expect(list.map(({ timestep }) => timestep)).toEqual([0.1, 0.01, 0.001]);
    for (const row of list) {
      expect(row.oursMillimetres).toBeGreaterThan(0);
      for (const key of ["mujocoMillimetres", "mujocoStiffMillimetres", "mujocoDiscreteMillimetres"] as const) {
        // null: diverged
        expect(row[key] ?? Number.NEGATIVE_INFINITY).toBeLessThan(-1);
      }
    }
  }
});

test("friction-cone: ours goes straight and stops within a step of where Coulomb's law says", async () => {
  interface Row {
    readonly engine: string;
    readonly timestep: number;
    readonly lateralMillimetres: number;
    readonly yawDegrees: number;
    readonly stoppingMetres: number;
    readonly closedMetres: number;
  }
  const { rows } = await resultOf<{ rows: readonly Row[] }>("friction-cone");
  const exact = rows.filter(({ engine }) => engine === "ours, exact cone");
  expect(exact.length).toBeGreaterThanOrEqual(2);
  const speed = 3;
  for (const row of exact) {
    expect(row.lateralMillimetres).toBeLessThan(1e-6);
    expect(row.yawDegrees).toBeLessThan(1e-6);
    expect(Math.abs(row.stoppingMetres - row.closedMetres)).toBeLessThan(speed * row.timestep);
  }
});

test("low-rate: at 20 Hz the torso settles within 2 cm of where it does at 500 Hz", async () => {
  const { scenes } = await resultOf<LowRateResult>("low-rate");
  expect(scenes.map(({ name }) => name)).toEqual(["atlas", "a1Servos", "a1Limp"]);
  for (const { engines } of scenes) {
    const [coarsest] = engines.ours;
    expect(coarsest.rate).toBe(20);
    expect(coarsest.completed).toBe(true);
    expect(coarsest.settled).toBeLessThan(0.02);
  }
});

/** 1/s². The motion is chaotic, and its fastest moments decide: links turn by up to a radian per step of 0.05 s. */
const ENERGY_BY_STEP_SQUARED = 10;

test("conservation: momentum to rounding, energy to second order, at every time step", async () => {
  const { scenes, seconds } = await resultOf<ConservationResult>("conservation");
  expect(seconds).toBeGreaterThanOrEqual(10);
  expect(scenes.length).toBe(3);
  for (const { rows } of scenes) {
    const ours = rows.filter(({ integrator }) => integrator === "ours");
    expect(ours.map(({ timestep }) => timestep)).toEqual([0.05, 0.01, 0.005]);
    for (const { drifts, timestep } of ours) {
      expect(drifts?.linear.largest).toBeLessThan(1e-12);
      expect(drifts?.angular.largest).toBeLessThan(1e-11);
      expect(drifts?.energy.largest).toBeLessThan(ENERGY_BY_STEP_SQUARED * timestep ** 2);
    }
  }
});

/** On the central path the two methods have the same matrix; off it ours was up to 13% worse in a robot at rest. */
const NO_WORSE = 1.15;

test("convergence: within 10 iterations in the mean, 18 at most; conditions within the paper's bounds when scaled, and at most 15% worse than primal-only", async () => {
  const { robots } = await resultOf<ConvergenceResult>("convergence");
  expect(robots.map(({ name }) => name)).toEqual(["atlas", "a1", "hopper"]);
  for (const { compared, kappaSweep, residualSweep } of robots) {
    expect(compared.length).toBeGreaterThan(0);
    for (const { kappa, ours, primalOnly, primalOnlySolved } of compared) {
      expect(primalOnlySolved).toBe(true);
      expect(ours.scaleFree).toBeLessThan(kappa === 0.1 ? 1e4 : 1e9);
      expect(ours.scaleFree).toBeLessThan(NO_WORSE * primalOnly.scaleFree);
    }
    const sweeps = [...kappaSweep, ...residualSweep];
    expect(sweeps.length).toBeGreaterThanOrEqual(6);
    for (const { impact, fall, primalOnly } of sweeps) {
      expect(primalOnly.solved).toBe(true);
      expect(Math.max(impact.iterations, fall.mean)).toBeLessThanOrEqual(10);
      // one step of 150, which one goes by the last bits of the fall: 15 or 16, the same solver at the same states
      expect(fall.most).toBeLessThanOrEqual(18);
      expect(fall.failed).toBe(0);
    }
  }
});

test("gradient-comparison: as κ falls the gradient nears the step, and gets rougher", async () => {
  interface Row {
    readonly gradientErrors: readonly {
      readonly kappa: number;
      readonly meanError: number;
      readonly roughness: number;
    }[];
  }
  const { rows } = await resultOf<{ rows: readonly Row[] }>("gradient-comparison");
  expect(rows.length).toBe(2);
  for (const { gradientErrors } of rows) {
    expect(gradientErrors.length).toBeGreaterThanOrEqual(5);
    for (let i = 1; i < gradientErrors.length; i++) {
      expect(gradientErrors[i].kappa).toBeLessThan(gradientErrors[i - 1].kappa);
      expect(gradientErrors[i].meanError).toBeLessThan(gradientErrors[i - 1].meanError);
      expect(gradientErrors[i].roughness).toBeGreaterThan(gradientErrors[i - 1].roughness);
    }
  }
});

test("gradient-norm: at a small κ the gradient through two seconds of contact is within 5% of the exact one", async () => {
  interface Row {
    readonly engine: string;
    readonly gradient: number;
  }
  const { rows, exact } = await resultOf<{ rows: readonly Row[]; exact: number }>("gradient-norm");
  const sharp = rows.filter(({ engine }) => engine === "ours, κ = 1e-6");
  expect(sharp.length).toBeGreaterThanOrEqual(2);
  for (const { gradient } of sharp) expect(Math.abs(gradient / exact - 1)).toBeLessThan(0.05);
});

describe("timing", () => {
  // times mean nothing while other tests run: what is checked is that both engines did the work
  test.each(["humanoid", "a1", "panda", "x2"] as const)("%s has seconds and ratios, peer over ours", async (name) => {
    const { forward, jacobians, pullback, facts } = (await resultOf<TimingResult>("timing")).robots[name];
    for (const { oursSeconds, peerSeconds, ratio } of [forward, jacobians]) {
      expect(oursSeconds).toBeGreaterThan(0);
      expect(ratio).toBeCloseTo((peerSeconds as number) / oursSeconds, 12);
    }
    expect(pullback.oursSeconds).toBeGreaterThan(0);
    expect([pullback.peerSeconds, pullback.ratio]).toEqual([null, null]);
    expect(pullback.overForward).toBeGreaterThan(0);
    expect(facts).toMatchObject({ unsolvedSteps: 0, stepsWithoutGradients: 0, peerDiverged: false });
    // what has contacts touches the floor in both engines, and only MuJoCo's sink into it
    if (facts.contacts > 0) {
      expect(facts.touching).toBeGreaterThan(1);
      expect(facts.peerTouching).toBeGreaterThan(1);
      expect(facts.lowestDistance).toBeGreaterThan(0);
    }
    // an exported mechanism takes the same first step
    else expect(facts.apart["1"]).toBeLessThan(1e-3);
  });

  test("has a target for every figure that is promised", async () => {
    const { targets } = await resultOf<TimingResult>("timing");
    expect(targets).toHaveLength(12);
    for (const { what, met, value, bound } of targets) {
      expect(met).toBe(what === "pullback.overForward" ? value <= bound : value >= bound);
    }
  });
});

test("rollouts: threads and processes come to the same states", async () => {
  const { sameStates, rows } = await resultOf<{ sameStates: boolean; rows: { workers: number }[] }>("rollouts");
  expect(sameStates).toBe(true);
  expect(rows.map(({ workers }) => workers)[0]).toBe(1);
});

test("work-precision: our errors fall with the time step, the pendulum's to second order", async () => {
  const { scenes } = await resultOf<WorkPrecisionResult>("work-precision");
  expect(scenes.map(({ name }) => name)).toEqual(["pendulum", "a1", "atlas"]);
  for (const { name, curves } of scenes) {
    const errors = curves[0].points.map(({ error }) => error ?? Number.POSITIVE_INFINITY);
    expect(errors.length).toBeGreaterThanOrEqual(5);
    for (let i = 1; i < errors.length; i++) {
      expect(errors[i], name).toBeLessThan(errors[i - 1]);
      // the finest are near the run that they are measured from
      if (name === "pendulum" && i < 4) expect(Math.log2(errors[i - 1] / errors[i])).toBeCloseTo(2, 1);
    }
    // through an impact, steps with a tolerance of 2 cm are nearer than whole ones of the same time step: the coarsest
    const points = (engine: string) => curves.find((curve) => curve.engine === engine)?.points ?? [];
    const divided = points("ours, tolerance").find(({ setting }) => setting === "0.020 m");
    const whole = points("ours, centred dampers")[0].error ?? 0;
    if (name !== "pendulum") expect(divided?.error ?? 1).toBeLessThan(whole / 2);
  }
});

test("policy: every method trains, with the evaluations that its updates take, and policies run in a finer simulation", async () => {
  const { rows, film, quick } = await resultOf<PolicyResult>("policy");
  expect(quick).toBe(true);
  const cheetahs = rows.filter(({ robot }) => robot === "half-cheetah");
  const spent = Object.fromEntries(cheetahs.map(({ label, seeds }) => [label, seeds[0].evaluations]));
  // 2 updates: of 12 episodes; of one that is differentiated, after one that is not; of two
  expect(spent["ARS as published"]).toBe(2 * 12 * 80);
  expect(spent["AGS, network"]).toBe(80 + 2 * 2 * 80);
  expect(spent["random differences, linear"]).toBe(80 + 2 * 2 * 80);
  for (const { seeds, robot } of rows) {
    expect(seeds.map(({ seed }) => seed)).toEqual([1]);
    for (const { reward, fineReward } of seeds) {
      expect(Math.abs(reward)).toBeLessThanOrEqual(robot === "ant" ? 150 : 80);
      expect(Math.abs(fineReward)).toBeLessThanOrEqual(robot === "ant" ? 150 : 80);
      expect(fineReward).not.toBe(reward);
    }
  }
  expect(film.map(({ robot, pictures }) => [robot, pictures.length])).toEqual([
    ["half-cheetah", 9],
    ["ant", 9],
  ]);
});

test("touching: no shape of ours is in another, MuJoCo's are, and the grip does not slip", async () => {
  const { rows } = await resultOf<TouchingResult>("touching");
  const of = (engine: string) => rows.filter((row) => row.engine === engine);
  expect(of("ours").length).toBeGreaterThanOrEqual(4);
  for (const { scene, sound, smallestMillimetres } of of("ours")) {
    expect(sound, scene).toBe(true);
    // rims of cans that roll are left a little behind
    expect(smallestMillimetres, scene).toBeGreaterThan(0);
  }
  expect(Math.min(...of("MuJoCo").map(({ smallestMillimetres }) => smallestMillimetres ?? 0))).toBeLessThan(-1);
  const slips = of("ours").flatMap(({ slipMicrometres }) => slipMicrometres ?? []);
  expect(slips.length).toBeGreaterThan(0);
  for (const slip of slips) expect(Math.abs(slip)).toBeLessThan(1);
});

test("identification: parameters of made-up data without noise are found to 0.1%", async () => {
  const { noiseFree } = await resultOf<IdentificationResult>("identification");
  expect(noiseFree.length).toBe(3);
  for (const { name, worst } of noiseFree) expect(worst, name).toBeLessThan(1e-3);
});

test("planning: boxes are pushed and lifted and a quadruped trots, all solved; MuJoCo lifts the box at several times our cost", async () => {
  const { rows, mujoco } = await resultOf<PlanningResult>("planning");
  expect(rows.map(({ task, solved }) => [task, solved])).toEqual([
    ["box-right", true],
    ["box-up", true],
    ["quadruped", true],
  ]);
  const lift = mujoco.find(({ task }) => task === "box-up");
  expect(lift?.cost).toBeGreaterThan(3 * rows[1].cost);
});

test("every experiment has its result, its figures, and a place on the page", async () => {
  expect(names.length).toBeGreaterThanOrEqual(10);
  const entries = [];
  for (const name of names) {
    const { experiment, result, seconds } = await run(name);
    const presentation = experiment.present(result);
    expect(presentation.figures.length + presentation.tables.length, name).toBeGreaterThan(0);
    entries.push({ experiment, presentation, seconds });
  }
  const page = await reportPage({ entries, failed: [], quick: true });
  expect(page.match(/<h2>/g)?.length).toBe(names.length);
  expect(page).not.toMatch(/undefined|NaN|did not come to an end/);
});
