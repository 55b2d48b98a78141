/**
 * Gradients where contacts are stiff, κ' = 1e-8: rows of Jacobians by panels, tangents by the solve of the step and cotangents by that of one
 * vector go through the factors in three ways, and are refined (gradients/refinement.ts). They agree.
 */
import { expect, test } from "vitest";
import { webassembly } from "../../src/codegen/index.ts";
import { StepJacobians } from "../../src/gradients/jacobians.ts";
import { StepSensitivity } from "../../src/gradients/sensitivity.ts";
import { compile, models, Simulation, startState, stepGradients } from "../../src/index.ts";

/** Of the largest entry. Unrefined, a snake loses 2e-4; what the refinement leaves is the rounding of stiffnesses over masses, 1e-8. */
const tolerance = 5e-8;

test.each(["snake", "ant", "hopper"] as const)("%s: rows, tangents and cotangents agree", (name) => {
  const mechanism = compile(models[name]({ timestep: 0.01 }));
  const simulation = new Simulation(mechanism, { exact: true, relativeKappa: 1e-8 });
  let state = startState(mechanism);
  const input = new Float64Array(mechanism.inputSize).fill(0.1);
  for (let k = 0; k < 40; k++) state = Float64Array.from(simulation.step(state, input).next);
  const { dNext_dState: rows } = stepGradients(simulation, state, input, { relativeKappa: 1e-8 });

  // the point that these were taken at
  const { system } = simulation.resource(
    "jacobians.maximal",
    () => new StepJacobians(mechanism, webassembly, "maximal"),
  );
  const { f64, places, unknowns, coneSize, turns } = system;
  const part = (start: number, length: number): Float64Array => f64.slice(start, start + length);
  const parts = [
    part(places.state, mechanism.stateSize),
    part(places.unknown, unknowns),
    part(places.coneB, coneSize),
    part(places.coneC, coneSize),
  ];
  const point = Float64Array.from([...parts.flatMap((values) => [...values]), ...turns.indices.map((i) => f64[i])]);
  const linear = new StepSensitivity(mechanism, webassembly, "all");
  linear.linearise({ data: part(0, system.dataEnd), input, points: [point], state, next: state });

  const size = 12 * mechanism.bodies.length;
  const largest = rows.reduce((most, entry) => Math.max(most, Math.abs(entry)), 0);
  expect(largest).toBeGreaterThan(10);
  const all = Array.from({ length: size }, (_, i) => i);
  for (const j of all) {
    linear.clear();
    linear.state[j] = 1;
    linear.push();
    const error = all.reduce((most, i) => Math.max(most, Math.abs(linear.error[i] - rows[size * i + j])), 0);
    expect(error).toBeLessThan(tolerance * largest);
  }
  for (const i of all) {
    linear.clear();
    linear.error[i] = 1;
    linear.pull();
    const error = all.reduce((most, j) => Math.max(most, Math.abs(linear.state[j] - rows[size * i + j])), 0);
    expect(error).toBeLessThan(tolerance * largest);
  }
});
