/** Jacobians at two places from one step: those of two separate calls, for fewer iterations. */
import { describe, expect, test } from "vitest";
import {
  addError,
  compile,
  type GradientPath,
  type MechanismDescription,
  models,
  Random,
  Simulation,
  type StepGradients,
  startState,
  stateError,
  stepGradients,
} from "../../src/index.ts";

/** Points lie within 1e-9 of κ of the path; a foot that is about to slip multiplies that by up to some hundred. */
const samePoint = 1e-6;
const steps = 10;

const scenes: Readonly<Record<string, MechanismDescription>> = {
  a1: models.a1({ timestep: 0.02 }),
  hopper: models.raibertHopper(),
};
const relative = [{ relativeKappa: 0.1 }, { relativeKappa: 1e-3 }] as const;
const inSi = [{ kappa: 3e-4 }, { kappa: 1e-5 }] as const;

/** Largest difference of all Jacobians, over the largest entry of each. */
function difference(a: StepGradients, b: StepGradients): number {
  const pairs = [
    [a.dNext_dState, b.dNext_dState],
    [a.dNext_dInput, b.dNext_dInput],
    [a.dNext_dParameter, b.dNext_dParameter],
  ];
  return Math.max(
    ...pairs.map(([one, other]) => {
      const size = one.reduce((most, value) => Math.max(most, Math.abs(value)), 1e-300);
      return one.reduce((most, value, i) => Math.max(most, Math.abs(value - other[i])), 0) / size;
    }),
  );
}

/** Every call is the first of its run, so that all start alike. */
function fresh(simulation: Simulation): Simulation {
  simulation.continuation = undefined;
  return simulation;
}

describe.each(Object.entries(scenes))("%s", (_, description) => {
  const mechanism = compile(description);
  test.each([
    ["relative", "minimal", relative],
    ["in SI", "maximal", inSi],
  ] as const)("%s, %s: both to the bit", (_, coordinates, [smooth, sharp]) => {
    const simulation = new Simulation(mechanism);
    const random = new Random(5);
    const parameters = [simulation.parameterNames.find((name) => name.endsWith(".mass")) as string];
    const at = (path: GradientPath, also?: GradientPath): StepGradients =>
      stepGradients(fresh(simulation), state, input, { ...path, coordinates, parameters, ...(also && { also }) });
    let state = startState(mechanism);
    let input = new Float64Array(mechanism.inputSize);
    let [together, apart] = [0, 0];
    for (let k = 0; k < steps; k++) {
      input = input.map(() => random.uniform(-5, 5));
      const both = at(smooth, sharp);
      const [one, other] = [at(smooth), at(sharp)];
      expect(both.dNext_dState).toEqual(one.dNext_dState);
      expect(both.dNext_dInput).toEqual(one.dNext_dInput);
      expect(both.dNext_dParameter).toEqual(one.dNext_dParameter);
      expect(both.also.dNext_dState).toEqual(other.dNext_dState);
      // asked for in the other order, they change places
      const exchanged = at(sharp, smooth);
      expect(exchanged.dNext_dState).toEqual(both.also.dNext_dState);
      expect(exchanged.also.dNext_dState).toEqual(both.dNext_dState);
      expect(exchanged.next).toEqual(both.next);
      together += both.iterations;
      apart += one.iterations + other.iterations;
      state = both.next;
    }
    expect(together / apart).toBeLessThan(0.9);
  });
});

describe("a hopper on its way down", () => {
  const mechanism = compile(models.raibertHopper());
  const state = startState(mechanism);
  const input = Float64Array.of(0.1, -0.2, 0, 3);
  const gradients = (simulation: Simulation, path: GradientPath, also?: GradientPath) =>
    stepGradients(fresh(simulation), state, input, { ...path, ...(also && { also }), contacts: ["foot"] });

  test("impulses of contacts, and what each was differentiated at", () => {
    const simulation = new Simulation(mechanism);
    const { also, relativeKappa } = gradients(simulation, ...relative);
    const alone = gradients(simulation, relative[1]);
    expect(relativeKappa).toBe(0.1);
    expect(also.relativeKappa).toBe(1e-3);
    expect(also.impulses[0]).toBeCloseTo(alone.impulses[0], 8);
    expect(also.next).toEqual(gradients(simulation, ...relative).next);
  });

  test("a simulation that ends between the two is differentiated at its end instead of the sharper", () => {
    const simulation = new Simulation(mechanism, { relativeKappa: 0.01, exact: true });
    const { also, dNext_dState } = gradients(simulation, ...relative);
    expect(dNext_dState).toEqual(gradients(simulation, relative[0]).dNext_dState);
    const end = gradients(simulation, { relativeKappa: 0.01 });
    // the end is exact to 1e-3 of κ
    also.dNext_dState.forEach((value, i) => {
      expect(Math.abs(value - end.dNext_dState[i])).toBeLessThan(1e-2);
    });
  });

  test("a result that is handed in again has `also` when it is asked for, and says so when it is not", () => {
    const simulation = new Simulation(mechanism);
    const into = stepGradients(simulation, state, input, { also: { relativeKappa: 1e-3 } });
    const { also } = into;
    const sharp = also.dNext_dState.slice();
    stepGradients(fresh(simulation), state, input, { into });
    expect(() => into.also).toThrow("missing at also");
    stepGradients(fresh(simulation), state, input, { into, also: { relativeKappa: 1e-3 } });
    expect(into.also).toBe(also);
    expect(into.also.dNext_dState).toEqual(sharp);
  });

  test("what cannot be asked for is named", () => {
    const simulation = new Simulation(mechanism);
    expect(() => gradients(simulation, relative[0], { relativeKappa: -1 })).toThrow("also.relativeKappa");
    expect(() => gradients(simulation, relative[0], { smoothing: -1 })).toThrow("non-positive at also.smoothing");
    expect(() => gradients(simulation, relative[0], { smoothing: 0.1, kappa: 1 })).toThrow(
      "both-given at also.smoothing",
    );
    for (const name of ["hold", "alsoHold"])
      expect(() => simulation.step(state, input, { [name]: relative[0] })).toThrow(
        /options\.hold|options\.alsoHold.*smoothing: 0.1/,
      );
  });
});

