/** Cylinders that swing over onto their other side within a step, or flat onto something, stay out of it. */
import { expect, test } from "vitest";
import {
  box,
  compile,
  cylinder,
  floating,
  maximalState,
  type Quaternion,
  ShapeDistances,
  Simulation,
} from "../../src/index.ts";
import { quaternion } from "../../src/math/index.ts";

/** A part of the radius: what the rounds of a step leave of it, where the lowest point runs around the rim. */
const left = 1e-4;

const unit = (...numbers: Quaternion): Quaternion => quaternion.normalize(numbers);

test.each([
  {
    radius: 0.0598,
    length: 0.0347,
    mu: 0,
    h: 0.03,
    turn: [-0.35, -1.804, 2.506],
    v: [-0.544, 0, -4.739, 2.927, -2.228, -2.502],
  },
  {
    radius: 0.0753,
    length: 0.0396,
    mu: 2,
    h: 0.01,
    turn: [2.682, 1.144, 0.14],
    v: [-0.125, 0, -0.699, -0.702, 1.653, 1.648],
  },
  { radius: 0.1, length: 0.02, mu: 0.5, h: 0.02, turn: [0.1, 0.05, 0], v: [0, 0, -2, 3, 20, 4] },
])("a disc of radius $radius at h = $h", ({ radius, length, mu, h, turn, v }) => {
  const contact = { frictionCoefficient: mu };
  const inertia = [
    [0.01, 0, 0],
    [0, 0.012, 0],
    [0, 0, 0.008],
  ] as const;
  const mechanism = compile({
    timestep: h,
    bodies: { disc: { mass: 1, inertia, shapes: [{ kind: "cylinder", radius, length, contact }] } },
    joints: { base: floating({ parent: "world", child: "disc" }) },
    shapes: [{ kind: "halfSpace", contact }],
  });
  const start = maximalState(mechanism, { base: { position: [0, 0, 1.2, ...turn], velocity: v } });
  const { states, solved } = new Simulation(mechanism).rollout(start, { steps: Math.round(1.5 / h) });
  expect(solved).toBe(true);
  const distances = new ShapeDistances(mechanism);
  const deepest = Math.max(0, ...states.flatMap((state) => distances.at(state).map(({ distance }) => -distance)));
  expect(deepest).toBeLessThan(left * radius);
});

test("a cylinder that comes at a box with twice its own length per step does not end in it", () => {
  const contact = { frictionCoefficient: 0.3 };
  const inertia = [
    [0.01, 0, 0],
    [0, 0.012, 0],
    [0, 0, 0.008],
  ] as const;
  const mechanism = compile({
    timestep: 0.03,
    gravity: [0, 0, 0],
    bodies: {
      can: { mass: 1, inertia, shapes: [{ kind: "cylinder", radius: 0.1816, length: 0.2963, contact }] },
      box: { mass: 1.583, inertia, shapes: [{ kind: "box", size: [0.2462, 0.5144, 0.2675], contact }] },
    },
    joints: {
      can: floating({ parent: "world", child: "can" }),
      box: floating({ parent: "world", child: "box" }),
    },
  });
  const start = maximalState(mechanism, {
    can: {
      position: [0, 0, 0.9, 2.8222, -0.7412, -1.4398],
      velocity: [-0.4425, 0, -19.0384, -2.7167, 2.6167, 2.1959],
    },
    box: {
      position: [0.0181, -0.0191, -0.1, -0.6338, -0.5331, -1.9617],
      velocity: [0, 0, 1.488, 1.46, 2.1655, 2.9896],
    },
  });
  const { states, solved } = new Simulation(mechanism).rollout(start, { steps: 4 });
  expect(solved).toBe(true);
  const distances = new ShapeDistances(mechanism);
  for (const state of states) expect(distances.at(state)).toEqual([]);
});

test.each([
  {
    on: "the edge of a box",
    can: { radius: 0.11531, length: 0.09266, mass: 0.7455 },
    post: {
      kind: "box",
      size: [0.3, 0.3, 0.3],
      position: [0.1, 0.05, 0.15],
      orientation: unit(0.31125, 0.08145, 0.01201, -0.94676),
    },
    pose: [-0.079962, -0.105153, 0.303165, ...unit(0.931413, 0.101507, -0.205603, 0.282655)],
    motion: [-0.630257, 0.6272, -1.230106, -8.059549, -4.520463, 0.914019],
  },
  {
    on: "the side of a cylinder",
    can: { radius: 0.11725, length: 0.06662, mass: 1.8905 },
    post: {
      kind: "cylinder",
      radius: 0.15,
      length: 0.3,
      position: [0.1, 0.05, 0.15],
      orientation: unit(0.40898, 0.59163, -0.08876, 0.68908),
    },
    pose: [0.091046, 0.10862, 0.334684, ...unit(0.874261, -0.113894, -0.107978, 0.459386)],
    motion: [-0.159881, 0.107169, -0.625875, 2.730194, 4.644274, 1.024122],
  },
] as const)(
  "a can that swings down flat on $on is met in parts: as a whole the step had no solution, after 2,000 iterations",
  ({ can, post, pose, motion }) => {
    const contact = { frictionCoefficient: 0.5 };
    const simulation = new Simulation(
      compile({
        timestep: 0.01,
        bodies: { can: cylinder({ ...can, contact }) },
        joints: { base: floating({ parent: "world", child: "can" }) },
        shapes: [{ ...post, contact }],
      }),
    );
    const start = Float64Array.of(...pose, ...motion);
    const { status, iterations, substeps, next } = simulation.step(start);
    expect(status).toBe("solved");
    expect(iterations).toBeLessThan(400);
    expect(substeps).toBeGreaterThan(1);
    expect(simulation.energy(next).total).toBeLessThan(simulation.energy(start).total);
  },
);

