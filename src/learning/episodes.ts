/**
 * Episodes of a policy in an environment, and the gradient of their return with respect to the policy's parameters:
 *   u_k = scale · π_θ((o(x_k) − mean)/deviation),     R = Σ r(x_k, u_k, x_{k+1})
 * The gradient goes back through rewards, steps, policy and observations (`pullback` with `controllerPullback`). The filter is held during
 * an episode, so that it is a constant of the gradient. Where an action is clipped, it is a constant too.
 */
import { CoordinateMaps } from "../coordinates/index.ts";
import {
  type Environment,
  type Moment,
  type RunningMoment,
  type StateCotangent,
  stateCotangent,
} from "../environments/index.ts";
import { pullback } from "../gradients/index.ts";
import { ArgumentError } from "../mechanism/index.ts";
import type { Continuation, PathParameter, StepResult, Trajectory } from "../simulation/index.ts";
import type { ObservationFilter } from "./observationFilter.ts";
import { type Policy, requireFit } from "./policy.ts";

export interface EpisodeOptions {
  /** Keep what `gradient` needs, at this point of the central path. Default: nothing is kept. */
  readonly gradients?: PathParameter;
  /** At most so many steps. Default: to the end of the episode. */
  readonly steps?: number;
}

export interface Episode {
  /** Sum of rewards. */
  readonly return: number;
  /** Steps of the environment. */
  readonly steps: number;
  /** Every step was solved. */
  readonly solved: boolean;
  /** A margin of `alive` was negative after the last step. */
  readonly terminated: boolean;
}

/** A moment within an episode, from which it goes on to the bit: plain data. */
export interface EpisodePause {
  /** Steps before it. */
  readonly step: number;
  readonly state: Float64Array;
  readonly minimal: Float64Array;
  readonly impulse: Float64Array;
  readonly continuation: Continuation | undefined;
}

/** What a gradient is of, where it is not the plain sum of rewards: Σ γᵏ rₖ + γᴷ V(o_K), k counted from the start of the part. */
export interface Horizon {
  /** γ. */
  readonly discount: number;
  /** V of a normalised observation, unless the episode was terminated. */
  readonly critic: Policy;
}

/**
 * "full" goes through all that depends on the parameters. "published" is that of the paper's code, for comparison: it leaves out what the
 * policy makes of a changed observation, and takes ∂u/∂θ at observations before the filter.
 */
export type GradientKind = "full" | "published";

/** The moment at which an action is chosen, and the action. */
interface Knot extends RunningMoment {
  readonly observation: Float64Array;
  readonly normalized: Float64Array;
  readonly action: Float64Array;
  readonly input: Float64Array;
}

/** Steps of the simulation from a start, or from where an episode paused. */
interface Part {
  readonly start: Float64Array;
  readonly steps: number;
  readonly pause: EpisodePause | undefined;
}

/** Coordinates and rates beyond this, in SI, have blown up. */
const blownUp = 1e50;

export class Episodes {
  private readonly environment: Environment;
  private readonly policy: Policy;
  private readonly filter: ObservationFilter;
  private readonly knots: readonly Knot[];
  private readonly maps: CoordinateMaps;
  private readonly cotangent: StateCotangent;
  /** Cotangent of the reward of one step, where it is weighted. */
  private readonly rewardCotangent: StateCotangent;
  private readonly state: Float64Array;
  private trajectory: Trajectory | undefined;
  private solved = false;
  private terminated = false;
  /** Solved steps of the part that was run last. */
  steps = 0;
  /** Steps of the episode before it. */
  private stepsBefore = 0;
  /** Rewards of the part that was run last. */
  readonly rewards: Float64Array;

  constructor(environment: Environment, policy: Policy, filter: ObservationFilter) {
    const { mechanism, description } = environment;
    requireFit(policy.shape, environment);
    if (filter.size !== policy.shape.observationSize) {
      const message = `is of ${filter.size} observations, and the policy takes ${policy.shape.observationSize}`;
      throw new ArgumentError("wrong-size", "filter", message);
    }
    this.environment = environment;
    this.policy = policy;
    this.filter = filter;
    this.maps = new CoordinateMaps(mechanism);
    this.cotangent = stateCotangent(mechanism);
    this.rewardCotangent = stateCotangent(mechanism);
    this.rewards = new Float64Array(description.horizon);
    this.state = new Float64Array(mechanism.stateSize);
    const { observationSize, actionSize } = policy.shape;
    this.knots = Array.from({ length: description.horizon + 1 }, () => ({
      ...environment.newMoment(),
      observation: new Float64Array(observationSize),
      normalized: new Float64Array(observationSize),
      action: new Float64Array(actionSize),
      input: new Float64Array(actionSize),
    }));
  }

