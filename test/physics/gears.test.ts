/** Gears: linear relations between joint coordinates, Σ ratio·θ = offset. */
import { describe, expect, it } from "vitest";
import {
  box,
  compile,
  customBody,
  cylinder,
  floating,
  type GearDescription,
  jointCoordinates,
  type Mechanism,
  maximalState,
  prismatic,
  revolute,
  Simulation,
} from "../../src/index.ts";
import { distance, run } from "./measures.ts";
import { printTable } from "./table.ts";

/** Metres or radians, at every step. */
const GEAR_TOLERANCE = 1e-8;
/** Relative; a wheel's momentum over a step is (J/h)·sin(hω), and the wheels reach hω = 0.02. */
const ACCELERATION_TOLERANCE = 1e-4;
/** SI, of momenta near 1: the solver's residual and rounding. */
const MOMENTUM_TOLERANCE = 1e-9;
const h = 0.01;

interface Shaft {
  readonly inert: number;
  readonly ratio: number;
  readonly force: number;
  readonly start: number;
  /** Slides instead of turning. */
  readonly slides?: boolean;
}

function train(shafts: readonly Shaft[]): Mechanism {
  const names = shafts.map((_, i) => `shaft${i}`);
  const gear: GearDescription = {
    terms: shafts.map(({ ratio }, i) => ({ joint: names[i], ratio })),
    offset: shafts.reduce((sum, { ratio, start }) => sum + ratio * start, 0),
  };
  return compile({
    timestep: h,
    bodies: Object.fromEntries(
      shafts.map(({ inert }, i) => [`part${i}`, customBody({ mass: inert, inertia: [inert, inert, inert] })]),
    ),
    joints: Object.fromEntries(
      shafts.map(({ slides }, i) => [
        names[i],
        (slides ? prismatic : revolute)({
          parent: "world",
          child: `part${i}`,
          axis: slides ? [1, 0, 0] : [0, 0, 1],
          parentAnchor: [0, i, 0],
          actuated: true,
        }),
      ]),
    ),
    gears: { gear },
  });
}

/** J θ̈ = τ + ratio·λ with Σ ratio·θ̈ = 0. */
function accelerations(shafts: readonly Shaft[]): number[] {
  const push = shafts.reduce((sum, { ratio, force, inert }) => sum + (ratio * force) / inert, 0);
  const compliance = shafts.reduce((sum, { ratio, inert }) => sum + ratio ** 2 / inert, 0);
  return shafts.map(({ ratio, force, inert }) => (force - (ratio * push) / compliance) / inert);
}

const trains: Readonly<Record<string, readonly Shaft[]>> = {
  "two wheels, 1 : 3": [
    { inert: 0.2, ratio: 1, force: 0.3, start: 0.4 },
    { inert: 0.5, ratio: 3, force: 0, start: -0.2 },
  ],
  "rack and pinion": [
    { inert: 0.2, ratio: 0.1, force: 0.1, start: 0 },
    { inert: 1.5, ratio: -1, force: 0, start: 0.3, slides: true },
  ],
  "differential of three (a fixed tendon)": [
    { inert: 0.2, ratio: 1, force: 0.2, start: 0.1 },
    { inert: 0.3, ratio: 1, force: -0.05, start: 0.2 },
    { inert: 0.6, ratio: -2, force: 0.1, start: -0.3 },
  ],
};

describe("a gear", () => {
  it.each(Object.keys(trains))("of %s holds its relation to 1e-8 and passes torque on as its ratio says", (name) => {
    const shafts = trains[name];
    const mechanism = train(shafts);
    const start = maximalState(
      mechanism,
      Object.fromEntries(shafts.map((shaft, i) => [`shaft${i}`, { position: [shaft.start] }])),
    );
    const offset = mechanism.gears[0].offset;
    const input = Float64Array.from(shafts, ({ force }) => force);
    const steps = 200;
    let apart = 0;
    const { final } = run(
      new Simulation(mechanism),
      start,
      steps,
      (state) => {
        const sum = shafts.reduce((total, { ratio }, i) => total + ratio * jointCoordinates(mechanism, state)[i], 0);
        apart = Math.max(apart, Math.abs(sum - offset));
      },
      () => input,
    );
    // from rest: θₙ = θ₀ + θ̈ h² n(n+1)/2
    const expected = accelerations(shafts);
    const found = Array.from(
      jointCoordinates(mechanism, final),
      (value, i) => (2 * (value - shafts[i].start)) / (h * h * steps * (steps + 1)),
    );
    printTable(
      `Gear, ${name}: relation off by ${apart.toExponential(1)} at most`,
      ["shaft", "acceleration", "theory", "relative error"],
      shafts.map((_, i) => [i, found[i], expected[i], found[i] / expected[i] - 1]),
    );
    expect(apart).toBeLessThan(GEAR_TOLERANCE);
    found.forEach((value, i) => {
      expect(Math.abs(value / expected[i] - 1)).toBeLessThan(ACCELERATION_TOLERANCE);
    });
  });

  it("holds its relation while its wheels turn many times", () => {
    const shafts = trains["two wheels, 1 : 3"];
    const mechanism = train(shafts);
    const start = maximalState(mechanism, {
      shaft0: { position: [0.4], velocity: [9] },
      shaft1: { position: [-0.2], velocity: [-3] },
    });
    run(new Simulation(mechanism), start, 300);
  });

  it("between wheels on a floating carrier makes no momentum", () => {
    const wheel = cylinder({ radius: 0.2, length: 0.1, mass: 1 });
    const axle = (child: string, y: number) =>
      revolute({ parent: "carrier", child, axis: [0, 0.6, 0.8], parentAnchor: [0, y, 0.1], actuated: true });
    const mechanism = compile({
      timestep: h,
      gravity: [0, 0, 0],
      bodies: { carrier: box({ size: [0.3, 0.8, 0.1], mass: 2 }), driver: wheel, driven: wheel },
      joints: {
        base: floating({ parent: "world", child: "carrier" }),
        driver: axle("driver", -0.3),
        driven: axle("driven", 0.3),
      },
      gears: {
        mesh: {
          terms: [
            { joint: "driver", ratio: 1 },
            { joint: "driven", ratio: 2 },
          ],
        },
      },
    });
    const simulation = new Simulation(mechanism);
    const start = maximalState(mechanism, { base: { velocity: [0.2, 0.1, -0.3, 0.5, -0.4, 0.3] } });
    const before = simulation.momentum(start);
    let [linear, angular, apart] = [0, 0, 0];
    run(
      simulation,
      start,
      300,
      (state) => {
        const now = simulation.momentum(state);
        linear = Math.max(linear, distance(now.linear, before.linear));
        angular = Math.max(angular, distance(now.angular, before.angular));
        const coordinates = jointCoordinates(mechanism, state);
        apart = Math.max(apart, Math.abs(coordinates[6] + 2 * coordinates[7]));
      },
      (k) => Float64Array.of(0.05 * Math.cos(0.05 * k), 0),
    );
    printTable(
      "Gear on a floating carrier, 3 s",
      ["linear momentum", "angular momentum", "relation"],
      [[linear, angular, apart]],
    );
    expect(linear).toBeLessThan(MOMENTUM_TOLERANCE);
    expect(angular).toBeLessThan(MOMENTUM_TOLERANCE);
    expect(apart).toBeLessThan(GEAR_TOLERANCE);
  });
});
