/** Inverse dynamics, gravity compensation and linearisation: each is held against the simulation itself. */
import { describe, expect, test } from "vitest";
import {
  box,
  capsule,
  compile,
  floating,
  frictionContact,
  type GearDescription,
  gravityCompensation,
  inverseDynamics,
  type JointDescription,
  linearContact,
  maximalState,
  minimalFromState,
  orbital,
  projectState,
  revolute,
  Simulation,
  spherical,
  stateFromMinimal,
  universal,
} from "../../src/index.ts";
import { arm, closeTo, link, rod } from "../toys/arm.ts";
import { fourBar } from "../toys/loops.ts";

const largestSpeed = (state: Float64Array): number => {
  let most = 0;
  for (let at = 7; at < state.length; at += 13)
    for (let k = 0; k < 6; k++) most = Math.max(most, Math.abs(state[at + k]));
  return most;
};

describe("gravity compensation", () => {
  test("holds an arm still to 1e-9 for a second", () => {
    const { simulation, state } = arm();
    const { input, residual } = gravityCompensation(simulation, state);
    expect(residual).toBeLessThan(1e-12);
    const still = stateFromMinimal(
      simulation,
      minimalFromState(simulation, state).map((entry, i) => (i < 6 ? entry : 0)),
    );
    const trajectory = simulation.rollout(still, { steps: 100, controller: () => input });
    expect(largestSpeed(trajectory.final)).toBeLessThan(1e-9);
    expect(Math.max(...trajectory.final.map((entry, i) => Math.abs(entry - still[i])))).toBeLessThan(1e-9);
  });

  test("a servo's input is its target, friction and limits take part", () => {
    for (const extra of [
      { servo: { stiffness: 200, damping: 5 }, actuated: false },
      { servo: { stiffness: 200, damping: 5 }, effortLimit: 50, actuated: false },
      { servo: { stiffness: 200, damping: 5 }, effortLimit: 50, effortCenter: 7, actuated: false },
      { friction: 0.5 },
      { limits: [0.9 - 1e-10, 2] as const },
    ]) {
      const { simulation, state } = arm(extra);
      const { input, residual } = gravityCompensation(simulation, state);
      expect(residual).toBeLessThan(1e-9);
      // the limit bears what the elbow need not
      if ("limits" in extra) expect(Math.abs(input[3])).toBeLessThan(1e-3);
      const still = stateFromMinimal(
        simulation,
        minimalFromState(simulation, state).map((entry, i) => (i < 6 ? entry : 0)),
      );
      const trajectory = simulation.rollout(still, { steps: 20, controller: () => input, check: false });
      expect(largestSpeed(trajectory.final)).toBeLessThan(1e-5);
    }
  });

  test("a limit bears on the second coordinate of a joint, behind limits and friction of the first", () => {
    const hang = {
      parent: "world",
      child: "rod",
      axes: [
        [0, 0, 1],
        [0, 1, 0],
      ],
      childAnchor: [0, 0, 0.2],
    } as const;
    const tilt = 0.7;
    for (const extra of [
      {
        limits: [
          [-1, 1],
          [tilt, 2],
        ] as const,
      },
      { limits: [null, [tilt, 2]] as const, friction: [0.5, 0] as const },
      {
        limits: [
          [-1, 1],
          [tilt, 2],
        ] as const,
        friction: [0.5, 0.001] as const,
      },
    ]) {
      const joints = { hang: universal({ ...hang, ...extra }) };
      const mechanism = compile({ timestep: 0.01, bodies: { rod }, joints });
      const residualAt = (angle: number): number => {
        const state = maximalState(mechanism, { hang: { position: [0.3, angle] } });
        return gravityCompensation(new Simulation(mechanism), state).residual;
      };
      expect(residualAt(tilt)).toBeLessThan(1e-9);
      // a hundredth above it the rod's weight has nothing to rest on
      const weight = 9.81 * 0.2 * Math.sin(tilt + 0.01);
      expect(residualAt(tilt + 0.01)).toBeGreaterThan(weight - 0.01);
    }
  });

  test("servos on rotation vectors hold far from zero, at targets that are found together", () => {
    const servo = { stiffness: 30, damping: 1 };
    const axis = [0.6, 0, 0.8] as const;
    for (const [shoulder, position] of [
      [spherical({ parent: "world", child: "upper", childAnchor: [0, 0, 0.2], servo }), [1.4, -0.9, 0.5]],
      [
        orbital({ parent: "world", child: "upper", childAnchor: [0, 0, 0.2], axis, servo, effortLimit: 9 }),
        [1.4, -0.9],
      ],
    ] as const) {
      const mechanism = compile({
        timestep: 0.01,
        bodies: { upper: rod, lower: rod },
        joints: {
          shoulder,
          elbow: spherical({ ...link, parent: "upper", child: "lower", servo: [servo, servo, null] }),
        },
      });
      const simulation = new Simulation(mechanism);
      const state = maximalState(mechanism, {
        shoulder: { position: [...position] },
        elbow: { position: [0.8, 0.7, -0.4] },
      });
      // the elbow has no servo about its third axis and begins to move, which tells the targets all the same
      const { input } = gravityCompensation(simulation, state);
      const { next } = simulation.step(state, input);
      const { input: found, residual } = inverseDynamics(simulation, state, next);
      expect(residual).toBeLessThan(1e-9);
      closeTo(found, input, 1e-9);
      // in motion, with dampers between two increments
      simulation.setParameter("damperCentering", 0.65);
      const moving = next.slice();
      const after = simulation.step(moving, input).next.slice();
      closeTo(inverseDynamics(simulation, moving, after).input, input, 1e-8);
    }
  });

  test("a gear's range bears and its spring pulls", () => {
    const shoulder = { joint: "shoulder", ratio: 1 };
    const elbow = { joint: "elbow", ratio: 0.5 };
    const hold = (gear: Omit<GearDescription, "terms">, speed = 1e-5) => {
      const mechanism = compile({
        timestep: 0.01,
        bodies: { upper: rod, lower: rod },
        joints: {
          shoulder: revolute({
            parent: "world",
            child: "upper",
            axis: [0, 1, 0],
            childAnchor: [0, 0, 0.2],
            actuated: true,
          }),
          elbow: revolute({ ...link, parent: "upper", child: "lower", axis: [0, 1, 0], actuated: true }),
        },
        gears: { tendon: { terms: [shoulder, elbow], ...gear } },
      });
      const simulation = new Simulation(mechanism);
      const state = maximalState(mechanism, { shoulder: { position: [0.8] }, elbow: { position: [0.4] } });
      const { input, residual } = gravityCompensation(simulation, state);
      expect(residual).toBeLessThan(1e-9);
      const { final } = simulation.rollout(state, { steps: 20, controller: () => input, check: false });
      expect(largestSpeed(final)).toBeLessThan(speed);
      return input;
    };
    // ℓ = 1: out of reach, at the lower bound, at a bound that gravity does not push against, and a spring
    const free = hold({ range: [-3, 3] });
    const borne = hold({ range: [1 - 1e-10, 3] });
    expect(Math.hypot(...borne)).toBeLessThan(0.9 * Math.hypot(...free));
    // touched and not loaded, a bound pushes a little, as κ says
    closeTo(hold({ range: [-3, 1 + 5e-7] }, 1e-3), free, 1e-3);
    closeTo(hold({ stiffness: 4, rest: 0.5 }), [free[0] + 2, free[1] + 1], 1e-9);
  });

  test("a loop with more motors than it needs takes the least effort", () => {
    const bars = fourBar();
    const motors = (names: readonly string[]) =>
      Object.fromEntries(
        Object.entries(bars.joints ?? {}).map(([name, joint]) => [name, { ...joint, actuated: names.includes(name) }]),
      );
    const guess = { ground: { position: [0.5] }, elbow: { position: [-1.2] }, wrist: { position: [-1] } };
    const efforts = [["ground"], ["ground", "pivot"]].map((names) => {
      const simulation = new Simulation(compile({ ...bars, joints: motors(names) }));
      const state = projectState(simulation, maximalState(simulation.mechanism, guess));
      const { input, residual } = gravityCompensation(simulation, state);
      expect(residual).toBeLessThan(1e-9);
      const { final } = simulation.rollout(state, { steps: 20, controller: () => input });
      expect(largestSpeed(final)).toBeLessThan(1e-7);
      return Math.hypot(...input);
    });
    expect(efforts[1]).toBeLessThan(efforts[0]);
  });

  test("what nothing can hold is a residual: the weight of a box in the air", () => {
    const mechanism = compile({
      timestep: 0.01,
      bodies: { crate: box({ size: [1, 1, 1], mass: 3 }) },
      joints: { base: floating({ parent: "world", child: "crate" }) },
    });
    const state = maximalState(mechanism, { base: { position: [0, 0, 2, 0.1, 0, 0] } });
    const { residual } = gravityCompensation(new Simulation(mechanism), state);
    expect(residual).toBeCloseTo(3 * 9.81, 10);
  });

  test("a standing robot stands, on cones and on pyramids", () => {
    for (const contact of [frictionContact, linearContact]) {
      const { simulation, state } = table(contact);
      const { input, contactForces, residual } = gravityCompensation(simulation, state);
      expect(residual).toBeLessThan(1e-5);
      const weight = 9.81 * simulation.mechanism.bodies.reduce((sum, { mass }) => sum + mass, 0);
      const borne = Object.values(contactForces).reduce((sum, { normal }) => sum + normal, 0);
      expect(borne).toBeCloseTo(weight, 4);
      for (const { normal, friction } of Object.values(contactForces)) {
        expect(Math.hypot(...friction)).toBeLessThan(0.8 * normal + 1e-6);
      }
      const trajectory = simulation.rollout(state, { steps: 50, controller: () => input, check: false });
      const fallen = trajectory.final.map((entry, i) => Math.abs(entry - state[i]));
      expect(Math.max(...fallen)).toBeLessThan(1e-4);
      // without it, the legs fold
      const folded = simulation.rollout(state, { steps: 50, check: false }).final;
      expect(Math.max(...folded.map((entry, i) => Math.abs(entry - state[i])))).toBeGreaterThan(0.01);
    }
  });
});

