import { expect, test } from "vitest";
import { importMjcf } from "../../formats/index.ts";
import { bodyAt, quaternion, Random } from "../../math/index.ts";
import {
  ArgumentError,
  box,
  compile,
  floating,
  type MechanismDescription,
  prismatic,
  revolute,
  type Shape,
  sphere,
} from "../../mechanism/index.ts";
import { models, scenes } from "../../models/index.ts";
import { Simulation } from "../simulation.ts";
import { ShapeDistances } from "../touch/shapeDistances.ts";
import { checkState } from "./checkState.ts";
import { configurationNow } from "./configuration.ts";
import { projectState } from "./projectState.ts";
import { startOf } from "./startOf.ts";
import { gapOf } from "./violations.ts";

/** A robot as files have them: a knee drawn straight, past its limit, and feet two millimetres in the floor. */
const robot = `<mujoco><compiler angle="radian"/><worldbody><geom type="plane" size="1 1 1"/>
  <body name="trunk" pos="0 0 0.548"><freejoint/><geom type="box" size="0.2 0.1 0.05"/>
    <body name="thigh" pos="0 0 0"><joint name="hip" axis="0 1 0" range="-1 1"/><geom type="capsule" size="0.02" fromto="0 0 0 0 0 -0.25"/>
      <body name="calf" pos="0 0 -0.25"><joint name="knee" axis="0 1 0" range="0.3 2"/><geom type="capsule" size="0.02" fromto="0 0 0 0 0 -0.28"/>
  </body></body></body></worldbody>
  <actuator><position joint="knee" kp="50" ctrlrange="-2 2"/></actuator>
  <keyframe><key name="bent" qpos="0 0 0.6 1 0 0 0 -0.4 0.8" ctrl="0.9"/></keyframe></mujoco>`;

test.each(["floor", "shapes"] as const)(
  "one call gives a state that starts, whatever the file has drawn (%s)",
  (collisions) => {
    const { description } = importMjcf(robot, { collisions, timestep: 0.01 });
    const simulation = new Simulation(compile(description));
    const { state, input, faults, moved } = startOf(simulation);
    expect(new Set(faults.map(({ code }) => code))).toEqual(new Set(["limit-exceeded", "penetration"]));
    expect(checkState(simulation, state)).toEqual([]);
    expect(moved).toBeGreaterThan(1e-3);
    expect(moved).toBeLessThan(0.1);
    // servos hold what it has become
    expect(input[0]).toBeCloseTo(
      simulation.coordinates(state)[simulation.mechanism.coordinateNames.indexOf("knee.angle")],
      12,
    );
    expect(simulation.rollout(state, { steps: 10, inputs: input }).failure).toBeUndefined();
  },
);

test("a state without faults comes back to the bit, with the description's input", () => {
  const simulation = new Simulation(compile(importMjcf(robot, { timestep: 0.01 }).description));
  const { faults, moved, input } = startOf(simulation, { state: "bent", joints: {} });
  expect(faults).toEqual([]);
  expect(moved).toBe(0);
  expect(input[0]).toBeCloseTo(0.9, 6);
  expect(() => startOf(simulation, { state: "bend" })).toThrow(/did you mean "bent"/);
  expect(() => startOf(simulation, { onground: true } as never)).toThrow(/onGround/);
});

/** The least distance between what moves and what stands, by contacts and by shapes. */
function lowest(simulation: Simulation, state: Float64Array): number {
  const mechanism = simulation.currentMechanism;
  const gaps = mechanism.contacts.map((contact) => gapOf(contact, configurationNow(state)));
  const shapes = new ShapeDistances(mechanism)
    .at(state, 100)
    .filter(({ bodies }) => bodies[0] === "world" || bodies[1] === "world");
  return Math.min(...gaps, ...shapes.map(({ distance }) => distance));
}

test("robots of the library in random poses stand on the ground, their joints as they were", () => {
  const random = new Random(7);
  let count = 0;
  for (const description of [models.a1(), models.hopper(), models.ant(), models.humanoid({ selfCollisions: true })]) {
    const simulation = new Simulation(compile(description));
    for (const height of [-0.3, 0.4]) {
      const free = simulation.mechanism.joints.find(
        ({ parent, coordinates }) => parent < 0 && coordinates.length === 6,
      );
      const position = [random.uniform(-1, 1), 0, height, 0, random.uniform(-0.5, 0.5), 0];
      const joints = free ? { [free.name]: { position } } : {};
      const { state } = startOf(simulation, { joints, onGround: true });
      expect(Math.abs(lowest(simulation, state))).toBeLessThan(2e-7);
      expect(checkState(simulation, state)).toEqual([]);
      count++;
      if (!free) continue;
      const after = simulation.coordinates(state);
      expect(after[free.coordinateOffset]).toBeCloseTo(position[0], 6);
      expect(after[free.coordinateOffset + 4]).toBeCloseTo(position[4], 6);
    }
  }
  expect(count).toBe(8);
});

