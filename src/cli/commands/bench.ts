/** dojo bench: what a step costs, and a step with its Jacobians, along short runs of some models. */
import type { Command } from "commander";
import {
  compile,
  type ModelName,
  maximalState,
  modelNames,
  models,
  Random,
  Simulation,
  stepGradients,
} from "../../index.ts";
import { exitCodes, InputError, suggestion } from "../inputError.ts";
import { ProgressBar, print, printJson, table } from "../terminal.ts";
import { median } from "./timing.ts";

const usual: readonly ModelName[] = ["pendulum", "block", "hopper", "ant", "a1", "humanoid", "panda", "atlas"];
const steps = 100;
const repeats = 5;

const examples = `
Examples:
  dojo bench
  dojo bench a1 atlas --json

Runs of ${steps} steps from rest with small random inputs, the median of ${repeats}; microseconds. Nothing else should run meanwhile.`;

export function addBench(program: Command): void {
  program
    .command("bench")
    .summary("time steps and Jacobians of some models")
    .description("Times forward steps and steps with all Jacobians (minimal coordinates).")
    .argument("[models...]", `models' names (default: ${usual.join(", ")})`)
    .option("--json", "as JSON")
    .addHelpText("after", examples)
    .action((names: string[], { json }: { readonly json?: boolean }) => {
      const chosen = names.length > 0 ? names.map(modelNamed) : usual;
      const progress = new ProgressBar(chosen.length);
      const rows = chosen.map((name, i) => {
        const row = measure(name);
        progress.update(i + 1);
        return row;
      });
      progress.clear();
      if (json) printJson({ node: process.version, steps, repeats, models: rows });
      else print(textOf(rows));
      process.exitCode = rows.every(({ solved }) => solved) ? exitCodes.ok : exitCodes.failed;
    });
}

function modelNamed(name: string): ModelName {
  const found = modelNames.find((known) => known === name);
  if (found) return found;
  throw new InputError(`there is no model "${name}"${suggestion(name, modelNames)}`);
}

interface Row {
  readonly model: ModelName;
  readonly bodies: number;
  readonly compileMilliseconds: number;
  readonly iterations: number;
  readonly stepMicroseconds: number;
  readonly jacobianMicroseconds: number;
  readonly realTimeFactor: number;
  readonly solved: boolean;
}

function measure(model: ModelName): Row {
  const description = models[model]();
  const begin = performance.now();
  const simulation = new Simulation(compile(description));
  const { mechanism, timestep, inputSize } = simulation;
  const start = maximalState(mechanism, description.states?.rest);
  simulation.step(start);
  const compileMilliseconds = performance.now() - begin;
  let iterations = 0;
  let solved = true;

  /** Seconds a step; gradients are taken too when asked for. */
  const run = (withGradients: boolean): number => {
    const random = new Random(1);
    const state = Float64Array.from(start);
    const input = new Float64Array(inputSize);
    iterations = 0;
    const from = performance.now();
    for (let k = 0; k < steps; k++) {
      for (let i = 0; i < inputSize; i++) input[i] = random.uniform(-1, 1);
      const result = withGradients
        ? stepGradients(simulation, state, input, { coordinates: "minimal" })
        : simulation.step(state, input);
      iterations += result.iterations;
      solved &&= result.status === "solved";
      state.set(result.next);
    }
    return (performance.now() - from) / 1000 / steps;
  };
  run(true);
  const jacobian = median(Array.from({ length: repeats }, () => run(true)));
  run(false);
  const step = median(Array.from({ length: repeats }, () => run(false)));
  return {
    model,
    bodies: mechanism.bodies.length,
    compileMilliseconds,
    iterations: iterations / steps,
    stepMicroseconds: 1e6 * step,
    jacobianMicroseconds: 1e6 * jacobian,
    realTimeFactor: timestep / step,
    solved,
  };
}

function textOf(rows: readonly Row[]): string {
  const heading = ["model", "bodies", "iterations", "step µs", "with Jacobians µs", "× real time", "compile ms"];
  const cells = rows.map((row) => [
    row.model + (row.solved ? "" : " (not all solved)"),
    row.bodies,
    row.iterations.toFixed(1),
    row.stepMicroseconds.toFixed(1),
    row.jacobianMicroseconds.toFixed(1),
    row.realTimeFactor.toFixed(0),
    row.compileMilliseconds.toFixed(0),
  ]);
  return table(heading, cells);
}
