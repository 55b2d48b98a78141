/** Gradients of every term against central differences along ⊕, and what bad terms are told. */
import { describe, expect, it } from "vitest";
import { maximalState } from "../coordinates/index.ts";
import { Random } from "../math/index.ts";
import { models } from "../models/index.ts";
import type { Quantities } from "../quantities/index.ts";
import { compile, Simulation } from "../simulation/index.ts";
import { mul, sub } from "../symbolic/index.ts";
import { compileTask, type PlanningTask } from "./plan.ts";
import type { Expansion } from "./problem.ts";
import {
  atMostZero,
  type ConstraintTerm,
  type CostTerm,
  clearance,
  cost,
  effort,
  equals,
  reach,
  track,
  upright,
} from "./terms.ts";

const steps = 4;
const simulation = new Simulation(compile(models.raibertHopper({ timestep: 0.05 })));
const { mechanism } = simulation;
const start = maximalState(mechanism, {
  base: { position: [0.1, -0.2, 0.9, 0.3, -0.2, 0.1], velocity: [0.4, 0.1, -0.3, 0.5, 0.2, -0.4] },
  leg: { position: [0.1], velocity: [0.3] },
});

function taskOf(costs: (q: Quantities) => CostTerm[], constraints?: (q: Quantities) => ConstraintTerm[]): PlanningTask {
  return {
    name: "terms",
    simulation,
    start,
    steps,
    parameters: { target: (k) => 0.1 * k },
    cost: (q) => {
      q.parameter("target");
      return costs(q);
    },
    ...(constraints && { constraints }),
  };
}

/** Differences of step 1e-6 of values near 1: 1e-10 of rounding and as much of curvature. */
const difference = 1e-6;
const tolerance = 1e-6;

const costTerms: Record<string, (q: Quantities) => CostTerm> = {
  "track of a body": (q) => track(q, { "bodies.foot.position.z": 0.3, "bodies.body.velocity.x": 1 }, [2, 3]),
  "track of joints": (q) => track(q, { "joints.leg.slide": 0.2, "joints.leg.slide.rate": q.parameter("target") }, 5),
  "track of the centre of mass": (q) => track(q, { "centerOfMass.position.x": 1, "momentum.angular.y": 0.2 }),
  effort: (q) => effort(q, 0.3, [1, 2]),
  upright: (q) => upright(q, "body", 4),
  "one of one's own": (q) => cost([mul(q.body("foot").point([0, 0, 0.2]).velocity[1], q.coordinate("leg.slide"))], 7),
};

const constraintTerms: Record<string, (q: Quantities) => ConstraintTerm> = {
  reach: (q) => reach(q, { "bodies.foot.position.y": 0.3, "joints.base.rotationX": 0.1 }, "always"),
  clearance: (q) => clearance(q, { foot: 0.05, body: 0.1 }, "always"),
  "an inequality of one's own": (q) => atMostZero([sub(mul(q.input("leg.slide"), q.rate("leg.slide")), 3)], "running"),
};

describe("gradients equal central differences", () => {
  const random = new Random(5);
  const u = Float64Array.from({ length: mechanism.inputSize }, () => random.normal());
  const none = new Float64Array(0);
  const k = 2;

  /** Worst difference between rows of derivatives and the differences of `values` along every tangent and input. */
  function worst(
    task: PlanningTask,
    rows: number,
    values: (x: Float64Array, u: Float64Array) => number[],
    byState: Float64Array,
    byInput: Float64Array,
  ): number {
    const { problem, dynamics } = compileTask(task);
    const n = dynamics.tangentSize;
    const m = dynamics.inputSize;
    let largest = 0;
    const compare = (ahead: number[], behind: number[], derivative: (row: number) => number): void => {
      for (let row = 0; row < rows; row++)
        largest = Math.max(largest, Math.abs((ahead[row] - behind[row]) / (2 * difference) - derivative(row)));
    };
    const moved = new Float64Array(dynamics.stateSize);
    for (let j = 0; j < n; j++) {
      const at = (amount: number): number[] => {
        const delta = new Float64Array(n);
        delta[j] = amount;
        dynamics.retractInto(moved, problem.start, delta);
        return values(moved, u);
      };
      compare(at(difference), at(-difference), (row) => byState[row * n + j]);
    }
    for (let j = 0; j < m; j++) {
      const at = (amount: number): number[] =>
        values(
          problem.start,
          u.map((entry, i) => (i === j ? entry + amount : entry)),
        );
      compare(at(difference), at(-difference), (row) => byInput[row * m + j]);
    }
    return largest;
  }

  for (const [name, term] of Object.entries(costTerms)) {
    it(name, () => {
      const task = taskOf((q) => [term(q)]);
      const { problem, dynamics } = compileTask(task);
      const [n, m] = [dynamics.tangentSize, dynamics.inputSize];
      const zeros = (size: number): Float64Array => new Float64Array(size);
      const out: Expansion = { lx: zeros(n), lu: zeros(m), lxx: zeros(n * n), lux: zeros(m * n), luu: zeros(m * m) };
      problem.objective.expandInto(out, k, problem.start, u);
      expect(Math.max(...out.lx.map(Math.abs), ...out.lu.map(Math.abs))).toBeGreaterThan(1e-3);
      expect(worst(task, 1, (x, v) => [problem.objective.value(k, x, v)], out.lx, out.lu)).toBeLessThan(tolerance);
    });
  }

  for (const [name, term] of Object.entries(constraintTerms)) {
    it(name, () => {
      const task = taskOf(
        () => [],
        (q) => [term(q)],
      );
      const { problem, dynamics } = compileTask(task);
      const { constraints } = problem;
      const rows = constraints?.kinds(k).length ?? 0;
      expect(rows).toBeGreaterThan(0);
      const cx = new Float64Array(rows * dynamics.tangentSize);
      const cu = new Float64Array(rows * dynamics.inputSize);
      constraints?.jacobiansInto(cx, cu, k, problem.start, u);
      const values = (x: Float64Array, v: Float64Array): number[] => {
        const out = new Float64Array(rows);
        constraints?.valuesInto(out, k, x, v);
        return Array.from(out);
      };
      expect(worst(task, rows, values, cx, cu)).toBeLessThan(tolerance);
    });
  }

  it("the last knot has no input", () => {
    const { problem } = compileTask(taskOf((q) => [effort(q, 1), track(q, { "joints.leg.slide": 0 })]));
    expect(problem.objective.value(steps, problem.start, none)).toBeCloseTo(0.01, 12);
  });
});

describe("errors name the entry", () => {
  it("of weights, knots, parameters and starts that do not fit", () => {
    const make = (terms: (q: Quantities) => CostTerm[]) => () => compileTask(taskOf(terms));
    expect(make((q) => [cost(q.inputs, [1])])).toThrow(/cost\[0\].weights: has 1 weights for 4 residuals/);
    expect(make((q) => [cost([q.time], -1)])).toThrow(/cost\[0\].weights\[0\]: -1/);
    expect(make((q) => [cost([q.time], 1, 9)])).toThrow(/cost\[0\].at: 9 is no knot; give 0 … 4/);
    expect(make((q) => [cost(q.inputs, 1, "final")])).toThrow(/the last knot has none/);
    expect(make((q) => [cost([q.parameter("goal")])])).toThrow(/missing at parameters.goal/);
    const under = maximalState(mechanism, { base: { position: [0, 0, 0.2, 0, 0, 0] } });
    expect(() => compileTask({ ...taskOf(() => []), start: under })).toThrow(
      /the start of the plan "terms" is not valid/,
    );
    expect(make((q) => [equals([q.time]) as never])).toThrow();
  });
});
