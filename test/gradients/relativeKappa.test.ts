/** Where gradients are taken: at the end of a step, smoothed in units of each contact, or at a κ in SI. */
import { describe, expect, test } from "vitest";
import {
  box,
  boxCorners,
  checkGradients,
  compile,
  floating,
  frictionContact,
  linearize,
  maximalState,
  models,
  prismatic,
  pullback,
  Simulation,
  type SimulationOptions,
  sphere,
  startState,
  stepGradients,
  type Vector3,
} from "../../src/index.ts";

const promised = 1e-6;

interface Scene {
  readonly mass?: number;
  readonly timestep?: number;
  readonly gravity?: Vector3;
  readonly options?: SimulationOptions;
}

/** A crate that lands on two of its corners while it slides. */
function crate({ mass = 1.2, timestep = 0.05, gravity = [0, 0, -9.81], options }: Scene = {}) {
  const body = box({ size: [0.5, 0.4, 0.3], mass });
  const mechanism = compile({
    timestep,
    gravity,
    bodies: { crate: body },
    joints: { base: floating({ parent: "world", child: "crate", actuated: true }) },
    contacts: boxCorners(body).map((point) => frictionContact({ body: "crate", point, frictionCoefficient: 0.5 })),
  });
  const simulation = new Simulation(mechanism, options);
  const state = maximalState(mechanism, {
    base: { position: [0, 0, 0.22, 0.1, 0.2, 0], velocity: [1, 0.2, -1, 0, 0.5, 0] },
  });
  return { simulation, state, input: new Float64Array(6) };
}

const parameters = ["bodies.crate.mass", "gravity.z", "timestep", "contacts.*.frictionCoefficient"];

function largestDifference(a: Float64Array, b: Float64Array): number {
  return a.reduce((most, entry, i) => Math.max(most, Math.abs(entry - b[i])), 0);
}

describe("equal differences of the same step in the same units", () => {
  test.each([1, 0.1, 1e-3, 1e-5])("at a relative kappa of %d, also by what the units depend on", (relativeKappa) => {
    const { simulation, state, input } = crate();
    for (const coordinates of ["maximal", "minimal"] as const) {
      const check = checkGradients(simulation, state, input, { relativeKappa, coordinates, parameters });
      expect(check.worst, check.format()).toBeLessThan(promised);
    }
  });

  test("where the units follow from the speed of what is differentiated: without gravity", () => {
    const { simulation, state, input } = crate({ gravity: [0, 0, 0] });
    const check = checkGradients(simulation, state, input, { parameters });
    expect(check.worst, check.format()).toBeLessThan(promised);
    // the units are free again
    expect(simulation.stepper.solve.fixedUnits).toBeUndefined();
  });
});

test("a point is on the path to 1e-9 of kappa, cone by cone", () => {
  const { simulation, state, input } = crate();
  const { stepper, system } = simulation;
  const { unknowns, coneSize, cones } = system;
  simulation.stepWith(state, input, { points: [{ relativeKappa: 0.1 }] });
  const at = system.mechanism.stateSize + unknowns;
  const [point] = stepper.solve.kept[0].points;
  const [b, c] = [point.subarray(at, at + coneSize), point.subarray(at + coneSize)];
  cones.forEach(({ offset, size }) => {
    let product = 0;
    for (let k = offset; k < offset + size; k++) product += b[k] * c[k];
    expect(Math.abs(product / stepper.solve.naturalUnits[offset] / 0.1 - 1)).toBeLessThan(1e-8);
  });
});

test("a thousand times the mass has the same gradients by state, and a thousandth by input", () => {
  const [light, heavy] = [crate(), crate({ mass: 1200 })].map(({ simulation, state, input }) =>
    stepGradients(simulation, state, input),
  );
  expect(largestDifference(heavy.dNext_dState, light.dNext_dState)).toBeLessThan(1e-6);
  expect(
    largestDifference(
      heavy.dNext_dInput.map((entry) => 1000 * entry),
      light.dNext_dInput,
    ),
  ).toBeLessThan(1e-6);
});

test("results say where they were differentiated", () => {
  const { simulation, state, input } = crate();
  const byDefault = stepGradients(simulation, state, input);
  expect([byDefault.kappa, byDefault.relativeKappa, byDefault.smoothing]).toEqual([undefined, undefined, 0]);
  const smoothed = stepGradients(simulation, state, input, { smoothing: 0.1 });
  expect([smoothed.kappa, smoothed.relativeKappa, smoothed.smoothing]).toEqual([undefined, 0.1, 0.1]);
  const si = stepGradients(simulation, state, input, { kappa: 3e-4 });
  expect([si.kappa, si.relativeKappa, si.smoothing]).toEqual([3e-4, undefined, undefined]);
  const recorded = (gradients: true | { kappa: number }) =>
    simulation.rollout(state, { steps: 1, gradients }).gradients?.path;
  expect(recorded(true)).toEqual({});
  expect(recorded({ kappa: 1e-3 })).toEqual({ kappa: 1e-3 });
});

test("both at once are refused", () => {
  const { simulation, state, input } = crate();
  const both = { kappa: 1e-3, relativeKappa: 0.1 };
  const refusal = "both-given at relativeKappa";
  expect(() => stepGradients(simulation, state, input, both)).toThrow(refusal);
  expect(() => checkGradients(simulation, state, input, both)).toThrow(refusal);
  expect(() => linearize(simulation, state, input, both)).toThrow(refusal);
  expect(() => simulation.rollout(state, { steps: 1, gradients: both })).toThrow(refusal);
  expect(() => simulation.step(state, input, both)).toThrow("both-given at options.relativeKappa");
  for (const other of [{ kappa: 1e-3 }, { relativeKappa: 0.1 }])
    expect(() => stepGradients(simulation, state, input, { smoothing: 0.1, ...other })).toThrow(
      "both-given at smoothing",
    );
  for (const smoothing of [-0.1, Number.NaN, Number.POSITIVE_INFINITY])
    expect(() => stepGradients(simulation, state, input, { smoothing })).toThrow(" at smoothing");
  expect(() => stepGradients(simulation, state, input, { relativeKappa: 0 })).toThrow("non-positive at relativeKappa");
});

