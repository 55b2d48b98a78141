/**
 * Every error that a user can meet, provoked once: it has a stable code, a path that says where, and words that say what to do.
 * The tables of description and state faults have an entry for every code there is, so that a new one cannot go without.
 */
import { describe, expect, test } from "vitest";
import {
  ArgumentError,
  box,
  boxCorners,
  checkState,
  compile,
  DescriptionError,
  type FaultCode,
  floating,
  frictionContact,
  jointStates,
  type MechanismDescription,
  maximalState,
  minimalState,
  projectState,
  Random,
  revolute,
  Simulation,
  StateError,
  type StateFaultCode,
  sphere,
  stateAt,
  stepGradients,
} from "../src/index.ts";
import { crankRocker, fourBar } from "./toys/loops.ts";

const rod = box({ size: [0.1, 0.1, 1], mass: 1 });
const hinge = revolute({
  parent: "world",
  child: "rod",
  axis: [1, 0, 0],
  parentAnchor: [0, 0, 0.8],
  childAnchor: [0, 0, 0.5],
  limits: [-2, 2],
  actuated: true,
});
const foot = frictionContact({ name: "foot", body: "rod", point: [0, 0, -0.5], frictionCoefficient: 0.5 });
const valid: MechanismDescription = { timestep: 0.01, bodies: { rod }, joints: { hinge }, contacts: [foot] };

interface Provoked {
  readonly code: string;
  readonly path: string;
  readonly message: string;
}

/** The faults of what is thrown. */
function faultsOf(provoke: () => unknown): readonly Provoked[] {
  try {
    provoke();
  } catch (error) {
    expect(error instanceof ArgumentError || error instanceof DescriptionError || error instanceof StateError).toBe(
      true,
    );
    const { faults, message } = error as ArgumentError | DescriptionError | StateError;
    // the message alone tells all of it
    for (const fault of faults) expect(message).toContain(`${fault.code} at ${fault.path}: ${fault.message}`);
    return faults;
  }
  return [];
}

/** A part of a valid description put in its place, whatever its type. */
function changed(part: Record<string, unknown>): MechanismDescription {
  return { ...valid, ...part } as MechanismDescription;
}
const withBody = (part: object) => changed({ bodies: { rod: { ...rod, ...part } } });
const withJoint = (part: object) => changed({ joints: { hinge: { ...hinge, ...part } } });
const withContact = (part: object) => changed({ contacts: [{ ...foot, ...part }] });
const withTerms = (...terms: object[]) => changed({ gears: { pair: { terms } } });
const inertia = (xx: number, yy: number, zz: number, xy = 0, yx = xy) => ({
  inertia: [
    [xx, xy, 0],
    [yx, yy, 0],
    [0, 0, zz],
  ],
});

