/** [rl_results, rl_vis]: policies of the half-cheetah and the ant, by random search and by gradients, beside the paper's. */
import { Worker } from "node:worker_threads";
import {
  type EpisodeContext,
  type Executor,
  executeScore,
  executeSearch,
  namedEnvironment,
  searchOf,
  type Training,
  type TrainingSettings,
  threadExecutor,
} from "dojo-sim";
import type { Experiment, Presentation, RunOptions } from "../experiment.ts";
import { film } from "./film.ts";
import { present } from "./present.ts";
import { type Case, cases, type Result, type Robot, type Row, type SeedResult } from "./result.ts";

/** The short form: a few updates of a few seeds, which show that all methods run, and no more. */
const quickUpdates = { "half-cheetah": 3, ant: 2 } as const;
const fineTimestep = 0.01;
const pictures = 9;
const curvePoints = 40;

async function run({ quick, progress }: RunOptions): Promise<Result> {
  const [seeds, starts] = quick ? [2, 2] : [10, 100];
  const executor = threadExecutor({ worker: () => new Worker(new URL("./trainWorker.js", import.meta.url)) });
  const rows: Row[] = [];
  const trained = new Map<Robot, Training>();
  const chosen = quick
    ? cases.filter(({ robot, label }) => robot === "half-cheetah" || label.startsWith("AGS"))
    : cases;
  try {
    for (const [i, each] of chosen.entries()) {
      const said = (done: number): void =>
        progress((i + done / seeds) / chosen.length, `${each.robot}: ${each.label}, ${done} of ${seeds} seeds`);
      said(0);
      const { row, first } = await trainedCase(executor, each, { quick, seeds, starts, said });
      rows.push(row);
      if (each.settings.policy === "network") trained.set(each.robot, trained.get(each.robot) ?? first);
    }
  } finally {
    await executor.close();
  }
  return {
    quick,
    starts,
    workers: executor.workers,
    rows,
    film: [...trained].map(([robot, { policy }]) => ({ robot, pictures: film(robot, policy, pictures) })),
  };
}

interface CaseOptions {
  readonly quick: boolean;
  readonly seeds: number;
  readonly starts: number;
  readonly said: (seedsDone: number) => void;
}

/** All seeds, as many at a time as there are workers where an update has a single episode. */
async function trainedCase(executor: Executor, { robot, label, settings }: Case, options: CaseOptions) {
  const { quick, seeds, said } = options;
  const environment = namedEnvironment(robot);
  const isRandom = environment.description.startNoise !== undefined;
  // every start of the ant is the same
  const starts = isRandom ? options.starts : 1;
  const settingsOf = (seed: number): TrainingSettings =>
    ({ ...settings, ...(quick && { updates: quickUpdates[robot] }), seed }) as TrainingSettings;
  const { shape: policy, episodesPerUpdate } = searchOf(environment, settingsOf(1));
  const context: EpisodeContext = { environment: robot, policy };
  const fine: EpisodeContext = { environment: robot, options: { timestep: fineTimestep }, policy };
  const results: SeedResult[] = [];
  const trainings: Training[] = [];
  const lanes = Math.max(1, Math.round(executor.workers / episodesPerUpdate));
  let next = 1;
  let done = 0;
  const lane = async (): Promise<void> => {
    while (next <= seeds) {
      const seed = next++;
      const begun = performance.now();
      const training = await executeSearch(executor, context, searchOf(environment, settingsOf(seed)));
      const seconds = (performance.now() - begun) / 1000;
      const reward = await executeScore(executor, context, training.policy, { starts });
      const fineReward = await executeScore(executor, fine, training.policy, { starts });
      const { evaluations, divergence } = training;
      const ended = divergence === undefined ? {} : { divergence };
      results[seed - 1] = { seed, reward, fineReward, evaluations, seconds, ...ended };
      trainings[seed - 1] = training;
      said(++done);
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  const row: Row = { robot, label, seeds: results, curve: curveOf(trainings) };
  return { row, first: trainings[0] };
}

/** Updates in equal groups, and their mean over all seeds that came so far. */
function curveOf(trainings: readonly Training[]): Row["curve"] {
  const updates = Math.max(...trainings.map(({ returns }) => returns.length));
  const groups = Math.min(updates, curvePoints);
  return Array.from({ length: groups }, (_, g) => {
    const [from, to] = [Math.floor((g * updates) / groups), Math.floor(((g + 1) * updates) / groups)];
    const values = trainings.flatMap(({ returns }) => returns.slice(from, to));
    const spent = trainings.flatMap(({ spent: all }) => all.slice(from, to).slice(-1));
    const mean = (list: readonly number[]): number => list.reduce((sum, value) => sum + value, 0) / list.length;
    return { evaluations: Math.round(mean(spent)), reward: Number(mean(values).toPrecision(5)) };
  });
}

const experiment: Experiment<Result> = {
  name: "policy",
  title: "Policies by gradients through contact",
  claim:
    "[rl_results, rl_vis] Gradients through contact train policies that run with five to ten times fewer evaluations of the simulator than random search (ARS) needs for the same reward.",
  seconds: { full: 600, quick: 10 },
  run,
  present: (result): Presentation => present(result),
};
export default experiment;