/** A body on four legs with knees, standing on spheres. */
function table(contact: typeof frictionContact) {
  const bodies: Record<string, ReturnType<typeof box>> = { trunk: box({ size: [0.5, 0.3, 0.1], mass: 5 }) };
  const joints: Record<string, JointDescription> = { base: floating({ parent: "world", child: "trunk" }) };
  const pose: Record<string, { position: number[] }> = {};
  const contacts = [];
  const shin = capsule({ radius: 0.02, length: 0.2, mass: 0.3 });
  for (const [i, [x, y]] of [
    [0.2, 0.15],
    [0.2, -0.15],
    [-0.2, 0.15],
    [-0.2, -0.15],
  ].entries()) {
    bodies[`thigh${i}`] = shin;
    bodies[`shin${i}`] = shin;
    joints[`hip${i}`] = revolute({
      parent: "trunk",
      child: `thigh${i}`,
      axis: [0, 1, 0],
      parentAnchor: [x, y, 0],
      childAnchor: [0, 0, 0.1],
      actuated: true,
    });
    joints[`knee${i}`] = revolute({
      parent: `thigh${i}`,
      child: `shin${i}`,
      axis: [0, 1, 0],
      parentAnchor: [0, 0, -0.1],
      childAnchor: [0, 0, 0.1],
      actuated: true,
    });
    contacts.push(contact({ body: `shin${i}`, point: [0, 0, -0.1], radius: 0.02, frictionCoefficient: 0.8 }));
    pose[`hip${i}`] = { position: [0.5] };
    pose[`knee${i}`] = { position: [-1] };
  }
  const mechanism = compile({ timestep: 0.01, bodies, joints, contacts });
  const height = 0.4 * Math.cos(0.5) + 0.02 + 1e-9;
  const state = maximalState(mechanism, { ...pose, base: { position: [0, 0, height, 0, 0, 0] } });
  return { simulation: new Simulation(mechanism), state };
}