describe("compile", () => {
  const cases: Record<FaultCode, readonly [description: MechanismDescription, path: string, wayOut: string]> = {
    "wrong-type": [withBody({ mass: "1" }), "bodies.rod.mass", "expected a number"],
    "not-finite": [withBody({ mass: Number.NaN }), "bodies.rod.mass", "give a finite number"],
    "missing-field": [withJoint({ child: undefined }), "joints.hinge.child", "needs it"],
    "unknown-field": [withJoint({ dampning: 1 }), "joints.hinge.dampning", "did you mean damping?"],
    "wrong-length": [withJoint({ stiffness: [1, 2] }), "joints.hinge.stiffness", "give 1, or one value for all"],
    "not-unit": [withJoint({ axis: [2, 0, 0] }), "joints.hinge.axis", "normalised it is [1, 0, 0]"],
    "non-positive": [changed({ timestep: 0 }), "timestep", "0.01 is a common one"],
    negative: [withJoint({ damping: -1 }), "joints.hinge.damping", "0 turns it off"],
    "out-of-range": [changed({ springConservation: 2 }), "springConservation", "0.9 is the default"],
    "inertia-not-symmetric": [withBody(inertia(1, 1, 1, 0.1, 0.2)), "bodies.rod.inertia", "their mean is 0.15"],
    "inertia-not-positive-definite": [withBody(inertia(1, 1, -1)), "bodies.rod.inertia", "check the signs"],
    "inertia-triangle": [withBody(inertia(1, 1, 3)), "bodies.rod.inertia", "raise the smaller ones"],
    "unknown-body": [withJoint({ child: "rodd" }), "joints.hinge.child", 'have: rod); did you mean "rod"?'],
    "unknown-joint": [withTerms({ joint: "hnge", ratio: 1 }), "gears.pair.terms[0].joint", 'did you mean "hinge"?'],
    "unknown-axis": [withTerms({ joint: "hinge", axis: 1, ratio: 1 }), "gears.pair.terms[0].axis", "axes count from 0"],
    "unknown-kind": [withJoint({ kind: "revolut" }), "joints.hinge.kind", 'did you mean "revolute"?'],
    "unknown-model": [withContact({ model: "soft" }), "contacts[0].model", "have:"],
    "unknown-state": [changed({ stateInputs: { rset: {} }, states: { rest: {} } }), "stateInputs.rset", '"rest"'],
    "unknown-input": [
      changed({ stateInputs: { rest: { "hinge.angel": 1 } }, states: { rest: {} } }),
      'stateInputs.rest["hinge.angel"]',
      'did you mean "hinge.angle"?',
    ],
    "reserved-name": [changed({ bodies: { rod, world: rod } }), "bodies.world", "choose another name"],
    "duplicate-name": [changed({ contacts: [foot, foot] }), "contacts[1].name", "rename one, or leave names out"],
    "no-bodies": [{ timestep: 0.01, bodies: {} }, "bodies", "add one"],
    "unreachable-body": [changed({ bodies: { rod, loose: rod } }), "bodies.loose", "add floating("],
    "self-joint": [
      changed({ joints: { hinge, knot: { ...hinge, parent: "rod" } } }),
      "joints.knot",
      "a joint needs two bodies",
    ],
    "world-as-child": [
      changed({ joints: { hinge, back: { ...hinge, parent: "rod", child: "world" } } }),
      "joints.back.child",
      "exchange parent and child",
    ],
    "serial-axes": [withJoint({ axes: [[1, 0, 0]] }), "joints.hinge.axes", 'use axis, or kind "serial"'],
    "limits-order": [withJoint({ limits: [1, -1] }), "joints.hinge.limits", "exchange them"],
    "no-free-axis": [
      withJoint({ kind: "fixed", axis: undefined, limits: undefined }),
      "joints.hinge.actuated",
      "leave it out",
    ],
    "self-contact": [
      withContact({ halfSpace: { body: "rod", normal: [0, 0, 1], offset: 0 } }),
      "contacts[0]",
      "name another body",
    ],
    "friction-without-model": [withContact({ model: "impact" }), "contacts[0].frictionCoefficient", 'use "cone"'],
    "contradictory-loop": [fourBar({ ...crankRocker, ground: 4 }), "joints.wrist", "check anchors and axes"],
    "empty-gear": [withTerms(), "gears.pair.terms", "remove it"],
    "contradictory-gear": [
      changed({ gears: { pair: { terms: [{ joint: "hinge", ratio: 1 }], offset: 1, range: [0, 1] } } }),
      "gears.pair",
      "make a gear of each",
    ],
    "zero-ratio": [withTerms({ joint: "hinge", ratio: 0 }), "gears.pair.terms[0].ratio", "remove it"],
    "flat-hull": [
      withBody({ shapes: [{ kind: "hull", points: [0, 1, 2, 3].map((i) => [i, i * i, i + i * i]) }] }),
      "bodies.rod.shapes[0].points",
      "give it some thickness",
    ],
    "absurd-size": [
      changed({ shapes: [{ kind: "box", size: [1, 1, 1e9], contact: true }] }),
      "shapes[0]",
      "check the units",
    ],
    "unknown-combination": [
      changed({ collisions: { combine: "mean" } }),
      "collisions.combine",
      "have: geometricMean, max, min, product",
    ],
    "unknown-shape": [
      changed({
        shapes: [{ kind: "halfSpace", name: "floor", contact: true }],
        bodies: { rod: { ...rod, shapes: [{ kind: "sphere", radius: 0.1, contact: true }] } },
        collisions: { pairs: [{ bodies: ["rod", "world"], shapes: ["shape0", "flor"] }] },
      }),
      "collisions.pairs[0].shapes[1]",
      'did you mean "floor"',
    ],
  };
  test.each(Object.entries(cases))("%s", (code, [description, path, wayOut]) => {
    const faults = faultsOf(() => compile(description));
    expect(faults).toEqual([{ code, path, message: expect.stringContaining(wayOut) }]);
  });

  test("lists every fault at once", () => {
    const broken = changed({
      timestep: -1,
      bodies: { rod: { ...rod, mass: 0 } },
      joints: { hinge: { ...hinge, parent: "wrld" } },
    });
    expect(faultsOf(() => compile(broken)).map(({ code }) => code)).toEqual([
      "non-positive",
      "non-positive",
      "unknown-body",
    ]);
  });
});

