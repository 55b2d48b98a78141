/** Gears: linear relations between joint coordinates, Σ ratio·θ = offset. */
import { describe, expect, it } from "vitest";
import {
  bodyStateSize,
  box,
  checkState,
  compile,
  customBody,
  cylinder,
  equalityGears,
  floating,
  type GearDescription,
  jointCoordinates,
  type Mechanism,
  maximalState,
  prismatic,
  projectState,
  revolute,
  Simulation,
} from "../../src/index.ts";
import { bodyState, distance, run } from "./measures.ts";
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
    const [{ offset }] = equalityGears(mechanism);
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

  it("with a range stops its wheels together, and lets them turn apart between its bounds", () => {
    // ℓ = θ₀ + θ₁ runs from 0 into 0.5 and stays; the difference of the angles goes on
    const shafts: readonly Shaft[] = [
      { inert: 0.2, ratio: 1, force: 0.3, start: 0 },
      { inert: 0.2, ratio: 1, force: 0.1, start: 0 },
    ];
    const { description } = train(shafts);
    const terms = description.gears?.gear.terms ?? [];
    const mechanism = compile({ ...description, gears: { stop: { terms, range: [-1, 0.5] } } });
    const simulation = new Simulation(mechanism);
    const lengths: number[] = [];
    const { final } = run(
      simulation,
      maximalState(mechanism, {}),
      100,
      (state) => {
        const [one, two] = jointCoordinates(mechanism, state);
        lengths.push(one + two);
      },
      () => Float64Array.of(0.3, 0.1),
    );
    expect(Math.max(...lengths)).toBeLessThan(0.5);
    expect(lengths[lengths.length - 1]).toBeGreaterThan(0.5 - 1e-6);
    // free until then: ℓ̈ = (0.3 + 0.1)/0.2
    expect(lengths[19]).toBeCloseTo((2 * h * h * 20 * 21) / 2, 6);
    // the stop pushes both alike: θ₀ − θ₁ is that of the torques alone
    const [one, two] = jointCoordinates(mechanism, final);
    expect((one - two) / ((1 * h * h * 100 * 101) / 2)).toBeCloseTo(1, 4);
    expect(checkState(simulation, maximalState(mechanism, { shaft0: { position: [0.7] } }))).toMatchObject([
      { code: "limit-exceeded", path: "gears.stop.range" },
    ]);
    const [back] = jointCoordinates(
      mechanism,
      projectState(simulation, maximalState(mechanism, { shaft0: { position: [0.7] } })),
    );
    expect(back).toBeLessThan(0.7);
  });

  it("with a spring swings at √(k Σ ratio²/J) and keeps its energy; its damper takes it", () => {
    const shafts: readonly Shaft[] = [
      { inert: 0.2, ratio: 1, force: 0, start: 0.3 },
      { inert: 0.3, ratio: -2, force: 0, start: 0.1 },
    ];
    const { description } = train(shafts);
    const terms = description.gears?.gear.terms ?? [];
    const swing = (springConservation: number, damping: number) => {
      const mechanism = compile({
        ...description,
        gravity: [0, 0, 0],
        springConservation,
        gears: { spring: { terms, stiffness: 2, rest: -0.3, damping } },
      });
      const simulation = new Simulation(mechanism);
      const start = maximalState(mechanism, { shaft0: { position: [0.3] }, shaft1: { position: [0.1] } });
      const energies = [simulation.energy(start).total];
      const lengths: number[] = [];
      run(simulation, start, 400, (state) => {
        const [one, two] = jointCoordinates(mechanism, state);
        lengths.push(one - 2 * two + 0.3);
        energies.push(simulation.energy(state).total);
      });
      const crossings = lengths.slice(1).filter((length, i) => length * lengths[i] < 0).length;
      return { energies, crossings };
    };
    const free = swing(1, 0);
    // ω = √(2 (1/0.2 + 4/0.3)) = 6.06 rad/s: in 4 s 7.7 half turns
    expect(free.crossings).toBe(8);
    const [from, ...later] = free.energies;
    expect(from).toBeCloseTo(0.5 * 2 * 0.4 ** 2, 12);
    for (const energy of later) expect(Math.abs(energy / from - 1)).toBeLessThan(2e-3);
    const damped = swing(0.9, 0.05);
    expect(damped.energies[400]).toBeLessThan(0.2 * from);
  });

  it("holds its relation while its wheels turn many times", () => {
    const shafts = trains["two wheels, 1 : 3"];
    const mechanism = train(shafts);
    const start = maximalState(mechanism, {
      shaft0: { position: [0.4], velocity: [9] },
      shaft1: { position: [-0.2], velocity: [-3] },
    });
    // angles added up from the turns of the bodies in each step, whatever the joints make of whole turns
    const turned = [0.4, -0.2];
    const before = [...turned];
    let apart = 0;
    run(new Simulation(mechanism), start, 300, (state) => {
      before.forEach((last, i) => {
        const [w, , , z] = bodyState(state, i).orientation;
        const now = 2 * Math.atan2(z, w);
        turned[i] += Math.atan2(Math.sin(now - last), Math.cos(now - last));
        before[i] = now;
      });
      apart = Math.max(apart, Math.abs(turned[0] + 3 * turned[1] + 0.2));
    });
    expect(apart).toBeLessThan(GEAR_TOLERANCE);
    // nothing drives or slows them: 9 rad/s for 3 s, where a speed is the chord of a step's turn
    expect(Math.abs((turned[0] - 0.4) / 27 - 1)).toBeLessThan((9 * h) ** 2 / 20);
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

  it("with a spring is solved alike for milligrams and for thousands of tonnes: masses and springs × 2^±20 move bit for bit alike", () => {
    const arm = { parent: "trunk", childAnchor: [0, 0, 0.3] } as const;
    const terms = [
      { joint: "left", ratio: 1 },
      { joint: "right", ratio: -0.7 },
      { joint: "slide", ratio: 1.5 },
    ];
    const hanging = (factor: number) => {
      const part = box({ size: [0.1, 0.2, 0.6], mass: 2 * factor });
      const mechanism = compile({
        timestep: h,
        bodies: { trunk: box({ size: [0.5, 0.4, 0.3], mass: factor }), left: part, right: part, slider: part },
        joints: {
          base: revolute({ parent: "world", child: "trunk", axis: [0, 1, 0], childAnchor: [0, 0, 0.5] }),
          left: revolute({ ...arm, child: "left", axis: [1, 0, 0], parentAnchor: [0, 0.3, 0] }),
          right: revolute({ ...arm, child: "right", axis: [0, 1, 0], parentAnchor: [0, -0.3, 0] }),
          slide: prismatic({ parent: "trunk", child: "slider", axis: [0, 0, 1], limits: [-0.2, null] }),
        },
        gears: { spring: { terms, stiffness: 60 * factor, rest: 0.4, damping: 2 * factor } },
      });
      const start = maximalState(mechanism, { base: { position: [0.5] }, left: { velocity: [2] } });
      const { final, iterations } = run(new Simulation(mechanism), start, 100);
      return { final: Array.from(final), iterations };
    };
    const [one, ...others] = [1, 2 ** 20, 2 ** -20].map(hanging);
    for (const other of others) expect(other).toEqual(one);
  });

  it("moves alike whatever lies beside it, be it a million tonnes", () => {
    const part = (mass: number) => box({ size: [0.02, 0.02, 0.02], mass });
    const slide = (child: string, x: number) =>
      prismatic({ parent: "world", child, axis: [0, 0, 1], parentAnchor: [x, 0, 0] });
    const apart = [
      { joint: "one", ratio: 1 },
      { joint: "other", ratio: -1 },
    ];
    const kinds: Record<string, Omit<GearDescription, "terms">> = {
      range: { range: [-0.01, 0.03] },
      spring: { stiffness: 0.5, rest: 0.02 },
      equality: {},
    };
    for (const [kind, gear] of Object.entries(kinds)) {
      for (const precision of ["exact", "fast"] as const) {
        const finals = [undefined, 1, 1e9].map((mass) => {
          const mechanism = compile({
            timestep: h,
            bodies: {
              ...{ one: part(0.001), other: part(0.002) },
              ...(mass && { boulder: { ...part(mass), gravityScale: 0 } }),
            },
            joints: {
              ...{ one: slide("one", 0), other: slide("other", 1) },
              ...(mass && { boulder: floating({ parent: "world", child: "boulder" }) }),
            },
            gears: {
              gear: { terms: apart, ...gear },
              floor: { terms: [{ joint: "one", ratio: 1 }], range: [-0.02, null] },
            },
          });
          const start = maximalState(mechanism, { one: { velocity: [1] }, other: { velocity: [-0.5] } });
          const { final } = run(new Simulation(mechanism, { precision }), start, 50);
          return Array.from(final.subarray(0, 2 * bodyStateSize));
        });
        for (const final of finals) {
          const apart = Math.max(...final.map((entry, i) => Math.abs(entry - finals[0][i])));
          expect(apart, `${kind}, ${precision}`).toBeLessThan(GEAR_TOLERANCE);
        }
      }
    }
  });
});
