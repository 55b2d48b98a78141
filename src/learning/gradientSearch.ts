/**
 * Augmented gradient search: one episode per update, and a step along the gradient of its return with respect to the policy's parameters
 * [rl_results]. The gradient is that of the whole closed loop (episodes.ts), smoothed by κ. For comparison it can be estimated from returns
 * alone, by differences along random directions δ from one start:
 *   g = 1/N Σ (r₊ − r₋)/(2ν) δ,     r± = return of an episode with θ ± ν δ
 * One episode before the first update fills the observation filter; it takes in the others after each.
 *
 * Steps are normalised and fall to a tenth; relative κ is 1. What differs by the kind of policy was found by measurement
 * (docs/learning.md):
 *   linear     steps of 0.03, begun with zeros: from 0.1 · N(0, 1), as published, five of ten half-cheetahs ended below 40 of 80
 *   network    steps of 0.05
 * Updates are left out where ‖g‖∞ ≥ 1000, as published, with linear policies.
 */
import type { Environment } from "../environments/index.ts";
import { moreOptionNamesOf, requireOptionNames } from "../mechanism/index.ts";
import { AscentSearch, type AscentSettings, ascentOptionNames, type Climb } from "./ascentSearch.ts";
import type { EpisodeJob, EpisodeOutcome } from "./episodeKind.ts";
import type { GradientKind } from "./episodes.ts";
import { largestEntry, type OptimizerKind } from "./optimizer.ts";
import { finished, trainingRun } from "./runSearch.ts";
import { savedFields } from "./savedState.ts";
import { requireNoise } from "./search.ts";
import { type Place, Stretches, type StretchesState } from "./stretches.ts";
import { type ProgressOptions, requireCount, requirePositive, type Training, type TrainingRun } from "./training.ts";

/** "differences" are those of returns along random directions. */
export type GradientSource = GradientKind | "differences";

export interface GradientSearchSettings extends AscentSettings {
  /** Default 35: with the first episode 5,680 evaluations of 80 steps. */
  readonly updates?: number;
  /** Default "normalized". */
  readonly optimizer?: OptimizerKind;
  /** Size of the first update. Default 0.03 for linear policies, 0.05 for networks, 0.01 of Adam. */
  readonly step?: number;
  /** Gradients are shortened to this 2-norm, which matters to Adam. Default 10 with Adam, else infinite. */
  readonly largestNorm?: number;
  /**
   * For runs that a single update can ruin, with networks: steps fall with the square of the updates left; a search that has lost its way
   * goes back to its best stretch of updates; and the policy is the mean of those in its best third of updates, not the last (stretches.ts).
   * Default false.
   */
  readonly steady?: boolean;
  /** Updates whose gradient has an entry as large as this are left out. Default 1000 for linear policies, infinite for networks. */
  readonly skipFrom?: number;
  /** Default "full". */
  readonly gradient?: GradientSource;
  /** N of differences. Default 1: as many evaluations per update as by a gradient. */
  readonly directions?: number;
  /** ν of differences. Default 0.03. */
  readonly noise?: number;
}

const steadyFall = { lastShare: 0.03, power: 2 };

const optionNames = moreOptionNamesOf<GradientSearchOptions>()(
  ascentOptionNames,
  "updates optimizer step largestNorm steady skipFrom gradient directions noise",
);

export type GradientSearchOptions = GradientSearchSettings & ProgressOptions;

export function augmentedGradientSearch(environment: Environment, options: GradientSearchOptions): Training {
  return finished(gradientSearch(environment, options), options.onUpdate);
}

/** The same as a generator. */
export function gradientSearch(environment: Environment, options: GradientSearchSettings): TrainingRun {
  return trainingRun(environment, new GradientSearch(environment, options));
}

export class GradientSearch extends AscentSearch {
  private readonly source: GradientSource;
  private readonly directions: number;
  private readonly noise: number;
  private readonly skipFrom: number;
  private readonly stretches: Stretches | undefined;
  private deltas: readonly Float64Array[] = [];

