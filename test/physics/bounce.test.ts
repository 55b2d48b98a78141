/** Contacts with restitution against closed forms of impacts, and against the energy that they may not make. */
import { describe, expect, test } from "vitest";
import {
  box,
  boxCorners,
  compile,
  floating,
  frictionContact,
  impactContact,
  linearContact,
  maximalState,
  models,
  Simulation,
} from "../../src/index.ts";
import { quaternion, Random, type Vector3 } from "../../src/math/index.ts";
import { ball, g, letGo, radius } from "./bouncingBall.ts";

/** Height that the ball's motion at a state leads to. */
function apex(state: Float64Array, h: number): number {
  const speed = state[9] - (g * h) / 2;
  return state[2] - radius + speed ** 2 / (2 * g);
}

/** After so many bounces. */
function afterBounces(simulation: Simulation, start: Float64Array, bounces: number): Float64Array {
  let state = start.slice();
  for (let count = 0, k = 0; count < bounces; k++) {
    const before = state[9];
    const { status, next } = simulation.step(state);
    if (status !== "solved" || k > 1e5) throw new Error(`${status} at step ${k}`);
    state = next.slice();
    if (!(simulation.smallestDistance > 0)) throw new Error(`in the floor at step ${k}`);
    if (before <= 0 && state[9] > 0) count++;
  }
  return state;
}

describe("a ball", () => {
  // κ' = 1e-8 of an impulse of g h is what an impact is known to
  test.each([
    [0.05, 40, 1e-6],
    [0.01, 20, 1e-7],
    [0.001, 3, 1e-8],
  ])(
    "with e = 1 is as high as ever after 20 bounces at h = %f, at every phase of the impact",
    (h, phases, tolerance) => {
      const simulation = ball(1, h);
      for (let phase = 0; phase < phases; phase++) {
        const height = 1 + (0.3 * phase) / phases;
        const state = afterBounces(simulation, letGo(simulation, height), 20);
        expect(Math.abs(apex(state, h) / height - 1)).toBeLessThan(tolerance);
      }
    },
  );

  test.each([0.05, 0.25, 0.5, 0.8, 0.95])("rebounds at e = %f of its speed", (e) => {
    const h = 0.01;
    const simulation = ball(e, h);
    for (const height of [0.3, 0.5, 0.501, 0.503]) {
      const state = afterBounces(simulation, letGo(simulation, height), 1);
      expect(apex(state, h)).toBeCloseTo(e ** 2 * height, 9);
    }
  });

  test("comes to rest once its impacts are slower than g h, without jitter", () => {
    const simulation = ball(0.7, 0.01);
    const { solved, states } = simulation.rollout(letGo(simulation, 0.5), { steps: 400 });
    expect(solved).toBe(true);
    for (const state of states.slice(350)) expect(Math.abs(state[9])).toBeLessThan(1e-9);
  });

  test("with e = 0 moves by the bits of one without", () => {
    const start = { base: { position: [0, 0, 0.6, 0.3, 0.2, 0], velocity: [1, 0, 0, 2, 3, 4] } };
    const [without, withZero] = [undefined, 0].map((restitution) => {
      const description = models.block({ timestep: 0.01 });
      const contacts = (description.contacts ?? []).map((contact) => ({
        ...contact,
        ...(restitution !== undefined && { restitution }),
      }));
      const mechanism = compile({ ...description, contacts });
      return new Simulation(mechanism).rollout(maximalState(mechanism, start), { steps: 80 });
    });
    expect(withZero.states).toEqual(without.states);
  });

  test("goes on to the bit from a continuation, and from its state alone where it has bounced", () => {
    const simulation = ball(0.9, 0.01);
    const whole = simulation.rollout(letGo(simulation, 0.4), { steps: 80 });
    const first = simulation.rollout(letGo(simulation, 0.4), { steps: 31 });
    const again = new Simulation(simulation.mechanism);
    const rest = again.rollout(first.final, { steps: 49, continuation: first.continuation });
    expect(rest.final).toEqual(whole.final);
  });
});

