import { describe, expect, it } from "vitest";
import {
  box,
  compile,
  floating,
  hull,
  type MechanismDescription,
  models,
  ShapeDistances,
  Simulation,
  scenes,
  stateAt,
  stateInput,
} from "../../src/index.ts";

/** A stone on the floor, a disc of twelve corners above and below that lie in no plane, by a hundred-thousandth. */
function stone(): MechanismDescription {
  const contact = { frictionCoefficient: 0.5 };
  const corner = (i: number): [number, number, number] => {
    const height = (1 + 1e-5 * Math.sin(7 * i * i)) / 30;
    return [Math.cos((i * Math.PI) / 6) / 10, Math.sin((i * Math.PI) / 6) / 10, i < 12 ? height : -height];
  };
  const { shapes, ...body } = hull({ mass: 1, points: Array.from({ length: 24 }, (_, i) => corner(i)) });
  return {
    timestep: 0.01,
    bodies: { stone: { ...body, shapes: shapes?.map((shape) => ({ ...shape, contact })) } },
    joints: { base: floating({ parent: "world", child: "stone" }) },
    shapes: [{ kind: "halfSpace", contact }],
    states: { rest: { base: { position: [0, 0, 0.034, 0, 0, 0] } } },
  };
}

/** The first state of a model. */
const startName = ({ states = {} }: MechanismDescription): string => Object.keys(states)[0];

/** Two cards that lean against each other, the feet of one so much farther out than they should be. */
function twoCards(apart: number) {
  const description = scenes.cardHouse({ storeys: 1, lean: 0.5, timestep: 0.01 });
  const simulation = new Simulation(compile(description));
  const state = stateAt(simulation, description.states?.rest);
  state[0] -= apart;
  return { description, simulation, state };
}

/** A scene in the state of this name, its input, and where it is after so many steps. */
function settled(description: MechanismDescription, start: string, steps: number) {
  const simulation = new Simulation(compile(description));
  const input = stateInput(simulation.mechanism, start);
  let state = stateAt(simulation, description.states?.[start], { input });
  for (let k = 0; k < steps; k++) state = simulation.step(state, input).next.slice();
  return { simulation, input, state };
}

