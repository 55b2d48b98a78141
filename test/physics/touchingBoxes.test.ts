/** Boxes that touch each other, against closed forms. */
import { expect, test } from "vitest";
import {
  type BodyDescription,
  box,
  checkState,
  compile,
  floating,
  type MechanismDescription,
  maximalState,
  prismatic,
  type Shape,
  Simulation,
  type SurfaceDescription,
} from "../../src/index.ts";

const floor: Shape = { kind: "halfSpace", name: "floor", contact: true };
const crate = (mass: number, size = 0.2, contact: boolean | SurfaceDescription = true): BodyDescription =>
  box({ size: [size, size, size], mass, contact });

/** Bodies that float, each on a joint called after it. */
function loose(
  bodies: Readonly<Record<string, BodyDescription>>,
  part: Partial<MechanismDescription> = {},
): MechanismDescription {
  const joints = Object.keys(bodies).map((name) => [name, floating({ parent: "world", child: name })]);
  return { timestep: 0.01, bodies, joints: Object.fromEntries(joints), shapes: [floor], ...part };
}

const fastest = (state: Float64Array): number => {
  let most = 0;
  for (let at = 7; at < state.length; at += 13) most = Math.max(most, Math.hypot(...state.subarray(at, at + 3)));
  return most;
};

test.each([
  ["10 boxes", Array.from({ length: 10 }, () => 1)],
  ["masses 1:100, the heavy one on top", [1, 1, 100]],
] as const)("a stack of %s comes to rest and stays, each box carrying what lies on it", (_, masses) => {
  const names = masses.map((_, i) => `box${i}`);
  const mechanism = compile(loose(Object.fromEntries(names.map((name, i) => [name, crate(masses[i])]))));
  const simulation = new Simulation(mechanism);
  const start = maximalState(
    mechanism,
    Object.fromEntries(
      // a little apart, askew and turned
      names.map((name, i) => [
        name,
        { position: [0.004 * (i % 3), 0.003 * (i % 2), 0.1005 + 0.2005 * i, 0, 0, 0.05 * i] },
      ]),
    ),
  );
  const run = simulation.rollout(start, { steps: 60 });
  expect(run.solved).toBe(true);
  expect(fastest(run.final)).toBeLessThan(1e-6);
  // weights from the top down
  const readings = simulation.touches();
  names.forEach((name, i) => {
    const below = i === 0 ? "world" : names[i - 1];
    const carried = readings
      .filter((one) => [one.body, one.other].includes(name) && [one.body, one.other].includes(below))
      .reduce((sum, { normalForce }) => sum + normalForce, 0);
    const weight = 9.81 * masses.slice(i).reduce((sum, mass) => sum + mass, 0);
    expect(carried / weight).toBeCloseTo(1, 5);
  });
  const overlaps = run.states.flatMap((state) => checkState(simulation, state));
  expect(overlaps).toEqual([]);
});

test("a box on a moving box slips as far as friction lets it, and momentum stays", () => {
  const [M, m, mu, V] = [10, 1, 0.5, 1];
  const smooth = { frictionCoefficient: 0 };
  const mechanism = compile(
    loose(
      {
        // friction on top, none below
        plate: {
          ...box({ size: [2, 0.6, 0.1], mass: M }),
          shapes: [
            { kind: "box", size: [2, 0.6, 0.05], position: [0, 0, 0.025], contact: { frictionCoefficient: mu } },
            { kind: "box", size: [2, 0.6, 0.05], position: [0, 0, -0.025], contact: smooth },
          ],
        },
        crate: crate(m, 0.1, { frictionCoefficient: mu }),
      },
      { timestep: 0.002 },
    ),
  );
  const simulation = new Simulation(mechanism);
  const start = maximalState(mechanism, {
    plate: { position: [0, 0, 0.05 + 1e-7, 0, 0, 0], velocity: [V, 0, 0, 0, 0, 0] },
    crate: { position: [0.5, 0, 0.15 + 2e-7, 0, 0, 0] },
  });
  const run = simulation.rollout(start, { steps: 300 });
  expect(run.solved).toBe(true);
  const common = (M * V) / (M + m);
  expect(run.velocities("plate")[300][0]).toBeCloseTo(common, 6);
  expect(run.velocities("crate")[300][0]).toBeCloseTo(common, 6);
  const slip = V ** 2 / (2 * mu * 9.81 * (1 + m / M));
  const slipped = run.positions("plate")[300][0] - run.positions("crate")[300][0] + 0.5;
  // of first order: half a step at the speed of the start
  expect(Math.abs(slipped - slip)).toBeLessThan(0.5 * 0.002 * V + 1e-6);
});

