import { describe, expect, test } from "vitest";
import { maximalState } from "../../coordinates/index.ts";
import {
  ArgumentError,
  box,
  boxCorners,
  compile,
  floating,
  frictionContact,
  impactContact,
  type MechanismDescription,
  revolute,
  spherical,
  universal,
} from "../../mechanism/index.ts";
import { models } from "../../models/index.ts";
import { Simulation } from "../simulation.ts";

const brick = box({ size: [0.2, 0.3, 0.4], mass: 1 });
const [corner, other] = boxCorners(brick);
const ends = (child: string, parent = "base") => ({ parent, child, childAnchor: [0, 0, 0.2] as const });
const description: MechanismDescription = {
  timestep: 0.01,
  bodies: { base: brick, plain: brick, sprung: brick, tilted: brick, skewed: brick, servo: brick },
  joints: {
    root: floating({ parent: "world", child: "base" }),
    plain: revolute(ends("plain")),
    sprung: revolute({ ...ends("sprung"), damping: 0.1, friction: 0.2, limits: [-1, 1] }),
    servo: revolute({ ...ends("servo"), servo: { stiffness: 10, damping: 1 }, effortLimit: 3 }),
    tilted: spherical({ ...ends("tilted"), tiltLimit: 1 }),
    skewed: universal({
      ...ends("skewed"),
      axes: [
        [1, 0, 0],
        [0, 1, 0],
      ],
      limits: [null, [-1, null]],
    }),
  },
  thrusters: {
    jet: { body: "base", force: [0, 0, 1] },
    rotor: { body: "base", force: [0, 0, 1], limits: [0, 5] },
  },
  fluid: { density: 1.2 },
  contacts: [
    frictionContact({ name: "foot", body: "base", point: corner, frictionCoefficient: 0.5 }),
    impactContact({ name: "bumper", body: "base", point: other }),
  ],
  gears: {
    pair: {
      terms: [
        { joint: "plain", ratio: 1 },
        { joint: "sprung", ratio: -1 },
      ],
    },
    stop: { terms: [{ joint: "plain", ratio: 1 }], range: [-1, null] },
    between: { terms: [{ joint: "plain", ratio: 1 }], range: [-1, 2] },
    band: { terms: [{ joint: "sprung", ratio: 1 }], stiffness: 2 },
  },
};
const simulation = new Simulation(compile(description));

