/**
 * Forward mode over a rollout: what a change of its start, inputs and parameters does to all its states,
 *   ż_{k+1} = A_k ż_k + B_k u̇_k + C_k θ̇,
 * by one factorisation per step and one solve per change. The transpose of `pullback`.
 */
import { CoordinateMaps, type GeometryVector } from "../coordinates/index.ts";
import { bodyTangentSize } from "../math/index.ts";
import { ArgumentError, optionNamesOf, requireOptionNames } from "../mechanism/index.ts";
import type { Simulation, SlotSystem, Trajectory } from "../simulation/index.ts";
import { requireFiniteArgument } from "./finite.ts";
import { geometryValues, geometryVector } from "./geometryVectors.ts";
import type { Coordinates } from "./jacobians.ts";
import { type ParameterDirection, parameterDirections } from "./parameters.ts";
import { piecesOf, type SolvedStep, seenState } from "./point.ts";
import { RecordedSteps } from "./recordedSteps.ts";
import type { Column, StepChain } from "./stepChain.ts";
import { chainOf } from "./stepGradients.ts";
import { stepDirections, takenChain, takenEntries } from "./touchingSteps.ts";

export interface Tangents {
  /** Tangent of the start: 12 per body, or joint positions and velocities. Default none. */
  readonly state?: Float64Array;
  /** Tangents of the input of each step. */
  readonly inputs?: readonly (Float64Array | undefined)[];
  /** Tangents of parameters, by name. */
  readonly parameters?: Readonly<Record<string, number>>;
  /** The same as places in the simulation's memory, where names would be looked up again and again; `parameterEntries` makes them. */
  readonly entries?: ParameterDirection["entries"];
}

const tangentNames = optionNamesOf<Tangents>()("state inputs parameters entries");

export interface PushforwardOptions {
  /** The coordinates of the start's tangent and of the result. With "minimal" the start's joint positions are held while parameters vary. Default "maximal". */
  readonly coordinates?: Coordinates;
  /** Belongs to inputs that a controller made of the state: takes the state's tangent (12 per body) to the input's, (∂π/∂z) ż. */
  readonly controllerPushforward?: (
    step: number,
    state: Float64Array,
    stateTangent: Float64Array,
  ) => Float64Array | undefined;
}

const pushforwardOptionNames = optionNamesOf<PushforwardOptions>()("coordinates controllerPushforward");

/** Tangents of all states, the start's first. */
export function pushforward(
  trajectory: Trajectory,
  tangents: Tangents,
  options: PushforwardOptions = {},
): Float64Array[] {
  return pushforwardMany(trajectory, [tangents], options).map(([tangent]) => tangent);
}

/** Places in a simulation's memory that a change of named parameters moves, at their present values. */
export function parameterEntries(
  simulation: Simulation,
  amounts: Readonly<Record<string, number>>,
): ParameterDirection["entries"] {
  const named = Object.entries(amounts);
  requireFiniteArgument(
    "parameters",
    Float64Array.from(named, ([, amount]) => amount),
  );
  const directions = parameterDirections(
    simulation.plainSystem,
    named.map(([name]) => name),
    simulation.touching !== undefined,
  );
  return directions.flatMap(({ entries }, i) =>
    entries.map(({ index, weight }) => ({ index, weight: weight * named[i][1] })),
  );
}

/** One change on its way through the steps. */
interface Way {
  readonly given: Tangents;
  /** 12 per body, of the state that it has come to. */
  readonly state: Float64Array;
  readonly parameters: ParameterDirection["entries"];
  /** θ̇ as it moves joint frames; only where joint coordinates are asked for. */
  readonly geometry: GeometryVector | undefined;
}

