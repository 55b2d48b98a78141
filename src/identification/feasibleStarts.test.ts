/** Starts of noisy frames are moved to where bodies can be, and their derivatives follow. */
import { describe, expect, it } from "vitest";
import { maximalState, minimalState } from "../coordinates/index.ts";
import { quaternion, Random } from "../math/index.ts";
import { box, boxCorners, floating, frictionContact, type MechanismDescription, revolute } from "../mechanism/index.ts";
import { compile, Simulation } from "../simulation/index.ts";
import { FeasibleStarts, type Start } from "./feasibleStarts.ts";
import { fitParameters } from "./fit.ts";
import { namedParameters } from "./namedParameters.ts";
import type { Recording } from "./recording.ts";

const size = [0.3, 0.2, 0.15] as const;
const crate = box({ size, mass: 2 });
const interval = 0.01;

function slider(frictionCoefficient: number): MechanismDescription {
  return {
    timestep: interval,
    bodies: { crate },
    joints: { base: floating({ parent: "world", child: "crate" }) },
    contacts: boxCorners(crate).map((point) => frictionContact({ body: "crate", point, frictionCoefficient })),
  };
}

/** Heights of all corners above the floor, by themselves, now and one step before. */
function cornerHeights(state: Float64Array, h: number): { now: number[]; before: number[] } {
  const [, , z, w, x, y, k] = state;
  const q = [w, x, y, k] as const;
  const turn = [state[10], state[11], state[12]].map((entry) => (-h / 2) * entry);
  const back = quaternion.multiply(q, [
    Math.sqrt(1 - turn[0] ** 2 - turn[1] ** 2 - turn[2] ** 2),
    turn[0],
    turn[1],
    turn[2],
  ]);
  const heights = (at: number, orientation: readonly [number, number, number, number]) => {
    const [, , row] = quaternion.toMatrix(orientation);
    return boxCorners(crate).map((corner) => at + row[0] * corner[0] + row[1] * corner[1] + row[2] * corner[2]);
  };
  return { now: heights(z, q), before: heights(z - h * state[9], back) };
}

describe("of a crate on the floor", () => {
  const mechanism = compile(slider(0.3));
  const simulation = new Simulation(mechanism);
  const channels = { bodies: ["crate"], coordinates: [] };
  const starts = FeasibleStarts.of(simulation, channels) as FeasibleStarts;
  const pose = (position: readonly number[], velocity: readonly number[]): Float64Array =>
    maximalState(mechanism, { base: { position, velocity } });

  it("corners are out of the floor, now and one step before, and starts in flight are left alone", () => {
    const random = new Random(5);
    for (let trial = 0; trial < 50; trial++) {
      const off = (size: number) => random.uniform(-size, size);
      const state = pose([0, 0, 0.075 + off(1e-3), off(0.01), off(0.01), 1], [1, 0, off(0.1), off(1), off(1), off(3)]);
      const { now, before } = cornerHeights(starts.nearest({ state, changes: undefined }, []).state, interval);
      expect(Math.min(...now)).toBeGreaterThan(-1e-9);
      // to first order in the turn of a step
      expect(Math.min(...before)).toBeGreaterThan(-3e-5);
    }
    const flight = pose([0, 0, 0.2, 0.3, 0.2, 0], [1, 2, 0.5, 1, 1, 1]);
    expect(starts.nearest({ state: flight, changes: undefined }, []).state).toEqual(flight);
  });

  it("what a change does equals differences", () => {
    const radius = 0.01;
    const place = [0.1, 0, 0.075 + radius - 2e-6, 1e-5, 2e-5, 0.4];
    const velocity = [1, 0, 3e-3, 0.01, 0.005, 0.5];
    const unit = Array.from({ length: 12 }, (_, i) => Float64Array.from({ length: 12 }, (_, k) => (k === i ? 1 : 0)));
    const corners = mechanism.contacts.map(({ name }) => `contacts.${name}.radius`);
    const entries = [corners.map((path) => ({ index: simulation.system.parameters.get(path) as number, weight: 1 }))];
    const at = (change: number, delta: number): Float64Array => {
      const state = pose(place, velocity);
      const step = radius + (change < 0 ? delta : 0);
      simulation.setParameters(Object.fromEntries(corners.map((path) => [path, step])));
      if (change >= 0) {
        const turn = [0, 1, 2].map((k) => (change === 3 + k ? delta : 0)) as [number, number, number];
        if (change < 3) state[change] += delta;
        else if (change >= 6) state[change + 1] += delta;
        const q = [state[3], state[4], state[5], state[6]] as const;
        state.set(quaternion.multiply(q, quaternion.fromRotationVector(turn)), 3);
      }
      const moved = starts.nearest({ state, changes: undefined }, []).state;
      simulation.setParameters(Object.fromEntries(corners.map((path) => [path, radius])));
      return moved;
    };
    simulation.setParameters(Object.fromEntries(corners.map((path) => [path, radius])));
    const zeros = new Float64Array(12);
    const { changes = [], state } = starts.nearest(
      { state: pose(place, velocity), changes: [zeros, ...unit] },
      entries,
    );
    const back = quaternion.conjugate([state[3], state[4], state[5], state[6]]);
    let compared = 0;
    changes.forEach((change, i) => {
      const delta = 1e-8;
      const [high, low] = [at(i - 1, delta), at(i - 1, -delta)];
      const turn = (of: Float64Array) => quaternion.multiply(back, [of[3], of[4], of[5], of[6]]);
      const rows = (of: Float64Array) => [
        ...of.slice(0, 3),
        ...turn(of)
          .slice(1)
          .map((entry) => 2 * entry),
        ...of.slice(7),
      ];
      const [above, below] = [rows(high), rows(low)];
      above.forEach((entry, row) => {
        const difference = (entry - below[row]) / (2 * delta);
        expect(Math.abs(change[row] - difference)).toBeLessThan(1e-3 * Math.max(1, Math.abs(difference)));
        if (Math.abs(difference) > 1e-6) compared++;
      });
    });
    expect(compared).toBeGreaterThan(12);
  });
});

