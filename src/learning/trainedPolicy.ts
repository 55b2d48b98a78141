/** A policy as training leaves it: with its filter and the environment's name; as JSON, as a controller, and its score. */
import type { Environment } from "../environments/index.ts";
import { Random } from "../math/index.ts";
import { ArgumentError } from "../mechanism/index.ts";
import type { Controller } from "../simulation/index.ts";
import { Episodes } from "./episodes.ts";
import { type FilterState, ObservationFilter } from "./observationFilter.ts";
import { type Policy, type PolicyShape, policyKinds, policyOf } from "./policy.ts";

export interface TrainedPolicy {
  readonly environment: string;
  readonly shape: PolicyShape;
  readonly parameters: readonly number[];
  readonly filter: FilterState;
}

export const policyFormat = "dojo-sim policy 1";

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
  const areNumbers = (list: unknown): list is number[] => Array.isArray(list) && list.every(Number.isFinite);
  if (!areNumbers(parameters)) return refuse("policy.parameters", "is no list of numbers");
  policyOf(shape, parameters);
  const isFilter = filter && areNumbers(filter.mean) && areNumbers(filter.deviations) && filter.count >= 0;
  if (!isFilter || filter.mean.length !== shape.observationSize)
    return refuse("policy.filter", `has not a mean and a deviation for each of ${shape.observationSize} observations`);
  return { environment, shape, parameters, filter };
}

/** The policy and its filter, ready to act in an environment that observes and acts as the one that it was trained in. */
function inEnvironment(
  environment: Environment,
  trained: TrainedPolicy,
): { policy: Policy; filter: ObservationFilter } {
  const { observationSize, actionSize } = trained.shape;
  const [observed, acted] = [environment.observationSpace.size, environment.actionSpace.size];
  if (observationSize !== observed || actionSize !== acted) {
    const message = `takes ${observationSize} observations to ${actionSize} actions, and ${environment.description.name} has ${observed} and ${acted}; it was trained in ${trained.environment}`;
    throw new ArgumentError("wrong-environment", "policy", message);
  }
  return { policy: policyOf(trained.shape, trained.parameters), filter: ObservationFilter.from(trained.filter) };
}

/** The controller of a rollout of the environment's simulation. */
export function policyController(environment: Environment, trained: TrainedPolicy): Controller {
  const { policy, filter } = inEnvironment(environment, trained);
  const { functions, simulation, stepsPerAction } = environment;
  const moment = environment.newMoment();
  const normalized = new Float64Array(trained.shape.observationSize);
  const action = new Float64Array(trained.shape.actionSize);
  return (state, step, input, interval) => {
    const part = step % stepsPerAction;
    if (step === 0) environment.begin(moment, state, interval);
    else environment.follow(moment, moment, { next: state, interval }, (step - 1) % stepsPerAction);
    if (part === 0) {
      moment.time = step * simulation.timestep;
      filter.normalizeInto(normalized, functions.observe(moment));
      policy.actInto(action, normalized);
    }
    environment.inputInto(input, action);
    return undefined;
  };
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