const mechanism = compile(valid);
const simulation = new Simulation(mechanism);
const start = maximalState(mechanism, { hinge: { position: [1.5] } });
/** The start with one number changed. */
const startWith = (index: number, value: number): Float64Array =>
  start.map((entry, i) => (i === index ? value : entry));
const noInput = new Float64Array(1);

describe("states", () => {
  // test/physics/locks.test.ts has the one that takes three hinges, states/heldContacts.test.ts the one that takes a rail
  type Code = Exclude<StateFaultCode, "at-lock" | "held-contact">;
  const cases: Record<Code, readonly [state: Float64Array, path: string, wayOut: string]> = {
    "wrong-size": [new Float64Array(12), "state", "maximalState(mechanism) makes one"],
    "not-finite": [startWith(2, Number.NaN), "bodies.rod.position[2]", "look for it in what made the state"],
    "not-unit": [startWith(3, 2), "bodies.rod.orientation", "divide it by its length"],
    "too-fast": [startWith(10, 200), "bodies.rod.angularVelocity", "take a timestep below 0.00707 s"],
    "joint-violated": [startWith(0, 0.1), "joints.hinge", "projectState(simulation, state)"],
    "limit-exceeded": [
      maximalState(mechanism, { hinge: { position: [2.1] } }),
      "joints.hinge.limits[0]",
      "projectState(simulation, state)",
    ],
    penetration: [maximalState(mechanism), "contacts.foot", "raise it, or projectState"],
  };
  test.each(Object.entries(cases))("rollout and checkState: %s", (code, [state, path, wayOut]) => {
    const expected = { code, path, message: expect.stringContaining(wayOut) };
    expect(checkState(simulation, state)).toContainEqual(expected);
    expect(faultsOf(() => simulation.rollout(state, { steps: 1 }))).toContainEqual(expected);
  });

  const fatal = ["wrong-size", "not-finite", "too-fast"] as const;
  test.each(fatal)("step: %s", (code) => {
    const [state, path, wayOut] = cases[code];
    const expected = { code, path, message: expect.stringContaining(wayOut) };
    expect(faultsOf(() => simulation.step(state))).toEqual([expected]);
    expect(faultsOf(() => simulation.rollout(state, { steps: 1, check: false }))).toEqual([expected]);
  });

  test("step: a quaternion that is no rotation, while one that is a little long is taken as it is", () => {
    const none = start.map((entry, i) => (i >= 3 && i < 7 ? 0 : entry));
    const expected = { code: "not-unit", path: "bodies.rod.orientation" };
    expect(faultsOf(() => simulation.step(none))).toMatchObject([expected]);
    expect(faultsOf(() => simulation.rollout(none, { steps: 1, check: false }))).toMatchObject([expected]);
    expect(simulation.step(start.map((entry, i) => (i >= 3 && i < 7 ? entry * (1 + 1e-5) : entry))).status).toBe(
      "solved",
    );
  });

  test.each(["wrong-size", "not-finite"] as const)("projectState: %s", (code) => {
    const [state, path] = cases[code];
    expect(faultsOf(() => projectState(simulation, state))).toMatchObject([{ code, path }]);
  });
});

