/** Angles over any number of turns: what limits, springs, servos and gears see goes on where a state's own angle jumps by its period. */
import { describe, expect, test } from "vitest";
import {
  box,
  compile,
  type JointDescription,
  jointStates,
  type Mechanism,
  maximalState,
  revolute,
  Simulation,
  serial,
  universal,
} from "../../src/index.ts";

const timestep = 0.01;
const body = box({ size: [0.2, 0.3, 0.4], mass: 1 });
/** Moment of inertia about z. */
const inertia = (0.2 ** 2 + 0.3 ** 2) / 12;
/** A "solved" step keeps its limits; the slack is positive, and angles are read off to rounding. */
const rounding = 1e-9;

function turning(hinge: JointDescription, extra: Partial<Parameters<typeof compile>[0]> = {}): Mechanism {
  return compile({ timestep, gravity: [0, 0, 0], bodies: { body }, joints: { hinge }, ...extra });
}

function angles(trajectory: { coordinates(joint: string): number[][] }, coordinate = 0): number[] {
  return trajectory.coordinates("hinge").map((values) => values[coordinate]);
}

describe("limits", () => {
  test("a hinge with a lower limit alone turns forwards through any number of turns, and back to its limit", () => {
    const mechanism = turning(
      revolute({ parent: "world", child: "body", axis: [0, 0, 1], limits: [-1, null], actuated: true }),
    );
    const simulation = new Simulation(mechanism);
    const torque = 0.3;
    const start = maximalState(mechanism);
    const out = simulation.rollout(start, { steps: 200, controller: () => Float64Array.of(torque) });
    expect(out.solved).toBe(true);
    // momentum J/h·sin Δ grows by torque·h per step; the limit pushes with κ' = 1e-8 over its distance
    let expected = 0;
    angles(out).forEach((angle, k) => {
      expected += Math.asin((timestep ** 2 * torque * k) / inertia);
      expect(Math.abs(angle - expected)).toBeLessThan(1e-5);
    });
    expect(angles(out)[200]).toBeGreaterThan(8 * Math.PI);
    // the same way back takes as long to stop, and as long again to return
    const back = simulation.rollout(out.final, { steps: 900, controller: () => Float64Array.of(-torque) });
    expect(back.solved).toBe(true);
    expect(Math.min(...angles(back))).toBeGreaterThan(-1 - rounding);
    expect(angles(back)[900]).toBeCloseTo(-1, 5);
  });

  test.each([
    [
      "universal",
      universal({
        parent: "world",
        child: "body",
        axes: [
          [1, 0, 0],
          [0, 1, 0],
        ],
        limits: [[-0.4, 3.4], null],
        actuated: true,
      }),
    ],
    [
      "serial",
      serial({
        parent: "world",
        child: "body",
        axes: [
          [1, 0, 0],
          [0, 1, 0],
          [0, 0, 1],
        ],
        limits: [[-0.4, 3.4], null, null],
        actuated: true,
        damping: 0.001,
      }),
    ],
  ] as const)("the first angle of a %s joint passes π and rests on a limit beyond", (_, hinge) => {
    const simulation = new Simulation(turning(hinge));
    const push = (torque: number) => (_state: Float64Array, _k: number, input: Float64Array) => {
      input[0] = torque;
      return input;
    };
    const there = simulation.rollout(maximalState(simulation.mechanism), { steps: 150, controller: push(0.1) });
    expect(there.solved).toBe(true);
    expect(Math.max(...angles(there))).toBeLessThan(3.4 + rounding);
    expect(angles(there)[150]).toBeCloseTo(3.4, 5);
    const back = simulation.rollout(there.final, { steps: 200, controller: push(-0.1) });
    expect(back.solved).toBe(true);
    expect(Math.min(...angles(back))).toBeGreaterThan(-0.4 - rounding);
    expect(angles(back)[200]).toBeCloseTo(-0.4, 5);
  });

  test("a passive pendulum of two serial hinges that swings over the top between its limits never gains energy", () => {
    const hinge = universal({
      parent: "world",
      child: "body",
      axes: [
        [1, 0, 0],
        [0, 1, 0],
      ],
      childAnchor: [0, 0, 1],
      limits: [
        [-0.4, 3.6],
        [-1, 1],
      ],
      damping: 1e-4,
    });
    const simulation = new Simulation(turning(hinge, { gravity: [0, 0, -9.81] }));
    const start = maximalState(simulation.mechanism, { hinge: { position: [1, 0.1], velocity: [8, 0.2] } });
    let last = Number.POSITIVE_INFINITY;
    let widest = 0;
    const run = simulation.rollout(start, {
      steps: 600,
      onStep: ({ next }) => {
        const { total } = simulation.energy(next);
        // between bounces the energy of a variational integrator goes up and down with h²
        expect(total).toBeLessThan(last + 0.6);
        last = Math.min(last, total);
        return undefined;
      },
    });
    expect(run.solved).toBe(true);
    for (const angle of angles(run)) widest = Math.max(widest, angle);
    expect(widest).toBeGreaterThan(3.59);
    expect(widest).toBeLessThan(3.6 + rounding);
  });

  test("of a state alone, the angle that lies between two limits counts", () => {
    const hinge = universal({
      parent: "world",
      child: "body",
      axes: [
        [1, 0, 0],
        [0, 1, 0],
      ],
      limits: [[-0.4, 3.6], null],
      actuated: true,
    });
    const mechanism = turning(hinge);
    const start = maximalState(mechanism, { hinge: { position: [3.5, 0.2] } });
    expect(jointStates(mechanism, start).hinge.position[0]).toBeCloseTo(3.5, 12);
    const run = new Simulation(mechanism).rollout(start, { steps: 100, controller: () => Float64Array.of(0.05, 0) });
    expect(run.solved).toBe(true);
    expect(angles(run)[100]).toBeCloseTo(3.6, 5);
  });
});

