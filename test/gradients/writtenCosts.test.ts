/** Costs of rollouts as text: their values by hand, their gradients beside those of arrays and beside differences of the value. */
import { describe, expect, test } from "vitest";
import {
  type Cotangents,
  compile,
  costOf,
  minimalState,
  models,
  pullback,
  Simulation,
  startOf,
  type Trajectory,
} from "../../src/index.ts";
import { bodyStateSize } from "../../src/math/index.ts";

const simulation = new Simulation(compile(models.cartpole({ timestep: 0.02 })), { relativeKappa: undefined });
const { state: start } = startOf(simulation);
const steps = 12;

function rolled(inputs: readonly number[] = forces): Trajectory {
  return simulation.rollout(start, { steps, inputs: inputs.map((force) => [force]), gradients: true });
}

const forces = Array.from({ length: steps }, (_, k) => Math.sin(k));
const pole = bodyStateSize * simulation.mechanism.bodies.findIndex(({ name }) => name === "pole");

const costs: [string, Cotangents, (trajectory: Trajectory) => number][] = [
  [
    "at the end",
    "(pole.z - 0.4)^2 + 2 pole.velocity.x",
    ({ final }) => (final[pole + 2] - 0.4) ** 2 + 2 * final[pole + 7],
  ],
  [
    "along the way",
    (k) => (k < steps ? "0.1 |input|^2 + pole.x^2 + time" : undefined),
    ({ states, inputs, times }) =>
      inputs.reduce((sum, [force], k) => sum + 0.1 * force ** 2 + states[k][pole] ** 2 + times[k], 0),
  ],
  [
    "in a list, of coordinates, as data and by weights",
    [
      undefined,
      "hinge.angle^3",
      {
        nodes: [
          ["quantity", "rail.slide.rate"],
          ["pow", 0, 2],
        ],
      },
      { "rates.hinge.angle": 3 },
    ],
    ({ states, mechanism }) => {
      const at = (k: number, name: string, offset = 0): number =>
        minimalState(mechanism, states[k], 0.02)[offset + mechanism.coordinateNames.indexOf(name)];
      return at(1, "hinge.angle") ** 3 + at(2, "rail.slide", 2) ** 2 + 3 * at(3, "hinge.angle", 2);
    },
  ],
];

describe.each(costs)("%s", (_, cost, byHand) => {
  test("the value is that by hand", () => {
    expect(costOf(rolled(), cost)).toBeCloseTo(byHand(rolled()), 9);
  });

  test("the gradient by inputs is that of differences", () => {
    const { inputs } = pullback(rolled(), cost);
    forces.forEach((force, k) => {
      const h = 1e-5;
      const changed = (by: number): number =>
        costOf(rolled(forces.map((other, j) => (j === k ? force + by : other))), cost);
      expect(inputs[k][0]).toBeCloseTo((changed(h) - changed(-h)) / (2 * h), 6);
    });
  });
});

test("what cannot be valued is refused", () => {
  expect(() => costOf(rolled(), [new Float64Array(26)])).toThrow(/costs\[0\]: is an array, which has no value/);
  expect(() => pullback(rolled(), "pole.zz")).toThrow(
    /cotangents\[12\], column 1: there is no quantity "pole.zz"; did you mean "pole.z"/,
  );
  expect(() => pullback(rolled(), "input")).toThrow(/no step begins at the last state/);
  const recorded = simulation.rollout(start, {
    steps,
    inputs: forces.map((force) => [force]),
    gradients: { checkpointEvery: 5 },
  });
  expect(costOf(recorded, "pole.z")).toBeCloseTo(costOf(rolled(), "pole.z"), 12);
  expect(() => costOf(recorded, () => "pole.z")).toThrow(/leave out checkpointEvery/);
});