/** Several changes at once, with one factorisation per step for all: tangents of all states, by state and then by change. */
export function pushforwardMany(
  trajectory: Trajectory,
  changes: readonly Tangents[],
  options: PushforwardOptions = {},
): Float64Array[][] {
  requireOptionNames("options", options, pushforwardOptionNames);
  for (const change of changes) requireOptionNames("tangents", change, tangentNames);
  const { coordinates = "maximal", controllerPushforward } = options;
  const steps = new RecordedSteps(trajectory);
  const { simulation, count } = steps;
  const { mechanism, target } = simulation;
  const system = simulation.plainSystem;
  const { places } = system;
  const common = simulation.touching ? undefined : chainOf(simulation);
  const isMinimal = coordinates === "minimal";
  const size = isMinimal ? 2 * mechanism.coordinateCount : bodyTangentSize * mechanism.bodies.length;

  let mapped: Float64Array | undefined;
  let maps: CoordinateMaps;
  const mapsAt = (k: number): CoordinateMaps => {
    const data = steps.data(k);
    if (data !== mapped) maps = new CoordinateMaps(mechanism, geometryValues(system, data));
    mapped = data;
    return maps;
  };
  if (isMinimal) mapsAt(0).update(steps.state(0), steps.data(0)[places.globals], steps.parts(0));
  const ways = changes.map((given): Way => {
    if (given.state && given.state.length !== size) {
      throw new ArgumentError("wrong-size", "state", `has ${given.state.length} numbers; give ${size}`);
    }
    if (given.state) requireFiniteArgument("state", given.state);
    const named = given.parameters ? parameterEntries(simulation, given.parameters) : [];
    const parameters = given.entries ? [...given.entries, ...named] : named;
    const state = new Float64Array(bodyTangentSize * mechanism.bodies.length);
    if (!isMinimal) {
      if (given.state) state.set(given.state);
      return { given, state, parameters, geometry: undefined };
    }
    const all = new Float64Array(system.dataEnd);
    for (const { index, weight } of parameters) all[index] += weight;
    const geometry = geometryVector(system, all);
    mapsAt(0).pushMaximalInto(state, given.state ?? new Float64Array(size), geometry);
    return { given, state, parameters, geometry };
  });

  // from the first step to the last
  const states: Float64Array[][] = [];
  const keep = (k: number): void => {
    if (isMinimal) mapsAt(k).updateMinimal(steps.state(k), steps.data(k)[places.globals], steps.parts(k));
    states.push(
      ways.map(({ state, geometry }) => {
        if (!isMinimal) return state.slice();
        const kept = new Float64Array(size);
        mapsAt(k).pushMinimalInto(kept, state, geometry);
        return kept;
      }),
    );
  };
  keep(0);
  let last: readonly Column["entries"][] = [];
  for (let k = 0; k < count; k++) {
    const step = steps.at(k);
    const byInput = ways.map(({ given, state }) => {
      const own = inputEntries(`inputs[${k}]`, given.inputs?.[k]);
      const closed = controllerPushforward && pushClosed(k, step, state, controllerPushforward);
      return [...own, ...inputEntries(`controllerPushforward of step ${k}`, closed)];
    });
    for (const piece of piecesOf(step)) {
      const { taken } = piece;
      const columns = ways.map(({ given, state, parameters: plain }, i): Column => {
        const parameters = taken ? takenParameters(piece, taken, given) : plain;
        const entries = byInput[i].length === 0 ? parameters : [...parameters, ...byInput[i]];
        return { state, entries, last: last[i] };
      });
      const chain = taken ? takenChain(taken, target, "all") : (common as StepChain);
      chain.push(piece, columns);
    }
    last = byInput;
    steps.requireFinite(k, ...ways.map(({ state }) => state));
    keep(k + 1);
  }
  return states;

  /** Parameters of a step whose contacts come and go, in its own memory. */
  function takenParameters(step: SolvedStep, taken: SlotSystem, { parameters = {}, entries = [] }: Tangents) {
    const amounts = Object.values(parameters);
    const named = stepDirections(step, taken, Object.keys(parameters)).flatMap((direction, i) =>
      direction.entries.map(({ index, weight }) => ({ index, weight: weight * amounts[i] })),
    );
    return [...takenEntries(entries, system, step, taken), ...named];
  }

  /** The tangent of a controller's input, from that of the state as it read it. */
  function pushClosed(
    k: number,
    step: SolvedStep,
    tangent: Float64Array,
    push: NonNullable<typeof controllerPushforward>,
  ): Float64Array | undefined {
    const [{ taken }] = piecesOf(step);
    const column = { state: Float64Array.from(tangent), entries: [] };
    const chain = taken ? takenChain(taken, target, "all") : (common as StepChain);
    chain.pushSeen(step, column);
    return push(k, seenState(step, steps.parts(k), simulation).state, column.state);
  }

  function inputEntries(path: string, input: Float64Array | undefined): Column["entries"] {
    if (input) requireFiniteArgument(path, input);
    return Array.from(input ?? [], (weight, i) => ({ index: places.input + i, weight }));
  }
}
