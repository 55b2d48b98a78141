import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { interpreter, javascript, webassembly } from "../../codegen/index.ts";
import { maximalState } from "../../coordinates/index.ts";
import {
  box,
  boxCorners,
  compile,
  floating,
  frictionContact,
  type MechanismDescription,
  revolute,
} from "../../mechanism/index.ts";
import { Simulation } from "../simulation.ts";
import { replayStep } from "./replayStep.ts";
import { dumpStep, type StepDump } from "./stepDump.ts";
import { version } from "./version.ts";

const crate = box({ size: [0.5, 0.4, 0.3], mass: 1 });
const lid = box({ size: [0.5, 0.4, 0.02], mass: 0.2 });
const chest: MechanismDescription = {
  timestep: 0.02,
  gravity: [0, -0, -9.81],
  bodies: { crate, lid },
  joints: {
    base: floating({ parent: "world", child: "crate" }),
    hinge: revolute({
      parent: "crate",
      child: "lid",
      axis: [1, 0, 0],
      parentAnchor: [0, 0.2, 0.15],
      childAnchor: [0, 0.2, -0.01],
      limits: [0, 2],
      stiffness: 1,
      friction: 0.1,
      actuated: true,
    }),
  },
  contacts: boxCorners(crate).map((point) => frictionContact({ body: "crate", point, frictionCoefficient: 0.6 })),
};

/** A step in the middle of a landing, everything changed that can be. */
function scene() {
  const simulation = new Simulation(compile(chest), { tolerance: 1e-9, maxIterations: 40, onIteration: () => {} });
  simulation.setParameters({
    "bodies.lid.mass": 0.31,
    "joints.hinge.stiffness.0": 1.7,
    timestep: 0.015,
    "gravity.x": -0,
  });
  simulation.setWrench("crate", { force: [0.1, -0.2, 0.3], torque: [0, -0, 0.01] });
  const base = { position: [0, 0, 0.165, 0.02, -0.03, 0.5], velocity: [1, -1, -2, 1, 2, 3] };
  const state = maximalState(simulation.mechanism, { base, hinge: { position: [0.4], velocity: [-3] } }, 0.015);
  return { simulation, state, input: Float64Array.of(0.05) };
}

const throughJson = (dump: StepDump): StepDump => JSON.parse(JSON.stringify(dump)) as StepDump;

test("a replayed step is the same to the bit, through JSON and on every target", () => {
  const { simulation, state, input } = scene();
  const dump = throughJson(dumpStep(simulation, state, input));
  const { next, status, iterations } = simulation.step(state, input);
  expect(status).toBe("solved");
  for (const target of [undefined, webassembly, javascript, interpreter]) {
    const again = replayStep(dump, target);
    expect(again.next).toEqual(next);
    expect(again.iterations).toBe(iterations);
  }
});

test("a dump holds only what was changed, and says which engine made it", () => {
  const { simulation, state, input } = scene();
  const dump = throughJson(dumpStep(simulation, state, input));
  expect(dump.version).toBe(version);
  expect(dump.timestep).toBe(0.015);
  expect(dump.options).toEqual({ tolerance: 1e-9, maxIterations: 40 });
  const { "gravity.x": x, "gravity.y": y, ...others } = dump.parameters;
  expect([x, y]).toEqual(["-0", "-0"]);
  const changed = Object.entries(others).filter(([, value]) => value !== "-0");
  expect(changed).toEqual([
    ["timestep", 0.015],
    ["bodies.lid.mass", 0.31],
    ["joints.hinge.stiffness.0", 1.7],
  ]);
});

test("a rollout that fails keeps the failing step, and its replay fails alike", () => {
  const { simulation, state } = scene();
  const controller = (_: Float64Array, step: number, input: Float64Array): undefined => {
    // far more than a step can express
    input[0] = step === 5 ? 1e7 : 0;
  };
  const trajectory = simulation.rollout(state, { steps: 20, controller });
  expect(trajectory.solved).toBe(false);
  expect(trajectory.steps).toBe(6);
  const dump = throughJson(trajectory.failure as StepDump);
  expect(dump.state).toEqual(Array.from(trajectory.states[5]));
  const { status, iterations, residualViolation } = replayStep(dump);
  expect(status).toBe(trajectory.reports[5].status);
  // the same to the bit but for the warm start, which the run tried first
  expect(residualViolation).toBe(trajectory.reports[5].residualViolation);
  expect(iterations).toBeLessThanOrEqual(trajectory.reports[5].iterations);
});

test("a rollout that is solved has no failure", () => {
  const { simulation, state } = scene();
  expect(simulation.rollout(state, { steps: 5 }).failure).toBeUndefined();
});

test("a snapshot brings back parameters, time step and wrenches", () => {
  const { simulation, state, input } = scene();
  const snapshot = simulation.save();
  const first = simulation.step(state, input).next.slice();
  simulation.setParameters({ timestep: 0.01, "bodies.crate.mass": 3, "contacts.contact0.frictionCoefficient": 0.1 });
  simulation.setWrench("crate", {});
  expect(simulation.step(state, input).next).not.toEqual(first);
  simulation.restore(snapshot);
  expect(simulation.step(state, input).next).toEqual(first);
  expect(simulation.timestep).toBe(0.015);
});

test("the engine's version is the package's", () => {
  const { version: published } = JSON.parse(readFileSync("package.json", "utf8")) as { version: string };
  expect(version).toBe(published);
});

test.each([
  ["state", [1, 2, 3], "wrong-size at state: has 3 numbers; give 26"],
  ["input", null, "wrong-type at input: give a list of numbers"],
  ["input", [null], "wrong-type at input[0]: null is no number"],
  // more of them would be written over other memory
  ["wrenches", new Array(1000).fill(0), "wrong-size at wrenches: has 1000 numbers; give 12"],
  ["parameters", { "bodies.lid.mass": "much" }, 'wrong-type at parameters[0]: "much" is no number'],
  ["parameters", null, "wrong-type at parameters: give an object, as dumpStep does"],
  ["options", [], "wrong-type at options: give an object, as dumpStep does"],
])("a damaged dump is refused: %s %j", (field, value, message) => {
  const { simulation, state, input } = scene();
  const dump = { ...throughJson(dumpStep(simulation, state, input)), [field]: value } as StepDump;
  expect(() => replayStep(dump)).toThrow(message);
});
