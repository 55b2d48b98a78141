/** In minimal coordinates pullbacks are the transposes of pushforwards: also where gears tie coordinates, and where shapes touch. */
import { expect, test } from "vitest";
import {
  box,
  capsule,
  compile,
  maximalState,
  parameterEntries,
  prismatic,
  pullback,
  pushforward,
  Random,
  revolute,
  Simulation,
} from "../../src/index.ts";

const contact = { frictionCoefficient: 0.6 };
const rod = capsule({ radius: 0.05, length: 0.4, mass: 1, contact });

const geared = compile({
  timestep: 0.01,
  bodies: { upper: rod, lower: rod, tip: box({ size: [0.1, 0.1, 0.1], mass: 0.4 }) },
  joints: {
    shoulder: revolute({ parent: "world", child: "upper", axis: [0, 1, 0], childAnchor: [0, 0, 0.25] }),
    elbow: revolute({
      parent: "upper",
      child: "lower",
      axis: [0, 0.6, 0.8],
      parentAnchor: [0, 0, -0.25],
      childAnchor: [0, 0, 0.25],
    }),
    slide: prismatic({ parent: "lower", child: "tip", axis: [0, 0, -1], parentAnchor: [0, 0, -0.25] }),
  },
  gears: {
    gear: {
      terms: [
        { joint: "shoulder", ratio: 1 },
        { joint: "elbow", ratio: -0.7 },
        { joint: "slide", ratio: 2 },
      ],
      offset: 0.13,
    },
  },
});

/** A rod on a slide that comes down on a bar in the world. */
const touching = compile({
  timestep: 0.01,
  bodies: { rod },
  joints: { slide: prismatic({ parent: "world", child: "rod", axis: [0, 0, 1] }) },
  shapes: [{ kind: "box", name: "bar", size: [0.1, 0.1, 0.1], position: [0.02, 0, -0.305], contact }],
});

test.each([
  [
    "with a gear",
    geared,
    {
      shoulder: { position: [0.2], velocity: [-0.3] },
      elbow: { position: [0.1], velocity: [0.6] },
      slide: { velocity: [0.36] },
    },
    { timestep: 0.01, "gears.gear.offset": 0.3, "gears.gear.ratio.0": -0.2 },
  ],
  [
    "with shapes that touch",
    touching,
    { slide: { velocity: [-0.5] } },
    { timestep: 0.01, "bodies.rod.mass": 0.4, "surfaces.rod.shape0.frictionCoefficient": -0.2 },
  ],
] as const)("%s", (_, mechanism, start, amounts) => {
  const simulation = new Simulation(mechanism);
  const steps = 8;
  const trajectory = simulation.rollout(maximalState(mechanism, start), { steps, gradients: true });
  expect(trajectory.solved).toBe(true);
  const random = new Random(1);
  const [tangent, cotangent] = [0, 1].map(() =>
    Float64Array.from({ length: 2 * mechanism.coordinateCount }, () => random.normal()),
  );
  const dot = (a: Float64Array, b: Float64Array): number => a.reduce((sum, value, i) => sum + value * b[i], 0);
  const minimal = { coordinates: "minimal" } as const;
  const names = Object.keys(amounts) as (keyof typeof amounts)[];
  const entries = parameterEntries(simulation, amounts);
  const weights = [...new Array<undefined>(steps), cotangent];
  const back = pullback(trajectory, weights, { ...minimal, parameters: names }).minimal();
  const pulled = names.reduce((sum, name) => sum + amounts[name] * back.parameters[name], dot(back.state, tangent));
  for (const tangents of [{ parameters: amounts }, { entries }]) {
    const pushed = pushforward(trajectory, { state: tangent, ...tangents }, minimal);
    expect(dot(pushed[steps], cotangent) / pulled).toBeCloseTo(1, 9);
  }
});

test.each([geared, touching])("the pushforward of a rollout without steps is the start's own tangent", (mechanism) => {
  const simulation = new Simulation(mechanism);
  const trajectory = simulation.rollout(maximalState(mechanism), { steps: 0, gradients: true, check: false });
  const state = Float64Array.of(...(mechanism === geared ? [0.7, 1, 0, 1.4, 2, 0] : [0.5, 2]));
  const [found] = pushforward(trajectory, { state }, { coordinates: "minimal" });
  for (let i = 0; i < state.length; i++) expect(found[i]).toBeCloseTo(state[i], 12);
});
