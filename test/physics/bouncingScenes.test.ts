/** Scenes of shapes that bounce off each other: what they may not make of their energy, and columns of balls against their events. */
import { describe, expect, test } from "vitest";
import {
  bodyStateSize,
  box,
  capsule,
  compile,
  floating,
  type MechanismDescription,
  maximalState,
  Random,
  Simulation,
  scenes,
  sphere,
  stateAt,
} from "../../src/index.ts";

const g = 9.81;

type Ground = NonNullable<MechanismDescription["shapes"]>[number];
const floor: Ground = { kind: "halfSpace", contact: { frictionCoefficient: 0 } };
const slab: Ground = {
  kind: "box",
  size: [4, 4, 0.4],
  position: [0, 0, -0.2],
  contact: { frictionCoefficient: 0 },
};

/** All surfaces of a description with this restitution. */
function bouncy(description: MechanismDescription, restitution: number): MechanismDescription {
  return JSON.parse(JSON.stringify(description), (key, value) =>
    key === "contact" ? { ...value, restitution } : value,
  ) as MechanismDescription;
}

/** Balls above each other, the lowest in half a metre above the floor. */
function column(masses: readonly number[], gap: number, restitution: number, timestep: number) {
  const radii = masses.map((mass) => 0.05 * Math.cbrt(mass));
  const heights: number[] = [];
  let top = 0.5;
  for (const radius of radii) {
    heights.push(top + radius);
    top += 2 * radius + gap;
  }
  const contact = { frictionCoefficient: 0.3, restitution };
  const names = masses.map((_, i) => `ball${i}`);
  const description: MechanismDescription = {
    timestep,
    bodies: Object.fromEntries(names.map((name, i) => [name, sphere({ radius: radii[i], mass: masses[i], contact })])),
    joints: Object.fromEntries(names.map((name) => [name, floating({ parent: "world", child: name })])),
    shapes: [{ kind: "halfSpace", contact }],
    states: {
      dropped: Object.fromEntries(names.map((name, i) => [name, { position: [0, 0, heights[i], 0, 0, 0] }])),
    },
  };
  return { description, radii, heights };
}

/** Runs a scene from its first state: energies of all its states, and iterations of its steps. */
function run(description: MechanismDescription, seconds: number) {
  const mechanism = compile(description);
  const simulation = new Simulation(mechanism);
  let state = maximalState(mechanism, Object.values(description.states ?? {})[0]);
  const energies = [simulation.energy(state).total];
  const iterations: number[] = [];
  for (let k = 0; k < Math.round(seconds / simulation.timestep); k++) {
    const report = simulation.step(state);
    if (report.status !== "solved") throw new Error(`${report.status} at step ${k}`);
    state = report.next.slice();
    energies.push(simulation.energy(state).total);
    iterations.push(report.iterations);
  }
  const gains = energies.slice(1).map((energy, k) => energy - energies[k]);
  return { mechanism, state, energies, iterations, largest: Math.max(...gains) };
}

/**
 * A velocity is the mean over an interval. One of less than g h upwards, after a bounce, is that of a body that falls back onto what it has
 * left: the contact gives λ (v + v₊)/2 with v₊ = 0, λ = m (g h − v), at most m (g h)²/8, and κ a little.
 */
function roundingOf({ bodies, timestep: h }: ReturnType<typeof compile>): number {
  return bodies.reduce((sum, { mass }) => sum + mass, 0) * ((g * h) ** 2 / 8 + 1e-8);
}