  constructor(environment: Environment, options: GradientSearchSettings) {
    requireOptionNames("options", options, optionNames);
    const { updates = 35, gradient = "full", policy = "linear", directions = 1, noise = 0.03 } = options;
    const isLinear = policy === "linear";
    const { optimizer = "normalized" } = options;
    const isAdam = optimizer === "adam";
    const { step = isAdam ? 0.01 : isLinear ? 0.03 : 0.05 } = options;
    const { largestNorm = isAdam ? 10 : Number.POSITIVE_INFINITY } = options;
    const { skipFrom = isLinear ? 1000 : Number.POSITIVE_INFINITY } = options;
    requireCount("updates", updates);
    requireCount("directions", directions);
    for (const [path, value] of Object.entries({ step, largestNorm, skipFrom })) requirePositive(path, value);
    requireNoise(noise);
    const { steady = false } = options;
    super(environment, options, updates, { optimizer, step, largestNorm, ...(steady && { fall: steadyFall }) });
    this.stretches = steady ? new Stretches(updates) : undefined;
    this.source = gradient;
    this.directions = directions;
    this.noise = noise;
    this.skipFrom = skipFrom;
  }

  get episodesPerUpdate(): number {
    return this.source === "differences" ? 2 * this.directions : 1;
  }

  jobs(): EpisodeJob[] {
    const { source, policy, noise, random } = this;
    const filter = this.filter.state;
    const start = this.newStart();
    const job = { parameters: policy.parameters.slice(), filter, start };
    if (!this.filled) return [job];
    if (source !== "differences") return [{ ...job, gradient: { kind: source, path: this.path } }];
    this.deltas = Array.from({ length: this.directions }, () => policy.parameters.map(() => random.normal()));
    return this.deltas.flatMap((delta) =>
      [1, -1].map((sign) => ({
        ...job,
        parameters: policy.parameters.map((value, i) => value + sign * noise * delta[i]),
      })),
    );
  }

  protected climb(outcomes: readonly EpisodeOutcome[]): Climb {
    const mean = outcomes.reduce((sum, outcome) => sum + outcome.return, 0) / outcomes.length;
    this.judge(mean, outcomes);
    const isSolved = outcomes.every(({ solved }) => solved);
    this.stretches?.add(isSolved ? mean : undefined, this.policy.parameters, this.filter.state);
    this.takeIn(outcomes);
    const gradient = this.source === "differences" ? this.differences(outcomes) : outcomes[0].gradient;
    return { mean, gradient, fault: this.faultOf(gradient, outcomes) };
  }

  protected override goBack(): boolean {
    const place = this.stretches?.goBack();
    if (!place) return false;
    this.policy.parameters.set(place.parameters);
    this.filter.restore(place.filter);
    return true;
  }

  protected override get chosen(): Place | undefined {
    return this.stretches?.chosen;
  }

  protected override get own(): AscentSearch["own"] & { readonly stretches: StretchesState | null } {
    return { ...super.own, stretches: this.stretches?.state ?? null };
  }

  protected override restoreOwn(path: string, own: unknown): void {
    super.restoreOwn(path, own);
    const { length } = this.policy.parameters;
    this.stretches?.restore(`${path}.stretches`, savedFields(path, own).stretches, length, this.filter.size);
  }

  /** The gradient as differences of returns say it; undefined where an episode was not solved. */
  private differences(outcomes: readonly EpisodeOutcome[]): Float64Array | undefined {
    const { deltas, directions, noise, policy } = this;
    if (!outcomes.every(({ solved }) => solved)) return undefined;
    const gradient = new Float64Array(policy.parameters.length);
    deltas.forEach((delta, d) => {
      const slope = (outcomes[2 * d].return - outcomes[2 * d + 1].return) / (2 * noise * directions);
      for (let i = 0; i < gradient.length; i++) gradient[i] += slope * delta[i];
    });
    return gradient;
  }

  /** Why nothing can be learned from a gradient. */
  private faultOf(gradient: Float64Array | undefined, outcomes: readonly EpisodeOutcome[]): string | undefined {
    if (!outcomes.every(({ solved }) => solved)) return "steps cannot be solved, the policy pushes too hard";
    if (!gradient) return "the gradient is not finite";
    return largestEntry(gradient) < this.skipFrom ? undefined : `the gradient has entries of ${this.skipFrom} or more`;
  }
}
