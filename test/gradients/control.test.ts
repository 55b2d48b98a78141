/** Inverse dynamics, gravity compensation and linearisation: each is held against the simulation itself. */
import { describe, expect, test } from "vitest";
import {
  box,
  boxCorners,
  capsule,
  compile,
  cylindrical,
  floating,
  frictionContact,
  type GearDescription,
  gravityCompensation,
  inverseDynamics,
  type JointDescription,
  linearContact,
  linearize,
  maximalState,
  minimalFromState,
  minimalState,
  orbital,
  prismatic,
  projectState,
  Random,
  revolute,
  Simulation,
  spherical,
  stateFromMinimal,
  stepGradients,
} from "../../src/index.ts";
import { fourBar } from "../toys/loops.ts";
import { product } from "./differences.ts";

const rod = capsule({ radius: 0.04, length: 0.4, mass: 1 });
const link = { parentAnchor: [0, 0, -0.2], childAnchor: [0, 0, 0.2] } as const;

/** Shoulder ball, elbow hinge with a spring, hand that slides and turns. */
function arm(extra: Partial<JointDescription> = {}) {
  const mechanism = compile({
    timestep: 0.01,
    bodies: { upper: rod, lower: { ...rod, mass: 0.7 }, hand: box({ size: [0.1, 0.1, 0.2], mass: 0.4 }) },
    joints: {
      shoulder: spherical({ parent: "world", child: "upper", childAnchor: [0, 0, 0.2], actuated: true, damping: 0.1 }),
      elbow: revolute({
        ...link,
        parent: "upper",
        child: "lower",
        axis: [0, 1, 0],
        stiffness: 5,
        rest: 0.3,
        actuated: true,
        armature: 0.05,
        ...extra,
      }),
      hand: cylindrical({ ...link, parent: "lower", child: "hand", axis: [0, 0.6, 0.8], actuated: true }),
    },
  });
  const state = maximalState(mechanism, {
    shoulder: { position: [0.5, 0.3, -0.4], velocity: [1, -0.5, 0.2] },
    elbow: { position: [0.9], velocity: [-1] },
    hand: { position: [0.05, 0.4], velocity: [0.2, 0.5] },
  });
  return { mechanism, simulation: new Simulation(mechanism), state };
}

const largestSpeed = (state: Float64Array): number => {
  let most = 0;
  for (let at = 7; at < state.length; at += 13)
    for (let k = 0; k < 6; k++) most = Math.max(most, Math.abs(state[at + k]));
  return most;
};