describe("no step makes energy", () => {
  test.each<[string, MechanismDescription, number]>([
    ["stack, e = 0.3", bouncy(scenes.stack(), 0.3), 0.4],
    ["stack, e = 0.5", bouncy(scenes.stack(), 0.5), 0.4],
    ["stack, e = 0.8", bouncy(scenes.stack(), 0.8), 0.4],
    ["stack of 5, h = 0.02", bouncy(scenes.stack({ count: 5, timestep: 0.02 }), 0.5), 0.6],
    ["two balls, e = 1", column([1, 0.2], 1e-4, 1, 0.01).description, 1.5],
    ["two balls without a gap", column([1, 0.2], 0, 0.5, 0.01).description, 1.5],
    ["five balls", column([1, 0.7, 0.5, 0.3, 0.1], 1e-4, 0.5, 0.01).description, 1.5],
    ["a ball in a bowl", bouncy(scenes.marbles({ count: 1 }), 0.8), 1.5],
    ["marbles", bouncy(scenes.marbles({ count: 6 }), 0.5), 1],
    ["pile, first seed", bouncy(scenes.pile({ count: 8, timestep: 0.01, seed: 11 }), 0.6), 0.5],
    ["pile, second seed", bouncy(scenes.pile({ count: 8, timestep: 0.01, seed: 12 }), 0.3), 0.5],
  ])("%s", (_, description, seconds) => {
    const { mechanism, energies, largest } = run(description, seconds);
    const rounding = roundingOf(mechanism);
    expect(largest).toBeLessThan(rounding);
    expect(Math.max(...energies) - energies[0]).toBeLessThan(rounding);
  });

  /**
   * A box and a rod that leave impacts near √2/h, where momenta that stay read as up to twice the energy once a part is written in the whole
   * step. What is left is the lag of h/2 less half a part in which gravity acts (docs/solver.md): m g² h · h/2 at most.
   */
  test.each<[number, string, Ground, number]>([
    [0.8, "half-space", floor, 1],
    [0.8, "slab", slab, 3],
    [1, "half-space", floor, 4],
    [1, "slab", slab, 4],
  ])("spun up in steps in parts, e = %f, on a %s", (restitution, _, ground, seed) => {
    const contact = { frictionCoefficient: 0, restitution };
    const mechanism = compile({
      timestep: 0.01,
      bodies: {
        box: box({ size: [0.2, 0.1, 0.06], mass: 1, contact }),
        rod: capsule({ radius: 0.03, length: 0.2, mass: 0.5, contact }),
      },
      joints: { box: floating({ parent: "world", child: "box" }), rod: floating({ parent: "world", child: "rod" }) },
      shapes: [ground],
    });
    const simulation = new Simulation(mechanism);
    const random = new Random(seed);
    const within = (most: number) => [most, most, most].map((each) => random.uniform(-each, each));
    let inParts = 0;
    let largest = 0;
    for (let k = 0; k < 60; k++) {
      let state = maximalState(mechanism, {
        box: { position: [0, 0, 0.2, ...within(2)], velocity: [0, 0, -random.uniform(4, 7), ...within(30)] },
        rod: { position: [0, 0.02, 0.5, ...within(2)], velocity: [0, 0, -random.uniform(5, 9), ...within(20)] },
      });
      for (let step = 0; step < 10; step++) {
        const before = simulation.energy(state).total;
        const { status, next, substeps } = simulation.step(state);
        // some end too fast for the time step
        if (status !== "solved") break;
        state = next.slice();
        if (substeps > 1) inParts++;
        largest = Math.max(largest, simulation.energy(state).total - before);
      }
    }
    expect(inParts).toBeGreaterThan(20);
    const mass = mechanism.bodies.reduce((sum, body) => sum + body.mass, 0);
    expect(largest).toBeLessThan(roundingOf(mechanism) + (mass * (g * simulation.timestep) ** 2) / 2);
  });

  test.each([1e-4, 0])("a cradle with gaps of %f m: no more than in proportion to the square of h", (gap) => {
    const [length, mass, angle] = [0.4, 0.2, 0.6];
    // at the bottom: (h ω)² of its kinetic energy is what an impact of a body on a hinge is out by
    const fall = g * (1 - Math.cos(angle));
    for (const timestep of [0.01, 0.005]) {
      const pendulum = run(scenes.cradle({ count: 1, timestep }), 2);
      const cradle = run(scenes.cradle({ gap, timestep }), 2);
      expect(cradle.largest).toBeLessThan(2 * ((timestep ** 2 * 2 * fall) / length) * mass * length * fall);
      const rise = ({ energies }: { readonly energies: readonly number[] }): number =>
        Math.max(...energies) - energies[0];
      expect(rise(cradle)).toBeLessThan(1.1 * rise(pendulum));
    }
  });
});

