import { expect, test } from "vitest";
import {
  compile,
  fromJson,
  importMjcf,
  importUrdf,
  type MechanismDescription,
  maximalState,
  Simulation,
  scenes,
  startOf,
  toJson,
  toMjcf,
  toUrdf,
} from "../../src/index.ts";
import { quaternion, Random } from "../../src/math/index.ts";

/** Everything that a description can have, as much as one mechanism bears. */
const everything: MechanismDescription = {
  timestep: 0.01,
  bodies: {
    base: {
      mass: 2,
      inertia: [
        [0.02, 0, 0],
        [0, 0.03, 0],
        [0, 0, 0.025],
      ],
      shapes: [{ kind: "box", size: [0.3, 0.2, 0.1] }],
    },
    upper: {
      mass: 1,
      inertia: [
        [0.01, 0.001, 0],
        [0.001, 0.02, 0.002],
        [0, 0.002, 0.015],
      ],
      gravityScale: 0.9,
    },
    lower: {
      mass: 0.5,
      inertia: [
        [0.004, 0, 0],
        [0, 0.004, 0],
        [0, 0, 0.002],
      ],
    },
    hand: {
      mass: 0.3,
      inertia: [
        [0.002, 0, 0],
        [0, 0.002, 0],
        [0, 0, 0.002],
      ],
    },
    slider: {
      mass: 0.4,
      inertia: [
        [0.002, 0, 0],
        [0, 0.002, 0],
        [0, 0, 0.002],
      ],
    },
    ball: {
      mass: 0.2,
      inertia: [
        [0.001, 0, 0],
        [0, 0.001, 0],
        [0, 0, 0.001],
      ],
    },
  },
  joints: {
    root: { kind: "floating", parent: "world", child: "base", damping: 0.1 },
    shoulder: {
      ...{
        kind: "revolute",
        parent: "base",
        child: "upper",
        parentAnchor: [0.1, 0, 0],
        childAnchor: [-0.1, 0, 0],
        axis: [0, 1, 0],
      },
      ...{ stiffness: 2, rest: 0.2, damping: 0.1, armature: 0.01, limits: [-1, 1], friction: 0.05 },
      ...{ actuated: true, effortLimit: 3, effortCenter: 0.1, orientation: [0.8, 0, 0.6, 0] },
    },
    elbow: {
      ...{
        kind: "universal",
        parent: "upper",
        child: "lower",
        axes: [
          [1, 0, 0],
          [0.6, 0.8, 0],
        ],
        axisOffset: 0.02,
      },
      ...{
        parentAnchor: [0.2, 0, 0],
        damping: 0.05,
        actuated: [true, true],
        servo: [{ stiffness: 2, damping: 0.2 }, null],
      },
    },
    wrist: {
      kind: "spherical",
      parent: "lower",
      child: "hand",
      parentAnchor: [0.1, 0, 0],
      tiltLimit: 1.2,
      damping: 0.02,
    },
    rail: {
      kind: "prismatic",
      parent: "base",
      child: "slider",
      axis: [0, 0.6, 0.8],
      stiffness: 20,
      damping: 1,
      limits: [-0.1, 0.1],
    },
    string: { kind: "spherical", parent: "slider", child: "ball", parentAnchor: [0, 0.2, 0] },
  },
  contacts: [
    { body: "base", point: [0.1, 0.1, -0.05], radius: 0.01, frictionCoefficient: 0.5, restitution: 0.3 },
    {
      name: "heel",
      body: "base",
      point: [-0.1, -0.1, -0.05],
      frictionCoefficient: 0.6,
      torsionalFriction: 0.01,
      rollingFriction: 0.002,
    },
    { name: "pyramid", body: "hand", point: [0, 0, 0], radius: 0.03, model: "linear", frictionCoefficient: 0.4 },
    {
      name: "slope",
      body: "ball",
      point: [0, 0, 0],
      radius: 0.05,
      frictionCoefficient: 0,
      halfSpace: { normal: [0.6, 0, 0.8], offset: -0.2 },
    },
  ],
  gears: {
    tied: {
      terms: [
        { joint: "shoulder", ratio: 1 },
        { joint: "rail", ratio: -5 },
      ],
      offset: 0.1,
    },
    bounded: {
      terms: [
        { joint: "elbow", axis: 0, ratio: 1 },
        { joint: "elbow", axis: 1, ratio: 0.5 },
      ],
      range: [-1, 2],
    },
    sprung: { terms: [{ joint: "elbow", axis: 1, ratio: 1.5 }], stiffness: 1, rest: 0.1, damping: 0.1 },
  },
  thrusters: { jet: { body: "base", position: [0, 0.1, 0], force: [0, 0, 1], torque: [0.1, 0, 0], limits: [-2, 3] } },
  fluid: { density: 1.2, viscosity: 0.01, wind: [1, 0, 0.5] },
};

/** A value near the one that it has, which may be set; undefined where none may. */
function setSomewhere(simulation: Simulation, path: string, random: Random): boolean {
  const before = simulation.parameter(path);
  for (const value of [
    before * (1 + 1e-3 * random.uniform(0.5, 1)) + (before === 0 ? 1e-4 * random.uniform(0.5, 1) : 0),
    before - 1e-4 * random.uniform(0.5, 1),
  ]) {
    try {
      simulation.setParameter(path, value);
      return true;
    } catch {}
  }
  return false;
}

