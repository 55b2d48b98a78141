/** Runs of models that tests share: every step must be solved and no contact may penetrate. */
import { expect } from "vitest";
import {
  checkState,
  compile,
  type MechanismDescription,
  maximalState,
  Simulation,
  type StepResult,
  type Vector3,
} from "../../src/index.ts";
import { quaternion, vector } from "../../src/math/index.ts";
import { bodyState } from "../physics/measures.ts";

export interface ModelRun {
  readonly simulation: Simulation;
  readonly start: Float64Array;
  readonly final: Float64Array;
  readonly steps: number;
  readonly iterations: number;
  readonly mostIterations: number;
  /** Smallest distance of any contact after any step. */
  readonly smallest: number;
}

export interface RunOptions {
  readonly seconds: number;
  /** Name of the state to start from. Default "rest". */
  readonly state?: string;
  readonly input?: Float64Array;
  readonly visit?: (state: Float64Array, step: number, result: StepResult, simulation: Simulation) => void;
}

export function runModel(description: MechanismDescription, options: RunOptions): ModelRun {
  const { seconds, state: name = "rest", input, visit } = options;
  const mechanism = compile(description);
  const simulation = new Simulation(mechanism);
  const start = maximalState(mechanism, description.states?.[name] ?? {});
  expect(checkState(simulation, start), `${description.name}: state ${name}`).toEqual([]);
  const state = Float64Array.from(start);
  const steps = Math.round(seconds / description.timestep);
  let iterations = 0;
  let mostIterations = 0;
  let smallest = Number.POSITIVE_INFINITY;
  for (let k = 0; k < steps; k++) {
    const result = input ? simulation.step(state, input) : simulation.step(state);
    if (result.status !== "solved")
      expect.fail(`${description.name}, h = ${description.timestep}, step ${k}: ${result.status}`);
    iterations += result.iterations;
    mostIterations = Math.max(mostIterations, result.iterations);
    smallest = Math.min(smallest, simulation.smallestDistance);
    state.set(result.next);
    visit?.(state, k, result, simulation);
  }
  if (steps > 0) expect(smallest, `${description.name}: penetration`).toBeGreaterThan(0);
  return { simulation, start, final: state, steps, iterations, mostIterations, smallest };
}

/** Where a body is, by name. */
export function bodyOf({ simulation }: Pick<ModelRun, "simulation">, state: Float64Array, name: string) {
  return bodyState(
    state,
    simulation.mechanism.bodies.findIndex((body) => body.name === name),
  );
}

/** Centres of all contact spheres in the world. */
export function contactCenters(simulation: Simulation, state: Float64Array): Vector3[] {
  return simulation.mechanism.contacts.map(({ body, point }) => {
    const { position, orientation } = bodyState(state, body);
    return vector.add(position, quaternion.rotate(orientation, point));
  });
}

/** Largest difference of two states' positions and orientations. */
export function largestMove(a: Float64Array, b: Float64Array): number {
  return a.reduce((most, value, i) => (i % 13 < 7 ? Math.max(most, Math.abs(value - b[i])) : most), 0);
}