it("joint coordinates are put within their limits, and a foot out of the floor, by the joints alone", () => {
  const leg: MechanismDescription = {
    timestep: interval,
    bodies: { hip: box({ size: [0.1, 0.1, 0.1], mass: 2 }), shin: box({ size: [0.05, 0.05, 0.4], mass: 0.5 }) },
    joints: {
      base: floating({ parent: "world", child: "hip" }),
      knee: revolute({ parent: "hip", child: "shin", axis: [0, 1, 0], childAnchor: [0, 0, 0.2], limits: [0, 1] }),
    },
    contacts: [frictionContact({ body: "shin", point: [0, 0, -0.2], radius: 0.02, frictionCoefficient: 0.5 })],
  };
  const mechanism = compile(leg);
  const simulation = new Simulation(mechanism);
  const starts = FeasibleStarts.of(simulation, {
    bodies: [],
    coordinates: mechanism.coordinateNames,
  }) as FeasibleStarts;
  const at = mechanism.coordinateNames.indexOf("knee.angle");
  const positions = new Float64Array(2 * mechanism.coordinateCount);
  positions[2] = 0.419;
  positions[at] = -0.002;
  positions[mechanism.coordinateCount + at] = 0.5;
  const start: Start = { state: new Float64Array(mechanism.stateSize), changes: undefined, positions };
  const { positions: moved = positions, state } = starts.nearest(
    {
      ...start,
      state: maximalState(mechanism, { base: { position: [...positions.slice(0, 6)] }, knee: { position: [-0.002] } }),
    },
    [],
  );
  expect(moved[at]).toBeGreaterThan(-1e-9);
  // joints are thrown against their limits, so what its velocity is stays open
  expect(moved[mechanism.coordinateCount + at]).toBe(0.5);
  const back = minimalState(mechanism, state);
  for (const [i, entry] of back.entries()) expect(entry).toBeCloseTo(moved[i], 9);
  const toe = state[13 + 2] - 0.2 * Math.cos(moved[at]) - 0.02;
  expect(toe).toBeGreaterThan(-1e-9);
});