describe("arguments", () => {
  const joint = (state: object) => ({ hinge: state });
  const cases: readonly (readonly [
    what: string,
    provoke: () => unknown,
    code: string,
    path: string,
    wayOut: string,
  ])[] = [
    // maximalState and stateAt
    [
      "maximalState",
      () => maximalState(mechanism, { hnge: {} }),
      "unknown-joint",
      "joints.hnge",
      'did you mean "hinge"?',
    ],
    [
      "maximalState",
      () => maximalState(mechanism, joint({ position: [] })),
      "wrong-length",
      "joints.hinge.position",
      "give 1: hinge.angle",
    ],
    [
      "maximalState",
      () => maximalState(mechanism, joint({ velocity: [Number.NaN] })),
      "not-finite",
      "joints.hinge.velocity[0]",
      "give a finite number",
    ],
    [
      "maximalState",
      () => maximalState(mechanism, joint({ velocity: [200] })),
      "too-fast",
      "joints.hinge.velocity[0]",
      "take a timestep below 0.00785 s",
    ],
    ["stateAt", () => stateAt(simulation, { hnge: {} }), "unknown-joint", "joints.hnge", 'did you mean "hinge"?'],
    // a name that was forgotten, or is a number, in plain JavaScript
    ["contact", () => simulation.contact(undefined as unknown as string), "unknown-contact", "contacts.undefined", ""],
    [
      "stateAt",
      () => stateAt(simulation, {}, { input: new Float64Array(2) }),
      "wrong-size",
      "input",
      "new Float64Array(1)",
    ],
    // step and rollout
    [
      "step",
      () => simulation.step(start, new Float64Array(3)),
      "wrong-size",
      "input",
      "new Float64Array(1): hinge.angle",
    ],
    [
      "step",
      () => simulation.step(start, Float64Array.of(Number.NaN)),
      "not-finite",
      "input[0]",
      "give a finite force or torque",
    ],
    ["step", () => simulation.step(start, noInput, { kappa: 0 }), "non-positive", "options.kappa", "leave it out"],
    [
      "step",
      () => simulation.step(start, noInput, { kappa: Number.NaN }),
      "not-finite",
      "options.kappa",
      "leave it out",
    ],
    [
      "step",
      () => simulation.step(start, noInput, { hold: { kappa: -1 } }),
      "non-positive",
      "options.hold.kappa",
      "leave hold out",
    ],
    ["step", () => simulation.step(start, noInput, { tolerance: 0 }), "non-positive", "options.tolerance", "1e-8"],
    [
      "step",
      () => simulation.step(start, noInput, { pathTolerance: 0 }),
      "non-positive",
      "options.pathTolerance",
      "1e-3",
    ],
    [
      "new Simulation",
      () => new Simulation(mechanism, { maxIterations: 0.5 }),
      "out-of-range",
      "options.maxIterations",
      "leave it out for 30",
    ],
    ["rollout", () => simulation.rollout(start, { steps: 1.5 }), "out-of-range", "steps", "a whole number, 0 or more"],
    [
      "rollout",
      () =>
        simulation.rollout(start, {
          steps: 9,
          controller: (_, step) => Float64Array.of(step === 4 ? Number.POSITIVE_INFINITY : 0),
        }),
      "not-finite",
      "input[0]",
      "at step 4; give a finite",
    ],
    [
      "rollout",
      () => simulation.rollout(start, { steps: 2, controller: () => new Float64Array(7) }),
      "wrong-size",
      "input",
      "at step 0",
    ],
    // parameters, time step, wrenches, snapshots; src/simulation/states/parameterRules.test.ts has every rule
    [
      "setParameter",
      () => simulation.setParameter("bodies.rodd.mass", 1),
      "unknown-parameter",
      "bodies.rodd.mass",
      'did you mean "bodies.rod.mass"?',
    ],
    [
      "setParameter",
      () => simulation.setParameter("joints.hinge.stiffness.0", 1),
      "compiled-without",
      "joints.hinge.stiffness.0",
      "compile again",
    ],
    [
      "setParameter",
      () => simulation.setParameter("bodies.rod.mass", -1),
      "non-positive",
      "bodies.rod.mass",
      "give a small mass",
    ],
    ["parameter", () => simulation.parameter("gravity"), "unknown-parameter", "gravity", "parameterNames lists all"],
    ["energy", () => simulation.energy(new Float64Array(5)), "wrong-size", "state", "13 per body"],
    ["momentum", () => simulation.momentum(new Float64Array(27)), "wrong-size", "state", "13 per body"],
    ["minimalState", () => minimalState(mechanism, new Float64Array(5)), "wrong-size", "state", "13 per body"],
    ["jointStates", () => jointStates(mechanism, new Float64Array(14)), "wrong-size", "state", "13 per body"],
    ["coordinates", () => simulation.coordinates(new Float64Array(12)), "wrong-size", "state", "13 per body"],
    [
      "stepGradients",
      () => stepGradients(simulation, start, undefined, { parameters: ["joints.hinge.parentFrame.w"] }),
      "not-unit",
      "joints.hinge.parentFrame.w",
      '"joints.hinge.parentFrame.rotation.x"',
    ],
    ["changeTimestep", () => simulation.changeTimestep(start, 0), "non-positive", "timestep", "0.01 is a common one"],
    [
      "changeTimestep",
      () => simulation.changeTimestep(startWith(10, 20), 0.1),
      "too-fast",
      "bodies.rod.angularVelocity",
      "take a timestep below",
    ],
    [
      "changeTimestep",
      () => simulation.changeTimestep(new Float64Array(3), 0.1),
      "wrong-size",
      "state",
      "maximalState",
    ],
    ["setWrench", () => simulation.setWrench("rodd", {}), "unknown-body", "bodies.rodd", 'did you mean "rod"?'],
    [
      "setWrench",
      () => simulation.setWrench("rod", { force: [0, Number.NaN, 0] }),
      "not-finite",
      "wrench.rod.force",
      "give three finite numbers",
    ],
    [
      "setWrench",
      () => simulation.setWrench("rod", { torque: [1] as never }),
      "not-finite",
      "wrench.rod.torque",
      "give three finite numbers",
    ],
    [
      "restore",
      () => simulation.restore({ parameters: new Float64Array(1), wrenches: new Float64Array(6) }),
      "wrong-size",
      "snapshot",
      "restore what this mechanism saved",
    ],
    // readings
    ["contact", () => simulation.contact("foo"), "unknown-contact", "contacts.foo", 'did you mean "foot"?'],
    [
      "positions",
      () => simulation.rollout(start, { steps: 1 }).positions("rodd"),
      "unknown-body",
      "bodies.rodd",
      'did you mean "rod"?',
    ],
    [
      "coordinates",
      () => simulation.rollout(start, { steps: 1 }).coordinates("knee"),
      "unknown-joint",
      "joints.knee",
      "have: hinge",
    ],
  ];
  test.each(cases)("%s: %#", (_, provoke, code, path, wayOut) => {
    const before = simulation.save();
    expect(faultsOf(provoke)).toEqual([{ code, path, message: expect.stringContaining(wayOut) }]);
    // and nothing is left half done
    expect(simulation.save()).toEqual(before);
  });

  test("helpers say what they need", () => {
    expect(() => boxCorners(sphere({ radius: 1, mass: 1 }))).toThrow(
      "give it one, or list the contact points yourself",
    );
    expect(() => new Random(Number.NaN)).toThrow("a seed must be a finite number");
  });
});

test("after all of that the simulation steps as if nothing had happened", () => {
  const fresh = new Simulation(mechanism).rollout(start, { steps: 20 });
  expect(simulation.rollout(start, { steps: 20 }).final).toEqual(fresh.final);
  expect(fresh.solved).toBe(true);
});

test("a floating base is named for what it lacks", () => {
  const drifting = compile({
    timestep: 0.01,
    bodies: { rod },
    joints: { base: floating({ parent: "world", child: "rod" }) },
  });
  expect(() => maximalState(drifting, { base: { position: [0, 0, 1] } })).toThrow("has 3 numbers; give 6: base.x");
});
