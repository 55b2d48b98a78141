/**
 * A critic: a small network V of the normalised observation, fitted to what short parts of episodes came to.
 *   targets   G_K = V(o_K), or 0 where the episode was terminated;     G_k = r_k + γ ((1 − λ) V(o_{k+1}) + λ G_{k+1})     [TD(λ)]
 *   fit       some steps of Adam down the mean of ½ (V(o_k) − G_k)²
 */

import type { Random } from "../math/index.ts";
import { type Optimizer, type OptimizerState, optimizerOf, savedOptimizer } from "./optimizer.ts";
import { type Policy, type PolicyShape, randomPolicy } from "./policy.ts";
import { savedFields, savedNumbers } from "./savedState.ts";

export interface CriticOptions {
  /** γ. */
  readonly discount: number;
  /** λ: 0 trusts the critic, 1 the rewards. */
  readonly lambda: number;
  readonly step: number;
  /** Steps of Adam per update. */
  readonly fits: number;
}

/** A part of an episode as the critic sees it. */
export interface CriticPart {
  /** Normalised, one after the other; that after the last step too. */
  readonly observations: Float64Array;
  readonly rewards: Float64Array;
  readonly terminated: boolean;
}

export interface CriticState {
  readonly parameters: readonly number[];
  readonly optimizer: OptimizerState;
}

export class Critic {
  readonly network: Policy;
  private readonly options: CriticOptions;
  private readonly descent: Optimizer;
  private readonly value = new Float64Array(1);
  private readonly observation: Float64Array;

  constructor(observationSize: number, hiddenUnits: number | undefined, options: CriticOptions, random: Random) {
    const shape: PolicyShape = {
      kind: "network",
      observationSize,
      actionSize: 1,
      ...(hiddenUnits !== undefined && { hiddenUnits }),
    };
    this.network = randomPolicy(shape, random);
    this.options = options;
    const schedule = { step: options.step, updates: 1, lastShare: 1 };
    this.descent = optimizerOf("adam", schedule, this.network.parameters.length);
    this.observation = new Float64Array(observationSize);
  }

  get state(): CriticState {
    return { parameters: Array.from(this.network.parameters), optimizer: this.descent.state };
  }

  /** Goes on from a state of a checkpoint. Throws where a field is not what it should be. */
  restore(path: string, state: unknown): void {
    const { parameters, optimizer } = savedFields(path, state);
    const { length } = this.network.parameters;
    this.network.parameters.set(savedNumbers(`${path}.parameters`, parameters, length));
    this.descent.state = savedOptimizer(`${path}.optimizer`, optimizer, "adam", length);
  }

  /** V of observation k of a list. */
  valueOf(observations: Float64Array, k: number): number {
    const { observation, value } = this;
    // a view of the list would take longer to make than the network to act
    for (let i = 0, at = k * observation.length; i < observation.length; i++, at++) observation[i] = observations[at];
    this.network.actInto(value, observation);
    return value[0];
  }

  /** G of every step of a part. */
  targets({ observations, rewards, terminated }: CriticPart): Float64Array {
    const { discount, lambda } = this.options;
    const out = new Float64Array(rewards.length);
    let next = terminated ? 0 : this.valueOf(observations, rewards.length);
    let value = next;
    for (let k = rewards.length - 1; k >= 0; k--) {
      out[k] = rewards[k] + discount * ((1 - lambda) * value + lambda * next);
      next = out[k];
      value = this.valueOf(observations, k);
    }
    return out;
  }

  /** Fits the network to the targets that it sets itself now. */
  fit(parts: readonly CriticPart[]): void {
    const { network, observation, value } = this;
    const targets = parts.map((part) => this.targets(part));
    const count = targets.reduce((sum, { length }) => sum + length, 0);
    if (count === 0) return;
    const ascent = new Float64Array(network.parameters.length);
    for (let pass = 0; pass < this.options.fits; pass++) {
      ascent.fill(0);
      parts.forEach(({ observations }, p) => {
        const own = targets[p];
        for (let k = 0; k < own.length; k++) {
          // ascent of what is to become small
          value[0] = (own[k] - this.valueOf(observations, k)) / count;
          network.pullParametersInto(ascent, observation, value);
        }
      });
      this.descent.update(network.parameters, ascent, 0);
    }
  }
}
