/** Takes a dumped step again, in a simulation of its own: bit by bit what it was, on every target. */
import type { Target } from "../codegen/index.ts";
import { compile } from "../mechanism/index.ts";
import { fromJson } from "./jsonNumbers.ts";
import { Simulation, type StepResult } from "./simulation.ts";
import type { StepDump } from "./stepDump.ts";

/** The simulation of a dump, everything set as it was, and the step's state and input. */
export function restoreStep(
  dump: StepDump,
  target?: Target,
): { readonly simulation: Simulation; readonly state: Float64Array; readonly input: Float64Array } {
  const mechanism = compile(dump.description);
  const simulation = new Simulation(mechanism, target ? { ...dump.options, target } : dump.options);
  const parameters = Object.entries(dump.parameters).map(([path, value]): [string, number] => [path, Number(value)]);
  simulation.setParameters(Object.fromEntries(parameters));
  simulation.system.f64.set(fromJson(dump.wrenches), simulation.system.places.wrench);
  return { simulation, state: fromJson(dump.state), input: fromJson(dump.input) };
}

export function replayStep(dump: StepDump, target?: Target): StepResult {
  const { simulation, state, input } = restoreStep(dump, target);
  return simulation.step(state, input);
}
