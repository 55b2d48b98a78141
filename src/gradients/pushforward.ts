/**
 * Forward mode over a rollout: what a change of its start, inputs and parameters does to all its states,
 *   ż_{k+1} = A_k ż_k + B_k u̇_k + C_k θ̇,
 * by one factorisation and one solve a step. The transpose of `pullback`.
 */
import { CoordinateMaps } from "../coordinates/index.ts";
import { ArgumentError } from "../mechanism/index.ts";
import type { Trajectory } from "../simulation/index.ts";
import { requireFiniteArgument } from "./finite.ts";
import { geometryValues, geometryVector } from "./geometryVectors.ts";
import type { Coordinates } from "./jacobians.ts";
import { parameterDirections } from "./parameters.ts";
import { RecordedSteps } from "./recordedSteps.ts";
import type { Column } from "./stepChain.ts";
import { chainOf } from "./stepGradients.ts";

export interface Tangents {
  /** Of the start: 12 a body, or joint positions and velocities. Default none. */
  readonly state?: Float64Array;
  /** Of the input of each step. */
  readonly inputs?: readonly (Float64Array | undefined)[];
  /** By name. */
  readonly parameters?: Readonly<Record<string, number>>;
}

export interface PushforwardOptions {
  /** Of the start's tangent and of the result. With "minimal" the start's joint positions are held while parameters vary. Default "maximal". */
  readonly coordinates?: Coordinates;
  /** For inputs that a controller made of the state: takes the state's tangent (12 a body) to the input's, (∂π/∂z) ż. */
  readonly controllerPushforward?: (
    step: number,
    state: Float64Array,
    stateTangent: Float64Array,
  ) => Float64Array | undefined;
}

/** Tangents of all states, the start's first. */
export function pushforward(
  trajectory: Trajectory,
  tangents: Tangents,
  options: PushforwardOptions = {},
): Float64Array[] {
  const { coordinates = "maximal", controllerPushforward } = options;
  const steps = new RecordedSteps(trajectory);
  const { simulation, count } = steps;
  const { system, mechanism } = simulation;
  const { places } = system;
  const chain = chainOf(simulation);
  const isMinimal = coordinates === "minimal";
  const size = isMinimal ? 2 * mechanism.coordinateCount : 12 * mechanism.bodies.length;
  if (tangents.state && tangents.state.length !== size) {
    throw new ArgumentError("wrong-size", "state", `has ${tangents.state.length} numbers; give ${size}`);
  }
  if (tangents.state) requireFiniteArgument("state", tangents.state);

  // θ̇, as entries and as a vector
  const named = Object.entries(tangents.parameters ?? {});
  requireFiniteArgument(
    "parameters",
    Float64Array.from(named, ([, amount]) => amount),
  );
  const directions = parameterDirections(
    system,
    named.map(([name]) => name),
  );
  const parameters = directions.flatMap(({ entries }, i) =>
    entries.map(({ index, weight }) => ({ index, weight: weight * named[i][1] })),
  );
  const all = new Float64Array(system.dataEnd);
  for (const { index, weight } of parameters) all[index] += weight;
  const theta = geometryVector(system, all);

  let mapped: Float64Array | undefined;
  let maps: CoordinateMaps;
  const mapsAt = (k: number): CoordinateMaps => {
    const data = steps.data(k);
    if (data !== mapped) maps = new CoordinateMaps(mechanism, geometryValues(system, data));
    mapped = data;
    return maps;
  };
  const start = new Float64Array(12 * mechanism.bodies.length);
  if (isMinimal) {
    mapsAt(0).update(steps.state(0), steps.data(0)[places.globals], steps.parts(0));
    mapsAt(0).pushMaximalInto(start, tangents.state ?? new Float64Array(size), theta);
  } else if (tangents.state) start.set(tangents.state);

  // from the first step to the last
  const states: Float64Array[] = [];
  const keep = (k: number, tangent: Float64Array): void => {
    const kept = new Float64Array(size);
    if (isMinimal) {
      mapsAt(k).updateMinimal(steps.state(k), steps.data(k)[places.globals], steps.parts(k));
      mapsAt(k).pushMinimalInto(kept, tangent, theta);
    } else kept.set(tangent);
    states.push(kept);
  };
  keep(0, start);
  for (let k = 0; k < count; k++) {
    const step = steps.at(k);
    const given = inputEntries(`inputs[${k}]`, tangents.inputs?.[k]);
    const closed = controllerPushforward?.(k, step.state, Float64Array.from(start));
    const entries = [...parameters, ...given, ...inputEntries(`controllerPushforward of step ${k}`, closed)];
    chain.push(step, [{ state: start, entries }]);
    steps.requireFinite(k, start);
    keep(k + 1, start);
  }
  return states;

  function inputEntries(path: string, input: Float64Array | undefined): Column["entries"] {
    if (input) requireFiniteArgument(path, input);
    return Array.from(input ?? [], (weight, i) => ({ index: places.input + i, weight }));
  }
}
