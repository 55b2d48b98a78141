import { expect, test } from "vitest";
import { maximalState } from "../coordinates/index.ts";
import { stepGradients } from "../gradients/index.ts";
import { box, capsule, compile, revolute, spherical, universal } from "../mechanism/index.ts";
import { models } from "../models/index.ts";
import { Simulation } from "../simulation/index.ts";
import { SimulationDynamics } from "./simulationDynamics.ts";

test("a planner's steps and gradients see angles over any number of turns, as a rollout does", () => {
  const axes = [
    [1, 0, 0],
    [0, 1, 0],
  ] as const;
  const mechanism = compile({
    timestep: 0.02,
    gravity: [0, 0, 0],
    bodies: { body: box({ size: [0.2, 0.3, 0.4], mass: 1 }) },
    joints: {
      hinge: universal({
        parent: "world",
        child: "body",
        axes,
        stiffness: [0.02, 0],
        limits: [[-0.4, 9], null],
        actuated: true,
      }),
    },
  });
  const dynamics = new SimulationDynamics(new Simulation(mechanism));
  const start = maximalState(mechanism, { hinge: { position: [3, 0], velocity: [6, 0] } });
  const input = Float64Array.of(0.02, 0);
  const run = new Simulation(mechanism).rollout(start, { steps: 60, controller: () => input });
  expect(Math.max(...run.coordinates("hinge").map(([angle]) => angle))).toBeGreaterThan(2 * Math.PI);

  // one step after the other, each from a copy in a simulation that has been elsewhere in between
  let state = dynamics.stateOf(start);
  const next = new Float64Array(dynamics.stateSize);
  const elsewhere = dynamics.stateOf(maximalState(mechanism));
  const [A, B] = [new Float64Array(16), new Float64Array(8)];
  for (let k = 0; k < 60; k++) {
    expect(dynamics.step(next, elsewhere, input)).toBe(true);
    expect(dynamics.step(next, state, input)).toBe(true);
    expect(Math.abs(next[0] - run.coordinates("hinge")[k + 1][0])).toBeLessThan(1e-7);
    state = next.slice();
  }
  // the spring and the motor push where the angle is: dθ̇₊/dθ of the step by differences, through its own retraction
  const rate = (amount: number): number => {
    const moved = new Float64Array(dynamics.stateSize);
    dynamics.retractInto(moved, state, Float64Array.of(amount, 0, 0, 0));
    dynamics.step(next, moved, input);
    return next[2];
  };
  expect(dynamics.linearize(A, B, state, input, 0, { relativeKappa: 1e-3 })).toBe(true);
  expect(A[2 * 4]).toBeCloseTo((rate(1e-5) - rate(-1e-5)) / 2e-5, 4);
});

test("a rail that was moved gives other coordinates to the same place, and back", () => {
  const mechanism = compile(models.cartpole());
  const simulation = new Simulation(mechanism);
  const start = maximalState(mechanism, {});
  simulation.setParameter("joints.rail.parentAnchor.x", 0.3);
  const dynamics = new SimulationDynamics(simulation);
  const state = dynamics.stateOf(start);
  expect(state[mechanism.coordinateNames.indexOf("rail.slide")]).toBeCloseTo(-0.3, 12);
  const same = new Float64Array(dynamics.stateSize);
  dynamics.retractInto(same, state, new Float64Array(dynamics.tangentSize));
  expect(dynamics.bodiesOf(same)[0]).toBeCloseTo(start[0], 12);
});

test("a step is made linear at a κ whose smoothed step would end too fast to be taken", () => {
  const link = (length: number) => capsule({ radius: 0.04, length, mass: 1 });
  const mechanism = compile({
    timestep: 0.04,
    damperCentering: 0,
    bodies: { upper: link(0.5), fore: link(0.4) },
    joints: {
      shoulder: spherical({
        parent: "world",
        child: "upper",
        childAnchor: [0, 0, 0.25],
        actuated: true,
        damping: 0.05,
      }),
      elbow: revolute({
        parent: "upper",
        child: "fore",
        axis: [1, 0, 0],
        parentAnchor: [0, 0, -0.25],
        childAnchor: [0, 0, 0.2],
        actuated: true,
        limits: [-2.5, 2.5],
      }),
    },
  });
  // the elbow meets its limit at 17 rad/s: for κ' from 0.008 to 0.015 the smoothed step ends too fast for its time step
  const state = maximalState(mechanism, {
    shoulder: {
      position: [-0.40668176184053856, -0.3326391222105381, 0.8001186093572139],
      velocity: [-1.0661188819352598, -2.7560162461141893, 1.9687568315292536],
    },
    elbow: { position: [2.4694620627763606], velocity: [17.293254504570072] },
  });
  const input = Float64Array.of(1.0385591330986945, -7.166895349174549, -13.921350756889584, 0.21678604784170255);
  const simulation = new Simulation(mechanism);
  const at = (relativeKappa: number) =>
    stepGradients(simulation, state, input, { relativeKappa, coordinates: "minimal" });
  const { dNext_dState, dNext_dInput, differentiable } = at(0.01);
  expect(differentiable).toBe(true);
  const dynamics = new SimulationDynamics(new Simulation(mechanism));
  const [A, B] = [new Float64Array(64), new Float64Array(32)];
  expect(dynamics.linearize(A, B, dynamics.stateOf(state), input, 0, { relativeKappa: 0.01 })).toBe(true);
  A.forEach((entry, i) => {
    expect(entry).toBeCloseTo(dNext_dState[i], 6);
  });
  B.forEach((entry, i) => {
    expect(entry).toBeCloseTo(dNext_dInput[i], 6);
  });
});
