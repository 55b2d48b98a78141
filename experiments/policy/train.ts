/** Trains all seeds of a case by an executor, and scores their policies. */
import {
  type EpisodeContext,
  type Executor,
  executeScore,
  executeSearch,
  namedEnvironment,
  searchOf,
  type Training,
  type TrainingSettings,
} from "dojo-sim";
import type { Case, Row, SeedResult } from "./result.ts";

/** The short form: a few updates of one seed, which show that all methods run, and no more. */
const quickUpdates = { "half-cheetah": 2, ant: 1 } as const;
const fineTimestep = 0.01;
const curvePoints = 40;

export interface CaseOptions {
  readonly quick: boolean;
  readonly seeds: number;
  readonly starts: number;
  /** Starts of the finer simulation. */
  readonly fineStarts: number;
  readonly said: (seedsDone: number) => void;
}

/** All seeds, as many at a time as there are workers where an update has a single episode. */
export async function trainedCase(
  executor: Executor,
  { robot, label, settings, seeds: own }: Case,
  options: CaseOptions,
): Promise<{ readonly row: Row; readonly first: Training }> {
  const { quick, said } = options;
  const seeds = own ?? options.seeds;
  const environment = namedEnvironment(robot);
  const isRandom = environment.description.startNoise !== undefined;
  // every start of the ant is the same
  const [starts, fineStarts] = isRandom ? [options.starts, options.fineStarts] : [1, 1];
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
      const fineReward = await executeScore(executor, fine, training.policy, { starts: fineStarts });
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
export function curveOf(trainings: readonly Training[]): Row["curve"] {
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