const closeTo = (a: ArrayLike<number>, b: ArrayLike<number>, tolerance: number): void => {
  expect(a.length).toBe(b.length);
  for (let i = 0; i < a.length; i++) expect(Math.abs(a[i] - b[i])).toBeLessThan(tolerance);
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

describe("inverse dynamics", () => {
  test("gives back the inputs of a simulated step", () => {
    const random = new Random(2);
    for (const extra of [{}, { friction: 0.3 }, { servo: { stiffness: 50, damping: 2 }, actuated: false }]) {
      const { simulation, state } = arm(extra);
      for (let trial = 0; trial < 5; trial++) {
        simulation.setParameter("damperCentering", 0.2 * trial);
        const input = Float64Array.from({ length: simulation.inputSize }, () => random.uniform(-1, 1));
        const next = Float64Array.from(simulation.step(state, input).next);
        const { input: found, residual } = inverseDynamics(simulation, state, next);
        expect(residual).toBeLessThan(1e-6);
        // the simulation lands within its κ
        closeTo(found, input, 1e-5);
      }
    }
  });

  test("a floating base is underactuated: consistent motions leave nothing, others do", () => {
    const mechanism = compile({
      timestep: 0.01,
      bodies: { trunk: box({ size: [0.3, 0.2, 0.2], mass: 2 }), arm: rod },
      joints: {
        base: floating({ parent: "world", child: "trunk" }),
        hinge: revolute({
          parent: "trunk",
          child: "arm",
          axis: [0, 1, 0],
          parentAnchor: [0.1, 0, 0],
          childAnchor: [0, 0, 0.2],
          actuated: true,
        }),
      },
    });
    const simulation = new Simulation(mechanism);
    const state = maximalState(mechanism, {
      base: { position: [0, 0, 1, 0, 0, 0] },
      hinge: { position: [0.4], velocity: [1] },
    });
    const next = Float64Array.from(simulation.step(state, Float64Array.of(0.7)).next);
    const found = inverseDynamics(simulation, state, next);
    closeTo(found.input, [0.7], 1e-8);
    expect(found.residual).toBeLessThan(1e-8);
    expect(gravityCompensation(simulation, state).residual).toBeGreaterThan(1);
  });

  test("pushing a crate along the floor: inputs make up for the friction of sliding", () => {
    const crate = box({ size: [0.4, 0.4, 0.2], mass: 2 });
    for (const contact of [frictionContact, linearContact]) {
      const mechanism = compile({
        timestep: 0.01,
        bodies: { crate },
        joints: {
          base: floating({ parent: "world", child: "crate", actuated: [true, true, false, false, false, true] }),
        },
        contacts: boxCorners(crate)
          .slice(0, 8)
          .map((point) => contact({ body: "crate", point, frictionCoefficient: 0.3 })),
      });
      const simulation = new Simulation(mechanism);
      let state = maximalState(mechanism, { base: { position: [0, 0, 0.1, 0, 0, 0], velocity: [1, 0, 0, 0, 0, 0] } });
      const input = Float64Array.of(8, 0, 0);
      for (let k = 0; k < 5; k++) state = Float64Array.from(simulation.step(state, input).next);
      const next = Float64Array.from(simulation.step(state, input).next);
      const { input: found, residual, contactForces } = inverseDynamics(simulation, state, next);
      expect(residual).toBeLessThan(1e-3);
      closeTo(found, input, 1e-2);
      const friction = Object.values(contactForces).reduce((sum, { friction: [x] }) => sum + x, 0);
      expect(Math.abs(friction)).toBeLessThan(0.3 * 2 * 9.81 * 1.01);
      expect(Object.keys(contactForces).length).toBe(4);
    }
  });
});

describe("linearisation", () => {
  test("a regulator from A and B balances a cart-pole", () => {
    const mechanism = compile({
      timestep: 0.02,
      bodies: {
        cart: box({ size: [0.3, 0.2, 0.1], mass: 1 }),
        pole: capsule({ radius: 0.02, length: 0.8, mass: 0.2 }),
      },
      joints: {
        rail: prismatic({ parent: "world", child: "cart", axis: [1, 0, 0], actuated: true, damping: 0.1 }),
        pivot: revolute({ parent: "cart", child: "pole", axis: [0, 1, 0], childAnchor: [0, 0, -0.4] }),
      },
    });
    const simulation = new Simulation(mechanism);
    const upright = maximalState(mechanism);
    for (const coordinates of ["minimal", "maximal"] as const) {
      const { c } = linearize(simulation, upright, new Float64Array(1), { coordinates });
      expect(Math.max(...c.map(Math.abs))).toBeLessThan(1e-12);
    }
    const { A, B } = linearize(simulation, upright, new Float64Array(1));
    const K = regulator(A, B, Float64Array.of(1, 10, 0.1, 0.1), 0.1);

    const run = (gain: Float64Array) =>
      simulation.rollout(maximalState(mechanism, { rail: { position: [0.5] }, pivot: { position: [0.3] } }), {
        steps: 400,
        controller: (state, _, input) => {
          const x = minimalFromState(simulation, state);
          input[0] = -x.reduce((sum, entry, i) => sum + gain[i] * entry, 0);
          return input;
        },
      }).final;
    expect(Math.max(...minimalFromState(simulation, run(K)).map(Math.abs))).toBeLessThan(1e-3);
    expect(Math.abs(minimalFromState(simulation, run(new Float64Array(4)))[1])).toBeGreaterThan(1);
  });

  test("the next joint coordinates count the turns of the run, and c is what the step adds to them", () => {
    const mechanism = compile({
      timestep: 0.01,
      gravity: [0, 0, 0],
      bodies: { wheel: rod },
      joints: { hinge: revolute({ parent: "world", child: "wheel", axis: [0, 1, 0], actuated: true }) },
    });
    const simulation = new Simulation(mechanism);
    const input = new Float64Array(1);
    const spun = simulation.rollout(maximalState(mechanism, { hinge: { velocity: [20] } }), { steps: 100 });
    // 20 rad in a second, past the 4π after which a state's own angle repeats
    const { minimalNext, next } = stepGradients(simulation, spun.final, input, { coordinates: "minimal" });
    closeTo(minimalNext, [20.2, 20], 1e-8);
    closeTo(minimalNext.subarray(0, 1), simulation.coordinates(next), 1e-14);
    expect(minimalState(mechanism, next)[0]).toBeLessThan(4 * Math.PI);
    closeTo(linearize(simulation, spun.final, input).c, [0.2, 0], 1e-8);
    // a wound start whose run is handed in
    const { continuation } = spun;
    const fresh = new Simulation(mechanism);
    const handed = stepGradients(fresh, spun.final, input, { coordinates: "minimal", continuation });
    expect(handed.minimalNext).toEqual(minimalNext);
    expect(() => stepGradients(fresh, spun.final, input).minimalNext).toThrow(/minimal/);
  });

  test("a result that is handed in is overwritten, to the bits of a new one", () => {
    const { simulation, state } = arm();
    const input = new Float64Array(simulation.inputSize).fill(0.1);
    for (const coordinates of ["minimal", "maximal"] as const) {
      const into = linearize(simulation, state, new Float64Array(simulation.inputSize), { coordinates });
      const { A, B, c } = into;
      expect(linearize(simulation, state, input, { coordinates, into })).toBe(into);
      const again = linearize(simulation, state, input, { coordinates });
      expect([A, B, c]).toEqual([again.A, again.B, again.c]);
    }
  });
});

/** K of u = −K x by Riccati's iteration, for one input. */
function regulator(A: Float64Array, B: Float64Array, q: Float64Array, r: number): Float64Array {
  const n = q.length;
  const transposed = (matrix: Float64Array, columns: number): Float64Array => {
    const rows = matrix.length / columns;
    return matrix.map((_, i) => matrix[(i % rows) * columns + Math.floor(i / rows)]);
  };
  let P = Float64Array.from({ length: n * n }, (_, i) => (i % (n + 1) === 0 ? q[i / (n + 1)] : 0));
  const Q = P;
  let K = new Float64Array(n);
  for (let round = 0; round < 2000; round++) {
    const PB = product(P, B, n);
    const PA = product(P, A, n);
    const gain = r + product(transposed(B, 1), PB, n)[0];
    K = product(transposed(PB, 1), A, n).map((entry) => entry / gain);
    const closed = product(transposed(A, n), PA, n);
    const drop = product(product(transposed(PA, n), B, n), K, 1);
    const next = closed.map((entry, i) => Q[i] + entry - drop[i]);
    // rounding must not be left to grow
    const mirrored = transposed(next, n);
    P = next.map((entry, i) => (entry + mirrored[i]) / 2);
  }
  return K;
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