function motion(simulation: Simulation, start: Float64Array): Float64Array[] {
  const { mechanism } = simulation;
  const random = new Random(7);
  const inputs = Float64Array.from({ length: mechanism.inputSize }, () => random.uniform(0.5, 1));
  return [
    ...simulation.rollout(start, {
      steps: 4,
      check: false,
      inputs: Array.from({ length: 4 }, () => inputs),
      continueOnFailure: true,
    }).states,
  ];
}

function requireSame(simulation: Simulation, state: Float64Array): void {
  const again = new Simulation(compile(JSON.parse(JSON.stringify(simulation.currentMechanism.description))));
  // JSON has no −0
  const parameters = (of: Simulation) => of.save().parameters.map((value) => value + 0);
  expect(parameters(again)).toEqual(parameters(simulation));
  expect(motion(again, state)).toEqual(motion(simulation, state));
}

test.each([
  ["everything", everything, 350],
  ["shapes", scenes.pile({ count: 3 }), 75],
])("each parameter of %s is in the description, to the bit of the motion", (_, description, least) => {
  const mechanism = compile(description);
  const random = new Random(3);
  const simulation = new Simulation(mechanism);
  const untouched = simulation.save();
  const { state } = startOf(simulation, { onGround: true });
  const free = simulation.parameterNames.filter((path) => {
    simulation.restore(untouched);
    if (!setSomewhere(simulation, path, random)) return false;
    expect(simulation.currentMechanism.description, path).not.toEqual(description);
    requireSame(simulation, state);
    return true;
  });
  expect(free.length).toBeGreaterThan(least);
});

/** Two links with no symmetry. */
const arm: MechanismDescription = {
  timestep: 0.01,
  bodies: {
    upper: {
      mass: 1,
      inertia: [
        [0.01, 0.001, 0],
        [0.001, 0.02, 0.002],
        [0, 0.002, 0.015],
      ],
    },
    lower: {
      mass: 0.5,
      inertia: [
        [0.004, 0, 0],
        [0, 0.005, 0],
        [0, 0, 0.003],
      ],
    },
  },
  joints: {
    shoulder: {
      kind: "revolute",
      parent: "world",
      child: "upper",
      childAnchor: [-0.1, 0, 0],
      axis: [0, 1, 0],
      damping: 0.1,
    },
    elbow: {
      kind: "revolute",
      parent: "upper",
      child: "lower",
      parentAnchor: [0.1, 0, 0],
      childAnchor: [-0.1, 0, 0],
      axis: [0.6, 0.8, 0],
    },
  },
};

test("files of a robot move as it does with the parameters that were set", () => {
  const simulation = new Simulation(compile(arm));
  const [cos, sin] = [Math.cos(0.3), Math.sin(0.3)];
  const { parentFrame } = simulation.mechanism.joints[1].frames;
  const [w, x, y, z] = quaternion.multiply(quaternion.fromAxisAngle([0, 0, 1], 0.2), parentFrame);
  simulation.setParameters({
    ...{ "bodies.upper.mass": 1.7, "bodies.lower.inertia.xx": 0.006, "joints.shoulder.damping.0": 0.02 },
    ...{ "joints.elbow.parentAnchor.y": 0.05, "joints.shoulder.childAnchor.z": 0.04 },
    ...{ "joints.shoulder.childFrame.w": cos, "joints.shoulder.childFrame.x": sin },
    ...{ "joints.shoulder.childFrame.y": 0, "joints.shoulder.childFrame.z": 0 },
    ...{ "joints.elbow.parentFrame.w": w, "joints.elbow.parentFrame.x": x },
    ...{ "joints.elbow.parentFrame.y": y, "joints.elbow.parentFrame.z": z },
  });
  const angles = (of: Simulation) => {
    const start = maximalState(of.currentMechanism, { shoulder: { position: [0.4] }, elbow: { position: [-0.3] } });
    return [...of.coordinates(of.rollout(start, { steps: 30 }).final)];
  };
  const { description } = simulation.currentMechanism;
  const mjcf = toMjcf(description);
  const urdf = toUrdf(description);
  expect(mjcf.warnings).toEqual([]);
  expect(urdf.warnings.map(({ message }) => message).filter((message) => message.startsWith("parameters"))).toEqual([]);
  const wanted = angles(simulation);
  expect(Math.abs(wanted[1] - angles(new Simulation(compile(arm)))[1])).toBeGreaterThan(0.1);
  const files = [importMjcf(mjcf.xml).description, importUrdf(urdf.xml, { actuated: "none" }).description];
  for (const file of files) {
    const found = angles(new Simulation(compile({ ...file, timestep: 0.01 })));
    wanted.forEach((angle, i) => {
      expect(found[i]).toBeCloseTo(angle, 9);
    });
  }
});

test("a parameter that no field says is a warning of the file, and not lost in JSON", () => {
  const { joints = {}, ...others } = arm;
  const simulation = new Simulation(compile({ ...others, joints, fluid: { density: 1000 } }));
  simulation.setParameter("drag.upper.halfSize.x", 0.2);
  const { description } = simulation.currentMechanism;
  expect(description.parameters).toEqual({ "drag.upper.halfSize.x": 0.2 });
  expect(toMjcf(description).warnings.map(({ message }) => message)).toEqual([
    'parameters["drag.upper.halfSize.x"]: left out',
  ]);
  expect(new Simulation(compile(fromJson(toJson(description)))).parameter("drag.upper.halfSize.x")).toBe(0.2);
  const wrong = { ...arm, parameters: { "bodies.upper.mas": 1 } };
  expect(() => new Simulation(compile(wrong))).toThrow(/did you mean "bodies.upper.mass"/);
  expect(() => compile({ ...arm, parameters: { "bodies.upper.mass": Number.NaN } })).toThrow(/not-finite/);
});
