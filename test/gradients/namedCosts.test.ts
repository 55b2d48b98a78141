/** Gradients of costs that are written by name, against arrays of the same meaning and against central differences. */
import { describe, expect, test } from "vitest";
import {
  compile,
  jointCoordinates,
  maximalState,
  models,
  type NamedWeights,
  pullback,
  Simulation,
  trajectoryCsv,
} from "../../src/index.ts";

const mechanism = compile(models.nPendulum({ links: 3 }));
const simulation = new Simulation(mechanism);
const start = maximalState(mechanism, { hinge1: { position: [1] }, hinge2: { position: [0.4], velocity: [0.5] } });
const steps = 12;
const inputs = Array.from({ length: steps }, (_, k) => [0.3, 0.1 * k, -0.2]);
const roll = (given = inputs) => simulation.rollout(start, { inputs: given, gradients: true });
const trajectory = roll();
const { bodies, stateSize, coordinateCount } = mechanism;

describe("costs by name", () => {
  test("entries of a state are what an array with a one there gives, to rounding", () => {
    const offsets = { "position.y": 1, "orientation.w": 3, "velocity.z": 9, "angularVelocity.x": 10 };
    for (const [part, offset] of Object.entries(offsets)) {
      const raw = new Float64Array(stateSize);
      raw[13 * 2 + offset] = 1;
      const byArray = pullback(trajectory, (k) => (k === steps ? raw : undefined));
      const byName = pullback(trajectory, { [`bodies.link3.${part}`]: 1 });
      byName.inputs.forEach((row, k) => {
        row.forEach((value, i) => {
          expect(value).toBeCloseTo(byArray.inputs[k][i], 12);
        });
      });
    }
  });

  test("coordinates and rates are those of a minimal cotangent, at any step", () => {
    const minimal = new Float64Array(2 * coordinateCount);
    minimal[1] = 2;
    minimal[coordinateCount + 2] = -0.5;
    const byArray = pullback(trajectory, (k) => (k === 7 ? minimal : undefined), { coordinates: "minimal" });
    for (const names of [
      ["coordinates.hinge2.angle", "rates.hinge3.angle"],
      ["joints.hinge2.angle", "joints.hinge3.angle.rate"],
    ]) {
      const weights: NamedWeights = { [names[0]]: 2, [names[1]]: -0.5 };
      const byName = pullback(trajectory, (k) => (k === 7 ? weights : undefined));
      expect(byName.inputs).toEqual(byArray.inputs);
      expect(byName.state).toEqual(byArray.state);
    }
  });

  test("a sum of several, over several steps, is its differences with respect to inputs and to gravity", () => {
    const weights: NamedWeights = {
      "centerOfMass.position.z": 1,
      "bodies.link2.position.y": 0.5,
      "coordinates.hinge3.angle": -0.3,
      "inputs.hinge1.angle": 0.2,
    };
    const at = [4, 9];
    const cost = (run: ReturnType<typeof roll>): number =>
      at.reduce((sum, k) => {
        const state = run.states[k];
        const height = bodies.reduce((total, { mass, index }) => total + mass * state[13 * index + 2], 0);
        const mass = bodies.reduce((total, body) => total + body.mass, 0);
        const angle = jointCoordinates(mechanism, state)[2];
        return sum + height / mass + 0.5 * state[13 + 1] - 0.3 * angle + 0.2 * run.inputs[k][0];
      }, 0);
    const gradient = pullback(trajectory, (k) => (at.includes(k) ? weights : undefined), {
      parameters: ["gravity.z"],
    });
    // central differences of smooth motion: truncation h², rounding 1e-9
    const h = 1e-4;
    for (const [k, i] of [
      [0, 0],
      [3, 1],
      [4, 0],
      [8, 2],
      [9, 0],
      [11, 1],
    ]) {
      const moved = (by: number) =>
        cost(roll(inputs.map((row, step) => (step === k ? row.map((v, j) => (j === i ? v + by : v)) : row))));
      expect(gradient.inputs[k][i]).toBeCloseTo((moved(h) - moved(-h)) / (2 * h), 7);
    }
    const gravity = simulation.parameter("gravity.z");
    const [more, less] = [h, -h].map((by) => {
      simulation.setParameter("gravity.z", gravity + by);
      return cost(roll());
    });
    simulation.setParameter("gravity.z", gravity);
    expect(gradient.parameters["gravity.z"]).toBeCloseTo((more - less) / (2 * h), 7);
  });

  test("names of a table's columns of states are names of quantities", () => {
    const [heading] = trajectoryCsv(trajectory);
    const columns = heading.trim().split(",");
    const ofStates = columns.filter((name) => /^(bodies|coordinates|rates)\./.test(name));
    expect(ofStates.length).toBe(stateSize + 2 * coordinateCount);
    for (const name of ofStates) expect(pullback(trajectory, { [name]: 1 }).inputs).toHaveLength(steps);
  });

  test("what cannot be is refused with its place", () => {
    expect(() => pullback(trajectory, { "bodies.link3.positon.z": 1 })).toThrow(
      /did you mean "bodies.link3.position.z"/,
    );
    expect(() => pullback(trajectory, { time: Number.NaN })).toThrow(/not-finite at cotangents\[12\]\["time"\]/);
    expect(() => pullback(trajectory, {})).toThrow(/empty at cotangents\[12\]/);
    expect(() => pullback(trajectory, { "inputs.hinge1.angle": 1 })).toThrow(/no-input at cotangents\[12\]/);
    expect(() => pullback(trajectory, new Float64Array(3) as never)).toThrow(/wrong-type at cotangents/);
  });
});
