/**
 * A step as data: everything that decides what it does, in plain JSON, so that a failure in one place can be replayed bit by
 * bit in another. Numbers survive JSON exactly, but for −0, which is written as "-0".
 */
import type { System } from "../../kernels/index.ts";
import type { MechanismDescription } from "../../mechanism/index.ts";
import { optionsOver } from "../step/stepOptionRules.ts";
import type { StepOptions } from "../step/stepReport.ts";
import { continuationOf, type RunMemory } from "./continuation.ts";
import { type JsonNumber, toJson } from "./jsonNumbers.ts";
import { version } from "./version.ts";

export interface StepDump {
  /** Version of the engine that made it. */
  readonly version: string;
  readonly description: MechanismDescription;
  /** Those that differ from the description's, by path. */
  readonly parameters: Readonly<Record<string, JsonNumber>>;
  /** Seconds, whether it was changed or not. */
  readonly timestep: number;
  readonly state: readonly JsonNumber[];
  readonly input: readonly JsonNumber[];
  /** Force and torque on each body, 6 numbers per body. */
  readonly wrenches: readonly JsonNumber[];
  readonly options: Omit<StepOptions, "onIteration">;
}

/** What a dump is made from: a simulation. */
export interface DumpSource {
  /** @internal */
  readonly system: System;
  readonly options: StepOptions;
  /** Parameters as the description gives them, in the order of the system's names. */
  readonly initialParameters: Float64Array;
  /** @internal */
  readonly parameterPlaces: ReadonlyMap<string, number>;
  /** What the step carries on. */
  memoryOf(state: Float64Array): RunMemory | undefined;
}

/** The step from `state` under `input` with everything that is set now, and options on top of the simulation's own. */
export function dumpStep(
  simulation: DumpSource,
  state: Float64Array,
  input: Float64Array = new Float64Array(simulation.system.mechanism.inputSize),
  options: StepOptions = {},
): StepDump {
  const { mechanism, f64, places } = simulation.system;
  const changed: Record<string, JsonNumber> = {};
  [...simulation.parameterPlaces].forEach(([path, index], i) => {
    const value = f64[index];
    // −0 is lost when the description becomes JSON
    if (value !== simulation.initialParameters[i] || Object.is(value, -0)) changed[path] = toJson(value);
  });
  // simulations carry their target among the options, and a callback is no data
  const all: StepOptions & { readonly target?: unknown } = optionsOver(simulation.options, options);
  const { onIteration: _, target: __, ...plain } = all;
  const memory = plain.continuation ? undefined : simulation.memoryOf(state);
  const carried = memory && { continuation: continuationOf(simulation.system, memory, state) };
  const wrenches = f64.subarray(places.wrench, places.wrench + 6 * mechanism.bodies.length);
  return {
    version,
    description: mechanism.description,
    parameters: changed,
    timestep: f64[places.globals],
    state: Array.from(state, toJson),
    input: Array.from(input, toJson),
    wrenches: Array.from(wrenches, toJson),
    options: { ...carried, ...plain },
  };
}