const ground: Shape = { kind: "halfSpace", contact: { frictionCoefficient: 1 } };

test("what lies on something else comes down on that, at the height that a closed form has", () => {
  const ball = sphere({ radius: 0.1, mass: 1, contact: { frictionCoefficient: 1 } });
  const crate = box({ size: [0.4, 0.4, 0.4], mass: 1, contact: { frictionCoefficient: 1 } });
  const description: MechanismDescription = {
    timestep: 0.01,
    bodies: { ball, crate, pebble: sphere({ radius: 0.05, mass: 1, contact: { frictionCoefficient: 1 } }) },
    joints: Object.fromEntries(
      ["ball", "crate", "pebble"].map((child) => [child, floating({ parent: "world", child })]),
    ),
    shapes: [ground],
  };
  const simulation = new Simulation(compile(description));
  const joints = {
    ball: { position: [0.05, 0, 3, 0, 0, 0] },
    crate: { position: [0, 0, 0.05, 0, 0, 0] },
    pebble: { position: [0.13, 0, 5, 0, 0, 0] },
  };
  const { state } = startOf(simulation, { joints, onGround: true });
  const z = (body: string): number =>
    state[bodyAt(simulation.mechanism.bodies.findIndex(({ name }) => name === body)) + 2];
  expect(z("crate")).toBeCloseTo(0.2, 7);
  expect(z("ball")).toBeCloseTo(0.5, 7);
  // against the ball, whose centre is 8 cm beside: 0.15² = 0.08² + dz²
  expect(z("pebble")).toBeCloseTo(0.5 + Math.sqrt(0.15 ** 2 - 0.08 ** 2), 7);
});

test("hills, slopes and slides: down is where gravity points", () => {
  const [sine, cosine] = [Math.sin(0.3), Math.cos(0.3)];
  const slope: Shape = { ...ground, orientation: quaternion.fromAxisAngle([0, 1, 0], 0.3) };
  const hills: Shape = {
    kind: "heightField",
    size: [4, 4],
    heights: [
      [0, 0, 0],
      [0, 0.5, 0],
      [0, 0, 0],
    ],
    contact: { frictionCoefficient: 1 },
  };
  const make = (shape: Shape, gravity: readonly [number, number, number] = [0, 0, -9.81]): Simulation =>
    new Simulation(
      compile({
        timestep: 0.01,
        gravity,
        bodies: {
          sledge: box({ size: [0.1, 0.1, 0.1], mass: 1 }),
          ball: sphere({ radius: 0.1, mass: 1, contact: { frictionCoefficient: 1 } }),
        },
        joints: {
          along: prismatic({ parent: "world", child: "sledge", axis: [1, 0, 0] }),
          up: prismatic({ parent: "sledge", child: "ball", axis: [0, 0, 1] }),
        },
        shapes: [shape],
      }),
    );
  const height = (simulation: Simulation, x: number): number =>
    startOf(simulation, { joints: { along: { position: [x] }, up: { position: [2] } }, onGround: true }).state[
      bodyAt(1) + 2
    ];
  // the plane through 0 falls along x; the centre is a radius from it
  expect(height(make(slope), 0.5)).toBeCloseTo(0.1 / cosine - (0.5 * sine) / cosine, 7);
  expect(height(make(hills), 0)).toBeCloseTo(0.6, 6);
  const still = make(ground, [0, 0, 0]);
  expect(height(still, 0)).toBeCloseTo(0.1, 7);
  // nothing can fall along x where gravity points that way, past the end of what stands
  expect(() => height(make(ground, [9.81, 0, 0]), 0)).toThrow(/nothing lies below/);
});

test("what cannot be put down is told", () => {
  const link = box({ size: [0.1, 0.1, 0.1], mass: 1, contact: { frictionCoefficient: 1 } });
  const arm = {
    timestep: 0.01,
    bodies: { link },
    joints: { hinge: revolute({ parent: "world", child: "link", axis: [0, 1, 0] }) },
  };
  const bolted = new Simulation(compile({ ...arm, shapes: [{ ...ground, position: [0, 0, -1] }] }));
  expect(() => projectState(bolted, startOf(bolted).state, { onGround: true })).toThrow(/nothing can move up and down/);
  const lost = new Simulation(
    compile({ timestep: 0.01, bodies: { link }, joints: { free: floating({ parent: "world", child: "link" }) } }),
  );
  expect(() => startOf(lost, { onGround: true })).toThrow(ArgumentError);
});

test("a pile is put down in the time of a pile", () => {
  const simulation = new Simulation(compile(scenes.pile({ count: 20 })));
  const { state } = startOf(simulation, { onGround: true });
  expect(checkState(simulation, state)).toEqual([]);
});
