import { describe, expect, test } from "vitest";
import { fourBar } from "../../../test/toys/loops.ts";
import { jointCoordinates, jointRates, maximalState } from "../../coordinates/index.ts";
import {
  box,
  boxCorners,
  capsule,
  compile,
  floating,
  frictionContact,
  type JointDescription,
  type MechanismDescription,
  orbital,
  prismatic,
  revolute,
  serial,
  sphere,
  spherical,
  universal,
} from "../../mechanism/index.ts";
import { Simulation } from "../simulation.ts";
import { checkState } from "./checkState.ts";
import { stateAt } from "./stateAt.ts";

/** Fourfold in theory; higher orders leave this much at the time steps used. */
const leastRatio = 3.6;
const mostRatio = 4.5;

const motion = {
  hinge: { position: [1.2], velocity: [-0.7] },
  next: { position: [-0.4], velocity: [1.1] },
};

function chainOf(joint: (index: number) => JointDescription, timestep: number): MechanismDescription {
  const rod = box({ size: [0.1, 0.2, 1], mass: 1 });
  return { timestep, bodies: { rod, tip: rod }, joints: { hinge: joint(0), next: joint(1) } };
}

function link(index: number) {
  const [parent, child] = [
    ["world", "rod"],
    ["rod", "tip"],
  ][index];
  const parentAnchor = [0, 0, index === 0 ? 0 : -0.5] as const;
  return { parent, child, parentAnchor, childAnchor: [0, 0, 0.5] as const };
}

/** Error of the coordinates after 0.4 s, against a step 16 times finer than the finest. */
function errorRatio(
  description: (timestep: number) => MechanismDescription,
  joints: Parameters<typeof stateAt>[1],
  start: (simulation: Simulation) => Float64Array = (simulation) => stateAt(simulation, joints),
): { errors: number[]; ratios: number[] } {
  const end = (h: number): Float64Array => {
    const simulation = new Simulation(compile(description(h)));
    const trajectory = simulation.rollout(start(simulation), { steps: Math.round(0.4 / h), check: false });
    expect(trajectory.solved).toBe(true);
    return jointCoordinates(simulation.mechanism, trajectory.final);
  };
  const h = 0.02;
  const exact = end(h / 64);
  const errors = [h, h / 2, h / 4].map((step) => {
    const values = end(step);
    return Math.max(...values.map((value, i) => Math.abs(value - exact[i])));
  });
  return { errors, ratios: errors.slice(1).map((error, i) => errors[i] / error) };
}

describe("with stateAt the error falls fourfold when the time step is halved", () => {
  const cases: Record<string, [(timestep: number) => MechanismDescription, Parameters<typeof stateAt>[1]]> = {
    "a pendulum": [
      (timestep) => ({
        timestep,
        bodies: { rod: capsule({ radius: 0.05, length: 1, mass: 1 }) },
        joints: { hinge: revolute({ ...link(0), axis: [1, 0, 0] }) },
      }),
      { hinge: motion.hinge },
    ],
    "a double pendulum": [(h) => chainOf((i) => revolute({ ...link(i), axis: [1, 0, 0] }), h), motion],
    "a spherical chain": [
      (h) => chainOf((i) => spherical(link(i)), h),
      {
        hinge: { position: [0.6, -0.3, 0.2], velocity: [1, -2, 3] },
        next: { position: [-0.5, 0.7, 0.1], velocity: [-2, 1, 2] },
      },
    ],
    "a chain of orbital joints": [
      (h) => chainOf((i) => orbital({ ...link(i), axis: [0, 0, 1] }), h),
      { hinge: { position: [0.6, -0.3], velocity: [1, -2] }, next: { position: [-0.5, 0.7], velocity: [-2, 1] } },
    ],
    "a universal joint and three serial angles": [
      (h) =>
        chainOf(
          (i) =>
            i === 0
              ? universal({
                  ...link(i),
                  axes: [
                    [1, 0, 0],
                    [0, 1, 0],
                  ],
                })
              : serial({
                  ...link(i),
                  axes: [
                    [1, 0, 0],
                    [0, 1, 0],
                    [0, 0, 1],
                  ],
                }),
          h,
        ),
      {
        hinge: { position: [0.6, -0.3], velocity: [1, -2] },
        next: { position: [-0.5, 0.7, 0.3], velocity: [-2, 1, 1] },
      },
    ],
    "a tumbling brick": [
      (timestep) => ({
        timestep,
        bodies: { brick: box({ size: [0.1, 0.3, 0.6], mass: 1 }) },
        joints: { base: floating({ parent: "world", child: "brick" }) },
      }),
      { base: { position: [0, 0, 1, 0.3, 0.1, -0.2], velocity: [1, 2, 3, 5, 0.3, 0.4] } },
    ],
    "a spring and armature": [
      (timestep) => ({
        timestep,
        springConservation: 1,
        bodies: { rod: capsule({ radius: 0.05, length: 1, mass: 1 }) },
        joints: { hinge: revolute({ ...link(0), axis: [1, 0, 0], stiffness: 8, armature: 0.2 }) },
      }),
      { hinge: motion.hinge },
    ],
  };
  for (const [name, [description, joints]] of Object.entries(cases)) {
    test(name, () => {
      const { ratios } = errorRatio(description, joints);
      for (const ratio of ratios) {
        expect(ratio).toBeGreaterThan(leastRatio);
        expect(ratio).toBeLessThan(mostRatio);
      }
    });
  }
});