describe("a parameter is refused", () => {
  const refusals: [path: string, value: number, code: string, words: string][] = [
    ["joints.plain.stiffness.0", 1, "compiled-without", "compile again"],
    ["joints.plain.damping.0", 1, "compiled-without", "damping (0 will do)"],
    ["joints.plain.rest.0", 1, "compiled-without", "stiffness (0 will do)"],
    ["joints.plain.friction.0", 1, "compiled-without", "friction above 0"],
    ["joints.plain.lower.0", -1, "compiled-without", "add limits"],
    ["joints.skewed.upper.1", 1, "compiled-without", "add limits"],
    ["joints.plain.tiltCosine", 0.5, "compiled-without", "tiltLimit"],
    ["joints.plain.skew", 0.5, "compiled-without", "universal"],
    ["contacts.bumper.frictionCoefficient", 0.5, "compiled-without", "coefficient above 0"],
    ["contacts.foot.frictionCoefficient", 0, "non-positive", "1e-3"],
    ["contacts.foot.frictionCoefficient", -1, "negative", "0 is the least"],
    ["contacts.foot.radius", -1, "negative", "0 is the least"],
    ["contacts.foot.normal.z", 0, "out-of-range", "setParameters"],
    ["joints.sprung.friction.0", 0, "non-positive", "1e-6"],
    ["joints.sprung.damping.0", -1, "negative", "0 is the least"],
    ["joints.sprung.upper.0", -1, "limits-order", "setParameters"],
    ["joints.tilted.tiltCosine", 1, "out-of-range", "cos(angle / 2)"],
    ["joints.skewed.skew", 1, "out-of-range", "0 is perpendicular"],
    ["joints.plain.parentFrame.w", 2, "not-unit", "setParameters"],
    ["bodies.base.mass", 0, "non-positive", "small mass"],
    ["bodies.base.inertia.xx", 0, "inertia-not-positive-definite", "setParameters"],
    ["bodies.base.inertia.xy", 1, "inertia-not-positive-definite", "setParameters"],
    ["timestep", 0, "non-positive", "0.01"],
    ["springConservation", 1.1, "out-of-range", "0.9"],
    ["damperCentering", 1.1, "out-of-range", "0.2 is the default"],
    ["gears.pair.regularization", -1, "negative", "0 is the least"],
    ["gears.band.stiffness", -1, "negative", "0 is the least"],
    ["gears.stop.upper", 1, "compiled-without", "this bound and compile again"],
    ["gears.between.lower", 3, "limits-order", "setParameters"],
    ["joints.plain.servoStiffness.0", 1, "compiled-without", "servo and compile"],
    ["joints.plain.effortLimit.0", 1, "compiled-without", "effortLimit"],
    ["joints.servo.effortLimit.0", 0, "non-positive", "1e-6"],
    ["thrusters.jet.upper", 1, "compiled-without", "add limits"],
    ["thrusters.rotor.upper", -1, "limits-order", "setParameters"],
    ["drag.base.density", -1, "negative", "0 is the least"],
    ["drag.base.boxFrame.w", 3, "not-unit", "setParameters"],
    ["gravity.z", Number.NaN, "not-finite", "finite"],
    ["bodies.base.masss", 1, "unknown-parameter", 'did you mean "bodies.base.mass"'],
  ];
  test.each(refusals)("%s = %s: %s", (path, value, code, words) => {
    const before = simulation.save();
    const attempt = () => simulation.setParameter(path, value);
    expect(attempt).toThrow(ArgumentError);
    expect(attempt).toThrow(expect.objectContaining({ code, path }));
    expect(attempt).toThrow(words);
    expect(simulation.save()).toEqual(before);
  });
});

test("whatever a simulation has may be set to what it is", () => {
  const before = simulation.save();
  expect(simulation.parameterNames.length).toBeGreaterThan(100);
  for (const path of simulation.parameterNames) simulation.setParameter(path, simulation.parameter(path));
  expect(simulation.save()).toEqual(before);
});

test("what the mechanism was compiled with may be changed", () => {
  const changes = {
    "joints.sprung.stiffness.0": 3,
    "joints.sprung.armature.0": 0.1,
    "joints.sprung.damping.0": 0,
    "joints.sprung.friction.0": 1e-6,
    "joints.skewed.lower.1": -2,
    "joints.servo.servoStiffness.0": 20,
    "joints.servo.effortLimit.0": 1,
    "thrusters.rotor.upper": 7,
    "drag.base.viscosity": 0.1,
    "joints.tilted.tiltCosine": 0.3,
    "contacts.foot.frictionCoefficient": 0.1,
    "contacts.bumper.frictionCoefficient": 0,
    "contacts.foot.point.x": 0.2,
    "gears.pair.offset": 0.3,
    "gravity.x": 1,
  };
  const fresh = new Simulation(compile(description));
  fresh.setParameters(changes);
  for (const [path, value] of Object.entries(changes)) expect(fresh.parameter(path)).toBe(value);
});

test("entries that belong together are changed together, or not at all", () => {
  const fresh = new Simulation(compile(description));
  fresh.setParameters({ "joints.sprung.lower.0": 2, "joints.sprung.upper.0": 3 });
  expect(fresh.parameter("joints.sprung.lower.0")).toBe(2);
  const half = Math.SQRT1_2;
  fresh.setParameters({ "joints.plain.parentFrame.w": half, "joints.plain.parentFrame.x": half });
  expect(() => fresh.setParameters({ "bodies.base.mass": 2, "joints.sprung.lower.0": 4 })).toThrow("limits-order");
  expect(fresh.parameter("bodies.base.mass")).toBe(1);
});

