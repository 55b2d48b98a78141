import { describe, expect, test } from "vitest";
import { fourBar, stewartPlatform } from "../../../test/toys/loops.ts";
import { jointCoordinates, jointRates, maximalState } from "../../coordinates/index.ts";
import { Random } from "../../math/index.ts";
import {
  box,
  boxCorners,
  capsule,
  compile,
  floating,
  frictionContact,
  type MechanismDescription,
  revolute,
  spherical,
} from "../../mechanism/index.ts";
import { Simulation } from "../simulation.ts";
import { checkState } from "./checkState.ts";
import { configurationBefore, configurationNow } from "./configuration.ts";
import { projectState } from "./projectState.ts";
import { StateError } from "./stateFaults.ts";
import { largestViolation } from "./violations.ts";

/** What a projection leaves: rounding of positions of a metre or two. */
const rounding = 1e-11;
/** How far above the floor, over how far it was moved: κ of the step in its units, a few times. */
const hover = 1e-7;

const crate = box({ size: [0.5, 0.5, 0.5], mass: 1 });
const boxOnFloor: MechanismDescription = {
  timestep: 0.01,
  bodies: { crate },
  joints: { base: floating({ parent: "world", child: "crate" }) },
  contacts: boxCorners(crate).map((point) => frictionContact({ body: "crate", point, frictionCoefficient: 0.8 })),
};

function arm(links = 6): MechanismDescription {
  const rod = capsule({ radius: 0.05, length: 0.4, mass: 0.5 });
  const names = Array.from({ length: links }, (_, i) => `link${i}`);
  return {
    timestep: 0.01,
    bodies: Object.fromEntries(names.map((name) => [name, rod])),
    joints: Object.fromEntries(
      names.map((child, i) => [
        `joint${i}`,
        revolute({
          parent: i === 0 ? "world" : names[i - 1],
          child,
          axis: i % 2 === 0 ? [1, 0, 0] : [0, 1, 0],
          parentAnchor: [0, 0, i === 0 ? 0 : 0.2],
          childAnchor: [0, 0, -0.2],
          limits: [-1, 1],
          damping: 0.1,
          friction: 0.2,
          actuated: true,
        }),
      ]),
    ),
  };
}

function perturbed(state: Float64Array, random: Random, size: number): Float64Array {
  return state.map((entry) => entry + size * random.normal());
}

function violations(simulation: Simulation, state: Float64Array): [number, number] {
  const { mechanism, timestep } = simulation;
  return [
    largestViolation(mechanism, configurationNow(state), true, 1),
    largestViolation(mechanism, configurationBefore(state, timestep), false, 1),
  ];
}

describe("loops", () => {
  test("a four-bar is closed from any of 40 random guesses, at z and one step ago", () => {
    const simulation = new Simulation(compile(fourBar()));
    for (let seed = 0; seed < 40; seed++) {
      const random = new Random(seed);
      const guess = () => ({ position: [random.uniform(-2, 2)], velocity: [random.uniform(-3, 3)] });
      const start = maximalState(simulation.mechanism, { ground: guess(), elbow: guess(), wrist: guess() });
      const state = projectState(simulation, start);
      const [now, before] = violations(simulation, state);
      expect(now, `seed ${seed}`).toBeLessThan(rounding);
      expect(before, `seed ${seed}`).toBeLessThan(rounding);
    }
  });

  test("a closed four-bar swings for 2 s, and every step is solved", () => {
    const simulation = new Simulation(compile(fourBar()));
    const start = projectState(
      simulation,
      maximalState(simulation.mechanism, { ground: { position: [0.5] }, wrist: { position: [-2] } }),
    );
    const trajectory = simulation.rollout(start, { steps: 200 });
    expect(trajectory.solved).toBe(true);
    expect(violations(simulation, trajectory.final)[0]).toBeLessThan(1e-9);
  });

  test("a Stewart platform is closed within its limits from a rough guess", () => {
    const simulation = new Simulation(compile(stewartPlatform([-0.2, 0.5])));
    for (let seed = 0; seed < 10; seed++) {
      const random = new Random(seed);
      const joints = Object.fromEntries(
        simulation.mechanism.joints.map(({ name, coordinates }) => [
          name,
          { position: coordinates.map(() => random.uniform(-0.2, 0.2)) },
        ]),
      );
      joints.base.position[2] = 0.85;
      const state = projectState(simulation, maximalState(simulation.mechanism, joints));
      expect(violations(simulation, state)[0], `seed ${seed}`).toBeLessThan(rounding);
    }
  });
});

