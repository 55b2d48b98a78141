/**
 * Reverse mode over a rollout: from cotangents of its states (the gradient of a scalar cost with respect to each) to those of its
 * start, its inputs and its parameters, by one factorisation and one transposed solve a step, whatever their number:
 *   λ_K = c_K,     λ_k = c_k + A_kᵀ λ_{k+1} (+ what a controller makes of its input's cotangent),     ū_k = B_kᵀ λ_{k+1},     θ̄ = Σ C_kᵀ λ_{k+1}
 * with A, B, C the step's Jacobians where the record has its points, about the states as they were simulated.
 */
import { CoordinateMaps } from "../coordinates/index.ts";
import { bodyStateSize, bodyTangentSize } from "../math/index.ts";
import { ArgumentError, optionNamesOf, requireOptionNames } from "../mechanism/index.ts";
import type { Trajectory } from "../simulation/index.ts";
import { type ImpulseWeights, impulseCotangent } from "./contactImpulses.ts";
import { requireFiniteArgument } from "./finite.ts";
import { geometryValues, geometryVector } from "./geometryVectors.ts";
import type { Coordinates } from "./jacobians.ts";
import { isNamed, type NamedCost, NamedCosts } from "./namedCosts.ts";
import { noHintNote } from "./noHint.ts";
import { parameterDirections } from "./parameters.ts";
import { piecesOf, type SolvedStep, seenState } from "./point.ts";
import { RecordedSteps } from "./recordedSteps.ts";
import { cotangentOfRaw } from "./stateError.ts";
import type { StepChain } from "./stepChain.ts";
import { chainOf } from "./stepGradients.ts";
import { pullThrough, stepDirections, takenChain } from "./touchingSteps.ts";

/**
 * Cotangents of the states by their number, 0 being the start; undefined for none. Each is the gradient of the cost with respect to
 * the raw state (13 numbers per body) or to its error (12 per body: position, attitude, velocity, angular velocity), or, where
 * `coordinates` says so, to joint positions and velocities. Or it names the cost, as weights of quantities, { "bodies.torso.position.z": 1 },
 * or as an expression: "(torso.z - 0.4)^2". A cost alone, outside of any list, is that of the last state.
 */
export type Cotangents =
  | NamedCost
  | readonly (Cotangent | undefined)[]
  | ((step: number, state: Float64Array) => Cotangent | undefined);
export type Cotangent = Float64Array | NamedCost;

export interface PullbackOptions {
  /** Names of parameters to differentiate by; parameters.ts says which there are. Default none. */
  readonly parameters?: readonly string[];
  /** "minimal" when cotangents are of joint positions and velocities. Default "maximal". */
  readonly coordinates?: Coordinates;
  /**
   * Belongs to inputs that a controller made of the state, u = π(z): takes the input's cotangent at a step to that of the state, (∂π/∂z)ᵀ ū, in
   * the same form as `cotangents`.
   */
  readonly controllerPullback?: (
    step: number,
    state: Float64Array,
    inputCotangent: Float64Array,
  ) => Float64Array | undefined;
  /**
   * Cotangents of contact impulses in each step, at the record's κ, by the contacts' names: { foot: [1] } for a cost that grows with the
   * normal impulse; friction along the two tangents follows. Or of all contacts, as `contactImpulsesInto` has them. Default none.
   */
  readonly impulses?: (step: number) => ImpulseWeights | undefined;
  /**
   * Called for each state from the last to the second, before its cotangent goes back through the step that led to it: the whole of it, 12
   * per body, that of all costs from this state on. It may be changed in place: scaled to discount, bounded to clip, set to zero to truncate.
   * What costs owe to parameters directly, by the joints' frames in minimal coordinates, has been taken by then.
   */
  readonly onCotangent?: (step: number, cotangent: Float64Array) => void;
}

const pullbackOptionNames = optionNamesOf<PullbackOptions>()(
  "parameters coordinates controllerPullback impulses onCotangent",
);

