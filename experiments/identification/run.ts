/** [real2sim]: parameters of a tossed cube from recordings, real and made up, beside the published fits and MuJoCo. */
import { Worker } from "node:worker_threads";
import {
  type Executor,
  inlineExecutor,
  type Recording,
  threadExecutor,
  tossedCubeDescription,
  tossParameters,
} from "dojo-sim";
import type { Experiment, RunOptions } from "../experiment.ts";
import { loadMujoco } from "../peers/mujoco.ts";
import { defaultContact, MujocoTosses, tuned } from "./mujocoTosses.ts";
import { present } from "./present.ts";
import { corners, type FitRow, fitted, readTosses, tossFolder } from "./realTosses.ts";
import type { MujocoRow, Result } from "./result.ts";
import { coverage, pendulumCase, slideCase, tossCase, withoutNoise } from "./synthetic.ts";

const evaluations = 30;
const basic = ["friction", "halfWidth", "inertia", "centerOfMass", "gravity"];
const fitSets: readonly (readonly [string, readonly string[]])[] = [
  ["friction alone", ["friction"]],
  ["friction, size, inertia, gravity", ["friction", "halfWidth", "inertia", "gravity"]],
  ["and centre of mass", basic],
  ["and restitution", [...basic, "restitution"]],
  ["and corner radius", [...basic, "restitution", "radius"]],
];

/** Cases with noise, and from where to where their trials are of the whole. */
const noisy = [
  [pendulumCase, 0.03, 0.07],
  [tossCase, 0.1, 0.6],
] as const;

async function run({ quick, progress }: RunOptions): Promise<Result> {
  // a short run is over before threads have made themselves ready
  const executor = quick
    ? inlineExecutor()
    : threadExecutor({ worker: () => new Worker(new URL("./fitWorker.js", import.meta.url)) });
  try {
    progress(0, "made-up data without noise");
    const noiseFree = [];
    for (const scene of [pendulumCase, slideCase, tossCase]) noiseFree.push(await withoutNoise(scene, executor));
    const covered = [];
    const trials = quick ? 2 : 200;
    for (const [scene, from, part] of quick ? noisy.slice(0, 1) : noisy) {
      const tell = (done: number): void =>
        progress(from + (part * done) / trials, `intervals of ${scene.name}: ${done} of ${trials}`);
      covered.push(await coverage(scene, trials, executor, tell));
    }
    const folder = quick ? undefined : tossFolder();
    const real = folder === undefined ? null : await realPart(readTosses(folder), executor, progress);
    return { noiseFree, coverage: covered, real };
  } finally {
    await executor.close();
  }
}

async function realPart(
  recordings: readonly Recording[],
  executor: Executor,
  progress: RunOptions["progress"],
): Promise<NonNullable<Result["real"]>> {
  const trainCount = Math.min(100, Math.floor(recordings.length / 2));
  const fits: FitRow[] = [];
  for (const [i, [name, parameters]] of fitSets.entries()) {
    progress(0.7 + 0.03 * i, `real tosses: ${name}`);
    fits.push(await fitted(name, parameters, recordings, trainCount, evaluations, executor));
  }
  const cornerRows = [];
  for (const count of [20, trainCount]) {
    progress(0.85, `corners from ${count} tosses`);
    cornerRows.push(await corners(recordings.slice(0, count), 3, executor));
  }
  const curve = [];
  for (const count of [2, 3, 5, 10, 30, 50]) {
    progress(0.88, `corners from ${count} tosses`);
    curve.push(await corners(recordings.slice(0, count), 3, executor));
  }
  const all = [...curve, ...cornerRows].sort((a, b) => a.tosses - b.tosses);
  const mujoco = await mujocoPart(recordings, trainCount, fits[2], progress);
  return { fits, mujoco, corners: cornerRows, curve: all, trainCount };
}

async function mujocoPart(
  recordings: readonly Recording[],
  trainCount: number,
  ours: FitRow,
  progress: RunOptions["progress"],
): Promise<MujocoRow[]> {
  const mujoco = await loadMujoco();
  const set = tossParameters(basic, { gravity: 9.6 });
  const problem = { description: tossedCubeDescription(), set, recordings };
  const measured = Object.fromEntries(Object.entries(ours.parameters).map(([name, { value }]) => [name, value]));
  const rows: MujocoRow[] = [];
  const cases = [
    { name: "MuJoCo, default", cone: "pyramidal", values: {}, isTuned: false },
    { name: "MuJoCo, elliptic", cone: "elliptic", values: {}, isTuned: false },
    { name: "MuJoCo, elliptic, tuned", cone: "elliptic", values: {}, isTuned: true },
    { name: "MuJoCo, tuned with our mass properties", cone: "elliptic", values: measured, isTuned: true },
  ] as const;
  for (const [i, { name, cone, values, isTuned }] of cases.entries()) {
    progress(0.92 + 0.02 * i, name);
    const tosses = new MujocoTosses(mujoco, problem, values, cone);
    const contact = isTuned ? await tuned(tosses, trainCount, evaluations) : defaultContact;
    rows.push({
      name,
      contact,
      train: tosses.errors(contact, 0, trainCount),
      test: tosses.errors(contact, trainCount),
    });
    tosses.delete();
  }
  return rows;
}

const experiment: Experiment<Result> = {
  name: "identification",
  title: "Parameters from tosses",
  claim:
    "[real2sim]: friction and corners of a cube are found from real tosses by Gauss–Newton on gradients through contact.",
  seconds: { full: 600, quick: 20 },
  run,
  present,
};
export default experiment;
