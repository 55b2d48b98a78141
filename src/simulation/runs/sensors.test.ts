import { describe, expect, it, test } from "vitest";
import { maximalState } from "../../coordinates/index.ts";
import {
  box,
  boxCorners,
  capsule,
  compile,
  cylinder,
  fixed,
  floating,
  frictionContact,
  revolute,
  sphere,
} from "../../mechanism/index.ts";
import { Simulation } from "../simulation.ts";
import { imu, jointWrench, touch } from "./sensors.ts";

const g = 9.81;
/** The solver's relative tolerance, with room for forces of several hundred newtons. */
const tolerance = 1e-5;

describe("an IMU", () => {
  it("at rest on the floor shows the support against gravity, in its own axes", () => {
    const crate = box({ size: [0.4, 0.4, 0.2], mass: 3 });
    const mechanism = compile({
      timestep: 0.01,
      bodies: { crate },
      joints: { base: floating({ parent: "world", child: "crate" }) },
      contacts: boxCorners(crate).map((point) => frictionContact({ body: "crate", point, frictionCoefficient: 0.5 })),
    });
    const simulation = new Simulation(mechanism);
    const end = simulation.rollout(maximalState(mechanism, { base: { position: [0, 0, 0.1, 0, 0, 0] } }), {
      steps: 20,
    }).final;
    const half = Math.SQRT1_2;
    // turned by 90° about x: its y axis is the body's z
    const mount = { body: "crate", position: [0.1, 0, 0.05], orientation: [half, half, 0, 0] } as const;
    const { next } = simulation.step(end);
    const { acceleration, angularVelocity } = imu(simulation, mount, end, next);
    expect(acceleration[0]).toBeCloseTo(0, 5);
    expect(acceleration[1]).toBeCloseTo(g, 5);
    expect(acceleration[2]).toBeCloseTo(0, 5);
    expect(Math.hypot(...angularVelocity)).toBeLessThan(tolerance);
    expect(touch(simulation, "crate")).toBeCloseTo(3 * g, 4);
  });

  it("in free fall shows nothing, and off the axis of a spin the centripetal acceleration", () => {
    const mechanism = compile({
      timestep: 0.001,
      bodies: { ball: sphere({ radius: 0.1, mass: 1 }) },
      joints: { base: floating({ parent: "world", child: "ball" }) },
    });
    const simulation = new Simulation(mechanism);
    const state = maximalState(mechanism, { base: { velocity: [1, 0, 0, 0, 0, 5] } });
    const { next } = simulation.step(state);
    expect(Math.hypot(...imu(simulation, { body: "ball" }, state, next).acceleration)).toBeLessThan(1e-6);
    const rim = imu(simulation, { body: "ball", position: [0.2, 0, 0] }, state, next);
    // −ω² r towards the axis, to second order in h
    expect(rim.acceleration[0]).toBeCloseTo(-25 * 0.2, 3);
    expect(rim.angularVelocity[2]).toBeCloseTo(5, 9);
    const turned = (orientation: [number, number, number, number]) => () =>
      imu(simulation, { body: "ball", orientation }, state, next);
    expect(turned([2, 0, 0, 0])).toThrow("has length 2, not 1");
    expect(turned([Number.NaN, 0, 0, 0])).toThrow("not-unit at orientation");
  });
});

test("touch feels what lies on a body's own half-space, as what the body lies on", () => {
  const mechanism = compile({
    timestep: 0.01,
    bodies: { tray: box({ size: [1, 1, 0.1], mass: 2 }), ball: sphere({ radius: 0.1, mass: 3 }) },
    joints: {
      tray: fixed({ parent: "world", child: "tray" }),
      ball: floating({ parent: "world", child: "ball" }),
    },
    contacts: [
      frictionContact({
        ...{ body: "ball", point: [0, 0, 0], radius: 0.1, frictionCoefficient: 0.5 },
        halfSpace: { body: "tray", normal: [0, 0, 1], offset: 0.05 },
      }),
    ],
  });
  const simulation = new Simulation(mechanism);
  simulation.rollout(maximalState(mechanism, { ball: { position: [0, 0, 0.15, 0, 0, 0] } }), { steps: 5 });
  expect(touch(simulation, "ball")).toBeCloseTo(3 * g, 4);
  expect(touch(simulation, "tray")).toBeCloseTo(3 * g, 4);
});