test("steps that take parts are differentiated through them at both", () => {
  // random torques far beyond its motors: some steps are solved in halves only
  const mechanism = compile(models.a1({ timestep: 0.05 }));
  const simulation = new Simulation(mechanism);
  const random = new Random(5);
  let state = startState(mechanism);
  let interval = mechanism.timestep;
  let parts = 0;
  for (let k = 0; k < 12; k++) {
    const input = Float64Array.from({ length: mechanism.inputSize }, () => random.uniform(-60, 60));
    const options = { coordinates: "minimal", interval } as const;
    const both = stepGradients(fresh(simulation), state, input, { ...options, ...relative[0], also: relative[1] });
    const [one, other] = relative.map((path) =>
      stepGradients(fresh(simulation), state, input, { ...options, ...path }),
    );
    expect(both.differentiable).toBe(one.differentiable);
    expect(both.also.differentiable).toBe(other.differentiable);
    expect(both.substeps).toBe(one.substeps);
    if (both.substeps > 1) parts++;
    if (both.differentiable) expect(difference(both, one)).toBeLessThan(samePoint);
    if (both.also.differentiable) expect(difference(both.also, other)).toBeLessThan(samePoint);
    state = both.next;
    interval = both.interval;
  }
  expect(parts).toBeGreaterThan(0);
});

describe("a quadruped with torques that hardly a step of 50 ms can bear", () => {
  const mechanism = compile({ ...models.a1({ timestep: 0.05 }), damperCentering: 0 });
  const state = startState(mechanism);
  const inputOf = (seed: number, most: number): Float64Array => {
    const random = new Random(seed);
    return Float64Array.from({ length: mechanism.inputSize }, () => random.uniform(-most, most));
  };

  test.each([
    [17, 30],
    [45, 40],
    [150, 40],
  ])("the sharper κ alone is found where both are found (seed %i, %i N m)", (seed, most) => {
    const simulation = new Simulation(mechanism);
    const input = inputOf(seed, most);
    const both = stepGradients(fresh(simulation), state, input, { ...relative[0], also: relative[1] });
    const alone = stepGradients(fresh(simulation), state, input, relative[1]);
    expect(difference(both.also, alone)).toBeLessThan(samePoint);
    expect(alone.next).toEqual(both.next);
  });

  test.each([
    [1, 60],
    [16, 30],
    [2, 60],
  ])("what a step takes whole is differentiated whole (seed %i, %i N m)", (seed, most) => {
    const simulation = new Simulation(mechanism);
    const { stepper } = simulation;
    const input = inputOf(seed, most);
    const { dNext_dState, substeps } = stepGradients(simulation, state, input, relative[0]);
    expect(substeps).toBe(1);
    // differences of whole steps that end at the same κ, along one direction, with the units of the cones held
    const exact = { ...relative[0], exact: true, pathTolerance: 1e-11, tolerance: 1e-14 };
    const random = new Random(2);
    const direction = Float64Array.from({ length: 12 * mechanism.bodies.length }, () => random.uniform(-1, 1));
    const step = 1e-6;
    stepper.heldParts = 1;
    const { status, next } = fresh(simulation).step(state, input, exact);
    expect(status).toBe("solved");
    const middle = next.slice();
    stepper.solve.fixedUnits = [stepper.problem.units.natural.slice()];
    const [ahead, behind] = [step, -step].map((amount) => {
      const from = addError(
        state,
        direction.map((entry) => amount * entry),
      );
      return stateError(middle, fresh(simulation).step(from, input, exact).next);
    });
    const rows = direction.map((_, i) =>
      direction.reduce((sum, entry, j) => sum + dNext_dState[i * direction.length + j] * entry, 0),
    );
    const size = Math.max(...rows.map(Math.abs));
    rows.forEach((row, i) => {
      expect(Math.abs(row - (ahead[i] - behind[i]) / (2 * step))).toBeLessThan(1e-6 * size);
    });
  });
});
