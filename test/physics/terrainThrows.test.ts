/** Plates on hills that could go through them: the height of the ground over points of the plate says where it is. */
import { expect, test } from "vitest";
import {
  checkState,
  compile,
  floating,
  type MechanismDescription,
  maximalState,
  Random,
  Simulation,
} from "../../src/index.ts";
import { type Ground, type Solid, sampledDepth } from "../geometry/sampledDepth.ts";

const contact = { frictionCoefficient: 0.6 };

function plateOn(ground: Ground, size: [number, number, number]): MechanismDescription {
  const [x, y, z] = size.map((side) => side * side);
  const inertia: [number, number, number][] = [
    [(y + z) / 12, 0, 0],
    [0, (x + z) / 12, 0],
    [0, 0, (x + y) / 12],
  ];
  return {
    timestep: 0.01,
    bodies: {
      plate: { mass: 1, inertia: inertia as never, shapes: [{ kind: "box", name: "plate", size, contact }] },
    },
    joints: { plate: floating({ parent: "world", child: "plate" }) },
    shapes: [{ kind: "heightField", name: "hills", ...ground, contact }],
  };
}

function hills(count: number, cell: number, heightOf: () => number): Ground {
  const heights = Array.from({ length: count }, () => Array.from({ length: count }, heightOf));
  return { size: [cell * (count - 1), cell * (count - 1)], heights };
}

// the last once came to rest with a peak through it
test.each([1122, 1123, 1124])("a plate thrown at hills comes to rest on them (%i)", (seed) => {
  const random = new Random(seed);
  const cell = random.uniform(0.1, 0.4);
  const ground = hills(15, cell, () => random.uniform(-0.2, 0.2));
  const size: [number, number, number] = [random.uniform(0.2, 0.6), random.uniform(0.2, 0.6), 0.03];
  const solid: Solid = { kind: "box", size };
  const mechanism = compile(plateOn(ground, size));
  const simulation = new Simulation(mechanism);
  const position = [random.uniform(-cell, cell), random.uniform(-cell, cell), 0.8];
  for (let k = 0; k < 3; k++) position.push(random.uniform(-3, 3));
  const velocity = [random.uniform(-2, 2), random.uniform(-2, 2), random.uniform(-5, 0)];
  for (let k = 0; k < 3; k++) velocity.push(random.uniform(-8, 8));
  const run = simulation.rollout(maximalState(mechanism, { plate: { position, velocity } }), { steps: 200 });
  expect(run.solved).toBe(true);
  for (let step = 0; step <= 200; step += 4) {
    expect(sampledDepth(ground, solid, run.states[step], 12), `step ${step}`).toBeLessThan(1e-6);
  }
  expect(Math.hypot(...run.final.subarray(7, 10))).toBeLessThan(0.05);
});

test.each([1013, 1072])("a plate that falls over the rim gains no energy (%i)", (seed) => {
  const random = new Random(seed);
  const cell = random.uniform(0.1, 0.4);
  const ground = hills(15, cell, () => random.uniform(-0.2, 0.2));
  const size: [number, number, number] = [random.uniform(0.2, 0.6), random.uniform(0.2, 0.6), 0.03];
  const mechanism = compile(plateOn(ground, size));
  const simulation = new Simulation(mechanism);
  const position = [ground.size[0] / 2 + random.uniform(-0.25, 0.25), random.uniform(-cell, cell), 0.5];
  for (let k = 0; k < 3; k++) position.push(random.uniform(-3, 3));
  const velocity = [random.uniform(-2, 2), random.uniform(-2, 2), random.uniform(-5, 0)];
  for (let k = 0; k < 3; k++) velocity.push(random.uniform(-8, 8));
  const start = maximalState(mechanism, { plate: { position, velocity } });
  const run = simulation.rollout(start, { steps: 100 });
  expect(run.solved).toBe(true);
  let before = simulation.energy(start).total;
  for (let step = 1; step <= 100; step++) {
    const { total } = simulation.energy(run.states[step]);
    expect(total - before, `step ${step}`).toBeLessThan(0.1);
    before = total;
  }
});

test("a plate with a peak through it is reported, wherever it is", () => {
  const random = new Random(3);
  let skewered = 0;
  while (skewered < 200) {
    const cell = random.uniform(0.05, 0.3);
    const ground = hills(25, cell, () => 0);
    (ground.heights[12] as number[])[12] = 0.2;
    const size: [number, number, number] = [random.uniform(0.3, 0.6), random.uniform(0.3, 0.6), 0.03];
    const mechanism = compile(plateOn(ground, size));
    const turn = [random.uniform(-0.1, 0.1), random.uniform(-0.1, 0.1), random.uniform(-3, 3)];
    const position = [random.uniform(-0.1, 0.1), random.uniform(-0.1, 0.1), random.uniform(0.05, 0.15), ...turn];
    const state = maximalState(mechanism, { plate: { position } });
    if (sampledDepth(ground, { kind: "box", size }, state, 20) < 0.03) continue;
    skewered++;
    const faults = checkState(mechanism, state);
    expect(faults.map(({ message }) => message).join(), `state ${skewered}`).toMatch(/hills/);
  }
});
