/**
 * Augmented random search, as published for the paper's figures [rl_results]: in each update, for N random directions δ,
 *   r± = return of an episode with θ ± ν δ,     θ ← θ + α/(N σ) Σ (r₊ − r₋) δ,     σ the standard deviation of all 2N returns
 * All directions are kept. Every episode has a random start of its own, and the filter takes in every observation as it is made.
 */
import type { Environment } from "../environments/index.ts";
import { Random } from "../math/index.ts";
import { Episodes } from "./episodes.ts";
import { ObservationFilter } from "./observationFilter.ts";
import { randomPolicy } from "./policy.ts";
import { trainedPolicy } from "./trainedPolicy.ts";
import {
  finished,
  requireCount,
  requirePositive,
  type Training,
  type TrainingOptions,
  type TrainingRun,
} from "./training.ts";

export interface RandomSearchOptions extends TrainingOptions {
  /** Default 30. */
  readonly updates?: number;
  /** N. Default 6. */
  readonly directions?: number;
  /** ν. Default 0.03. */
  readonly noise?: number;
  /** α. Default 0.02. */
  readonly step?: number;
}

export function augmentedRandomSearch(environment: Environment, options: RandomSearchOptions): Training {
  return finished(randomSearch(environment, options), options.onUpdate);
}

/** The same as a generator. */
export function* randomSearch(environment: Environment, options: RandomSearchOptions): TrainingRun {
  const { seed, policy: kind = "linear", updates = 30, directions = 6, noise = 0.03, step = 0.02 } = options;
  requireCount("updates", updates);
  requireCount("directions", directions);
  requirePositive("noise", noise);
  requirePositive("step", step);
  const random = new Random(seed);
  const { observationSpace, actionSpace } = environment;
  const shape = { kind, observationSize: observationSpace.size, actionSize: actionSpace.size };
  const policy = randomPolicy(
    options.hiddenUnits !== undefined ? { ...shape, hiddenUnits: options.hiddenUnits } : shape,
    random,
  );
  const filter = new ObservationFilter(observationSpace.size);
  const episodes = new Episodes(environment, policy, filter);
  const { parameters } = policy;
  const center = parameters.slice();
  const change = new Float64Array(center.length);
  const means: number[] = [];
  let evaluations = 0;

  const returnAt = (delta: Float64Array, sign: number): number => {
    for (let i = 0; i < center.length; i++) parameters[i] = center[i] + sign * noise * delta[i];
    const episode = episodes.run(environment.start(random), { filterOnline: true });
    evaluations += episode.steps;
    return episode.return;
  };
  for (let k = 0; k < updates; k++) {
    const deltas = Array.from({ length: directions }, () => center.map(() => random.normal()));
    const returns: number[] = [];
    change.fill(0);
    for (const delta of deltas) {
      const [plus, minus] = [returnAt(delta, 1), returnAt(delta, -1)];
      returns.push(plus, minus);
      for (let i = 0; i < change.length; i++) change[i] += (plus - minus) * delta[i];
    }
    const { mean, deviation } = spread(returns);
    if (deviation > 0)
      for (let i = 0; i < center.length; i++) center[i] += (step / (directions * deviation)) * change[i];
    means.push(mean);
    if ((yield { update: k + 1, updates, return: mean, evaluations }) === false) break;
  }
  parameters.set(center);
  return { policy: trainedPolicy(environment, policy, filter), returns: means, evaluations, skipped: 0 };
}

function spread(values: readonly number[]): { readonly mean: number; readonly deviation: number } {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const squares = values.reduce((sum, value) => sum + (value - mean) * (value - mean), 0);
  return { mean, deviation: Math.sqrt(squares / (values.length - 1)) };
}
