/** Takes a dumped step again, in a simulation of its own: bit by bit what it was, on every target. */
import type { Target } from "../../codegen/index.ts";
import { ArgumentError, compile } from "../../mechanism/index.ts";
import { Simulation } from "../simulation.ts";
import type { StepResult } from "../simulationOptions.ts";
import { fromJson } from "./jsonNumbers.ts";
import type { StepDump } from "./stepDump.ts";

/** The simulation of a dump, everything set as it was, and the step's state and input. */
export function restoreStep(
  dump: StepDump,
  target?: Target,
): { readonly simulation: Simulation; readonly state: Float64Array; readonly input: Float64Array } {
  const { parameters, options } = dump;
  for (const [path, value] of Object.entries({ parameters, options })) {
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    if (!isObject) throw new ArgumentError("wrong-type", path, "give an object, as dumpStep does");
  }
  const mechanism = compile(dump.description);
  const simulation = new Simulation(mechanism, target ? { ...options, target } : options);
  const [names, values] = [Object.keys(parameters), fromJson(Object.values(parameters), "parameters")];
  simulation.setParameters(Object.fromEntries(names.map((name, i) => [name, values[i]])));
  const wrenches = fromJson(dump.wrenches, "wrenches", 6 * mechanism.bodies.length);
  simulation.system.f64.set(wrenches, simulation.system.places.wrench);
  const state = fromJson(dump.state, "state", mechanism.stateSize);
  return { simulation, state, input: fromJson(dump.input, "input", mechanism.inputSize) };
}

export function replayStep(dump: StepDump, target?: Target): StepResult {
  const { simulation, state, input } = restoreStep(dump, target);
  return simulation.step(state, input);
}