test("servos arrive beyond half a turn and beyond two, about both axes of a universal joint and about a hinge", () => {
  const servo = { stiffness: 4, damping: 0.4 };
  const two = turning(
    universal({
      parent: "world",
      child: "body",
      axes: [
        [1, 0, 0],
        [0, 1, 0],
      ],
      servo,
    }),
  );
  const run = new Simulation(two).rollout(maximalState(two), {
    steps: 600,
    controller: () => Float64Array.of(3.3, -9),
  });
  expect(run.solved).toBe(true);
  expect(angles(run)[600]).toBeCloseTo(3.3, 4);
  expect(angles(run, 1)[600]).toBeCloseTo(-9, 4);
  const one = turning(revolute({ parent: "world", child: "body", axis: [0, 0, 1], servo }));
  const wound = new Simulation(one).rollout(maximalState(one), { steps: 600, controller: () => Float64Array.of(30) });
  expect(wound.solved).toBe(true);
  expect(angles(wound)[600]).toBeCloseTo(30, 4);
});

test("a spring that is wound up by three turns oscillates as cos ωt, and its energy stays", () => {
  const [stiffness, h] = [0.05, 0.002];
  const mechanism = turning(revolute({ parent: "world", child: "body", axis: [0, 0, 1], stiffness }), {
    springConservation: 1,
    timestep: h,
  });
  const simulation = new Simulation(mechanism);
  const [angle, omega] = [20, Math.sqrt(stiffness / inertia)];
  const start = maximalState(mechanism, { hinge: { position: [angle] } });
  const energies: number[] = [];
  const run = simulation.rollout(start, {
    steps: 2000,
    continuation: { version: 1, angles: { hinge: [angle] } },
    onStep: ({ next }) => {
      energies.push(simulation.energy(next).total);
      return undefined;
    },
  });
  expect(run.solved).toBe(true);
  angles(run).forEach((value, k) => {
    // the start's velocity is that of half a step before it
    expect(Math.abs(value - angle * Math.cos(omega * h * (k + 0.5)))).toBeLessThan(1e-2 * angle);
  });
  // of second order: 2 sin(Δ/2) for Δ in the kinetic energy, Δ = 0.09 per step at its most
  expect(Math.max(...energies) - Math.min(...energies)).toBeLessThan(2e-3 * energies[0]);
});
