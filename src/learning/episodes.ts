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
import type { PathParameter, Trajectory } from "../simulation/index.ts";
import type { ObservationFilter } from "./observationFilter.ts";
import type { Policy } from "./policy.ts";

export interface EpisodeOptions {
  /** The filter takes in every observation before the policy acts on it. Default false: it is held, and `takeIn` does so afterwards. */
  readonly filterOnline?: boolean;
  /** Keep what `gradient` needs, at this point of the central path. Default: nothing is kept. */
  readonly gradients?: PathParameter;
}

export interface Episode {
  /** Sum of rewards. */
  readonly return: number;
  /** Steps of the environment. */
  readonly steps: number;
  /** Every step was solved. */
  readonly solved: boolean;
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

export class Episodes {
  private readonly environment: Environment;
  private readonly policy: Policy;
  private readonly filter: ObservationFilter;
  private readonly knots: readonly Knot[];
  private readonly maps: CoordinateMaps;
  private readonly cotangent: StateCotangent;
  private trajectory: Trajectory | undefined;
  private steps = 0;

  constructor(environment: Environment, policy: Policy, filter: ObservationFilter) {
    const { mechanism, description } = environment;
    this.environment = environment;
    this.policy = policy;
    this.filter = filter;
    this.maps = new CoordinateMaps(mechanism);
    this.cotangent = stateCotangent(mechanism);
    const { observationSize, actionSize } = policy.shape;
    this.knots = Array.from({ length: description.horizon + 1 }, () => ({
      ...environment.newMoment(),
      observation: new Float64Array(observationSize),
      normalized: new Float64Array(observationSize),
      action: new Float64Array(actionSize),
      input: new Float64Array(actionSize),
    }));
  }

  run(start: Float64Array, options: EpisodeOptions = {}): Episode {
    const { environment, policy, filter, knots } = this;
    const { simulation, functions, description, stepsPerAction } = environment;
    const { filterOnline = false, gradients } = options;
    let sum = 0;
    this.steps = 0;
    environment.begin(knots[0], start);
    simulation.continuation = undefined;
    const trajectory = simulation.rollout(start, {
      steps: description.horizon * stepsPerAction,
      check: false,
      gradients: gradients ?? false,
      controller: (_, step, input) => {
        const knot = knots[this.steps];
        if (step % stepsPerAction === 0) {
          knot.observation.set(functions.observe(knot));
          if (filterOnline) filter.observe(knot.observation);
          filter.normalizeInto(knot.normalized, knot.observation);
          policy.actInto(knot.action, knot.normalized);
          environment.inputInto(knot.input, knot.action);
        }
        input.set(knot.input);
        return undefined;
      },
      onStep: (result, step) => {
        if (result.status !== "solved") return false;
        const part = step % stepsPerAction;
        const [before, after] = [knots[this.steps], knots[this.steps + 1]];
        environment.follow(after, before, result, part);
        if (part < stepsPerAction - 1) return true;
        this.steps++;
        after.time = this.steps * environment.timestep;
        sum += functions.reward(before, before.input, after);
        return functions.isAlive(after);
      },
    });
    this.trajectory = trajectory;
    return { return: sum, steps: this.steps, solved: trajectory.solved };
  }

  /** The filter takes in the observations of the last episode. */
  takeIn(): void {
    for (let k = 0; k < this.steps; k++) this.filter.observe(this.knots[k].observation);
  }

  /**
   * The gradient of the return of the last episode, which was run with `gradients` and solved. Throws an ArgumentError where it is not
   * finite. The filter must still be that of the episode.
   */
  gradient(kind: GradientKind = "full"): Float64Array {
    const { environment, policy, filter, knots, cotangent } = this;
    const { functions, actionScale, actionSpace, simulation, stepsPerAction } = environment;
    const trajectory = this.trajectory as Trajectory;
    const gradient = new Float64Array(policy.parameters.length);
    const actionCotangent = new Float64Array(actionScale.length);
    /** Through the steps of an action, as far as they have been gone back. */
    const inputCotangent = new Float64Array(actionScale.length);
    const observationCotangent = new Float64Array(policy.shape.observationSize);
    /** Of the reward of the step before the knot at hand: found with what that reward is of the knot. */
    const rewardByInput = new Float64Array(actionScale.length);

    const clear = (): void => {
      cotangent.minimal.fill(0);
      cotangent.state.fill(0);
      cotangent.impulse.fill(0);
    };
    /** What the reward of the step that led to knot k has of it. */
    const addRewardBefore = (k: number): void => {
      rewardByInput.fill(0);
      if (k === 0) return;
      const [before, after] = [knots[k - 1], knots[k]];
      functions.pullRewardInto({ after: cotangent, input: rewardByInput }, before, before.input, after);
    };
    const inErrors = (step: number, { state }: Moment): Float64Array => {
      const parts = Math.round(simulation.timestep / trajectory.interval(step));
      this.maps.updateMinimal(state, simulation.timestep, parts);
      this.maps.pullMinimalInto(cotangent.state, cotangent.minimal);
      return cotangent.state;
    };
    const last = trajectory.steps;
    pullback(
      trajectory,
      (step) => {
        if (step < last) return undefined;
        clear();
        addRewardBefore(this.steps);
        return inErrors(step, knots[this.steps]);
      },
      {
        // every step of an action has its share of the impulses that the knot after it knows
        ...(functions.readsImpulses && { impulses: () => cotangent.impulse }),
        controllerPullback: (step, _, byInput) => {
          for (let i = 0; i < byInput.length; i++) inputCotangent[i] += byInput[i];
          if (step % stepsPerAction > 0) return undefined;
          const k = step / stepsPerAction;
          const knot = knots[k];
          clear();
          // action: through the steps, and through its own reward
          for (let i = 0; i < actionCotangent.length; i++) {
            const isClipped = Math.abs(knot.action[i]) > actionSpace.high[i];
            actionCotangent[i] = isClipped ? 0 : actionScale[i] * (inputCotangent[i] + rewardByInput[i]);
          }
          inputCotangent.fill(0);
          const out = { parameters: gradient, observation: observationCotangent };
          policy.pullInto(out, kind === "full" ? knot.normalized : knot.observation, actionCotangent);
          if (kind === "full") {
            for (let i = 0; i < observationCotangent.length; i++) observationCotangent[i] /= filter.deviation(i);
            functions.pullObservationInto(cotangent, knot, observationCotangent);
          }
          functions.pullRewardInto({ before: cotangent }, knot, knot.input, knots[k + 1]);
          addRewardBefore(k);
          return inErrors(step, knot);
        },
      },
    );
    return gradient;
  }
}
