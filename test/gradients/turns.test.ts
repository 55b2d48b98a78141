/** Gradients where angles have turned beyond what a state knows: they are those of springs, servos, limits and gears that are wound up. */
import { expect, test } from "vitest";
import {
  box,
  checkGradients,
  compile,
  continuationAt,
  gravityCompensation,
  inverseDynamics,
  type Mechanism,
  maximalState,
  pullback,
  revolute,
  Simulation,
  universal,
} from "../../src/index.ts";

const crate = box({ size: [0.3, 0.2, 0.4], mass: 1 });
/** Of implicit gradients against differences of fourth order, over max(1, norm). */
const tolerance = 1e-6;

const arm: Mechanism = compile({
  timestep: 0.02,
  bodies: { one: crate, two: crate },
  joints: {
    one: revolute({
      parent: "world",
      child: "one",
      axis: [0, 0.6, 0.8],
      stiffness: 0.3,
      limits: [-25, 20.1],
      actuated: true,
    }),
    two: universal({
      parent: "one",
      child: "two",
      axes: [
        [1, 0, 0],
        [0, 1, 0],
      ],
      childAnchor: [0, 0, 0.3],
      servo: { stiffness: 3, damping: 0.2 },
      limits: [[-1, 7.05], null],
    }),
  },
});
const wound = { one: { position: [20], velocity: [1] }, two: { position: [7, -4], velocity: [0.5, 2] } };
const wheels: Mechanism = compile({
  timestep: 0.02,
  gravity: [0, 0, 0],
  bodies: { one: crate, two: crate },
  joints: {
    one: revolute({ parent: "world", child: "one", axis: [0, 0, 1], stiffness: 0.1, actuated: true }),
    two: revolute({ parent: "world", child: "two", axis: [0, 0, 1], parentAnchor: [1, 0, 0] }),
  },
  gears: {
    mesh: {
      terms: [
        { joint: "one", ratio: 1 },
        { joint: "two", ratio: 2 },
      ],
    },
  },
});
const geared = { one: { position: [30], velocity: [1] }, two: { position: [-15], velocity: [-0.5] } };

test.each(["maximal", "minimal"] as const)("of a step, in %s coordinates", (coordinates) => {
  const cases = [
    {
      mechanism: arm,
      joints: wound,
      input: [0.3, 5, -4.2],
      parameters: ["joints.one.stiffness.0", "joints.two.servoStiffness.0", "joints.one.upper.0"],
    },
    {
      mechanism: wheels,
      joints: geared,
      input: [0.3],
      parameters: ["gears.mesh.ratio.0", "gears.mesh.ratio.1", "joints.one.stiffness.0"],
    },
  ];
  for (const { mechanism, joints, input, parameters } of cases) {
    const simulation = new Simulation(mechanism);
    const check = checkGradients(simulation, maximalState(mechanism, joints), Float64Array.from(input), {
      coordinates,
      parameters,
      continuation: continuationAt(mechanism, joints),
    });
    expect(check.worst, check.format()).toBeLessThan(tolerance);
  }
});

test("of a rollout whose angles pass from turn to turn, with checkpoints and without", () => {
  // a motor winds the hinge up against its spring, past 2π and 4π; its final angle by the stiffness and by the torques
  const mechanism = compile({
    timestep: 0.02,
    gravity: [0, 0, 0],
    bodies: { one: crate },
    joints: {
      one: revolute({
        parent: "world",
        child: "one",
        axis: [0, 0, 1],
        stiffness: 0.02,
        limits: [-1, null],
        actuated: true,
      }),
    },
  });
  const steps = 90;
  const start = maximalState(mechanism, { one: { position: [4], velocity: [18] } });
  const run = (stiffness: number, torque: number, gradients?: object) => {
    const simulation = new Simulation(mechanism);
    simulation.setParameter("joints.one.stiffness.0", stiffness);
    const options = { steps, controller: (_: Float64Array, k: number) => Float64Array.of(k < 60 ? torque : 0) };
    return simulation.rollout(start, { ...options, ...(gradients && { gradients }) });
  };
  const final = (stiffness: number, torque: number): number => run(stiffness, torque).coordinates("one")[steps][0];
  const slope = (f: (amount: number) => number, e: number): number =>
    (8 * (f(e) - f(-e)) - (f(2 * e) - f(-2 * e))) / (12 * e);
  const expected = {
    stiffness: slope((e) => final(0.02 + e, 0.05), 1e-4),
    torque: slope((e) => final(0.02, 0.05 + e), 1e-4),
  };
  const cost = Float64Array.of(1, 0);
  for (const gradients of [{}, { checkpointEvery: 9 }]) {
    const recorded = run(0.02, 0.05, { relativeKappa: 1e-3, ...gradients });
    const widest = Math.max(...recorded.coordinates("one").map(([angle]) => angle));
    expect(widest).toBeGreaterThan(4 * Math.PI);
    const back = pullback(recorded, (k) => (k === steps ? cost : undefined), {
      coordinates: "minimal",
      parameters: ["joints.one.stiffness.0"],
    });
    const byTorque = back.inputs.slice(0, 60).reduce((sum, [entry]) => sum + entry, 0);
    expect(Math.abs(back.parameters["joints.one.stiffness.0"] / expected.stiffness - 1)).toBeLessThan(1e-5);
    expect(Math.abs(byTorque / expected.torque - 1)).toBeLessThan(1e-5);
  }
});

test("inverse dynamics holds a spring that is wound up, whatever the simulation did before", () => {
  const mechanism = compile({
    timestep: 0.02,
    gravity: [0, 0, 0],
    bodies: { one: crate },
    joints: { one: revolute({ parent: "world", child: "one", axis: [0, 0, 1], stiffness: 0.1, actuated: true }) },
  });
  const simulation = new Simulation(mechanism);
  const joints = { one: { position: [20] } };
  const state = maximalState(mechanism, joints);
  const continuation = continuationAt(mechanism, joints);
  expect(gravityCompensation(simulation, state, { continuation }).input[0]).toBeCloseTo(2, 12);
  simulation.step(state, undefined, { continuation });
  const rest = maximalState(mechanism);
  expect(inverseDynamics(simulation, rest, rest).input[0]).toBeCloseTo(0, 12);
});