test("a box that begins 8 mm deep in a can comes out: before, nothing was found to hold them, and they stayed, after 900 iterations per step", () => {
  const contact = { frictionCoefficient: 0.5 };
  const bodies = {
    box: box({ size: [0.1, 0.12, 0.14], mass: 0.5, contact }),
    can: cylinder({ radius: 0.06, length: 0.12, mass: 0.5, contact }),
  };
  const joints = Object.fromEntries(Object.keys(bodies).map((child) => [child, floating({ parent: "world", child })]));
  const mechanism = compile({ timestep: 0.01, gravity: [0, 0, 0], bodies, joints });
  const distances = new ShapeDistances(mechanism);
  const at = (apart: number): Float64Array =>
    maximalState(mechanism, {
      box: { position: [-0.243 * apart, -0.946 * apart, 0.215 * apart, -0.24, 0.36, 1.94] },
      can: { position: [0, 0, 0, -0.08, -0.37, 0.62] },
    });
  let [inside, outside] = [0, 0.4];
  for (let k = 0; k < 40; k++) {
    const middle = (inside + outside) / 2;
    if ((distances.at(at(middle), 1)[0]?.distance ?? 1) > -0.008) outside = middle;
    else inside = middle;
  }
  const { solved, reports, final } = new Simulation(mechanism).rollout(at(inside), { steps: 2, check: false });
  expect(solved).toBe(true);
  expect(reports[0].overlap).toBeLessThan(1e-4);
  expect(reports[1].overlap).toBeLessThan(1e-9);
  expect(distances.at(final, 1)[0]?.distance ?? 1).toBeGreaterThan(-1e-9);
});

test.each([10, 100, 200])("a can slides down a board %s times as wide as it, and stays on it", (times) => {
  const [slope, mu, g, h] = [0.6, 0.5, 9.81, 0.003 * Math.sqrt(10)];
  const contact = { frictionCoefficient: mu };
  const mechanism = compile({
    timestep: h,
    gravity: [g * Math.sin(slope), 0, -g * Math.cos(slope)],
    bodies: { can: cylinder({ radius: 0.5, length: 0.6, mass: 1, contact }) },
    joints: { base: floating({ parent: "world", child: "can" }) },
    shapes: [{ kind: "box", size: [times, times, 1], position: [0, 0, -0.5], contact }],
  });
  const start = maximalState(mechanism, { base: { position: [0, 0, 0.3, 0, 0, 0] } });
  const steps = 100;
  const { final, solved } = new Simulation(mechanism).rollout(start, { steps });
  expect(solved).toBe(true);
  const acceleration = g * (Math.sin(slope) - mu * Math.cos(slope));
  expect(Math.abs(final[7] / (acceleration * steps * h) - 1)).toBeLessThan(1e-6);
  expect(Math.abs(final[2] - 0.3)).toBeLessThan(1e-8);
});

/**
 * Held at four quarters of its rim, a can hovers at κ/γ over each. Where its load lies between two of them, it leans within these gaps, and the rim
 * is lowest between the two: by (√2 − 1) of the middle's height if nothing presses on the others.
 */
test.each([0.3, 0.36, 0.4])(
  "a can that stands on a slope of %f across two quarters of its rim is not in it",
  (slope) => {
    const [radius, length] = [0.05, 0.12];
    const mechanism = compile({
      timestep: 0.01,
      gravity: [9.81 * slope, 9.81 * slope, -9.81],
      bodies: { can: cylinder({ radius, length, mass: 0.4, contact: true }) },
      joints: { base: floating({ parent: "world", child: "can" }) },
      shapes: [{ kind: "halfSpace", contact: true }],
    });
    const start = maximalState(mechanism, { base: { position: [0, 0, length / 2 + 1e-4, 0, 0, 0] } });
    const { states, solved } = new Simulation(mechanism).rollout(start, { steps: 100 });
    expect(solved).toBe(true);
    const distances = new ShapeDistances(mechanism);
    const least = states.map((state) => distances.at(state, 1e-3)[0].distance);
    expect(Math.min(...least)).toBeGreaterThan(0);
    // and no farther from it than a billionth of its size, by which features of round parts are kept apart, and than it hovers
    expect(least[100]).toBeLessThan(2e-10);
  },
);
