/**
 * Augmented random search, as published for the paper's figures [rl_results]: in each update, for N random directions δ,
 *   r± = return of an episode with θ ± ν δ,     θ ← θ + α/(N σ) Σ (r₊ − r₋) δ,     σ the standard deviation of all 2N returns
 * All directions are kept, and every episode has a random start of its own. The filter is held during an update and takes in all that was
 * seen afterwards, as in the ARS of its inventors: so the episodes of an update can be run at the same time, anywhere. The paper's code runs
 * them one after the other, and its filter takes in each observation as it is made.
 */
import type { Environment } from "../environments/index.ts";
import { moreOptionNamesOf, requireOptionNames } from "../mechanism/index.ts";
import type { EpisodeJob, EpisodeOutcome } from "./episodeKind.ts";
import { finished, trainingRun } from "./runSearch.ts";
import { requireNoise, Search } from "./search.ts";
import {
  type ProgressOptions,
  requireCount,
  requirePositive,
  type SearchOptions,
  searchOptionNames,
  type Training,
  type TrainingProgress,
  type TrainingRun,
} from "./training.ts";

export interface RandomSearchSettings extends SearchOptions {
  /** Default 30. */
  readonly updates?: number;
  /** N. Default 6. */
  readonly directions?: number;
  /** ν. Default 0.03. */
  readonly noise?: number;
  /** α. Default 0.02. */
  readonly step?: number;
}

const optionNames = moreOptionNamesOf<RandomSearchOptions>()(searchOptionNames, "updates directions noise step");

export type RandomSearchOptions = RandomSearchSettings & ProgressOptions;

export function augmentedRandomSearch(environment: Environment, options: RandomSearchOptions): Training {
  return finished(randomSearch(environment, options), options.onUpdate);
}

/** The same as a generator. */
export function randomSearch(environment: Environment, options: RandomSearchSettings): TrainingRun {
  return trainingRun(environment, new RandomSearch(environment, options));
}

export class RandomSearch extends Search {
  private readonly directions: number;
  private readonly noise: number;
  private readonly step: number;
  private deltas: readonly Float64Array[] = [];
  protected readonly own = null;

  constructor(environment: Environment, options: RandomSearchSettings) {
    requireOptionNames("options", options, optionNames);
    const { updates = 30, directions = 6, noise = 0.03, step = 0.02 } = options;
    requireCount("updates", updates);
    requireCount("directions", directions);
    requireNoise(noise);
    requirePositive("step", step);
    super(environment, options, updates, false);
    this.directions = directions;
    this.noise = noise;
    this.step = step;
  }

  /** It remembers nothing. */
  protected restoreOwn(): void {}

  get episodesPerUpdate(): number {
    return 2 * this.directions;
  }

  /** Episodes of θ + ν δ and θ − ν δ, one direction after the other. */
  jobs(): EpisodeJob[] {
    const { policy, noise, random } = this;
    const filter = this.filter.state;
    this.deltas = Array.from({ length: this.directions }, () => policy.parameters.map(() => random.normal()));
    return this.deltas.flatMap((delta) =>
      [1, -1].map((sign) => ({
        parameters: policy.parameters.map((value, i) => value + sign * noise * delta[i]),
        filter,
        start: this.newStart(),
      })),
    );
  }

  take(outcomes: readonly EpisodeOutcome[]): TrainingProgress {
    const { policy, deltas, directions, step } = this;
    const returns = outcomes.map((outcome) => outcome.return);
    const { mean, deviation } = spread(returns);
    this.judge(mean, outcomes);
    this.takeIn(outcomes);
    for (const { steps } of outcomes) this.evaluations += steps;
    if (!(deviation > 0)) {
      this.skipped++;
      return this.finishUpdate(mean, "all episodes have the same return");
    }
    const { parameters } = policy;
    deltas.forEach((delta, d) => {
      const factor = (step * (returns[2 * d] - returns[2 * d + 1])) / (directions * deviation);
      for (let i = 0; i < parameters.length; i++) parameters[i] += factor * delta[i];
    });
    return this.finishUpdate(mean);
  }
}

function spread(values: readonly number[]): { readonly mean: number; readonly deviation: number } {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const squares = values.reduce((sum, value) => sum + (value - mean) * (value - mean), 0);
  return { mean, deviation: Math.sqrt(squares / (values.length - 1)) };
}
