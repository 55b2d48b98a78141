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
import { type FilterState, ObservationFilter, savedFilter } from "./observationFilter.ts";
import { largestEntry } from "./optimizer.ts";
import { type Policy, type PolicyShape, policyOf, randomPolicy } from "./policy.ts";
import { savedCount, savedFields, savedList, savedNumber, savedNumbers, savedText } from "./savedState.ts";
import { type TrainedPolicy, trainedPolicy } from "./trainedPolicy.ts";
import { requirePositive, type SearchOptions, type Training, type TrainingProgress } from "./training.ts";

/** Updates in a row that may change nothing before a run counts as diverged. */
const mostIdle = 10;
/** Parameters of a policy beyond this act on nothing but noise and rounding. */
const largestParameter = 1e8;

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
  /** The policy's parameters after the last update that was fit to go on from. */
  private readonly sound: Float64Array;

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
    this.sound = this.policy.parameters.slice();
    this.filter = new ObservationFilter(observationSpace.size);
  }

  /** How many episodes an update needs, which can be run at the same time. */
  abstract readonly episodesPerUpdate: number;
  /** The episodes that come next. Their outcomes are wanted in the same order. */
  abstract jobs(): EpisodeJob[];
  /** Goes on by the outcomes. Undefined where they only prepared an update. */
  abstract take(outcomes: readonly EpisodeOutcome[]): TrainingProgress | undefined;
  /** What a method remembers besides, as plain data. */
  protected abstract readonly own: unknown;
  /** Goes on from what it remembered. Throws where that is not what it should be, with a path that begins with the one given. */
  protected abstract restoreOwn(path: string, own: unknown): void;

  get isDone(): boolean {
    return this.returns.length >= this.updates || this.divergence !== undefined;
  }

  /** What is handed out in place of the last policy. Default nothing. */
  protected get chosen(): Pick<TrainedPolicy, "parameters" | "filter"> | undefined {
    return undefined;
  }

  /** What it has come to: the last policy, what a method has chosen, or the best one of a run that diverged. */
  get training(): Training {
    const { returns, spent, evaluations, skipped, divergence, best } = this;
    const last = trainedPolicy(this.environment, this.policy, this.filter);
    const policy: TrainedPolicy =
      divergence !== undefined && best ? { ...last, ...withoutReturn(best) } : { ...last, ...this.chosen };
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

  /** Goes on from a state that the same search had with the same options. Throws with the path of a field that cannot be of one. */
  restore(given: SearchState, path = "state"): void {
    const { policy, filter, updates } = this;
    const { length } = policy.parameters;
    const state = savedFields(path, given);
    const made = Array.isArray(state.returns) ? Math.min(state.returns.length, updates) : updates;
    const parameters = savedNumbers(`${path}.parameters`, state.parameters, length);
    const returns = savedNumbers(`${path}.returns`, state.returns, made);
    const spent = savedList(`${path}.spent`, state.spent, made, savedCount);
    const seen = savedFilter(`${path}.filter`, state.filter, filter.size);
    const [evaluations, skipped, idle] = (["evaluations", "skipped", "idle"] as const).map((name) =>
      savedCount(`${path}.${name}`, state[name]),
    );
    const best = state.best === null ? undefined : this.savedBest(`${path}.best`, state.best);
    const divergence = state.divergence === null ? undefined : savedText(`${path}.divergence`, state.divergence);
    try {
      this.random = Random.from(state.random as RandomState);
    } catch {
      const message = "is no state of a random stream: it cannot be gone on from";
      throw new ArgumentError("no-checkpoint", `${path}.random`, message);
    }
    this.restoreOwn(`${path}.own`, state.own);
    policy.parameters.set(parameters);
    this.sound.set(parameters);
    filter.restore(seen);
    this.returns.splice(0, this.returns.length, ...returns);
    this.spent.splice(0, this.spent.length, ...spent);
    this.evaluations = evaluations;
    this.skipped = skipped;
    this.idle = idle;
    this.best = best;
    this.divergence = divergence;
  }

  private savedBest(path: string, value: unknown): BestPolicy {
    const { return: reached, parameters, filter } = savedFields(path, value);
    return {
      return: savedNumber(`${path}.return`, reached),
      parameters: savedNumbers(`${path}.parameters`, parameters, this.policy.parameters.length),
      filter: savedFilter(`${path}.filter`, filter, this.filter.size),
    };
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
    const { returns, spent, evaluations, updates, policy, sound } = this;
    const update = returns.length + 1;
    if (Number.isFinite(value)) {
      returns.push(value);
      spent.push(evaluations);
    }
    this.idle = reason === undefined ? 0 : this.idle + 1;
    this.divergence = this.divergenceOf(value, reason);
    if (this.isSound) sound.set(policy.parameters);
    else policy.parameters.set(sound);
    return { update, updates, return: value, evaluations };
  }

  private get isSound(): boolean {
    return largestEntry(this.policy.parameters) <= largestParameter;
  }

  private divergenceOf(value: number, reason: string | undefined): string | undefined {
    if (!this.isSound)
      return `the policy's parameters grow beyond ${largestParameter.toExponential()}; a smaller step may help`;
    if (!Number.isFinite(value)) return "the return of an update is not finite";
    return this.idle >= mostIdle ? `${mostIdle} updates in a row changed nothing: ${reason}` : undefined;
  }
}

function withoutReturn({ parameters, filter }: BestPolicy): Pick<TrainedPolicy, "parameters" | "filter"> {
  return { parameters, filter };
}

/** Throws where policies that are tried cannot have sound parameters. */
export function requireNoise(noise: number): void {
  requirePositive("noise", noise);
  if (noise <= largestParameter) return;
  throw new ArgumentError("out-of-range", "noise", `${noise}: give a number up to ${largestParameter}`);
}