test("names with dots are told apart by the longest that fits", () => {
  const bodies = { a: brick, "a.b": brick };
  const joints = {
    j: floating({ parent: "world", child: "a" }),
    "j.k": revolute({ parent: "a", child: "a.b", stiffness: 1 }),
  };
  const dotted = new Simulation(compile({ timestep: 0.01, bodies, joints }));
  dotted.setParameter("joints.j.k.stiffness.0", 2);
  dotted.setParameter("bodies.a.b.mass", 2);
  expect(() => dotted.setParameter("bodies.a.b.mass", -2)).toThrow("non-positive at bodies.a.b.mass");
  expect(dotted.rollout(maximalState(dotted.mechanism), { steps: 2 }).solved).toBe(true);
});

test('"*" stands for any name: all that fit are set, or none, and a pattern that fits nothing is refused', () => {
  const simulation = new Simulation(compile(description));
  const masses = (): number[] =>
    Object.keys(description.bodies).map((name) => simulation.parameter(`bodies.${name}.mass`));
  simulation.setParameter("bodies.*.mass", 2);
  expect(masses()).toEqual([2, 2, 2, 2, 2, 2]);
  expect(() => simulation.setParameters({ "bodies.s*.mass": 3, "bodies.plain.mass": -1 })).toThrow(/plain\.mass/);
  expect(masses()).toEqual([2, 2, 2, 2, 2, 2]);
  expect(() => simulation.setParameter("bodies.*.colour", 3)).toThrow(/no such parameter/);
});

test("a pattern names a kind: one without a dot is refused, and sets no time step", () => {
  const simulation = new Simulation(compile(models.pendulum()));
  const before = simulation.save();
  for (const pattern of ["*", "*step", "d*"]) {
    expect(() => simulation.setParameter(pattern, 0.5)).toThrow(/different kinds; name one kind/);
  }
  expect(simulation.save()).toEqual(before);
  simulation.setParameter("gravity.*", 0.5);
  expect(simulation.parameter("gravity.x")).toBe(0.5);
});

test("wrenches, and parameters that come back, leave the mechanism of now as it is", () => {
  const own = new Simulation(compile(models.a1()));
  own.setParameter("gravity.z", -3);
  const { currentMechanism } = own;
  own.setWrench("trunk", { force: [1, 0, 0] });
  expect(own.currentMechanism).toBe(currentMechanism);
  const snapshot = own.save();
  own.setParameter("timestep", 0.02);
  expect(own.currentMechanism.timestep).toBe(0.02);
  own.restore(snapshot);
  own.setParameter("timestep", own.timestep);
  const again = own.currentMechanism;
  expect(again).toEqual(currentMechanism);
  own.restore(snapshot);
  expect(own.currentMechanism).toBe(again);
});

test("the mechanism of now keeps the parts whose numbers have not changed", () => {
  const own = new Simulation(compile(models.a1()));
  own.setParameter("gravity.z", -3);
  const before = own.currentMechanism;
  own.setParameters({ "gravity.z": -4, "joints.FR_calf_joint.damping.0": 0.7 });
  const after = own.currentMechanism;
  expect(after.gravity[2]).toBe(-4);
  expect([after.bodies, after.contacts, after.gears]).toEqual([before.bodies, before.contacts, before.gears]);
  expect(after.bodies).toBe(before.bodies);
  const changed = after.joints.filter((joint, i) => joint !== before.joints[i]);
  expect(changed.map(({ name }) => name)).toEqual(["FR_calf_joint"]);
  const fresh = new Simulation(compile(models.a1()));
  fresh.setParameters({ "gravity.z": -4, "joints.FR_calf_joint.damping.0": 0.7 });
  expect(after).toEqual(fresh.currentMechanism);
});

test("a pattern that is set again is not looked for again", () => {
  const own = new Simulation(compile(models.a1()));
  const leastOf = (path: string): number => {
    let least = Number.POSITIVE_INFINITY;
    for (let round = 0; round < 10; round++) {
      const begin = performance.now();
      for (let i = 0; i < 20; i++) own.setParameter(path, 0.3);
      least = Math.min(least, performance.now() - begin);
    }
    return least;
  };
  const one = leastOf("contacts.RL_calf.frictionCoefficient");
  // it sets 20 of them; it took 1,400 times as long
  expect(leastOf("contacts.*.frictionCoefficient")).toBeLessThan(200 * one);
});