describe("a block", () => {
  const body = box({ size: [0.3, 0.2, 0.1], mass: 2 });
  const corners = boxCorners(body);

  test.each(["cone", "linear", "impact"] as const)("that lands flat on four corners does not turn (%s)", (model) => {
    const make = { cone: frictionContact, linear: linearContact, impact: impactContact }[model];
    const friction = model === "impact" ? {} : { frictionCoefficient: 0.4 };
    const mechanism = compile({
      timestep: 0.01,
      bodies: { body },
      joints: { base: floating({ parent: "world", child: "body" }) },
      contacts: corners.map((point) => make({ body: "body", point, restitution: 0.6, ...friction } as never)),
    });
    const simulation = new Simulation(mechanism);
    const state = maximalState(mechanism, { base: { position: [0, 0, 0.4, 0, 0, 0] } });
    const { states, solved } = simulation.rollout(state, { steps: 45 });
    const end = states[45];
    expect(solved).toBe(true);
    // the middle of a chord lies g h²/8 below that of its parabola
    const [energy, first] = [end, state].map((z) => simulation.energy(z).total - 2 * g * (0.05 - (g * 0.01 ** 2) / 8));
    expect(energy / first).toBeCloseTo(0.6 ** 2, 6);
    for (const spin of end.slice(10, 13)) expect(Math.abs(spin)).toBeLessThan(1e-7);
  });

  test("makes no energy in any of 1000 impacts of its corners with friction", () => {
    const h = 0.01;
    const random = new Random(20);
    const mechanism = compile({
      timestep: h,
      bodies: { body },
      joints: { base: floating({ parent: "world", child: "body" }) },
      contacts: corners.map((point, i) =>
        frictionContact({ name: `corner${i}`, body: "body", point, frictionCoefficient: 0.5, restitution: 0.5 }),
      ),
    });
    const simulation = new Simulation(mechanism);
    let impacts = 0;
    for (let k = 0; k < 1000; k++) {
      const [e, friction] = [random.uniform(0.05, 1), random.uniform(0.05, 1.2)];
      for (const { name } of mechanism.contacts)
        simulation.setParameters({
          [`contacts.${name}.restitution`]: e,
          [`contacts.${name}.frictionCoefficient`]: friction,
        });
      const three = (size: number): Vector3 => [-size, -size, -size].map((low) => random.uniform(low, size)) as never;
      const velocity = [...three(2).slice(0, 2), -random.uniform(0.5, 3), ...three(10)];
      let state = maximalState(mechanism, { base: { position: [0, 0, 1, ...three(Math.PI)], velocity } });
      const turn = [state[3], state[4], state[5], state[6]] as never;
      const lowest = Math.min(...corners.map((point) => quaternion.rotate(turn, point)[2]));
      // somewhere within the first step
      state[2] = 1e-4 - lowest - random.uniform(0, 1) * h * state[9];
      for (let step = 0; step < 3; step++) {
        const before = simulation.energy(state);
        const { status, next } = simulation.step(state, undefined, { interval: h });
        expect(status).toBe("solved");
        expect(simulation.smallestDistance).toBeGreaterThan(0);
        const pushed = mechanism.contacts.some(({ name }) => simulation.contact(name).normal * h > 1e-3);
        // a box that spins freely gains and loses some by itself, as its axes turn
        if (pushed) {
          impacts++;
          expect(simulation.energy(next).total - before.total).toBeLessThan(1e-9 * before.kinetic);
        }
        state = next.slice();
        if (pushed) break;
      }
    }
    expect(impacts).toBeGreaterThan(900);
  });
});

describe("a rod that falls on one end", () => {
  const [mass, length, h] = [1.2, 0.6, 1e-4];
  const inertia = (mass * length ** 2) / 12;
  const tilt = 0.6;
  /** Of the end, about the centre; the rod lies in the x-z plane. */
  const [x, z] = [(-length / 2) * Math.cos(tilt), (-length / 2) * Math.sin(tilt)];

  /** Velocities right after the impact: v_x, v_z, ω_y. */
  function impact(friction: number, e: number, start: readonly [number, number, number]): Float64Array {
    const mechanism = compile({
      timestep: h,
      gravity: [0, 0, 0],
      bodies: {
        rod: {
          mass,
          inertia: [
            [inertia, 0, 0],
            [0, inertia, 0],
            [0, 0, inertia],
          ],
        },
      },
      joints: { base: floating({ parent: "world", child: "rod" }) },
      contacts: [
        friction > 0
          ? frictionContact({ body: "rod", point: [x, 0, z], frictionCoefficient: friction, restitution: e })
          : impactContact({ body: "rod", point: [x, 0, z], restitution: e }),
      ],
    });
    const simulation = new Simulation(mechanism);
    const velocity = [start[0], 0, start[1], 0, start[2], 0];
    const state = maximalState(mechanism, { base: { position: [0, 0, 3e-5 - z, 0, 0, 0], velocity } });
    const { next, status } = simulation.step(state);
    expect(status).toBe("solved");
    return Float64Array.from([next[7], next[9], next[11]]);
  }

  // the velocity of the end is (v_x + ω z, v_z − ω x), an impulse (p, q) on it gives ω (z p − x q)/J
  const w = { n: 1 / mass + x ** 2 / inertia, t: 1 / mass + z ** 2 / inertia, nt: (-x * z) / inertia };
  const thereafter = (start: readonly number[], p: number, q: number): number[] => [
    start[0] + p / mass,
    start[1] + q / mass,
    start[2] + (z * p - x * q) / inertia,
  ];
  const end = ([vx, vz, spin]: readonly number[]): [number, number] => [vx + spin * z, vz - spin * x];

  test.each([0.05, 0.3, 0.8, 1])("without friction turns as Newton says, e = %f", (e) => {
    const start = [0.5, -1.5, 0.7] as const;
    const q = (-(1 + e) * end(start)[1]) / w.n;
    const expected = thereafter(start, 0, q);
    // of first order: the rod turns by some 1e-4 until it touches
    impact(0, e, start).forEach((value, i) => {
      expect(Math.abs(value - expected[i])).toBeLessThan(2e-3);
    });
  });

  test.each([0.3, 0.8])("with friction that stops its end follows Poisson, e = %f", (e) => {
    const start = [0.2, -1.5, 0.7] as const;
    const [slip, approach] = end(start);
    // compression to rest in both directions; in restitution the end does not slip either
    const determinant = w.n * w.t - w.nt ** 2;
    const compression = (-w.t * approach + w.nt * slip) / determinant;
    const q = (1 + e) * compression;
    const p = (-slip - w.nt * q) / w.t;
    const expected = thereafter(start, p, q);
    impact(20, e, start).forEach((value, i) => {
      expect(Math.abs(value - expected[i])).toBeLessThan(2e-3);
    });
  });

  test("that slides all through follows Poisson with the whole friction", () => {
    const [e, friction] = [0.6, 0.1];
    const start = [3, -1.5, 0.7] as const;
    const [slip, approach] = end(start);
    expect(slip).toBeGreaterThan(0);
    const q = ((1 + e) * -approach) / (w.n - friction * w.nt);
    const expected = thereafter(start, -friction * q, q);
    impact(friction, e, start).forEach((value, i) => {
      expect(Math.abs(value - expected[i])).toBeLessThan(2e-3);
    });
  });
});
