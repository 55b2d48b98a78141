/**
 * What searches along gradients have in common: a first episode fills the observation filter; after that, each update is a step along a
 * gradient of returns at a κ that may change with the updates. Updates whose gradient is of no use are left out.
 */
import type { Environment } from "../environments/index.ts";
import { ArgumentError, moreOptionNamesOf } from "../mechanism/index.ts";
import type { PathParameter } from "../simulation/index.ts";
import type { EpisodeOutcome } from "./episodeKind.ts";
import {
  clipNorm,
  largestEntry,
  type Optimizer,
  type OptimizerKind,
  type OptimizerState,
  optimizerOf,
  type StepSchedule,
  savedOptimizer,
} from "./optimizer.ts";
import { savedFields, savedFlag } from "./savedState.ts";
import { requireSchedule, type Schedule, scheduled } from "./schedule.ts";
import { Search } from "./search.ts";
import { type SearchOptions, searchOptionNames, type TrainingProgress } from "./training.ts";

export interface AscentSettings extends SearchOptions {
  /** Where on the central path gradients are taken (SI), at once or by a schedule. Default: `relativeKappa`. */
  readonly kappa?: Schedule;
  /** The same in units of each contact. Default that of the environment's description, else 1. */
  readonly relativeKappa?: Schedule;
}

export const ascentOptionNames = moreOptionNamesOf<AscentSettings>()(searchOptionNames, "kappa relativeKappa");

interface Ascent {
  readonly optimizer: OptimizerKind;
  /** Size of the first update. */
  readonly step: number;
  /** How steps fall. Default linearly, to a tenth. */
  readonly fall?: Pick<StepSchedule, "lastShare" | "power">;
  /** Gradients are shortened to this 2-norm. */
  readonly largestNorm: number;
}

/** What the episodes of an update have come to. */
export interface Climb {
  readonly mean: number;
  readonly gradient: Float64Array | undefined;
  /** Why nothing can be learned from the gradient. */
  readonly fault: string | undefined;
}

export abstract class AscentSearch extends Search {
  /** Whether the filter has seen an episode. */
  protected filled = false;
  private readonly schedule: Pick<AscentSettings, "kappa" | "relativeKappa">;
  private readonly ascent: Ascent;
  private readonly optimizer: Optimizer;

  protected constructor(environment: Environment, options: AscentSettings, updates: number, ascent: Ascent) {
    requireKappa(options, updates);
    // a gradient needs no random start, but units that begin alike stay alike
    super(environment, options, updates, options.policy !== "network");
    const { kappa, relativeKappa = environment.description.relativeKappa ?? 1 } = options;
    this.schedule = kappa === undefined ? { relativeKappa } : { kappa };
    this.ascent = ascent;
    this.optimizer = optimizerOf(
      ascent.optimizer,
      { step: ascent.step, updates, ...ascent.fall },
      this.policy.parameters.length,
    );
  }

  /** Judges the policy, takes in what episodes have seen, and says where to go. */
  protected abstract climb(outcomes: readonly EpisodeOutcome[]): Climb;

  /** Gives a search that is lost a policy that was better, instead of an update. Whether it did so. */
  protected goBack(): boolean {
    return false;
  }

  protected get own(): { readonly filled: boolean; readonly optimizer: OptimizerState } {
    return { filled: this.filled, optimizer: this.optimizer.state };
  }

  protected restoreOwn(path: string, own: unknown): void {
    const { filled, optimizer } = savedFields(path, own);
    const { length } = this.policy.parameters;
    this.filled = savedFlag(`${path}.filled`, filled);
    this.optimizer.state = savedOptimizer(`${path}.optimizer`, optimizer, this.ascent.optimizer, length);
  }

  /** Where on the central path the update that comes next is differentiated. */
  protected get path(): PathParameter {
    const { kappa, relativeKappa = 1 } = this.schedule;
    if (kappa !== undefined) return { kappa: scheduled(kappa, this.update, this.updates) };
    return { relativeKappa: scheduled(relativeKappa, this.update, this.updates) };
  }

  take(outcomes: readonly EpisodeOutcome[]): TrainingProgress | undefined {
    for (const { steps, gradient } of outcomes) this.evaluations += gradient ? 2 * steps : steps;
    if (!this.filled) {
      this.filled = true;
      this.takeIn(outcomes);
      return undefined;
    }
    const { mean, gradient, fault } = this.climb(outcomes);
    if (this.goBack()) return this.finishUpdate(mean);
    if (!gradient || fault !== undefined) {
      this.skipped++;
      return this.finishUpdate(mean, fault);
    }
    // where all rewards are at their upper limit, nothing is left to learn
    if (largestEntry(gradient) === 0)
      return this.finishUpdate(mean, this.isPoor(mean) ? "the gradient is zero" : undefined);
    clipNorm(gradient, this.ascent.largestNorm);
    this.optimizer.update(this.policy.parameters, gradient, this.update);
    return this.finishUpdate(mean);
  }
}

function requireKappa({ kappa, relativeKappa }: AscentSettings, updates: number): void {
  if (kappa !== undefined && relativeKappa !== undefined) {
    throw new ArgumentError("out-of-range", "kappa", "relativeKappa is given too; give one of both");
  }
  if (kappa !== undefined) requireSchedule("kappa", kappa, updates);
  if (relativeKappa !== undefined) requireSchedule("relativeKappa", relativeKappa, updates);
}
