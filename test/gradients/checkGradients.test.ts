/** checkGradients finds right gradients right, whatever the size of what varies. */
import { expect, test } from "vitest";
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
  revolute,
  Simulation,
  stepGradients,
} from "../../src/index.ts";

/** What a column must come down to before no further lengths are tried, `goodEnough`. */
const tolerance = 1e-8;

/** A pendulum of some size with parameters that are next to nothing, or small only because the body is. */
test.each([
  ["a metre", 1, 1],
  ["a centimetre", 1e-2, 1e-3],
  ["a millimetre", 1e-3, 1e-6],
])("by tiny parameters, a pendulum of %s", (_, length, mass) => {
  const mechanism = compile({
    timestep: 0.01,
    bodies: { rod: box({ size: [0.1 * length, 0.2 * length, length], mass }) },
    joints: {
      hinge: revolute({
        parent: "world",
        child: "rod",
        axis: [1, 0, 0],
        childAnchor: [0, 0, length / 2],
        damping: 1e-7 * mass,
        stiffness: 1e-11,
      }),
    },
  });
  const state = maximalState(mechanism, { hinge: { position: [0.3], velocity: [2] } });
  const parameters = ["joints.hinge.damping.0", "joints.hinge.stiffness.0", "bodies.rod.inertia.xx", "bodies.rod.mass"];
  const options = { coordinates: "minimal", parameters } as const;
  const check = checkGradients(new Simulation(mechanism), state, new Float64Array(0), options);
  expect(check.worst, check.format()).toBeLessThan(tolerance);
});

test("of a crate that bounces, from step to step: what bounces are chosen by is held", () => {
  const crate = box({ size: [0.2, 0.3, 0.25], mass: 1 });
  const corner = { body: "crate", frictionCoefficient: 0.5, restitution: 0.7 };
  const mechanism = compile({
    timestep: 0.01,
    bodies: { crate },
    joints: { base: floating({ parent: "world", child: "crate" }) },
    contacts: boxCorners(crate).map((point) => frictionContact({ ...corner, point })),
  });
  // flat, so that four corners meet the floor in one step
  const start = { position: [0, 0, 0.14, 0.01, 0.005, 0], velocity: [1, 0, -3, 0, 0, 1] };
  const simulation = new Simulation(mechanism);
  let state = maximalState(mechanism, { base: start });
  const parameters = ["bodies.crate.mass", "timestep", "gravity.z", "contacts.*.restitution"];
  let bounces = 0;
  for (let k = 0; k < 4; k++) {
    for (const relativeKappa of [0.1, 1e-3]) {
      const check = checkGradients(new Simulation(mechanism), state, undefined, { relativeKappa, parameters });
      expect(check.worst, check.format()).toBeLessThan(1e-6);
    }
    const { next, status } = simulation.step(state);
    expect(status).toBe("solved");
    if (next[9] > state[9] + 1) bounces++;
    state = Float64Array.from(next);
  }
  expect(bounces).toBeGreaterThan(0);
});

test("in minimal coordinates, of states that divided steps have led to", () => {
  const mechanism = compile({ ...models.nPendulum({ links: 3 }), timestep: 0.05 });
  const simulation = new Simulation(mechanism, { errorTolerance: 1e-4 });
  const raised = Object.fromEntries(mechanism.joints.map(({ name }) => [name, { position: [0.5] }]));
  const { final, reports } = simulation.rollout(maximalState(mechanism, raised), { steps: 4 });
  expect(Math.max(...reports.map(({ substeps }) => substeps))).toBeGreaterThan(1);
  const check = checkGradients(simulation, final, undefined, { coordinates: "minimal" });
  expect(check.worst, check.format()).toBeLessThan(tolerance);
});

test("an input that is left out is zero, for all that differentiate a step", () => {
  const mechanism = compile(models.hopper());
  const simulation = new Simulation(mechanism);
  const state = maximalState(mechanism, {});
  const zero = new Float64Array(simulation.inputSize);
  expect(zero.length).toBeGreaterThan(0);
  const fresh = (): Simulation => {
    simulation.continuation = undefined;
    return simulation;
  };
  const left = stepGradients(fresh(), state);
  expect(left.next).toEqual(stepGradients(fresh(), state, zero).next);
  expect(left.dNext_dInput).toEqual(stepGradients(fresh(), state, zero).dNext_dInput);
  expect(linearize(fresh(), state).B).toEqual(linearize(fresh(), state, zero).B);
  expect(checkGradients(fresh(), state).worst).toBe(checkGradients(fresh(), state, zero).worst);
});