test("a box pushed into the floor comes up without moving sideways or turning", () => {
  const simulation = new Simulation(compile(boxOnFloor));
  for (const depth of [1e-5, 0.01, 0.2, 3]) {
    const start = maximalState(simulation.mechanism, { base: { position: [0.3, -0.2, 0.25 - depth, 0, 0, 0] } });
    const state = projectState(simulation, start);
    const expected = [0.3, -0.2, 0.25, 1, 0, 0, 0];
    expected.forEach((entry, k) => {
      expect(Math.abs(state[k] - entry)).toBeLessThan(hover * (1 + depth));
    });
    expect(checkState(simulation, state)).toEqual([]);
  }
});

test("a box keeps the velocity with which it leaves or meets the floor", () => {
  const simulation = new Simulation(compile(boxOnFloor));
  for (const vertical of [-3, 3]) {
    const base = { position: [0, 0, 0.2, 0, 0, 0], velocity: [1, 0, vertical, 0.5, 0, 0] };
    const state = projectState(simulation, maximalState(simulation.mechanism, { base }));
    expect(Array.from(state.subarray(7, 10))).toEqual([1, 0, vertical].map((entry) => expect.closeTo(entry, 12)));
  }
});

test("a perturbed arm is put together again, within its limits, not far from where it was", () => {
  const simulation = new Simulation(compile(arm()));
  for (let seed = 0; seed < 20; seed++) {
    const random = new Random(seed);
    const joints = Object.fromEntries(
      simulation.mechanism.joints.map(({ name }) => [
        name,
        { position: [random.uniform(-1, 1)], velocity: [random.normal()] },
      ]),
    );
    const start = maximalState(simulation.mechanism, joints);
    const size = 0.02;
    const noisy = perturbed(start, random, size);
    const state = projectState(simulation, noisy);
    const [now, before] = violations(simulation, state);
    expect(now, `seed ${seed}`).toBeLessThan(rounding);
    expect(before, `seed ${seed}`).toBeLessThan(rounding);
    // a projection is no further away than what it was perturbed from, up to the metric
    for (const { index } of simulation.mechanism.bodies) {
      for (let k = 0; k < 7; k++)
        expect(Math.abs(state[13 * index + k] - start[13 * index + k])).toBeLessThan(8 * size);
    }
  }
});

test("coordinates past their limits come back to them", () => {
  const simulation = new Simulation(compile(arm(2)));
  const start = maximalState(simulation.mechanism, { joint0: { position: [1.4] }, joint1: { position: [-1.8] } });
  const state = projectState(simulation, start);
  const angles = jointCoordinates(simulation.mechanism, state);
  expect(angles[0]).toBeLessThanOrEqual(1);
  expect(angles[1]).toBeCloseTo(-1, 6);
  expect(violations(simulation, state)[0]).toBeLessThan(rounding);
});

test("a tilt past its limit comes back to it", () => {
  const rod = capsule({ radius: 0.05, length: 0.4, mass: 0.5 });
  const joint = spherical({ parent: "world", child: "rod", childAnchor: [0, 0, 0.2], tiltLimit: 0.5 });
  const simulation = new Simulation(compile({ timestep: 0.01, bodies: { rod }, joints: { joint } }));
  const start = maximalState(simulation.mechanism, { joint: { position: [0.9, 0, 0] } });
  expect(checkState(simulation, start).map(({ path }) => path)).toEqual(["joints.joint.tiltLimit"]);
  expect(jointCoordinates(simulation.mechanism, projectState(simulation, start))[0]).toBeCloseTo(0.5, 6);
});

