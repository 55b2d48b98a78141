/** Gradients at the ends of steps are those of the motion that a simulation makes: differences of plain steps, whose features are found anew. */
import { describe, expect, test } from "vitest";
import {
  addError,
  box,
  boxCorners,
  compile,
  floating,
  frictionContact,
  type Mechanism,
  maximalState,
  models,
  pullback,
  pushforward,
  Random,
  Simulation,
  startState,
  stateError,
  stepGradients,
} from "../../src/index.ts";

function crateOnFloor(timestep: number, friction: number): Mechanism {
  const crate = box({ size: [0.4, 0.3, 0.2], mass: 1.2 });
  return compile({
    timestep,
    bodies: { crate },
    joints: { base: floating({ parent: "world", child: "crate" }) },
    contacts: boxCorners(crate).map((point) =>
      frictionContact({ body: "crate", point, frictionCoefficient: friction }),
    ),
  });
}

/** Four boxes that land on the floor and on each other. */
function fourBoxes(): { mechanism: Mechanism; start: Float64Array } {
  const names = ["a", "b", "c", "d"];
  const contact = { frictionCoefficient: 0.5 };
  const mechanism = compile({
    timestep: 0.01,
    bodies: Object.fromEntries(names.map((name) => [name, box({ size: [0.2, 0.15, 0.1], mass: 1, contact })])),
    joints: Object.fromEntries(names.map((name) => [`free ${name}`, floating({ parent: "world", child: name })])),
    shapes: [{ kind: "halfSpace", name: "floor", contact: true }],
  });
  const start = names.map((name, i) => [
    `free ${name}`,
    { position: [0.03 * i, 0.02 * i, 0.12 + 0.16 * i, 0.2 * i, 0.1 * i, 0], velocity: [0.2, 0, -1, 0.5, 0.3 * i, 0] },
  ]);
  return { mechanism, start: maximalState(mechanism, Object.fromEntries(start)) };
}

test.each([0.05, 0.01, 0.002])("of a crate that slides to rest, by friction, at a time step of %f s", (timestep) => {
  const friction = "contacts.*.frictionCoefficient";
  const way = (coefficient: number): number => slide(coefficient).trajectory.final[0];
  const slide = (coefficient: number) => {
    const mechanism = crateOnFloor(timestep, coefficient);
    const start = maximalState(mechanism, { base: { position: [0, 0, 0.1, 0, 0, 0], velocity: [2, 0, 0, 0, 0, 0] } });
    const steps = Math.round(1 / timestep);
    return { trajectory: new Simulation(mechanism).rollout(start, { steps, gradients: true, check: false }) };
  };
  const { parameters } = pullback(slide(0.4).trajectory, { "bodies.crate.position.x": 1 }, { parameters: [friction] });
  const amount = 1e-5;
  const difference = (way(0.4 + amount) - way(0.4 - amount)) / (2 * amount);
  expect(parameters[friction] / difference).toBeCloseTo(1, 3);
});

describe("of steps, along a direction of the state", () => {
  const crate = crateOnFloor(0.02, 0.4);
  const thrown = { position: [0, 0, 0.3, 0.3, 0.2, 0], velocity: [1, 0.3, -1, 1, -1, 2] };
  const boxes = fourBoxes();
  const a1 = compile(models.a1({ timestep: 0.01 }));
  test.each([
    ["a thrown crate", crate, maximalState(crate, { base: thrown }), 40, 1e-5, 0.15],
    ["four boxes of shapes", boxes.mechanism, boxes.start, 40, 1e-4, 0.3],
    ["a quadruped under torques", a1, startState(a1, "rest"), 30, 1e-4, 0.1],
  ] as const)("%s", (_, mechanism, start, steps, median, mostCorners) => {
    const random = new Random(3);
    const inputs = Array.from({ length: steps }, () =>
      Float64Array.from({ length: mechanism.inputSize }, () => random.uniform(-5, 5)),
    );
    const run = new Simulation(mechanism).rollout(start, { steps, inputs, check: false });
    expect(run.solved).toBe(true);
    const simulation = new Simulation(mechanism);
    const plain = new Simulation(mechanism, { tolerance: 1e-12 });
    const errors: number[] = [];
    let corners = 0;
    for (let k = 0; k < steps; k++) {
      if (run.reports[k].substeps > 1) continue;
      const state = run.states[k];
      simulation.continuation = undefined;
      const { dNext_dState, rows } = stepGradients(simulation, state, inputs[k]);
      const direction = Float64Array.from({ length: rows }, () => random.uniform(-1, 1));
      const nextOf = (amount: number): Float64Array => {
        plain.continuation = undefined;
        const from = addError(
          state,
          direction.map((entry) => amount * entry),
        );
        return plain.step(from, inputs[k]).next.slice();
      };
      const amount = 1e-6;
      const [behind, middle, ahead] = [-amount, 0, amount].map(nextOf);
      const sides = [stateError(middle, ahead), stateError(behind, middle)];
      const size = Math.max(...sides[0].map(Math.abs), ...sides[1].map(Math.abs));
      if (sides[0].some((value, i) => Math.abs(value - sides[1][i]) > 0.01 * size)) {
        corners++;
        continue;
      }
      const expected = stateError(behind, ahead).map((value) => value / (2 * amount));
      const found = expected.map((_, i) =>
        direction.reduce((sum, entry, j) => sum + dNext_dState[rows * i + j] * entry, 0),
      );
      const largest = Math.max(...expected.map(Math.abs));
      errors.push(Math.max(...expected.map((value, i) => Math.abs(value - found[i]))) / largest);
    }
    errors.sort((a, b) => a - b);
    console.log(`${corners} of ${steps} steps at corners, median ${errors[errors.length >> 1].toExponential(1)}`);
    expect(corners).toBeLessThan(mostCorners * steps);
    expect(errors[errors.length >> 1]).toBeLessThan(median);
    expect(errors[Math.floor(0.9 * errors.length)]).toBeLessThan(1e-2);
  });
});

test("of a run with shapes and parts: forwards and backwards agree", () => {
  const { mechanism, start } = fourBoxes();
  for (const options of [{}, { errorTolerance: 1e-3 }]) {
    const run = new Simulation(mechanism, options).rollout(start, { steps: 25, gradients: true, check: false });
    const size = 12 * mechanism.bodies.length;
    const [cotangent, tangent] = [1, 2].map((k) =>
      Float64Array.from({ length: size }, (_, i) => Math.sin(k * (i + 1))),
    );
    const { state } = pullback(run, (k) => (k === 25 ? cotangent : undefined));
    const states = pushforward(run, { state: tangent });
    const dot = (a: Float64Array, b: Float64Array): number => a.reduce((sum, value, i) => sum + value * b[i], 0);
    const [left, right] = [dot(state, tangent), dot(cotangent, states[25])];
    expect(Math.abs(left - right)).toBeLessThan(1e-6 * Math.abs(right));
    // points between checkpoints are those of the run, though a tolerance divides its steps
    const again = new Simulation(mechanism, options).rollout(start, {
      steps: 25,
      gradients: { checkpointEvery: 5 },
      check: false,
    });
    expect(pullback(again, (k) => (k === 25 ? cotangent : undefined)).state).toEqual(state);
  }
});
