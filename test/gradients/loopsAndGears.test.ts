/** Gradients of single steps of mechanisms with loops and gears. */
import { describe, expect, test } from "vitest";
import { differentiableParameters } from "../../src/gradients/parameters.ts";
import {
  capsule,
  checkGradients,
  compile,
  type MechanismDescription,
  maximalState,
  models,
  prismatic,
  projectState,
  pullback,
  revolute,
  Simulation,
  spherical,
  stepGradients,
} from "../../src/index.ts";
import { crankRocker, fourBar, stewartPlatform } from "../toys/loops.ts";

const promised = 1e-6;
const rod = capsule({ radius: 0.05, length: 0.5, mass: 0.4 });
const ends = { parentAnchor: [0, 0, 0.25], childAnchor: [0, 0, -0.25] } as const;

/** All but the raw quaternions, whose single entries leave the rotations. */
const parametersOf = (simulation: Simulation, every = 1): string[] =>
  differentiableParameters(simulation.system).filter(
    (name, i) => i % every === 0 && !/regularization|Frame\.[wxyz]$/.test(name),
  );

describe("loops and gears", () => {
  const geared: MechanismDescription = {
    timestep: 0.02,
    bodies: { a: rod, b: rod, c: rod },
    joints: {
      one: revolute({
        parent: "world",
        child: "a",
        axis: [0, 1, 0],
        childAnchor: [0, 0, -0.25],
        actuated: true,
        damping: 0.1,
      }),
      two: revolute({ ...ends, parent: "a", child: "b", axis: [0.6, 0.8, 0] }),
      three: prismatic({ parent: "b", child: "c", axis: [1, 0, 0], parentAnchor: [0, 0, 0.25] }),
    },
    gears: {
      box: {
        terms: [
          { joint: "one", ratio: 1 },
          { joint: "two", ratio: -0.7 },
          { joint: "three", ratio: 0.3 },
        ],
        offset: 0.1,
      },
    },
  };
  // bars whose anchors leave the plane cannot close: those parameters have no derivative
  const inPlane = /Anchor\.x|rotation\.[xy]/;
  const cases: readonly (readonly [
    string,
    MechanismDescription,
    Parameters<typeof maximalState>[1],
    RegExp,
    number,
  ])[] = [
    [
      "a four-bar",
      { ...fourBar(crankRocker), timestep: 0.02 },
      { ground: { position: [0.5], velocity: [1] }, elbow: { position: [-1.2] }, wrist: { position: [-1] } },
      inPlane,
      1,
    ],
    [
      "a gear",
      geared,
      {
        one: { position: [0.4], velocity: [1] },
        two: { position: [0.2], velocity: [2] },
        three: { position: [0.1], velocity: [-1] },
      },
      /none/,
      1,
    ],
    [
      "two gears that share a joint",
      {
        ...geared,
        gears: {
          ...geared.gears,
          second: {
            terms: [
              { joint: "one", ratio: 1 },
              { joint: "two", ratio: 2 },
            ],
          },
        },
      },
      { one: { position: [0.4], velocity: [1] }, two: { position: [-0.2], velocity: [-0.5] } },
      /none/,
      1,
    ],
    [
      "a Stewart platform",
      { ...stewartPlatform(), timestep: 0.02 },
      { base: { position: [0.05, 0.1, 1, 0.1, 0.05, 0.2], velocity: [0.5, 0.1, 0.2, 0.3, 0.2, 0.1] } },
      /base\./,
      40,
    ],
  ];
  for (const [name, description, guess, without, every] of cases) {
    test(`${name}, in maximal and minimal coordinates`, () => {
      const simulation = new Simulation(compile(description));
      const state = projectState(simulation, maximalState(simulation.mechanism, guess));
      for (const coordinates of ["maximal", "minimal"] as const) {
        const parameters = parametersOf(simulation, every).filter((path) => !without.test(path));
        const check = checkGradients(simulation, state, new Float64Array(simulation.inputSize), {
          coordinates,
          parameters,
        });
        expect(check.worst, check.format()).toBeLessThan(promised);
      }
    });
  }
});

test("the fingers of a gripper share what one is moved by, and the arm stays", () => {
  const simulation = new Simulation(compile(models.panda({ floor: false })));
  const { mechanism } = simulation;
  const state = maximalState(mechanism, models.panda().states?.rest);
  const { dNext_dState, rows } = stepGradients(simulation, state, new Float64Array(simulation.inputSize), {
    coordinates: "minimal",
  });
  const [first, second] = [1, 2].map((i) => mechanism.coordinateNames.indexOf(`finger_joint${i}.slide`));
  const entry = (row: number, column: number): number => dNext_dState[row * rows + column];
  for (let row = 0; row < rows; row++) expect(entry(row, first)).toBeCloseTo(entry(row, second), 12);
  expect(entry(first, first)).toBeCloseTo(entry(second, first), 9);
  expect(Math.abs(entry(0, first))).toBeLessThan(1e-3);
});

describe("a gear on a rotation vector has gradients in maximal and in minimal coordinates", () => {
  const parameters = [
    "gears.tie.offset",
    "gears.tie.ratio.0",
    "bodies.a.mass",
    "joints.first.parentAnchor.x",
    "timestep",
  ];
  const ball = { ...ends, damping: 0.1 };
  const hinge = revolute({ ...ball, parent: "world", child: "a", axis: [0, 1, 0] });
  test.each([
    ["with a hinge", hinge, { joint: "first", ratio: 1 }, { position: [0.3], velocity: [1] }],
    [
      "with another one, both far from rest",
      spherical({ ...ball, parent: "world", child: "a" }),
      { joint: "first", axis: 0, ratio: 0.7 },
      { position: [0.7, 2.9, -1.2], velocity: [2, 1, -1] },
    ],
  ] as const)("%s", (_, first, term, firstState) => {
    const mechanism = compile({
      timestep: 0.02,
      bodies: { a: rod, b: rod },
      joints: { first, second: spherical({ ...ball, parent: "a", child: "b" }) },
      gears: { tie: { terms: [term, { joint: "second", axis: 1, ratio: 1 }] } },
    });
    const simulation = new Simulation(mechanism);
    const second = { position: [0.5, -0.3, 1.4], velocity: [1, 1, -3] };
    const start = projectState(simulation, maximalState(mechanism, { first: firstState, second }));
    const input = new Float64Array(0);
    for (const state of [start, simulation.rollout(start, { steps: 8 }).final]) {
      for (const coordinates of ["maximal", "minimal"] as const) {
        const { worst, entry } = checkGradients(simulation, state, input, { kappa: 1e-3, coordinates, parameters });
        expect(worst, entry).toBeLessThan(promised);
      }
    }
    // a rollout's too, against that of its first step
    const run = simulation.rollout(start, { steps: 1, gradients: { kappa: 1e-3 } });
    const { dNext_dState, rows } = stepGradients(simulation, start, input, { kappa: 1e-3, coordinates: "minimal" });
    const bar = Float64Array.from({ length: rows }, (__, i) => Math.sin(i));
    const { state } = pullback(run, [undefined, bar], { coordinates: "minimal" }).minimal();
    state.forEach((entry, j) => {
      const expected = bar.reduce((sum, weight, i) => sum + weight * dNext_dState[i * rows + j], 0);
      expect(Math.abs(entry - expected)).toBeLessThan(1e-9);
    });
  });
});