test("velocities that tear a joint apart become the nearest that do not", () => {
  const simulation = new Simulation(compile(arm(1)));
  const start = maximalState(simulation.mechanism, { joint0: { position: [0.3] } });
  start[8] = 1; // across the rod, at its centre
  const state = projectState(simulation, start);
  // a rod hit at its centre, hinged at its end: θ̇ = m v (l/2) cos θ / (I + m (l/2)²), and v along the rod is lost
  const { mass, inertia } = simulation.mechanism.bodies[0];
  const rate = (-mass * 0.2 * Math.cos(0.3)) / (inertia[0][0] + mass * 0.04);
  expect(jointRates(simulation.mechanism, state, 0.01)[0]).toBeCloseTo(rate, 2);
  expect(violations(simulation, state)[1]).toBeLessThan(rounding);
});

test("spins past √2/h are slowed, quaternions are brought to length 1", () => {
  const simulation = new Simulation(compile(boxOnFloor));
  const start = maximalState(simulation.mechanism, { base: { position: [0, 0, 1, 0, 0, 0] } });
  start[10] = 300;
  for (let k = 3; k < 7; k++) start[k] *= 1.5;
  const state = projectState(simulation, start);
  expect(state[10]).toBeCloseTo(0.99 * Math.SQRT2 * 100, 9);
  expect(state[3]).toBe(1);
});

test("a valid state comes back to the bit", () => {
  const random = new Random(7);
  for (const description of [boxOnFloor, arm()]) {
    const simulation = new Simulation(compile(description));
    const joints = Object.fromEntries(
      simulation.mechanism.joints.map(({ name, coordinates }) => [
        name,
        {
          position: coordinates.map((_, i) => (i === 2 ? 2 : random.uniform(-0.9, 0.9))),
          velocity: coordinates.map(() => random.normal()),
        },
      ]),
    );
    const state = maximalState(simulation.mechanism, joints);
    expect(projectState(simulation, state)).toEqual(state);
  }
});

test("the projection sees changed parameters and leaves the simulation as it was", () => {
  const simulation = new Simulation(compile(boxOnFloor));
  simulation.setParameters(
    Object.fromEntries(simulation.mechanism.contacts.map(({ name }) => [`contacts.${name}.offset`, 0.1])),
  );
  simulation.setWrench("crate", { force: [1, 2, 3] });
  simulation.setParameter("timestep", 0.02);
  const before = simulation.save();
  const memory = simulation.system.f64.slice();
  const start = maximalState(simulation.mechanism, { base: { position: [0, 0, 0.3, 0, 0, 0] } });
  expect(Math.abs(projectState(simulation, start)[2] - 0.35)).toBeLessThan(hover);
  expect(simulation.save()).toEqual(before);
  expect(simulation.system.f64).toEqual(memory);
});

test("what cannot be projected throws, and says what is left", () => {
  const wedge: MechanismDescription = {
    ...boxOnFloor,
    contacts: [0, 1].map((side) =>
      frictionContact({
        body: "crate",
        point: [0, 0, 0],
        frictionCoefficient: 0.5,
        halfSpace: { normal: [0, 0, side === 0 ? 1 : -1], offset: 1 },
      }),
    ),
  };
  const simulation = new Simulation(compile(wedge));
  const start = maximalState(simulation.mechanism);
  expect(() => projectState(simulation, start)).toThrow(StateError);
  expect(() => projectState(simulation, start)).toThrow("start nearer");
  start[4] = Number.NaN;
  expect(() => projectState(simulation, start)).toThrow("not-finite at bodies.crate.orientation[1]");
});

test("a mechanism in place of a simulation is refused", () => {
  const mechanism = compile(stewartPlatform()) as unknown as Simulation;
  expect(() => projectState(mechanism, new Float64Array(13))).toThrow("give new Simulation(mechanism)");
});
