/**
 * Gradients over short horizons, closed by a critic [after SHAC, Xu and others 2022]: N actors go through their episodes in parts of K steps.
 * After each part the policy makes a step along the mean gradient of
 *   Σ_{k<K} γᵏ r_k + γᴷ V(o_K)
 * and the critic V is fitted to the parts (critic.ts). A gradient so goes back over K steps instead of the whole episode.
 */
import type { Environment, RunningMoment } from "../environments/index.ts";
import { ArgumentError, moreOptionNamesOf, requireOptionNames } from "../mechanism/index.ts";
import { AscentSearch, type AscentSettings, ascentOptionNames, type Climb } from "./ascentSearch.ts";
import { Critic, type CriticPart, type CriticState } from "./critic.ts";
import type { EpisodeJob, EpisodeOutcome, EpisodeRecord } from "./episodeKind.ts";
import type { EpisodePause } from "./episodes.ts";
import { finished, trainingRun } from "./runSearch.ts";
import { savedCount, savedFields, savedList, savedNumbers } from "./savedState.ts";
import {
  type ProgressOptions,
  requireCount,
  requirePositive,
  requireShare,
  type Training,
  type TrainingRun,
} from "./training.ts";

export interface ShortHorizonSettings extends AscentSettings {
  /** Default 140: with the first episode 5,680 evaluations of the half-cheetah. */
  readonly updates?: number;
  /** N. Default 1. */
  readonly actors?: number;
  /** K. Default 20. */
  readonly horizon?: number;
  /** γ. Default 0.99. */
  readonly discount?: number;
  /** λ of the critic's targets. Default 0.95. */
  readonly lambda?: number;
  /** Size of the first update, by Adam. Default 0.01. */
  readonly step?: number;
  /** Size of the critic's steps, by an Adam of its own. Default 0.01. */
  readonly criticStep?: number;
  /** Steps of the critic per update. Default 16. */
  readonly criticFits?: number;
  /** Gradients are shortened to this 2-norm. Default 10. */
  readonly largestNorm?: number;
}

const optionNames = moreOptionNamesOf<ShortHorizonOptions>()(
  ascentOptionNames,
  "updates actors horizon discount lambda step criticStep criticFits largestNorm",
);

export type ShortHorizonOptions = ShortHorizonSettings & ProgressOptions;

export function shortHorizonSearch(environment: Environment, options: ShortHorizonOptions): Training {
  return finished(shortHorizonRun(environment, options), options.onUpdate);
}

/** The same as a generator. */
export function shortHorizonRun(environment: Environment, options: ShortHorizonSettings): TrainingRun {
  return trainingRun(environment, new ShortHorizonSearch(environment, options));
}

interface OwnState {
  readonly critic: CriticState;
  readonly actors: readonly (SavedPause | null)[];
  readonly earned: readonly number[];
}

type SavedPause = Omit<EpisodePause, "state" | "minimal" | "impulse"> &
  Record<"state" | "minimal" | "impulse", readonly number[]>;

export class ShortHorizonSearch extends AscentSearch {
  private readonly horizon: number;
  private readonly discount: number;
  /** Steps of a whole episode. */
  private readonly episodeSteps: number;
  private readonly simulation: Environment["simulation"];
  /** One whose arrays have the sizes of all. */
  private readonly moment: RunningMoment;
  private readonly critic: Critic;
  /** Where each of them is; undefined before an episode. */
  private actors: (EpisodePause | undefined)[];
  /** What each of them has earned in its episode so far. */
  private earned: number[];

  constructor(environment: Environment, options: ShortHorizonSettings) {
    requireOptionNames("options", options, optionNames);
    const { updates = 140, actors = 1, horizon = 20, discount = 0.99, lambda = 0.95 } = options;
    const { step = 0.01, criticStep = 0.01, criticFits = 16, largestNorm = 10 } = options;
    for (const [path, value] of Object.entries({ updates, actors, horizon, criticFits })) requireCount(path, value);
    for (const [path, value] of Object.entries({ step, criticStep, largestNorm })) requirePositive(path, value);
    requireShare("discount", discount);
    requireShare("lambda", lambda);
    super(environment, options, updates, { optimizer: "adam", step, largestNorm });
    this.horizon = horizon;
    this.discount = discount;
    this.episodeSteps = environment.description.horizon;
    const criticOptions = { discount, lambda, step: criticStep, fits: criticFits };
    this.critic = new Critic(this.shape.observationSize, options.hiddenUnits, criticOptions, this.random);
    this.actors = new Array(actors).fill(undefined);
    this.earned = new Array(actors).fill(0);
    this.simulation = environment.simulation;
    this.moment = environment.newMoment();
  }

  protected override get own(): AscentSearch["own"] & OwnState {
    const { critic, actors, earned } = this;
    return {
      ...super.own,
      critic: critic.state,
      actors: actors.map((pause) => (pause ? saved(pause) : null)),
      earned: [...earned],
    };
  }

