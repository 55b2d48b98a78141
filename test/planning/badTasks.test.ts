/** Tasks that cannot be planned say which of their entries is wrong, and plans that do not converge say why. */
import { describe, expect, it, test } from "vitest";
import {
  capsule,
  compile,
  cost,
  effort,
  equals,
  expression,
  maximalState,
  type PlanningTask,
  type PlanOptions,
  planTrajectory,
  pullback,
  type Quantities,
  RecedingHorizon,
  type RecedingHorizonOptions,
  revolute,
  Simulation,
} from "../../src/index.ts";

const pendulum = compile({
  timestep: 0.05,
  bodies: { rod: capsule({ radius: 0.05, length: 1, mass: 1 }) },
  joints: {
    hinge: revolute({ parent: "world", child: "rod", axis: [1, 0, 0], childAnchor: [0, 0, 0.5], actuated: true }),
  },
});
const steps = 10;
const angle = (q: Quantities) => q.coordinate("hinge.angle");
const task: PlanningTask = {
  name: "lean",
  simulation: new Simulation(pendulum),
  start: maximalState(pendulum),
  steps,
  cost: (q) => [effort(q, 1e-2)],
  constraints: (q) => [equals([expression.sub(angle(q), 0.1)], "final")],
};
const knots = Array.from({ length: steps + 1 });
const rootOf = (q: Quantities, least: number) => expression.sqrt(expression.sub(angle(q), least));

const tasks: Readonly<Record<string, readonly [Partial<PlanningTask>, string]>> = {
  "steps that a tolerance divides": [
    { simulation: new Simulation(pendulum, { errorTolerance: 1e-3 }) },
    "unsupported at simulation.errorTolerance: 0.001: plans take whole steps",
  ],
  "no steps": [{ steps: 0 }, "out-of-range at steps"],
  "a start of another size": [{ start: new Float64Array(5) }, 'the start of the plan "lean" is not valid'],
  "a guess of a state that is none": [
    { guess: { states: knots.map((_, k) => (k === 3 ? new Float64Array(13) : maximalState(pendulum))) } },
    "guess.states[3] is no state:\nnot-unit at bodies.rod.orientation",
  ],
  "an input that is no number": [
    { guess: { inputs: Array.from({ length: steps }, (_, k) => [k === 4 ? Number.NaN : 0]) } },
    "not-finite at inputs[4][0]",
  ],
  "bounds that cross": [{ inputBounds: { lower: [1], upper: [-1] } }, "out-of-range at inputBounds.lower[0]"],
  "a name that nothing has": [{ cost: (q) => [cost([q.coordinate("hing.angle")])] }, 'did you mean "hinge.angle"?'],
  "a parameter that ends too early": [
    { cost: (q) => [cost([q.parameter("goal")])], parameters: { goal: (k) => [1, 2][k] } },
    "not-finite at parameters.goal: is NaN at knot 2",
  ],
  "a cost that is no number": [
    { cost: (q) => [effort(q, 1), cost([angle(q), rootOf(q, 5)])] },
    "not-finite at cost[1].residuals[1]: cost[1].residuals[1] is no number at knot 0",
  ],
  "a cost without a derivative": [
    { cost: (q) => [cost([expression.sqrt(expression.mul(angle(q), angle(q)))])] },
    "the derivative of cost[0].residuals[0] is no number at knot 0",
  ],
  "a constraint that is no number": [
    { constraints: (q) => [equals([rootOf(q, 5)], "final")] },
    "not-finite at constraints[0].rows[0]: constraints[0].rows[0] is no number at knot 10",
  ],
};

describe("planTrajectory names", () => {
  it.each(Object.entries(tasks))("%s", (_, [changes, message]) => {
    expect(() => planTrajectory({ ...task, ...changes })).toThrow(message);
  });

  it.each([
    ["tolerance", -1],
    ["handOver", 0],
    ["maxIterations", Number.NaN],
    ["maxRounds", 0],
    ["roundTolerance", -1],
    ["smallestStep", 2],
  ] as const)("the option %s of %d", (name, value) => {
    expect(() => planTrajectory(task, { [name]: value } as PlanOptions)).toThrow(`out-of-range at options.${name}`);
  });

  it("penalties that are none", () => {
    expect(() => planTrajectory(task, { penalty: { initial: -1 } })).toThrow("options.penalty.initial");
    expect(() => planTrajectory(task, { penalty: { factor: 0.1 } })).toThrow("options.penalty.factor");
  });
});

it.each([
  [
    "out of reach",
    {
      inputBounds: { lower: [-0.1], upper: [0.1] },
      constraints: (q: Quantities) => [equals([expression.sub(angle(q), 3)], "final")],
    },
  ],
  [
    "contradictory",
    {
      constraints: (q: Quantities) => [equals([expression.sub(angle(q), 0.1), expression.sub(angle(q), 0.2)], "final")],
    },
  ],
] as const)("a goal that is %s: not solved, why, and by how much it is missed", (_, changes) => {
  const plan = planTrajectory({ ...task, ...changes });
  expect(plan.solved).toBe(false);
  expect(plan.end).toBe("noProgress");
  expect(plan.reason).toContain(`the constraints are off by ${plan.violation.toExponential(1)}`);
  expect(plan.inputs).toHaveLength(steps);
});

test("a rollout without steps can be pulled back, in joint coordinates too", () => {
  const start = maximalState(pendulum, { hinge: { position: [0.3] } });
  const rollout = task.simulation.rollout(start, { steps: 0, gradients: true });
  // of a cost on the angle itself
  const { minimal } = pullback(rollout, [Float64Array.of(1, 0)], { coordinates: "minimal" });
  const { state } = minimal();
  expect(state[0]).toBeCloseTo(1, 12);
  expect(state[1]).toBeCloseTo(0, 12);
});

test("control in a loop names the number that it cannot use", () => {
  const refused: readonly [RecedingHorizonOptions, string][] = [
    [{ interval: 0 }, "options.interval: 0"],
    [{ iterations: 1.5 }, "options.iterations: 1.5"],
    [{ penalty: Number.NaN }, "options.penalty: NaN"],
    [{ smallestStep: 2 }, "options.smallestStep: 2"],
  ];
  for (const [options, says] of refused) expect(() => new RecedingHorizon(task, options)).toThrow(says);
  const controller = new RecedingHorizon(task);
  controller.plan(task.start, 0);
  for (const elapsed of [-0.1, Number.NaN])
    expect(() => controller.plan(task.start, elapsed)).toThrow(`elapsed: ${elapsed}: give seconds since the last plan`);
  expect(() => controller.inputInto(new Float64Array(2), 0, task.start)).toThrow("out: has 2 numbers; give 1");
});
