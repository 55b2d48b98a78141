/** The kernels of the solver's vectors against the same in plain TypeScript. */
import { expect, test } from "vitest";
import { maximalState } from "../../coordinates/index.ts";
import type { MechanismDescription } from "../../mechanism/index.ts";
import { models } from "../../models/index.ts";
import { type Direction, type Measures, PlainProblem } from "../../solver/index.ts";
import { Simulation } from "../simulation.ts";
import { compile } from "../states/compileMechanism.ts";
import { StepProblem } from "./stepProblem.ts";

const scenes: Record<string, MechanismDescription> = {
  "a box on its corners": models.block(),
  "one sphere": models.sphere(),
  "a robot with limits": models.a1(),
  "a ragdoll": models.humanoid({ bodyContacts: true, effortLimits: true }),
};

/** The same problem, measured in TypeScript; directions are those of the kernels. */
function plain(simulation: Simulation, direction: Direction): PlainProblem {
  const { cones, b, c, weight, residual } = simulation.stepper.problem;
  const { f64, gaps, solver } = simulation.system;
  const perTolerance = f64.subarray(solver.perTolerance, solver.perTolerance + residual.length);
  return new PlainProblem({
    ...{ cones, b, c, weight, residual },
    tolerance: perTolerance.map((reciprocal) => 1 / reciprocal),
    gapRows: Int32Array.from(gaps, ([row]) => row),
    gapSlacks: Int32Array.from(gaps, ([, slack]) => slack),
    newDirection: () => direction,
    evaluate: () => {},
    factor: () => true,
    solve: () => {},
    save: () => {},
    advance: () => true,
  });
}

function expectSame(found: Measures, expected: Measures, keys: readonly (keyof Measures)[]): void {
  for (const key of keys) {
    const scale = Math.max(Math.abs(expected[key]), 1e-12);
    // on the central path both eigenvalues of a pair are the same, and their difference is the root of a rounding error
    const rounding = key === "smallestEigenvalue" ? 1e-7 : 1e-9;
    expect(Math.abs(found[key] - expected[key]) / scale, key).toBeLessThan(rounding);
  }
}

test.each(Object.keys(scenes))("%s is measured alike", (name) => {
  const description = scenes[name];
  const mechanism = compile(description);
  const simulation = new Simulation(mechanism);
  simulation.step(maximalState(mechanism, description.states?.rest), new Float64Array(simulation.inputSize), {
    kappa: 1e-2,
    fallback: false,
  });
  const { problem } = simulation.stepper;
  const direction = problem.newDirection();
  const other = plain(simulation, direction);
  for (const centre of [0, 1e-3]) {
    for (const p of [problem, other]) {
      p.takeWeights();
      p.evaluate();
      p.measure(centre);
    }
    expectSame(problem.measures, other.measures, ["residual", "residualViolation", "gapViolation"]);
    expectSame(problem.measures, other.measures, ["mu", "complementarityViolation", "smallestEigenvalue"]);
    problem.factor();
    for (const corrected of [false, true]) {
      problem.solve(1e-4, corrected, direction);
      other.solve(1e-4, corrected, direction);
      expectSame(problem.measures, other.measures, ["boundary", "slope", "curvature", "secondOrder"]);
    }
    const alpha = Math.min(1, 0.9 * problem.measures.boundary);
    problem.advance(alpha, direction);
    other.advance(alpha, direction);
    expectSame(problem.measures, other.measures, ["mu", "complementarityViolation", "smallestEigenvalue"]);
  }
});

test("without cones, a step along the first direction ends where it says, in full or in part", () => {
  const description = models.pendulum();
  const mechanism = compile(description);
  const simulation = new Simulation(mechanism);
  simulation.step(maximalState(mechanism, { [mechanism.joints[0].name]: { position: [0.3], velocity: [1] } }));
  const { f64, places, unknowns } = simulation.system;
  const unknown = f64.subarray(places.unknown, places.unknown + unknowns);
  const problem = new StepProblem(simulation.system);
  const direction = problem.newDirection();
  for (const alpha of [1, 0.25]) {
    unknown[0] += 0.1;
    const from = unknown.slice();
    problem.evaluate();
    problem.factor();
    problem.solve(0, false, direction);
    expect(Math.max(...direction.a.map(Math.abs))).toBeGreaterThan(0.01);
    problem.advance(alpha, direction);
    expect(Array.from(unknown)).toEqual(Array.from(from, (value, i) => value + alpha * direction.a[i]));
    problem.evaluate();
    const { residual } = problem.measures;
    // a second evaluation looks at the point, whatever came before it
    problem.evaluate();
    expect(problem.measures.residual).toBe(residual);
  }
});