  protected override restoreOwn(path: string, own: unknown): void {
    super.restoreOwn(path, own);
    const { critic, actors, earned } = savedFields(path, own);
    const { length } = this.actors;
    this.critic.restore(`${path}.critic`, critic);
    this.actors = savedList(`${path}.actors`, actors, length, (at, pause) =>
      pause === null ? undefined : this.savedPause(at, pause),
    );
    this.earned = savedNumbers(`${path}.earned`, earned, length);
  }

  private savedPause(path: string, value: unknown): EpisodePause {
    const { step, state, minimal, impulse, continuation } = savedFields(path, value);
    const { simulation } = this;
    const sizes = this.moment;
    const array = (name: string, values: unknown, { length }: Float64Array): Float64Array =>
      Float64Array.from(savedNumbers(`${path}.${name}`, values, length));
    if (continuation !== undefined) savedFields(`${path}.continuation`, continuation);
    try {
      simulation.continuation = continuation as EpisodePause["continuation"];
    } catch (error) {
      const message = `it cannot be gone on from: ${(error as Error).message}`;
      throw new ArgumentError("no-checkpoint", `${path}.continuation`, message);
    } finally {
      simulation.continuation = undefined;
    }
    return {
      step: savedCount(`${path}.step`, step),
      state: array("state", state, sizes.state),
      minimal: array("minimal", minimal, sizes.minimal),
      impulse: array("impulse", impulse, sizes.impulse),
      continuation: continuation as EpisodePause["continuation"],
    };
  }

  get episodesPerUpdate(): number {
    return this.actors.length;
  }

  jobs(): EpisodeJob[] {
    const { policy, critic, discount, horizon } = this;
    const [parameters, filter] = [policy.parameters.slice(), this.filter.state];
    if (!this.filled) return [{ parameters, filter, start: this.newStart() }];
    const value = { discount, shape: critic.network.shape, parameters: critic.network.parameters.slice() };
    const gradient = { kind: "full", path: this.path, horizon: value } as const;
    return this.actors.map((pause) => ({
      parameters,
      filter,
      start: pause ?? this.newStart(),
      steps: horizon,
      gradient,
      recorded: true,
    }));
  }

  protected climb(outcomes: readonly EpisodeOutcome[]): Climb {
    const { policy, critic } = this;
    const rewarded = outcomes.reduce((sum, outcome) => sum + outcome.return, 0);
    const steps = outcomes.reduce((sum, outcome) => sum + outcome.steps, 0);
    const mean = steps > 0 ? (this.episodeSteps * rewarded) / steps : 0;
    this.judgeEpisodes(outcomes);
    critic.fit(outcomes.map((outcome) => this.part(outcome)));
    this.takeIn(outcomes);
    this.actors = outcomes.map(({ record }) => record?.end);
    const found = outcomes.flatMap(({ gradient }) => (gradient ? [gradient] : []));
    const gradient = policy.parameters.map(
      (_, i) => found.reduce((sum, entries) => sum + entries[i], 0) / found.length,
    );
    return { mean, gradient, fault: faultOf(outcomes, found.length) };
  }

  /** Judges the policy by the whole returns of the episodes that end with these parts. Parts alone do not compare: some are easier. */
  private judgeEpisodes(outcomes: readonly EpisodeOutcome[]): void {
    const earned = outcomes.map((outcome, i) => this.earned[i] + outcome.return);
    const ended = outcomes.map(({ record }) => record?.end === undefined);
    const whole = earned.filter((_, i) => ended[i] && outcomes[i].solved);
    if (whole.length > 0) this.judge(whole.reduce((sum, value) => sum + value, 0) / whole.length, []);
    this.earned = earned.map((value, i) => (ended[i] ? 0 : value));
  }

  private part({ record, terminated }: EpisodeOutcome): CriticPart {
    const { observations, rewards } = record as EpisodeRecord;
    const { size } = this.filter;
    const normalized = new Float64Array(observations.length);
    for (let at = 0; at < observations.length; at += size) {
      this.filter.normalizeInto(normalized.subarray(at, at + size), observations.subarray(at, at + size));
    }
    return { observations: normalized, rewards, terminated };
  }
}

/** Why nothing can be learned from the gradients. */
function faultOf(outcomes: readonly EpisodeOutcome[], found: number): string | undefined {
  if (found === 0 && !outcomes.some(({ solved }) => solved))
    return "steps cannot be solved, the policy pushes too hard";
  return found === 0 ? "the gradient is not finite" : undefined;
}

function saved({ step, state, minimal, impulse, continuation }: EpisodePause): SavedPause {
  const list = (values: Float64Array): number[] => Array.from(values);
  return { step, state: list(state), minimal: list(minimal), impulse: list(impulse), continuation };
}
