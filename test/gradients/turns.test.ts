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
  minimalState,
  projectState,
  pullback,
  revolute,
  Simulation,
  stateFromMinimal,
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

/** A crank, a coupler and a rocker close a loop, and a wheel turns half as far as the crank, the other way. */
test("of a geared loop, at angles that its quaternions do not know", () => {
  const bar = (length: number) => box({ size: [length, 0.03, 0.03], mass: length });
  const axis = [0, -1, 0] as const;
  const hinge = (parent: string, child: string, from: number, to: number) =>
    revolute({ parent, child, axis, parentAnchor: [from, 0, 0], childAnchor: [to, 0, 0] });
  const loop = compile({
    timestep: 0.005,
    gravity: [0, 0, 0],
    bodies: { crank: bar(0.2), coupler: bar(0.5), rocker: bar(0.4), wheel: crate },
    joints: {
      crank: hinge("world", "crank", 0, -0.1),
      coupler: hinge("crank", "coupler", 0.1, -0.25),
      rocker: hinge("world", "rocker", 0.5, -0.2),
      close: hinge("rocker", "coupler", 0.2, 0.25),
      wheel: { ...hinge("world", "wheel", -1, 0), stiffness: 0.02 },
    },
    gears: {
      mesh: {
        terms: [
          { joint: "crank", ratio: 1 },
          { joint: "wheel", ratio: 2 },
        ],
      },
    },
  });
  // the quaternions' own angles are −3.9 and −4.3: Σ ratio·θ = −4π
  const joints = { crank: { position: [33.8] }, wheel: { position: [-16.9] }, coupler: { position: [1] } };
  const simulation = new Simulation(loop);
  const near = continuationAt(loop, joints);
  const state = projectState(simulation, maximalState(loop, joints), { continuation: near });
  const { worst, entry } = checkGradients(simulation, state, new Float64Array(0), {
    coordinates: "minimal",
    continuation: near,
  });
  expect(worst, entry).toBeLessThan(tolerance);

  // a crank that is moved takes its wheel along
  const x = minimalState(loop, state, undefined, near);
  const crank = loop.coordinateNames.indexOf("crank.angle");
  const wheel = loop.coordinateNames.indexOf("wheel.angle");
  const from = x[crank];
  x[crank] += 0.1;
  const moved = minimalState(loop, stateFromMinimal(simulation, x), undefined, x);
  expect(Math.abs(moved[crank] + 2 * moved[wheel])).toBeLessThan(1e-10);
  expect(moved[crank]).toBeGreaterThan(from + 0.01);
});

test.each(["maximal", "minimal"] as const)(
  "of a cold step whose gear has turned before it, in %s coordinates",
  (coordinates) => {
    // the quaternions' own angles are 8 − 4π and −4: Σ ratio·θ = −4π
    const before = { one: { position: [8], velocity: [1] }, two: { position: [-4], velocity: [-0.5] } };
    const { worst, entry } = checkGradients(
      new Simulation(wheels),
      maximalState(wheels, before),
      Float64Array.of(0.3),
      { coordinates },
    );
    expect(worst, entry).toBeLessThan(tolerance);
  },
);