test("what no joint can bear is told in the frame of the body that it is missing on", () => {
  const h = 0.01;
  const mechanism = compile({
    timestep: h,
    gravity: [0, 0, 0],
    bodies: { arm: rod, plate: box({ size: [0.2, 0.3, 0.4], mass: 2 }) },
    joints: {
      turn: revolute({ parent: "world", child: "arm", axis: [0, 0, 1] }),
      free: revolute({ parent: "arm", child: "plate", axis: [1, 0, 0] }),
    },
  });
  const at = (turn: number, free: number) =>
    maximalState(mechanism, { turn: { position: [turn] }, free: { position: [free] } });
  // from rest about the axis that nothing drives, a long way from where the world's axes are
  const angle = 0.02;
  const { imbalance } = inverseDynamics(new Simulation(mechanism), at(0.8, 0.3), at(0.8, 0.3 + angle));
  const spin = (2 * Math.sin(angle / 2)) / h;
  const inertia = (2 * (0.3 ** 2 + 0.4 ** 2)) / 12;
  const torque = (Math.cos(angle / 2) * inertia * spin) / h;
  const expected = [0, 0, 0, 0, 0, 0, 0, 0, 0, torque, 0, 0];
  imbalance.forEach((entry, i) => {
    expect(Math.abs(entry - expected[i])).toBeLessThan(1e-9 * torque);
  });
});