describe("what rests", () => {
  it.each([
    ["a stack", "rest", scenes.stack({ count: 4 })],
    ["a pyramid", "rest", scenes.pyramid({ layers: 2 })],
    ["a house of cards", "rest", scenes.cardHouse({ storeys: 2 })],
    ["a house of cards that was put down", "dropped", scenes.cardHouse({ storeys: 2 })],
    ["a row of dominoes", "rest", scenes.dominoes({ count: 5 })],
    ["a grip", "holding", scenes.gripper()],
    ["an open gripper", "rest", scenes.gripper()],
    ["a peg in its hole", "rest", scenes.pegInHole()],
    ["a stone that stands on three of its twelve corners", "rest", stone()],
  ])("%s takes an iteration or two per step, and is solved once", (_, start, description) => {
    const { simulation, input, state } = settled(description, start, 40);
    let iterations = 0;
    for (let k = 0; k < 20; k++) {
      const { status, next, retries, overlap, ...report } = simulation.step(state, input);
      expect({ status, retries, overlap }).toEqual({ status: "solved", retries: 0, overlap: 0 });
      iterations += report.iterations;
      state.set(next);
    }
    expect(iterations).toBeLessThanOrEqual(40);
    for (let i = 0; i < state.length; i += 13) expect(Math.hypot(...state.subarray(i + 7, i + 13))).toBeLessThan(1e-5);
  });

  it.each([
    ["corners that rest against corners included", "dropped", scenes.cardHouse({ storeys: 2 })],
    ["corners that carry a stone included", "rest", stone()],
  ])("goes on to the bit from what was saved, %s", (_, start, description) => {
    const { simulation, state } = settled(description, start, 30);
    const continuation = JSON.parse(JSON.stringify(simulation.continuation));
    const other = new Simulation(compile(description));
    other.continuation = continuation;
    const there = state.slice();
    for (let k = 0; k < 5; k++) {
      state.set(simulation.step(state).next);
      there.set(other.step(there).next);
      expect(there).toEqual(state);
    }
  });

  it("goes on to the bit from every step of a heavy crate put down on a light one, in a simulation that knows no directions yet", () => {
    const contact = { frictionCoefficient: 0.5, restitution: 0.5 };
    const crate = (mass: number, height: number) => {
      const { shapes, ...body } = box({ size: [0.2, 0.2, height], mass });
      return { ...body, shapes: shapes?.map((shape) => ({ ...shape, contact })) };
    };
    const mechanism = compile({
      timestep: 0.01,
      bodies: { light: crate(1e-3, 0.1), heavy: crate(1e3, 0.2) },
      joints: {
        light: floating({ parent: "world", child: "light" }),
        heavy: floating({ parent: "world", child: "heavy" }),
      },
      shapes: [{ kind: "halfSpace", contact }],
    });
    const simulation = new Simulation(mechanism);
    const state = stateAt(simulation, {
      light: { position: [0, 0, 0.05, 0, 0, 0] },
      heavy: { position: [0.02, 0, 0.202, 0, 0, 0] },
    });
    for (let k = 0; k < 8; k++) {
      const other = new Simulation(mechanism);
      if (k > 0) other.continuation = JSON.parse(JSON.stringify(simulation.continuation));
      const there = other.step(state).next;
      state.set(simulation.step(state).next);
      expect(there).toEqual(state);
    }
  });

  it("keeps corners of a step that had to be halved, and goes on from one to the bit", () => {
    const { description, simulation, state } = twoCards(1e-4);
    const other = new Simulation(compile(description));
    let [substeps, iterations] = [0, 0];
    for (let k = 0; k < 20; k++) {
      const report = simulation.step(state);
      const { next } = report;
      if (report.substeps > 1) {
        other.continuation = JSON.parse(JSON.stringify(simulation.continuation));
        substeps += report.substeps;
        const there = next.slice();
        const going = simulation.step(there).next.slice();
        expect(other.step(there).next).toEqual(going);
        state.set(going);
        continue;
      }
      if (k >= 10) iterations += report.iterations;
      state.set(next);
    }
    expect(substeps).toBeGreaterThan(0);
    expect(iterations).toBe(10);
  });

  it("keeps corners of a step that a tolerance has divided", () => {
    const description = scenes.cardHouse({ storeys: 2 });
    const simulation = new Simulation(compile(description), { errorTolerance: 1e-3 });
    const state = stateAt(simulation, description.states?.rest);
    let iterations = 0;
    for (let k = 0; k < 30; k++) {
      const report = simulation.step(state);
      if (k >= 20) iterations += report.iterations;
      state.set(report.next);
    }
    expect(iterations).toBe(10);
  });

  it.each(["rest", "dropped"])("cards are in nothing else, not by rounding either, from %s on", (start) => {
    const { simulation, state } = settled(scenes.cardHouse({ storeys: 2, timestep: 0.005 }), start, 0);
    const distances = new ShapeDistances(simulation.mechanism);
    for (let k = 0; k < 15; k++) {
      state.set(simulation.step(state).next);
      expect(distances.at(state, 1e-3)[0].distance).toBeGreaterThan(0);
    }
  });

  it.each([
    ["a block", models.block(), 300],
    ["a ball that rolls", models.sphere(), 200],
  ])("%s on contacts written by hand takes one iteration per step, and goes on to the bit", (_, description, steps) => {
    const { simulation, state } = settled(description, startName(description), steps);
    const other = new Simulation(compile(description));
    other.continuation = JSON.parse(JSON.stringify(simulation.continuation));
    const there = state.slice();
    for (let k = 0; k < 5; k++) {
      const { next, iterations } = simulation.step(state);
      expect(iterations).toBe(1);
      state.set(next);
      there.set(other.step(there).next);
      expect(there).toEqual(state);
    }
  });

  it("answers to a push that is smaller than the tolerance of a step", () => {
    const contact = { frictionCoefficient: 0 };
    const { shapes, ...body } = box({ size: [0.1, 0.1, 0.1], mass: 2 });
    const { simulation, state } = settled(
      {
        timestep: 0.01,
        bodies: { crate: { ...body, shapes: shapes?.map((shape) => ({ ...shape, contact })) } },
        joints: { base: floating({ parent: "world", child: "crate" }) },
        shapes: [{ kind: "halfSpace", contact }],
        states: { rest: { base: { position: [0, 0, 0.05, 0, 0, 0] } } },
      },
      "rest",
      20,
    );
    const before = state[7];
    simulation.setWrench("crate", { force: [1e-8, 0, 0] });
    const { next, iterations } = simulation.step(state);
    expect(iterations).toBe(1);
    expect((next[7] - before) / 5e-11).toBeCloseTo(1, 6);
  });
});