test("ten boxes that fall on each other lose their energy when they do at a tenth of the time step", () => {
  const stack = (timestep: number) => run(bouncy(scenes.stack({ timestep }), 0.5), 0.22);
  const [coarse, fine] = [stack(0.01), stack(0.001)];
  const at = (energies: readonly number[], h: number, t: number): number => energies[Math.round(t / h)] - energies[0];
  // of the 9.8 J that there are; by 0.2 s all but a tenth is gone
  expect(at(fine.energies, 0.001, 0.2)).toBeLessThan(-8);
  for (const t of [0.1, 0.2, 0.22])
    expect(Math.abs(at(coarse.energies, 0.01, t) - at(fine.energies, 0.001, t))).toBeLessThan(0.5);
  expect(Math.max(...coarse.iterations)).toBeLessThan(200);
});

/** A column of balls on a line, from event to event: where they are after t, and how fast. */
function eventsOf(
  heights: readonly number[],
  radii: readonly number[],
  masses: readonly number[],
  e: number,
  t: number,
) {
  const z = [...heights];
  const v = z.map(() => 0);
  for (let left = t; ; ) {
    // the floor, then pairs
    const fall = Math.sqrt(v[0] ** 2 + 2 * g * Math.max(0, z[0] - radii[0]));
    const times = [(v[0] + fall) / g];
    for (let i = 1; i < z.length; i++) {
      const closing = v[i - 1] - v[i];
      const gap = Math.max(0, z[i] - z[i - 1] - radii[i] - radii[i - 1]);
      times.push(closing > 1e-12 ? gap / closing : Number.POSITIVE_INFINITY);
    }
    const first = times.indexOf(Math.min(...times));
    const dt = Math.min(times[first], left);
    for (let i = 0; i < z.length; i++) {
      z[i] += v[i] * dt - (g * dt ** 2) / 2;
      v[i] -= g * dt;
    }
    left -= dt;
    if (left <= 0) return { z, v };
    if (first === 0) v[0] *= -e;
    else {
      const [a, b] = [masses[first - 1], masses[first]];
      const impulse = ((1 + e) * a * b * (v[first - 1] - v[first])) / (a + b);
      v[first - 1] -= impulse / a;
      v[first] += impulse / b;
    }
  }
}

test.each<[string, readonly number[], number, number]>([
  ["two balls", [1, 0.2], 0.01, 1e-9],
  ["three balls, several impacts per step", [1, 0.5, 0.2], 0.01, 0.02],
  ["three balls, a tenth of the time step", [1, 0.5, 0.2], 0.001, 1e-9],
])("%s in a column move as from event to event", (_, masses, h, tolerance) => {
  const { description, radii, heights } = column(masses, 0.01, 1, h);
  const simulation = new Simulation(compile(description));
  let state = maximalState(simulation.mechanism, description.states?.dropped);
  // at rest: velocities are means over the step before
  for (let i = 0; i < masses.length; i++) state[13 * i + 9] = (g * h) / 2;
  for (let k = 0; k < Math.round(0.5 / h); k++) state = simulation.step(state).next.slice();
  const { z, v } = eventsOf(heights, radii, masses, 1, 0.5);
  masses.forEach((_mass, i) => {
    expect(Math.abs(state[13 * i + 2] - z[i])).toBeLessThan(tolerance);
    expect(Math.abs(state[13 * i + 9] - (g * h) / 2 - v[i])).toBeLessThan(10 * tolerance);
  });
});

/** What is struck in one part of a step strikes the next ball in another: at the beginning of the step nothing approached that. */
test.each([1e-2, 1e-3, 1e-5])("a cradle keeps its energy in steps with a tolerance of %f m too", (errorTolerance) => {
  const description = scenes.cradle();
  const simulation = new Simulation(compile(description), { errorTolerance });
  const start = stateAt(simulation, description.states?.lifted, { errorTolerance });
  const { states, solved } = simulation.rollout(start, { steps: 36 });
  expect(solved).toBe(true);
  const fastest = Math.max(...states.map((state) => state[7]));
  const final = states[states.length - 1];
  const speeds = [0, 1, 2, 3, 4].map((ball) => final[bodyStateSize * ball + 7]);
  // it has gone on: the last ball flies, the others hang
  expect(speeds[4]).toBeGreaterThan(0.98 * fastest);
  expect(Math.max(...speeds.slice(0, 4).map(Math.abs))).toBeLessThan(0.02 * fastest);
});