  /** Runs an episode from a start, or a part of one from where it paused. */
  run(from: Float64Array | EpisodePause, options: EpisodeOptions = {}): Episode {
    const { environment, knots, rewards } = this;
    const { simulation, description } = environment;
    const { gradients, steps = description.horizon } = options;
    const pause = ArrayBuffer.isView(from) ? undefined : from;
    const start = pause?.state ?? (from as Float64Array);
    const stepsBefore = pause?.step ?? 0;
    this.steps = 0;
    this.stepsBefore = stepsBefore;
    this.terminated = false;
    environment.begin(knots[0], start);
    if (pause) {
      knots[0].minimal.set(pause.minimal);
      knots[0].impulse.set(pause.impulse);
      knots[0].time = stepsBefore * environment.timestep;
    }
    simulation.continuation = pause?.continuation;
    const part = {
      start,
      steps: Math.min(steps, description.horizon - stepsBefore) * environment.stepsPerAction,
      pause,
    };
    this.solved = gradients ? this.recorded(part, gradients) : this.stepped(part);
    this.observe(knots[this.steps]);
    let sum = 0;
    for (let k = 0; k < this.steps; k++) sum += rewards[k];
    return { return: sum, steps: this.steps, solved: this.solved, terminated: this.terminated };
  }

  /** Keeps what gradients need; whether all steps were solved. */
  private recorded({ start, steps, pause }: Part, gradients: PathParameter): boolean {
    this.trajectory = this.environment.simulation.rollout(start, {
      steps,
      check: false,
      gradients,
      ...(pause?.continuation && { continuation: pause.continuation }),
      controller: (_, step, input) => {
        input.set(this.inputAt(step));
        return undefined;
      },
      onStep: (result, step) => this.follow(result, step),
    });
    return this.trajectory.solved;
  }

  /** The same steps, of which nothing is kept. */
  private stepped({ start, steps, pause }: Part): boolean {
    const { simulation } = this.environment;
    const { state } = this;
    const options = { ...simulation.options, interval: pause?.continuation?.interval ?? simulation.timestep };
    this.trajectory = undefined;
    state.set(start);
    for (let step = 0; step < steps; step++) {
      const input = this.inputAt(step);
      simulation.requireStep(state, input, options);
      const result = simulation.take(state, input, options);
      state.set(result.next);
      options.interval = result.interval;
      if (!this.follow(result, step)) return result.status === "solved";
    }
    return true;
  }

  /** The input of a step of the simulation: at the first of an action the policy acts. */
  private inputAt(step: number): Float64Array {
    const { environment, policy } = this;
    const knot = this.knots[this.steps];
    if (step % environment.stepsPerAction === 0) {
      this.observe(knot);
      policy.actInto(knot.action, knot.normalized);
      environment.inputInto(knot.input, knot.action);
    }
    return knot.input;
  }

  /** Takes note of a step of the simulation; whether the episode goes on. */
  private follow(result: StepResult, step: number): boolean {
    if (result.status !== "solved") return false;
    const { environment, knots } = this;
    const { functions, stepsPerAction } = environment;
    const part = step % stepsPerAction;
    const [before, after] = [knots[this.steps], knots[this.steps + 1]];
    environment.follow(after, before, result, part);
    if (part < stepsPerAction - 1) return true;
    after.time = (this.stepsBefore + this.steps + 1) * environment.timestep;
    this.rewards[this.steps] = functions.reward(before, before.input, after);
    this.steps++;
    this.terminated = !functions.isAlive(after);
    return !this.terminated;
  }

  private observe(knot: Knot): void {
    knot.observation.set(this.environment.functions.observe(knot));
    this.filter.normalizeInto(knot.normalized, knot.observation);
  }

  /** Whether the last moment is one that only a policy that diverges leads to. */
  get hasBlownUp(): boolean {
    return this.knots[this.steps].minimal.some((entry) => !(Math.abs(entry) < blownUp));
  }

  /** Where the last part ended, to go on from; undefined where the episode is over. */
  get pause(): EpisodePause | undefined {
    const { environment, knots, stepsBefore } = this;
    if (!this.solved || this.terminated) return undefined;
    const step = stepsBefore + this.steps;
    if (step >= environment.description.horizon) return undefined;
    const { state, minimal, impulse } = knots[this.steps];
    const { continuation } = environment.simulation;
    return { step, state: state.slice(), minimal: minimal.slice(), impulse: impulse.slice(), continuation };
  }

  /** What the policy saw at step k of the last part, before the filter; one after the last step is there too. */
  observation(k: number): Float64Array {
    return this.knots[k].observation;
  }