test("with maximalState the same error falls twofold", () => {
  const description = (h: number) => chainOf((i) => revolute({ ...link(i), axis: [1, 0, 0] }), h);
  const { ratios } = errorRatio(description, motion, (simulation) => maximalState(simulation.mechanism, motion));
  for (const ratio of ratios) expect(ratio).toBeCloseTo(2, 0);
});

const crate = box({ size: [0.5, 0.5, 0.5], mass: 1 });
const boxOnFloor: MechanismDescription = {
  timestep: 0.01,
  bodies: { crate },
  joints: { base: floating({ parent: "world", child: "crate" }) },
  contacts: boxCorners(crate).map((point) => frictionContact({ body: "crate", point, frictionCoefficient: 0.5 })),
};

/** Velocities and spins of the box's state with its centre at `height`. */
function boxVelocities(height: number, velocity: readonly number[]): number[] {
  const simulation = new Simulation(compile(boxOnFloor));
  const state = stateAt(simulation, { base: { position: [0, 0, height, 0, 0, 0], velocity } });
  expect(checkState(simulation, state)).toEqual([]);
  return Array.from(state.subarray(7, 13));
}

describe("beside contacts", () => {
  const close = (values: readonly number[], digits: number) => values.map((value) => expect.closeTo(value, digits));

  test("a box in the air is half a step of gravity slower", () => {
    expect(boxVelocities(2, [1, 0, -3, 0, 0, 0])).toEqual(close([1, 0, -3 + 9.81 * 0.005, 0, 0, 0], 9));
  });

  test("a box at rest on the floor is at rest", () => {
    expect(boxVelocities(0.25, [0, 0, 0, 0, 0, 0])).toEqual(close([0, 0, 0, 0, 0, 0], 6));
  });

  test("a sliding box was faster by half a step of friction", () => {
    expect(boxVelocities(0.25, [2, 0, 0, 0, 0, 0])).toEqual(close([2 + 0.5 * 9.81 * 0.005, 0, 0, 0, 0, 0], 5));
  });

  test("an impact to come within the step is not moved back in time, however near it is", () => {
    for (const gap of [0.02, 1e-3, 4.5e-5, 1e-7, 1e-9, 0]) {
      const [, , vertical] = boxVelocities(0.25 + gap, [0, 0, -5, 0, 0, 0]);
      expect(vertical, `gap ${gap}`).toBeLessThan(-4.9);
      expect(vertical, `gap ${gap}`).toBeGreaterThan(-5.1);
    }
  });
});

test("a joint about to reach its limit keeps its velocity", () => {
  const hinge = revolute({ ...link(0), axis: [1, 0, 0], limits: [-1, 1] });
  const bodies = { rod: capsule({ radius: 0.05, length: 1, mass: 1 }) };
  const simulation = new Simulation(compile({ timestep: 0.01, bodies, joints: { hinge } }));
  const state = stateAt(simulation, { hinge: { position: [0.99], velocity: [5] } });
  expect(jointRates(simulation.mechanism, state, 0.01)[0]).toBeCloseTo(5, 0);
});

