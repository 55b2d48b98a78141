/**
 * Augmented gradient search: one episode per update, and a step along the gradient of its return with respect to the policy's parameters
 * [rl_results]. The gradient is that of the whole closed loop (episodes.ts), smoothed by κ. One episode before the first update fills the
 * observation filter; it takes in the others after each.
 *
 * Defaults by the kind of policy, found by measurement (docs/learning.md):
 *   linear     normalised steps of 0.03
 *   network    Adam with steps of 0.01, gradient clipped to a 2-norm of 10
 * A linear policy begins with zeros: from 0.1 · N(0, 1), as published, five of ten seeds of the
 * half-cheetah ended below 40 of 80.
 * Both: relative κ 1, steps that fall to a tenth, updates left out where ‖g‖∞ ≥ 1000 (linear, as published).
 */
import type { Environment } from "../environments/index.ts";
import { Random } from "../math/index.ts";
import { ArgumentError } from "../mechanism/index.ts";
import type { PathParameter } from "../simulation/index.ts";
import { Episodes, type GradientKind } from "./episodes.ts";
import { ObservationFilter } from "./observationFilter.ts";
import { clipNorm, largestEntry, type OptimizerKind, optimizerOf } from "./optimizer.ts";
import { policyOf, randomPolicy } from "./policy.ts";
import { trainedPolicy } from "./trainedPolicy.ts";
import {
  finished,
  requireCount,
  requirePositive,
  type Training,
  type TrainingOptions,
  type TrainingRun,
} from "./training.ts";

export interface GradientSearchOptions extends TrainingOptions, PathParameter {
  /** Default 35: with the first episode 5,680 evaluations of 80 steps. */
  readonly updates?: number;
  /** Default "normalized" for linear policies, "adam" for networks. */
  readonly optimizer?: OptimizerKind;
  /** Size of the first update. Default 0.03 of normalised steps, 0.01 of Adam. */
  readonly step?: number;
  /** Gradients are shortened to this 2-norm. Default infinite for linear policies, 10 for networks. */
  readonly largestNorm?: number;
  /** Updates whose gradient has an entry as large as this are left out. Default 1000 for linear policies, infinite for networks. */
  readonly skipFrom?: number;
  /** Default "full". */
  readonly gradient?: GradientKind;
}

export function augmentedGradientSearch(environment: Environment, options: GradientSearchOptions): Training {
  return finished(gradientSearch(environment, options), options.onUpdate);
}

/** The same as a generator. */
export function* gradientSearch(environment: Environment, options: GradientSearchOptions): TrainingRun {
  const { seed, policy: kind = "linear", updates = 35, gradient: gradientKind = "full" } = options;
  const isLinear = kind === "linear";
  const { optimizer = isLinear ? "normalized" : "adam" } = options;
  const { step = optimizer === "adam" ? 0.01 : 0.03 } = options;
  const { largestNorm = isLinear ? Number.POSITIVE_INFINITY : 10 } = options;
  const { skipFrom = isLinear ? 1000 : Number.POSITIVE_INFINITY } = options;
  requireCount("updates", updates);
  requirePositive("step", step);
  requirePositive("largestNorm", largestNorm);
  requirePositive("skipFrom", skipFrom);
  const gradients = pathOf(options);
  const random = new Random(seed);
  const { observationSpace, actionSpace } = environment;
  const shape = { kind, observationSize: observationSpace.size, actionSize: actionSpace.size };
  const sized = options.hiddenUnits !== undefined ? { ...shape, hiddenUnits: options.hiddenUnits } : shape;
  // a gradient needs no random start, but units that begin alike stay alike
  const policy = isLinear ? policyOf(sized) : randomPolicy(sized, random);
  const filter = new ObservationFilter(observationSpace.size);
  const episodes = new Episodes(environment, policy, filter);
  const ascent = optimizerOf(optimizer, step, updates, policy.parameters.length);
  const returns: number[] = [];
  let skipped = 0;

  let evaluations = episodes.run(environment.start(random)).steps;
  episodes.takeIn();
  for (let k = 0; k < updates; k++) {
    const episode = episodes.run(environment.start(random), { gradients });
    evaluations += episode.steps;
    const gradient = episode.solved ? finiteGradient(episodes, gradientKind) : undefined;
    if (episode.solved) evaluations += episode.steps;
    episodes.takeIn();
    if (gradient && largestEntry(gradient) < skipFrom) {
      clipNorm(gradient, largestNorm);
      ascent.update(policy.parameters, gradient, k);
    } else {
      skipped++;
    }
    returns.push(episode.return);
    if ((yield { update: k + 1, updates, return: episode.return, evaluations }) === false) break;
  }
  return { policy: trainedPolicy(environment, policy, filter), returns, evaluations, skipped };
}

/** Where on the central path to differentiate: relative κ 1, unless one is given. */
function pathOf({ kappa, relativeKappa }: PathParameter): PathParameter {
  if (kappa !== undefined) return relativeKappa === undefined ? { kappa } : { kappa, relativeKappa };
  return { relativeKappa: relativeKappa ?? 1 };
}

/** Undefined where it cannot be found or is not finite. */
function finiteGradient(episodes: Episodes, kind: GradientKind): Float64Array | undefined {
  try {
    const gradient = episodes.gradient(kind);
    return Number.isFinite(largestEntry(gradient)) ? gradient : undefined;
  } catch (error) {
    if (error instanceof ArgumentError && ["not-finite", "not-solved"].includes(error.code)) return undefined;
    throw error;
  }
}