describe("force and torque at a joint", () => {
  it("of a weld carry the weight and its moment about the anchor", () => {
    const mechanism = compile({
      timestep: 0.01,
      bodies: { beam: box({ size: [1, 0.1, 0.1], mass: 2 }) },
      joints: { wall: fixed({ parent: "world", child: "beam", childAnchor: [-0.5, 0, 0] }) },
    });
    const simulation = new Simulation(mechanism);
    simulation.step(maximalState(mechanism));
    const { force, torque } = jointWrench(simulation, "wall");
    expect(force[2]).toBeCloseTo(2 * g, 5);
    // the wall turns the beam up against its weight half a metre out
    expect(torque[1]).toBeCloseTo(-2 * g * 0.5, 5);
    expect(Math.hypot(force[0], force[1], torque[0], torque[2])).toBeLessThan(tolerance);
  });

  it("of a driven hinge contain the motor's torque, and the weight of all that hangs on it", () => {
    const rod = capsule({ radius: 0.05, length: 1, mass: 1 });
    const mechanism = compile({
      timestep: 0.01,
      bodies: { upper: rod, lower: rod },
      joints: {
        shoulder: revolute({
          parent: "world",
          child: "upper",
          axis: [0, 1, 0],
          childAnchor: [0, 0, 0.5],
          actuated: true,
          damping: 5,
        }),
        elbow: fixed({ parent: "upper", child: "lower", parentAnchor: [0, 0, -0.5], childAnchor: [0, 0, 0.5] }),
      },
    });
    const simulation = new Simulation(mechanism);
    const trajectory = simulation.rollout(maximalState(mechanism), {
      steps: 4000,
      controller: () => Float64Array.of(4),
    });
    simulation.step(trajectory.final, Float64Array.of(4));
    const { force, torque } = jointWrench(simulation, "shoulder");
    expect(force[2]).toBeCloseTo(2 * g, 3);
    expect(torque[1]).toBeCloseTo(4, 3);
    expect(jointWrench(simulation, "elbow").force[2]).toBeCloseTo(g, 3);
  });

  it("contain what gears pass on: a motor on one of two coupled wheels or carts moves the other", () => {
    const drum = cylinder({ radius: 0.1, length: 0.1, mass: 2 });
    const [torque, push, ratio] = [0.3, 5, 2];
    for (const kind of ["revolute", "prismatic"] as const) {
      const hung = (child: string, actuated: boolean) => ({ kind, parent: "world", child, actuated });
      const mechanism = compile({
        timestep: 0.01,
        bodies: { one: drum, two: drum },
        joints: { first: hung("one", true), second: { ...hung("two", false), parentAnchor: [1, 0, 0] } },
        // first = ratio · second
        gears: {
          belt: {
            terms: [
              { joint: "first", ratio: 1 },
              { joint: "second", ratio: -ratio },
            ],
          },
        },
        gravity: [0, 0, 0],
      });
      const simulation = new Simulation(mechanism);
      const amount = kind === "revolute" ? torque : push;
      simulation.step(maximalState(mechanism), Float64Array.of(amount));
      // J α₁ (1 + 1/ratio²) = amount, and each wheel has J α of its own
      const first = amount / (1 + 1 / ratio ** 2);
      const along = (joint: string): number => {
        const wrench = jointWrench(simulation, joint);
        return (kind === "revolute" ? wrench.torque : wrench.force)[2];
      };
      expect(along("first")).toBeCloseTo(first, 5);
      expect(along("second")).toBeCloseTo(first / ratio, 5);
    }
  });

  it("add up to what links gain in a step in which the hand bounces off a wall", () => {
    const mechanism = compile({
      timestep: 0.01,
      bodies: { arm: capsule({ radius: 0.03, length: 0.5, mass: 1 }), hand: sphere({ radius: 0.05, mass: 1 }) },
      joints: {
        shoulder: revolute({ parent: "world", child: "arm", axis: [0, 1, 0], childAnchor: [0, 0, 0.25] }),
        wrist: fixed({ parent: "arm", child: "hand", parentAnchor: [0, 0, -0.25], childAnchor: [0, 0, 0.05] }),
      },
      contacts: [
        frictionContact({
          ...{ name: "wall", body: "hand", point: [0, 0, 0], radius: 0.05, frictionCoefficient: 0.3, restitution: 0.7 },
          halfSpace: { normal: [1, 0, 0], offset: -0.15 },
        }),
      ],
    });
    const simulation = new Simulation(mechanism);
    let state = maximalState(mechanism, { shoulder: { position: [0.05], velocity: [3] } });
    let hardest = 0;
    for (let k = 0; k < 6; k++) {
      const next = simulation.step(state).next.slice();
      const { force } = simulation.contact("wall");
      const [shoulder, wrist] = ["shoulder", "wrist"].map((joint) => jointWrench(simulation, joint).force);
      hardest = Math.max(hardest, force[0]);
      for (const axis of [0, 1, 2]) {
        const gained = (at: number): number => (next[at + axis] - state[at + axis]) / 0.01 - mechanism.gravity[axis];
        expect(shoulder[axis] - wrist[axis]).toBeCloseTo(gained(7), 6);
        expect(wrist[axis] + force[axis]).toBeCloseTo(gained(20), 6);
      }
      state = next;
    }
    expect(hardest).toBeGreaterThan(300);
  });
});
