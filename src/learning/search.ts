/**
 * What all methods of training have in common. A search asks for episodes and makes an update of their outcomes, in turns:
 *   jobs() → outcomes → take(outcomes)
 * Who runs the episodes is no concern of it. Between updates all that it goes on from is plain data (`state`): a search that is made anew
 * from it goes on to the bit. A run that diverges ends with its best policy.
 */
import type { Environment } from "../environments/index.ts";
import { Random, type RandomState } from "../math/index.ts";
import { ArgumentError } from "../mechanism/index.ts";
import type { EpisodeJob, EpisodeOutcome } from "./episodeKind.ts";
import { type FilterState, ObservationFilter } from "./observationFilter.ts";
import { largestEntry } from "./optimizer.ts";
import { type Policy, type PolicyShape, policyOf, randomPolicy } from "./policy.ts";
import { type TrainedPolicy, trainedPolicy } from "./trainedPolicy.ts";
import type { SearchOptions, Training, TrainingProgress } from "./training.ts";

/** Updates in a row that may change nothing before a run counts as diverged. */
const mostIdle = 10;

/** A search between two updates, as plain data. */
export interface SearchState {
  readonly random: RandomState;
  readonly parameters: readonly number[];
  readonly filter: FilterState;
  readonly returns: readonly number[];
  readonly spent: readonly number[];
  readonly evaluations: number;
  readonly skipped: number;
  readonly idle: number;
  readonly best: BestPolicy | null;
  readonly divergence: string | null;
  /** What a method adds. */
  readonly own: unknown;
}

interface BestPolicy {
  readonly return: number;
  readonly parameters: readonly number[];
  readonly filter: FilterState;
}

export abstract class Search {
  readonly shape: PolicyShape;
  readonly updates: number;
  protected readonly environment: string;
  protected readonly policy: Policy;
  protected readonly filter: ObservationFilter;
  protected random: Random;
  protected evaluations = 0;
  /** Updates that were left out. */
  protected skipped = 0;
  private readonly returns: number[] = [];
  private readonly spent: number[] = [];
  private idle = 0;
  private best: BestPolicy | undefined;
  private divergence: string | undefined;

  protected constructor(environment: Environment, options: SearchOptions, updates: number, startsAtZero: boolean) {
    const { observationSpace, actionSpace, description } = environment;
    const { policy: kind = "linear", hiddenUnits } = options;
    this.environment = description.name;
    this.updates = updates;
    this.shape = {
      kind,
      observationSize: observationSpace.size,
      actionSize: actionSpace.size,
      ...(hiddenUnits !== undefined && { hiddenUnits }),
    };
    this.random = new Random(options.seed);
    this.policy = startsAtZero ? policyOf(this.shape) : randomPolicy(this.shape, this.random);
    this.filter = new ObservationFilter(observationSpace.size);
  }

  /** How many episodes an update needs, which can be run at the same time. */
  abstract readonly episodesPerUpdate: number;
  /** The episodes that come next. Their outcomes are wanted in the same order. */
  abstract jobs(): EpisodeJob[];
  /** Goes on by the outcomes. Undefined where they only prepared an update. */
  abstract take(outcomes: readonly EpisodeOutcome[]): TrainingProgress | undefined;
  /** What a method remembers besides, as plain data. */
  protected abstract own: unknown;

  get isDone(): boolean {
    return this.returns.length >= this.updates || this.divergence !== undefined;
  }

  /** What it has come to: the last policy, or the best one of a run that diverged. */
  get training(): Training {
    const { returns, spent, evaluations, skipped, divergence, best } = this;
    const last = trainedPolicy(this.environment, this.policy, this.filter);
    const policy: TrainedPolicy = divergence !== undefined && best ? { ...last, ...withoutReturn(best) } : last;
    return {
      policy,
      returns: [...returns],
      spent: [...spent],
      evaluations,
      skipped,
      ...(divergence !== undefined && { divergence }),
    };
  }

  get state(): SearchState {
    return {
      random: this.random.state,
      parameters: Array.from(this.policy.parameters),
      filter: this.filter.state,
      returns: [...this.returns],
      spent: [...this.spent],
      evaluations: this.evaluations,
      skipped: this.skipped,
      idle: this.idle,
      best: this.best ?? null,
      divergence: this.divergence ?? null,
      own: this.own,
    };
  }

  /** Goes on from a state that the same search had with the same options. */
  restore(state: SearchState): void {
    const { length } = this.policy.parameters;
    if (state.parameters?.length !== length || !state.parameters.every(Number.isFinite)) {
      throw new ArgumentError("wrong-length", "state.parameters", `give ${length} numbers`);
    }
    this.random = Random.from(state.random);
    this.policy.parameters.set(state.parameters);
    this.filter.restore(state.filter);
    this.returns.splice(0, this.returns.length, ...state.returns);
    this.spent.splice(0, this.spent.length, ...state.spent);
    this.evaluations = state.evaluations;
    this.skipped = state.skipped;
    this.idle = state.idle;
    this.best = state.best ?? undefined;
    this.divergence = state.divergence ?? undefined;
    this.own = state.own;
  }

  /** Updates that were made. */
  protected get update(): number {
    return this.returns.length;
  }

  /** A start that no score is taken from: those have negative numbers. */
  protected newStart(): number {
    return this.random.bits();
  }

  /**
   * Keeps the policy that the episodes were run with where it is the best so far, by the mean return of episodes that were solved to their
   * end. Comes before anything changes.
   */
  protected judge(value: number, outcomes: readonly EpisodeOutcome[]): void {
    if (!outcomes.every(({ solved }) => solved)) return;
    if (!(value > (this.best?.return ?? Number.NEGATIVE_INFINITY))) return;
    this.best = { return: value, parameters: Array.from(this.policy.parameters), filter: this.filter.state };
  }

  /** The filter takes in what episodes have seen, in their order. */
  protected takeIn(outcomes: readonly EpisodeOutcome[]): void {
    for (const { seen } of outcomes) this.filter.merge(seen);
  }

  /** Whether a return is nearer to the first one than to the best. */
  protected isPoor(value: number): boolean {
    const [first] = this.returns;
    return this.best !== undefined && first !== undefined && value < (first + this.best.return) / 2;
  }

  /** Ends an update: `reason` says what hinders it, where that is so. */
  protected finishUpdate(value: number, reason?: string): TrainingProgress {
    const { returns, spent, evaluations, updates, policy } = this;
    returns.push(value);
    spent.push(evaluations);
    this.idle = reason === undefined ? 0 : this.idle + 1;
    if (!Number.isFinite(largestEntry(policy.parameters))) this.divergence = "the policy's parameters are not finite";
    else if (this.idle >= mostIdle) this.divergence = `${mostIdle} updates in a row changed nothing: ${reason}`;
    return { update: returns.length, updates, return: value, evaluations };
  }
}

function withoutReturn({ parameters, filter }: BestPolicy): Pick<TrainedPolicy, "parameters" | "filter"> {
  return { parameters, filter };
}