export interface Pullback {
  /** Gradient with respect to the start, 12 per body. */
  readonly state: Float64Array;
  /** Gradient with respect to the input of each step. */
  readonly inputs: Float64Array[];
  /** Gradient with respect to the parameters asked for, by name, the start's bodies being held. */
  readonly parameters: Readonly<Record<string, number>>;
  /** Says so where the gradient by every input is exactly 0, and what helps; left out as a rule. */
  readonly note?: string;
  /** The same with respect to the start's joint positions and velocities, and by parameters with these held. */
  minimal(): { readonly state: Float64Array; readonly parameters: Readonly<Record<string, number>> };
}

export function pullback(trajectory: Trajectory, cotangents: Cotangents, options: PullbackOptions = {}): Pullback {
  requireOptionNames("options", options, pullbackOptionNames);
  const { parameters = [], coordinates = "maximal", controllerPullback, onCotangent, impulses } = options;
  const steps = new RecordedSteps(trajectory);
  const { simulation, count } = steps;
  const { mechanism, target } = simulation;
  const isTouching = simulation.touching !== undefined;
  const system = simulation.plainSystem;
  const { places } = system;
  const directions = parameterDirections(system, parameters, isTouching);
  const scope = impulses ? "contacts" : directions.length === 0 ? "motion" : "all";
  const common = isTouching ? undefined : chainOf(simulation, scope);
  common?.clear();
  // what steps whose contacts come and go owe to the parameters
  const byArranged = new Float64Array(parameters.length);
  // cotangents of all parameters, indexed like memory
  const all = new Float64Array(system.dataEnd);
  const thetaOf = (values: Float64Array) => (directions.length > 0 ? geometryVector(system, values) : undefined);
  const theta = thetaOf(all);
  const given = cotangentOf(cotangents, count);
  const named = simulation.resource("namedCosts", () => new NamedCosts(mechanism));

  /** Adds a cotangent of state k, of whatever form. */
  let maps: CoordinateMaps;
  let mapped: Float64Array | undefined;
  const lambda = new Float64Array(bodyTangentSize * mechanism.bodies.length);
  const inputs: Float64Array[] = new Array(count);
  const addMinimal = (k: number, state: Float64Array, cotangent: Float64Array, parts: number): void => {
    const data = steps.data(k);
    if (data !== mapped) maps = new CoordinateMaps(mechanism, geometryValues(system, data));
    mapped = data;
    maps.updateMinimal(state, data[places.globals], parts);
    maps.pullMinimalInto(lambda, cotangent, theta);
  };
  const addError = (error: Float64Array): void => {
    for (let i = 0; i < lambda.length; i++) lambda[i] += error[i];
  };
  const add = (k: number, state: Float64Array, cotangent: Cotangent | undefined, parts = steps.parts(k)): void => {
    if (!cotangent) return;
    if (isNamed(cotangent)) {
      const interval = steps.data(k)[places.globals] / parts;
      const point = { state, input: trajectory.inputs[k], interval, time: k * trajectory.timestep };
      const own = named.cotangents(cotangent, `cotangents[${k}]`, point);
      if (own.state) addError(own.state);
      if (own.minimal) addMinimal(k, state, own.minimal, parts);
      own.input?.forEach((value, i) => {
        inputs[k][i] += value;
      });
      return;
    }
    requireSize(cotangent, k);
    requireFiniteArgument(`cotangents[${k}]`, cotangent);
    if (coordinates === "minimal") addMinimal(k, state, cotangent, parts);
    else addError(cotangent.length === state.length ? cotangentOfRaw(state, cotangent) : cotangent);
  };

  /** Adds what a controller makes of the cotangent of its input, at the state as it read it. */
  const addClosed = (k: number, step: SolvedStep, pull: NonNullable<typeof controllerPullback>): void => {
    const { state, parts } = seenState(step, steps.parts(k), simulation);
    const later = lambda.slice();
    lambda.fill(0);
    add(k, state, pull(k, state, inputs[k]), parts);
    chainAt(piecesOf(step)[0]).pullSeen(step, lambda);
    addError(later);
  };

  let input = new Float64Array(0);
  let lastInput = new Float64Array(mechanism.inputSize);
  const chainAt = ({ taken }: SolvedStep) => (taken ? takenChain(taken, target, scope) : (common as StepChain));
  /** Takes the cotangents of input and parameters from a piece of a step. */
  const takePiece = (piece: SolvedStep, chain: StepChain): void => {
    const { mirror } = chain;
    for (let i = 0; i < input.length; i++) input[i] += mirror[places.input + i];
    for (let i = 0; i < input.length; i++) lastInput[i] += chain.lastInput[i];
    if (!piece.taken) return;
    stepDirections(piece, piece.taken, parameters).forEach(({ entries }, i) => {
      for (const { index, weight } of entries) byArranged[i] += weight * mirror[index];
    });
  };

  // from the last step to the first
  add(count, trajectory.final, given(count, trajectory.final));
  for (let k = count - 1; k >= 0; k--) {
    if (onCotangent) {
      onCotangent(k + 1, lambda);
      requireFiniteArgument(`onCotangent(${k + 1})`, lambda);
    }
    const step = steps.at(k);
    const weights = impulses?.(k);
    inputs[k] = input = lastInput;
    lastInput = new Float64Array(mechanism.inputSize);
    pullThrough(step, lambda, chainAt, weights && impulseCotangent(mechanism, weights, k), takePiece);
    steps.requireFinite(k, lambda, inputs[k]);
    add(k, step.state, given(k, step.state));
    if (controllerPullback) addClosed(k, step, controllerPullback);
  }
  if (directions.length > 0 && common) for (let i = 0; i < all.length; i++) all[i] += common.mirror[i];
  const byName = (values: Float64Array): Record<string, number> =>
    Object.fromEntries(
      directions.map(({ name, entries }, i) => {
        const sum = entries.reduce((total, { index, weight }) => total + weight * values[index], byArranged[i]);
        if (Number.isFinite(sum)) return [name, sum];
        throw new ArgumentError("not-finite", name, "the rollout's gradient with respect to it is not finite");
      }),
    );
  const note = noHintNote(trajectory.gradients?.path ?? {}, inputs);
  return {
    ...(note && { note }),
    state: lambda,
    inputs,
    parameters: byName(all),
    minimal: () => {
      const start = new CoordinateMaps(mechanism, geometryValues(system, steps.data(0)));
      start.update(trajectory.states[0], steps.data(0)[places.globals], steps.parts(0));
      const values = Float64Array.from(all);
      const state = new Float64Array(2 * mechanism.coordinateCount);
      start.pullMaximalInto(state, lambda, thetaOf(values));
      steps.requireFinite(0, state);
      return { state, parameters: byName(values) };
    },
  };

  function requireSize({ length }: Float64Array, k: number): void {
    const bodies = mechanism.bodies.length;
    const sizes =
      coordinates === "minimal" ? [2 * mechanism.coordinateCount] : [bodyStateSize * bodies, bodyTangentSize * bodies];
    if (sizes.includes(length)) return;
    const message = `has ${length} numbers; give ${sizes.join(" (raw state) or ")}${coordinates === "minimal" ? " (joint positions, then velocities)" : " (errors)"}`;
    throw new ArgumentError("wrong-size", `cotangents[${k}]`, message);
  }
}

/** The cotangents of a rollout of `count` steps by the number of the state. */
export function cotangentOf(
  cotangents: Cotangents,
  count: number,
): (step: number, state: Float64Array) => Cotangent | undefined {
  if (typeof cotangents === "function") return cotangents;
  if (isList(cotangents)) return (k) => cotangents[k];
  return (k) => (k === count ? cotangents : undefined);
}

function isList(
  cotangents: Exclude<Cotangents, (...args: never) => unknown>,
): cotangents is readonly (Cotangent | undefined)[] {
  if (ArrayBuffer.isView(cotangents)) {
    const message = "is one array; give a list with an array per state, or a function of the state's number";
    throw new ArgumentError("wrong-type", "cotangents", message);
  }
  return Array.isArray(cotangents);
}