test.each([
  [0.53, true],
  [0.63, false],
])("on a slope of friction angle 30.96°, at %f rad, a box stays: %s", (slope, stays) => {
  const ramp: Shape = {
    kind: "halfSpace",
    orientation: [Math.cos(slope / 2), 0, Math.sin(slope / 2), 0],
    contact: { frictionCoefficient: 0.6 },
  };
  const mechanism = compile(
    loose(
      { crate: box({ size: [0.4, 0.4, 0.1], mass: 1, contact: { frictionCoefficient: 0.6 } }) },
      { shapes: [ramp] },
    ),
  );
  const height = 0.05 + 1e-6;
  const start = maximalState(mechanism, {
    crate: { position: [height * Math.sin(slope), 0, height * Math.cos(slope), 0, slope, 0] },
  });
  const run = new Simulation(mechanism).rollout(start, { steps: 100 });
  expect(run.solved).toBe(true);
  const speed = fastest(run.final);
  if (stays) expect(speed).toBeLessThan(1e-6);
  else expect(speed).toBeCloseTo(9.81 * (Math.sin(slope) - 0.6 * Math.cos(slope)), 2);
});

test("a box that hangs over an edge tips, one that does not stays", () => {
  const table: Shape = { kind: "box", size: [1, 1, 0.5], position: [0, 0, 0.25], contact: true };
  const heights = [0.45, 0.55].map((x) => {
    const mechanism = compile(loose({ crate: crate(1) }, { shapes: [floor, table] }));
    const run = new Simulation(mechanism).rollout(
      maximalState(mechanism, { crate: { position: [x, 0, 0.6 + 1e-6, 0, 0, 0] } }),
      { steps: 150 },
    );
    expect(run.solved).toBe(true);
    return run.final[2];
  });
  expect(heights[0]).toBeCloseTo(0.6, 6);
  expect(heights[1]).toBeLessThan(0.2);
});

test("two jaws hold a box between them, without a grain of slip", () => {
  // each jaw presses with twice what friction needs: 2 μ N = 2 m g
  const [mu, m] = [0.5, 0.2];
  const press = (2 * m * 9.81) / (2 * mu);
  const jaw = (side: number) =>
    prismatic({
      ...{ parent: "world", child: side < 0 ? "left" : "right", axis: [1, 0, 0], actuated: true },
      parentAnchor: [side * 0.08, 0, 0.5],
    });
  const finger = box({ size: [0.04, 0.1, 0.1], mass: 0.3, contact: { frictionCoefficient: mu } });
  const mechanism = compile({
    timestep: 0.01,
    bodies: {
      left: finger,
      right: finger,
      held: box({ size: [0.1, 0.06, 0.06], mass: m, contact: { frictionCoefficient: mu } }),
    },
    joints: { left: jaw(-1), right: jaw(1), held: floating({ parent: "world", child: "held" }) },
  });
  const start = maximalState(mechanism, {
    left: { position: [0.01 - 1e-6] },
    right: { position: [-0.01 + 1e-6] },
    held: { position: [0, 0, 0.5, 0, 0, 0] },
  });
  const run = new Simulation(mechanism).rollout(start, { steps: 200, inputs: Float64Array.of(press, -press) });
  expect(run.solved).toBe(true);
  // what it falls until the jaws have closed, micrometres, and then no more
  const [settled, last] = [run.positions("held")[20][2], run.positions("held")[200][2]];
  expect(0.5 - settled).toBeLessThan(2e-3);
  expect(Math.abs(last - settled)).toBeLessThan(1e-6);
});
