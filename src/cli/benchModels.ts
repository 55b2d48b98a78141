/** What a step costs, and a step with its Jacobians, along short runs of some models. */
import { compile, type ModelName, maximalState, models, Random, Simulation, stepGradients } from "../index.ts";
import { median } from "./commands/timing.ts";
import { table } from "./terminal.ts";

export const benchSteps = 100;
export const benchRepeats = 5;

export interface ModelTimes {
  readonly model: ModelName;
  readonly bodies: number;
  /** All of the model's: robots touch the floor with all of themselves. */
  readonly contacts: number;
  readonly compileMilliseconds: number;
  readonly iterations: number;
  readonly stepMicroseconds: number;
  readonly jacobianMicroseconds: number;
  readonly realTimeFactor: number;
  readonly solved: boolean;
}

export function timeModel(model: ModelName): ModelTimes {
  const description = models[model]();
  const begin = performance.now();
  const simulation = new Simulation(compile(description));
  const { mechanism, timestep, inputSize } = simulation;
  const start = maximalState(mechanism, description.states?.rest);
  simulation.step(start);
  const compileMilliseconds = performance.now() - begin;
  let iterations = 0;
  let solved = true;

  /** Seconds per step; gradients are taken too when asked for. */
  const run = (withGradients: boolean): number => {
    const random = new Random(1);
    const state = Float64Array.from(start);
    const input = new Float64Array(inputSize);
    iterations = 0;
    const from = performance.now();
    for (let k = 0; k < benchSteps; k++) {
      for (let i = 0; i < inputSize; i++) input[i] = random.uniform(-1, 1);
      const result = withGradients
        ? stepGradients(simulation, state, input, { coordinates: "minimal" })
        : simulation.step(state, input);
      iterations += result.iterations;
      solved &&= result.status === "solved";
      state.set(result.next);
    }
    return (performance.now() - from) / 1000 / benchSteps;
  };
  // in turns, so that a machine that is slow for a while is slow for both; the first turn warms up
  const turns = Array.from({ length: 1 + benchRepeats }, () => ({ jacobian: run(true), step: run(false) })).slice(1);
  const jacobian = median(turns.map((turn) => turn.jacobian));
  const step = median(turns.map((turn) => turn.step));
  return {
    model,
    bodies: mechanism.bodies.length,
    contacts: mechanism.contacts.length,
    compileMilliseconds,
    iterations: iterations / benchSteps,
    stepMicroseconds: 1e6 * step,
    jacobianMicroseconds: 1e6 * jacobian,
    realTimeFactor: timestep / step,
    solved,
  };
}

export function modelTimesText(rows: readonly ModelTimes[]): string {
  const heading = [
    "model",
    "bodies",
    "contacts",
    "iterations",
    "step µs",
    "with Jacobians µs",
    "× real time",
    "compile ms",
  ];
  const cells = rows.map((row) => [
    row.model + (row.solved ? "" : " (not all solved)"),
    row.bodies,
    row.contacts,
    row.iterations.toFixed(1),
    row.stepMicroseconds.toFixed(1),
    row.jacobianMicroseconds.toFixed(1),
    row.realTimeFactor.toFixed(0),
    row.compileMilliseconds.toFixed(0),
  ]);
  return table(heading, cells);
}
