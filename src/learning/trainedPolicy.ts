/** A policy as training leaves it: with its filter and the environment's name; as JSON, as a controller, and its score. */
import type { Environment, RunningMoment } from "../environments/index.ts";
import { Random } from "../math/index.ts";
import { ArgumentError } from "../mechanism/index.ts";
import type { Controller } from "../simulation/index.ts";
import { Episodes } from "./episodes.ts";
import { type FilterState, ObservationFilter } from "./observationFilter.ts";
import { type Policy, type PolicyShape, policyKinds, policyOf, requireFit } from "./policy.ts";

export interface TrainedPolicy {
  readonly environment: string;
  readonly shape: PolicyShape;
  readonly parameters: readonly number[];
  readonly filter: FilterState;
}

const policyFormat = "dojo-sim policy 1";

export function trainedPolicy(environment: string, policy: Policy, filter: ObservationFilter): TrainedPolicy {
  const { shape, parameters } = policy;
  return { environment, shape, parameters: Array.from(parameters), filter: filter.state };
}

export function policyJson(trained: TrainedPolicy): string {
  return JSON.stringify({ format: policyFormat, ...trained });
}

/** Throws where the text is no policy. */
export function policyFromJson(text: string): TrainedPolicy {
  const refuse = (path: string, message: string): never => {
    throw new ArgumentError("no-policy", path, message);
  };
  let data: Partial<TrainedPolicy> & { readonly format?: unknown };
  try {
    data = JSON.parse(text);
  } catch {
    return refuse("policy", "is no JSON; give a file that training has written");
  }
  if (data?.format !== policyFormat)
    return refuse("policy.format", `is not "${policyFormat}"; train it with this version`);
  const { environment, shape, parameters, filter } = data;
  if (typeof environment !== "string") return refuse("policy.environment", "is no name");
  if (!shape || !policyKinds.includes(shape.kind))
    return refuse("policy.shape.kind", `is none of ${policyKinds.join(", ")}`);
  const requireNumbers = (path: string, list: unknown, least = Number.NEGATIVE_INFINITY): void => {
    if (!Array.isArray(list)) refuse(path, "is no list of numbers");
    const entries = list as unknown[];
    const bad = entries.findIndex((entry) => !(Number.isFinite(entry) && (entry as number) >= least));
    if (bad >= 0)
      refuse(
        `${path}[${bad}]`,
        `${JSON.stringify(entries[bad])} is no finite number${least === 0 ? " from 0 on" : ""}`,
      );
  };
  requireNumbers("policy.parameters", parameters);
  policyOf(shape, parameters);
  requireNumbers("policy.filter.mean", filter?.mean);
  requireNumbers("policy.filter.deviations", filter?.deviations, 0);
  const { count, mean, deviations } = filter as FilterState;
  if (!(Number.isFinite(count) && count >= 0))
    return refuse("policy.filter.count", `${JSON.stringify(count)} is no number from 0 on`);
  if (mean.length !== shape.observationSize || deviations.length !== shape.observationSize)
    return refuse("policy.filter", `has not a mean and a deviation for each of ${shape.observationSize} observations`);
  return { environment, shape, parameters: parameters as number[], filter: filter as FilterState };
}

/** The policy and its filter, ready to act in an environment that observes and acts as the one that it was trained in. */
function inEnvironment(
  environment: Environment,
  trained: TrainedPolicy,
): { policy: Policy; filter: ObservationFilter } {
  requireFit(trained.shape, environment, trained.environment);
  return { policy: policyOf(trained.shape, trained.parameters), filter: ObservationFilter.from(trained.filter) };
}

/** The controller of a rollout of the environment's simulation. */
export function policyController(environment: Environment, trained: TrainedPolicy): Controller {
  return new PolicyRun(environment, trained).controller;
}

/** A policy that controls steps of the environment's simulation, from the first one on, and the rewards of its actions. */
export class PolicyRun {
  /** Sum of rewards of all actions that are over, up to the one that the environment ends the episode with. */
  return = 0;
  /** Actions that they are of. */
  actions = 0;
  /** The environment would have ended the episode: a margin of `alive` is negative. */
  terminated = false;
  /** A controller for steps 0, 1, 2 …: one of them after the other. */
  readonly controller: Controller;

  private readonly environment: Environment;
  private readonly input: Float64Array;
  /** When the action at hand began, and how far it has come. */
  private before: RunningMoment;
  private after: RunningMoment;

  constructor(environment: Environment, trained: TrainedPolicy) {
    const { policy, filter } = inEnvironment(environment, trained);
    const { functions, stepsPerAction, mechanism } = environment;
    const normalized = new Float64Array(trained.shape.observationSize);
    const action = new Float64Array(trained.shape.actionSize);
    this.environment = environment;
    this.input = new Float64Array(mechanism.inputSize);
    this.before = environment.newMoment();
    this.after = environment.newMoment();
    this.controller = (state, step, input, interval) => {
      if (step === 0) this.begin(state, interval);
      else this.reach(state, step, interval);
      if (step % stepsPerAction === 0) {
        filter.normalizeInto(normalized, functions.observe(this.before));
        policy.actInto(action, normalized);
        this.act(action, step);
      }
      input.set(this.input);
      return undefined;
    };
  }

  /** Throws with the step where the policy wants more than numbers can say. */
  private act(action: Float64Array, step: number): void {
    try {
      this.environment.inputInto(this.input, action);
    } catch (error) {
      if (!(error instanceof ArgumentError) || error.code !== "not-finite") throw error;
      const bad = action.findIndex((value) => !Number.isFinite(value));
      const message = `is ${action[bad]} at step ${step}: the policy's numbers are too large; train it anew`;
      throw new ArgumentError("not-finite", `policy's action[${bad}]`, message);
    }
  }

  private begin(state: Float64Array, interval: number): void {
    this.environment.begin(this.before, state, interval);
    this.return = this.actions = 0;
    this.terminated = false;
  }

  /** Takes in the state after so many steps. The controller does so with all but the last one of a run. */
  reach(state: Float64Array, steps: number, interval: number): void {
    const { environment, before, after } = this;
    const { functions, stepsPerAction, simulation } = environment;
    environment.follow(after, before, { next: state, interval }, (steps - 1) % stepsPerAction);
    if (steps % stepsPerAction > 0) return;
    after.time = steps * simulation.timestep;
    if (!this.terminated) {
      this.return += functions.reward(before, this.input, after);
      this.actions++;
      this.terminated = !functions.isAlive(after);
    }
    this.before = after;
    this.after = before;
  }
}

export interface ScoreOptions {
  /** Default 100. */
  readonly starts?: number;
}

/** The number of a start for a score: no training has negative ones. */
export const scoreStart = (i: number): number => -1 - i;

/** Mean return over random starts that no training has. */
export function policyScore(environment: Environment, trained: TrainedPolicy, options: ScoreOptions = {}): number {
  const { starts = 100 } = options;
  const { policy, filter } = inEnvironment(environment, trained);
  const episodes = new Episodes(environment, policy, filter);
  let sum = 0;
  for (let i = 0; i < starts; i++) sum += episodes.run(environment.start(new Random(scoreStart(i)))).return;
  return sum / starts;
}