describe("a simulation that ends at a kappa of its own", () => {
  test("in SI, and above the gradients' in some cone: its end is differentiated", () => {
    const options = { kappa: 1e-2, exact: true, pathTolerance: 1e-9, tolerance: 1e-12 };
    const { simulation, state, input } = crate({ options });
    const byDefault = stepGradients(simulation, state, input);
    const asked = stepGradients(crate().simulation, state, input, { kappa: 1e-2 });
    expect(largestDifference(byDefault.dNext_dState, asked.dNext_dState)).toBeLessThan(1e-6);
  });

  test("in SI, and below the gradients' in every cone: the gradients are those of any simulation", () => {
    const { simulation, state, input } = crate({ options: { kappa: 1e-9 } });
    const sharp = stepGradients(simulation, state, input, { smoothing: 0.1 });
    const byDefault = stepGradients(crate().simulation, state, input, { smoothing: 0.1 });
    expect(largestDifference(sharp.dNext_dState, byDefault.dNext_dState)).toBeLessThan(1e-6);
  });

  test("relative, exactly there: a step costs no more with gradients than without", () => {
    const options = { relativeKappa: 0.1, exact: true, pathTolerance: 1e-9 };
    const { simulation, state, input } = crate({ options });
    const { iterations } = simulation.step(state, input);
    for (const smoothing of [0, 0.1]) {
      const gradients = stepGradients(simulation, state, input, { smoothing });
      expect(gradients.iterations).toBe(iterations);
    }
    const gradients = stepGradients(simulation, state, input);
    const byDefault = stepGradients(crate().simulation, state, input, { smoothing: 0.1 });
    expect(largestDifference(gradients.dNext_dState, byDefault.dNext_dState)).toBeLessThan(1e-6);
  });
});

describe("a step that goes on from the last one", () => {
  const mechanism = compile(models.atlas());
  const start = maximalState(mechanism, mechanism.description.states?.rest);

  test.each([0, 0.1])("has the gradients of a cold one for fewer iterations, with a smoothing of %f", (smoothing) => {
    const simulation = new Simulation(mechanism);
    let state = start;
    const input = new Float64Array(mechanism.inputSize);
    const iterations = { on: 0, cold: 0 };
    let worst = 0;
    let largest = 0;
    for (let k = 0; k < 25; k++) {
      const on = stepGradients(simulation, state, input, { smoothing });
      const cold = stepGradients(new Simulation(mechanism), state, input, { smoothing });
      if (k > 0) {
        iterations.on += on.iterations;
        iterations.cold += cold.iterations;
      }
      worst = Math.max(worst, largestDifference(on.dNext_dState, cold.dNext_dState));
      largest = on.dNext_dState.reduce((most, entry) => Math.max(most, Math.abs(entry)), largest);
      state = on.next.slice();
    }
    expect(iterations.on).toBeLessThan(0.9 * iterations.cold);
    // ends lie anywhere below κ, smoothed points on the path
    expect(worst).toBeLessThan(smoothing === 0 ? 1e-4 * largest : 1e-5);
  });

  test("whatever gradients were asked of that", () => {
    const [smoothed, sharp] = [0.1, 0].map((smoothing) => {
      const simulation = new Simulation(mechanism);
      const next = stepGradients(simulation, start, undefined, { smoothing }).next.slice();
      return stepGradients(simulation, next, undefined, { smoothing: 0.01 });
    });
    expect(smoothed.dNext_dState).toEqual(sharp.dNext_dState);
  });
});

test("a pullback is made of the gradients of its steps", () => {
  const { simulation, state, input } = crate();
  const relativeKappa = 0.01;
  const run = simulation.rollout(state, { steps: 1, gradients: { relativeKappa } });
  const { dNext_dState } = stepGradients(simulation, state, input, { relativeKappa });
  for (let row = 0; row < 12; row++) {
    const unit = Float64Array.from({ length: 12 }, (_, i) => (i === row ? 1 : 0));
    const back = pullback(run, (k) => (k === 1 ? unit : undefined));
    expect(largestDifference(back.state, dNext_dState.subarray(12 * row, 12 * row + 12))).toBeLessThan(1e-8);
  }
});

test("where no input moves anything, gradients by inputs say what helps", () => {
  // a block that nothing but a finger 2 cm beside it could push
  const mechanism = compile({
    timestep: 0.01,
    bodies: { finger: sphere({ radius: 0.05, mass: 1 }), crate: box({ size: [0.2, 0.2, 0.2], mass: 1 }) },
    joints: {
      slide: prismatic({ parent: "world", child: "finger", axis: [1, 0, 0], actuated: true }),
      rest: prismatic({ parent: "world", child: "crate", axis: [1, 0, 0] }),
    },
    gravity: [0, 0, 0],
  });
  const run = new Simulation(mechanism).rollout(startState(mechanism), { steps: 3, gradients: true });
  const { note, inputs } = pullback(run, { "bodies.crate.position.x": 1 });
  expect(inputs.every((input) => input.every((entry) => entry === 0))).toBe(true);
  expect(note).toContain("`smoothing: 0.1`");
  expect(pullback(run, { "bodies.finger.position.x": 1 }).note).toBeUndefined();
  expect(stepGradients(new Simulation(mechanism), startState(mechanism)).note).toBeUndefined();
});