test("a stiff spring is moved back as the step would have it, not as its acceleration would", () => {
  const hinge = revolute({ ...link(0), axis: [1, 0, 0], stiffness: 1e6 });
  const bodies = { rod: capsule({ radius: 0.05, length: 1, mass: 1 }) };
  const simulation = new Simulation(compile({ timestep: 0.01, bodies, joints: { hinge } }));
  // θ̈ h/2 = 1500 rad/s, where one step changes θ by no more than twice itself
  const state = stateAt(simulation, { hinge: { position: [0.1] } });
  expect(Math.abs(jointRates(simulation.mechanism, state, 0.01)[0])).toBeLessThan(30);
});

test("a closed loop starts closed, at z and one step ago", () => {
  const simulation = new Simulation(compile(fourBar()));
  const ground = { position: [0.5], velocity: [2] };
  const state = stateAt(simulation, { ground, elbow: { position: [-0.5] }, wrist: { position: [-2] } });
  expect(checkState(simulation, state, { tolerance: 1e-9 })).toEqual([]);
});

test("the simulation's time step and wrenches are as before, and count", () => {
  const simulation = new Simulation(compile(boxOnFloor));
  simulation.setWrench("crate", { force: [100, 0, 0] });
  const before = simulation.save();
  const state = stateAt(simulation, { base: { position: [0, 0, 2, 0, 0, 0] } });
  expect(state[7]).toBeCloseTo(-100 * 0.005, 9);
  expect(simulation.save()).toEqual(before);
});

test("shapes that are about to meet, and gears about to reach their range, start with the velocity that was asked for", () => {
  const ball = {
    ...sphere({ radius: 0.1, mass: 1 }),
    shapes: [{ kind: "sphere", radius: 0.1, contact: true }] as const,
  };
  const falling = new Simulation(
    compile({
      timestep: 0.01,
      bodies: { ball },
      joints: { base: floating({ parent: "world", child: "ball" }) },
      shapes: [{ kind: "halfSpace", contact: true }],
    }),
  );
  const at = (height: number): Float64Array =>
    stateAt(falling, { base: { position: [0, 0, height, 0, 0, 0], velocity: [1, 0, -1, 0, 0, 0] } });
  // the mean of half a step ago; at the floor the impact is now, and the velocity is what it is
  expect(at(0.105)[9]).toBeCloseTo(-1 + 9.81 * 0.005, 6);
  expect(at(0.1)[9]).toBeCloseTo(-1, 6);
  // one that lies there goes on lying
  const resting = stateAt(falling, { base: { position: [0, 0, 0.1, 0, 0, 0] } });
  expect(Math.abs(resting[9])).toBeLessThan(1e-6);

  // on a slope it begins to roll, with 5/7 of gravity along it; a hair above it too
  const [sine, cosine] = [Math.sin(0.3), Math.cos(0.3)];
  const orientation = [Math.cos(0.15), 0, Math.sin(0.15), 0] as const;
  const slope = new Simulation(
    compile({ ...falling.mechanism.description, shapes: [{ kind: "halfSpace", orientation, contact: true }] }),
  );
  for (const height of [0.1, 0.1 + 1e-10, 0.1 + 1e-9, 0.1 + 1e-8]) {
    const rolling = stateAt(slope, { base: { position: [height * sine, 0, height * cosine, 0, 0, 0] } });
    const speed = -0.005 * (5 / 7) * 9.81 * sine;
    expect(rolling[7]).toBeCloseTo(speed * cosine, 5);
    expect(rolling[9]).toBeCloseTo(-speed * sine, 5);
  }

  const block = box({ size: [0.1, 0.1, 0.1], mass: 1 });
  const slides = new Simulation(
    compile({
      ...{ timestep: 0.01, gravity: [0, 0, 0], bodies: { left: block, right: block } },
      joints: {
        left: prismatic({ parent: "world", child: "left", axis: [1, 0, 0] }),
        right: prismatic({ parent: "world", child: "right", axis: [1, 0, 0] }),
      },
      gears: {
        rod: {
          terms: [
            { joint: "left", ratio: 1 },
            { joint: "right", ratio: 1 },
          ],
          range: [null, 0.005],
        },
      },
    }),
  );
  expect(stateAt(slides, { left: { velocity: [1] } })[7]).toBeCloseTo(1, 9);
});
