/** Springs and dampers under an error tolerance: centred unless the description says otherwise, so that errors fall with the tolerance however long a run is. */
import { describe, expect, test } from "vitest";
import {
  compile,
  type MechanismDescription,
  prismatic,
  revolute,
  Simulation,
  type SimulationOptions,
  sphere,
  stateAt,
  toleranceNote,
} from "../../src/index.ts";

const h = 0.05;
const period = 20 * h;
const bob = sphere({ radius: 0.05, mass: 1 });

/** A mass on a spring, and a damper if any. */
function slider(damping: number, weights: Partial<MechanismDescription> = {}): MechanismDescription {
  const stiffness = (2 * Math.PI) ** 2 + (damping / 2) ** 2;
  return {
    ...{ timestep: h, gravity: [0, 0, 0], ...weights },
    bodies: { bob },
    joints: { rail: prismatic({ parent: "world", child: "bob", axis: [1, 0, 0], stiffness, damping }) },
  };
}

/** Largest distance from the closed form, and the largest way out in the last of some periods. */
function swing(description: MechanismDescription, options: SimulationOptions, damping: number, periods: number) {
  const simulation = new Simulation(compile(description), options);
  const steps = Math.round((periods * period) / h);
  const { states, solved } = simulation.rollout(stateAt(simulation, { rail: { position: [0.1] } }), { steps });
  expect(solved).toBe(true);
  let [error, amplitude] = [0, 0];
  states.forEach(([x], k) => {
    const [time, decay] = [k * h, damping / 2];
    const turn = 2 * Math.PI * time;
    const exact = 0.1 * Math.exp(-decay * time) * (Math.cos(turn) + (decay / (2 * Math.PI)) * Math.sin(turn));
    error = Math.max(error, Math.abs(x - exact));
    if (k > steps - 20) amplitude = Math.max(amplitude, Math.abs(x));
  });
  return { error, amplitude };
}

describe("springs and dampers of a description that does not say", () => {
  test("a spring keeps its amplitude over 16 periods, the better the smaller the tolerance", () => {
    const tolerances = [1e-3, 1e-4, 1e-5, 1e-6];
    const swings = tolerances.map((errorTolerance) => swing(slider(0), { errorTolerance }, 0, 16));
    for (const { amplitude } of swings) expect(Math.abs(amplitude / 0.1 - 1)).toBeLessThan(0.01);
    expect(Math.abs(swings[3].amplitude / 0.1 - 1)).toBeLessThan(0.0005);
    // 21 in the limit: of second order, and parts go with the cube root of the tolerance
    expect(swings[3].error).toBeLessThan(swings[1].error / 12);
  });

  test("errors of a damped swing fall with the tolerance", () => {
    const tolerances = [1e-4, 1e-5, 1e-6, 1e-7];
    const errors = tolerances.map((errorTolerance) => swing(slider(0.5), { errorTolerance }, 0.5, 4).error);
    for (let i = 1; i < errors.length; i++) expect(errors[i]).toBeLessThan(errors[i - 1] / 2.5);
    expect(errors[3]).toBeLessThan(errors[0] / 40);
  });

  test("have the usual weights without a tolerance", () => {
    const [whole, divided] = [{}, { errorTolerance: 1e-3 }].map(
      (options) => new Simulation(compile(slider(1)), options),
    );
    const read = (simulation: Simulation) => [
      simulation.parameter("springConservation"),
      simulation.parameter("damperCentering"),
    ];
    expect(read(whole)).toEqual([0.9, 0.2]);
    expect(read(divided)).toEqual([1, 1]);
    expect(divided.currentMechanism.damperCentering).toBe(1);
    expect(toleranceNote(divided.mechanism, divided.options)).toBeUndefined();
  });
});

test("weights that a description sets are kept, with a note where something feels them", () => {
  const weights = { springConservation: 0.9, damperCentering: 0 };
  const simulation = new Simulation(compile(slider(1, weights)), { errorTolerance: 1e-3 });
  expect(simulation.parameter("springConservation")).toBe(0.9);
  expect(simulation.parameter("damperCentering")).toBe(0);
  const note = toleranceNote(simulation.mechanism, simulation.options);
  expect(note).toMatch(
    /^springConservation 0\.9 and damperCentering 0: the error tolerance does not see .* leave it out, or give 1$/,
  );
  expect(toleranceNote(simulation.mechanism, {})).toBeUndefined();
  const hinge = revolute({ parent: "world", child: "bob", axis: [0, 1, 0], childAnchor: [0, 0, 0.5] });
  const free = compile({ timestep: h, ...weights, bodies: { bob }, joints: { hinge } });
  expect(toleranceNote(free, { errorTolerance: 1e-3 })).toBeUndefined();
  // a ρ of 0.9 that is asked for takes amplitude at every tolerance
  const { amplitude } = swing(slider(0, { springConservation: 0.9 }), { errorTolerance: 1e-3 }, 0, 16);
  expect(amplitude).toBeLessThan(0.09);
});
