/**
 * Every error of states and arguments that a user can meet, provoked once: it has a stable code, a path that says where, and words that say
 * what to do. The table of state faults has an entry for every code there is, so that a new one cannot go without.
 */
import { describe, expect, test } from "vitest";
import {
  boxCorners,
  checkState,
  compile,
  floating,
  jointStates,
  maximalState,
  minimalState,
  projectState,
  Random,
  Simulation,
  type StateFaultCode,
  sphere,
  stateAt,
  stepGradients,
} from "../src/index.ts";
import { faultsOf, rod, valid } from "./provoked.ts";

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
      () => simulation.step(start, noInput, { hold: { kappa: 1 } } as object),
      "unsupported",
      "options.hold",
      "smoothing: 0.1",
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