  /**
   * The gradient of the return of the last part, which was run with `gradients` and solved. Throws an ArgumentError where it is not
   * finite. The filter must still be that of the episode.
   */
  gradient(kind: GradientKind = "full", horizon?: Horizon): Float64Array {
    const { environment, policy, filter, knots, cotangent, rewardCotangent } = this;
    const { functions, actionScale, actionSpace, simulation, stepsPerAction } = environment;
    const trajectory = this.trajectory as Trajectory;
    const gradient = new Float64Array(policy.parameters.length);
    const actionCotangent = new Float64Array(actionScale.length);
    /** Cotangent of the inputs through the steps of an action, as far as they have been gone back. */
    const inputCotangent = new Float64Array(actionScale.length);
    const observationCotangent = new Float64Array(policy.shape.observationSize);
    /** Derivatives of the reward of the step before the knot at hand: found with what that reward is of the knot. */
    const rewardByInput = new Float64Array(actionScale.length);
    const last = this.steps;
    /** γᵏ of every step, and of the end. */
    const weights = powers(horizon?.discount ?? 1, last + 1);

    /** Adds to the cotangent of one of the moments around step k what its reward is of it. */
    const addReward = (k: number, moment: "before" | "after"): void => {
      clear(rewardCotangent);
      const out = moment === "after" ? { after: rewardCotangent, input: rewardByInput } : { before: rewardCotangent };
      functions.pullRewardInto(out, knots[k], knots[k].input, knots[k + 1]);
      addScaledInto(cotangent.minimal, weights[k], rewardCotangent.minimal);
      addScaledInto(cotangent.state, weights[k], rewardCotangent.state);
      addScaledInto(cotangent.impulse, weights[k], rewardCotangent.impulse);
    };
    /** What the reward of the step that led to knot k has of it. */
    const addRewardBefore = (k: number): void => {
      rewardByInput.fill(0);
      if (k > 0) addReward(k - 1, "after");
    };
    /** What is owed to what is observed at knot k: `observationCotangent` is of the normalised observation. */
    const addObservation = (knot: Knot): void => {
      for (let i = 0; i < observationCotangent.length; i++) observationCotangent[i] /= filter.deviation(i);
      functions.pullObservationInto(cotangent, knot, observationCotangent);
    };
    const addValueAtEnd = (): void => {
      if (!horizon || this.terminated) return;
      const { critic } = horizon;
      const out = { parameters: new Float64Array(critic.parameters.length), observation: observationCotangent };
      critic.pullInto(out, knots[last].normalized, Float64Array.of(weights[last]));
      addObservation(knots[last]);
    };
    const inErrors = (step: number, { state }: Moment): Float64Array => {
      const parts = Math.round(simulation.timestep / trajectory.interval(step));
      this.maps.updateMinimal(state, simulation.timestep, parts);
      this.maps.pullMinimalInto(cotangent.state, cotangent.minimal);
      return cotangent.state;
    };
    pullback(
      trajectory,
      (step) => {
        if (step < trajectory.steps) return undefined;
        clear(cotangent);
        addRewardBefore(last);
        addValueAtEnd();
        return inErrors(step, knots[last]);
      },
      {
        // every step of an action has its share of the impulses that the knot after it knows
        ...(functions.readsImpulses && { impulses: () => cotangent.impulse }),
        controllerPullback: (step, _, byInput) => {
          addScaledInto(inputCotangent, 1, byInput);
          if (step % stepsPerAction > 0) return undefined;
          const k = step / stepsPerAction;
          const knot = knots[k];
          clear(cotangent);
          // action: through the steps, and through its own reward
          for (let i = 0; i < actionCotangent.length; i++) {
            const isClipped = Math.abs(knot.action[i]) > actionSpace.high[i];
            actionCotangent[i] = isClipped ? 0 : actionScale[i] * (inputCotangent[i] + weights[k] * rewardByInput[i]);
          }
          inputCotangent.fill(0);
          const out = { parameters: gradient, observation: observationCotangent };
          policy.pullInto(out, kind === "full" ? knot.normalized : knot.observation, actionCotangent);
          if (kind === "full") addObservation(knot);
          addReward(k, "before");
          addRewardBefore(k);
          return inErrors(step, knot);
        },
      },
    );
    return gradient;
  }
}

/** 1, x, x², … */
function powers(x: number, count: number): Float64Array {
  const out = new Float64Array(count).fill(1);
  for (let k = 1; k < count; k++) out[k] = x * out[k - 1];
  return out;
}

function clear({ minimal, state, impulse }: StateCotangent): void {
  minimal.fill(0);
  state.fill(0);
  impulse.fill(0);
}

function addScaledInto(out: Float64Array, factor: number, values: Float64Array): void {
  for (let i = 0; i < out.length; i++) out[i] += factor * values[i];
}