/** Crates that slide on a floor and turn, with 1 mm and 10 mrad of noise. */
function slides(seed: number, count: number): Recording[] {
  const random = new Random(seed);
  const mechanism = compile(slider(0.3));
  return Array.from({ length: count }, (_, i) => {
    const angle = random.uniform(0, 2 * Math.PI);
    const velocity = [1.2 * Math.cos(angle), 1.2 * Math.sin(angle), 0, 0, 0, random.uniform(-1.5, 1.5)];
    const start = maximalState(mechanism, { base: { position: [0, 0, 0.075, 0, 0, 0], velocity } });
    const { states } = new Simulation(mechanism).rollout(start, { steps: 60 });
    const poses = states.flatMap((state) => {
      const turn = [0, 1, 2].map(() => 0.01 * random.normal()) as [number, number, number];
      const orientation = quaternion.multiply(
        [state[3], state[4], state[5], state[6]],
        quaternion.fromRotationVector(turn),
      );
      return [...state.slice(0, 3).map((entry) => entry + 1e-3 * random.normal()), ...orientation];
    });
    const frames = states.length;
    return {
      name: `slide ${i}`,
      frames,
      interval,
      poses: { crate: Float64Array.from(poses) },
      coordinates: {},
      inputs: {},
      lines: [],
    };
  });
}

it("friction is found from noisy recordings of crates on a floor", async () => {
  const set = {
    parameters: { friction: { start: 0.4, lower: 0, upper: 2 } },
    values: { "contacts.*.frictionCoefficient": "friction" },
  };
  const recordings = slides(4, 3);
  const found = await fitParameters({
    description: slider(0.4),
    set,
    recordings,
    sampling: { window: 20 },
    starts: "free",
  });
  const { interval: between, value } = found.parameters.friction;
  expect(found.end).toBe("converged");
  expect(found.residual).toBeLessThan(1.05);
  expect(Math.abs(value - 0.3)).toBeLessThan(0.02);
  expect(between?.[0]).toBeLessThan(0.3);
  expect(between?.[1]).toBeGreaterThan(0.3);
});

it("dampers are found where windows start at a joint's limits, against which it is driven", async () => {
  const arm = (damping: number, mass: number): MechanismDescription => ({
    timestep: interval / 4,
    bodies: { upper: box({ size: [0.05, 0.05, 0.4], mass: 1.5 }), fore: box({ size: [0.04, 0.04, 0.3], mass }) },
    joints: {
      shoulder: revolute({
        ...{ parent: "world", child: "upper", axis: [0, 1, 0], childAnchor: [0, 0, 0.2] },
        ...{ damping, friction: 0.1, limits: [-3, 3], actuated: true },
      }),
      elbow: revolute({
        ...{ parent: "upper", child: "fore", axis: [0, 1, 0], parentAnchor: [0, 0, -0.2], childAnchor: [0, 0, 0.15] },
        ...{ damping: 0.1, limits: [-2.5, 2.5], actuated: true },
      }),
    },
  });
  const mechanism = compile(arm(0.2, 0.8));
  const random = new Random(2);
  const frames = 200;
  const inputs = Array.from({ length: frames }, (_, k) => [
    6 * Math.sin(0.05 * k) + 3 * Math.sin(0.11 * k),
    2 * Math.sin(0.08 * k + 1),
  ]);
  const held = inputs.flatMap((input) => Array.from({ length: 4 }, () => Float64Array.from(input)));
  const { states } = new Simulation(mechanism).rollout(maximalState(mechanism, { shoulder: { position: [0.5] } }), {
    steps: 4 * frames - 4,
    inputs: held,
  });
  const rows = states.filter((_, k) => k % 4 === 0).map((state) => minimalState(mechanism, state));
  const column = (i: number): Float64Array => Float64Array.from(rows, (row) => row[i] + 1e-3 * random.normal());
  const of = (i: number): Float64Array => Float64Array.from(inputs, (input) => input[i]);
  const recording: Recording = {
    ...{ name: "arm", frames, interval, poses: {}, lines: [] },
    coordinates: { "shoulder.angle": column(0), "elbow.angle": column(1) },
    inputs: { "shoulder.angle": of(0), "elbow.angle": of(1) },
  };
  const description = arm(0.5, 1.2);
  const names = ["joints.shoulder.damping.0", "joints.shoulder.friction.0", "bodies.fore.massAndInertia"];
  const set = namedParameters(new Simulation(compile(description)), names);
  const sampling = { window: 20, stepsPerFrame: 4 };
  const found = await fitParameters({ description, set, recordings: [recording], sampling, starts: "free" });
  expect(found.end).toBe("converged");
  expect(found.residual).toBeLessThan(1.05);
  [0.2, 0.1, 0.8].forEach((truth, i) => {
    const [low, high] = found.parameters[names[i]].interval ?? [Number.NaN, Number.NaN];
    expect(truth).toBeGreaterThan(low);
    expect(truth).toBeLessThan(high);
  });
});
