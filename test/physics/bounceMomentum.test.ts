/**
 * Momentum of bodies that bounce off each other in free flight, several parts of them at once, or several bodies in one step: kept to rounding,
 * as without restitution.
 */
import { describe, expect, test } from "vitest";
import {
  type BodyDescription,
  box,
  capsule,
  checkGradients,
  compile,
  cylinder,
  floating,
  hull,
  maximalState,
  Random,
  Simulation,
  sphere,
  spherical,
} from "../../src/index.ts";

/** kg m/s and kg m²/s, of bodies of 1 kg that meet at 2 m/s: what the solver leaves open where contacts carry a load besides, and rounding. */
const kept = 1e-11;

/** N, of forces of hundreds: what the solver leaves of its residual. */
const sharp = 1e-6;

/** The sum of all forces on a body along an axis of the world, as they are read. */
function forceOn(simulation: Simulation, name: string, axis: number): number {
  const signed = simulation.touches().map(({ body, other, force }) => {
    const sign = body === name ? 1 : other === name ? -1 : 0;
    return sign * force[axis];
  });
  return signed.reduce((sum, force) => sum + force, 0);
}

const kinds: Record<string, (random: Random, contact: object) => BodyDescription> = {
  box: (_, contact) => box({ size: [0.2, 0.2, 0.2], mass: 1, contact }),
  hull: (random, contact) =>
    hull({ points: Array.from({ length: 9 }, () => triple(() => random.uniform(-0.12, 0.12))), mass: 0.8, contact }),
  rod: (_, contact) => capsule({ radius: 0.05, length: 0.2, mass: 0.5, contact }),
  can: (_, contact) => cylinder({ radius: 0.08, length: 0.15, mass: 0.6, contact }),
  ball: (_, contact) => sphere({ radius: 0.1, mass: 1, contact }),
};

function triple(entry: () => number): [number, number, number] {
  return [entry(), entry(), entry()];
}

test.each([
  ["box", "box", 0.5],
  ["box", "box", 1],
  ["box", "hull", 0.5],
  ["hull", "hull", 1],
  ["box", "rod", 0.5],
  ["can", "box", 0.8],
  ["ball", "hull", 1],
] as const)("a %s and a %s, e = %f", (one, other, restitution) => {
  const random = new Random(3);
  const contact = { frictionCoefficient: 0.4, restitution };
  let most = 0;
  for (let run = 0; run < 6; run++) {
    const mechanism = compile({
      ...{ timestep: 0.01, gravity: [0, 0, 0] },
      bodies: { one: kinds[one](random, contact), other: kinds[other](random, contact) },
      joints: {
        one: floating({ parent: "world", child: "one" }),
        other: floating({ parent: "world", child: "other" }),
      },
    });
    const simulation = new Simulation(mechanism);
    const thrown = (side: number) => ({
      position: [
        side * 0.25,
        random.uniform(-0.03, 0.03),
        random.uniform(-0.03, 0.03),
        ...triple(() => random.uniform(0, 3)),
      ] as const,
      velocity: [-side, ...[0.2, 0.2, 2, 2, 2].map((range) => random.uniform(-range, range))] as const,
    });
    let state = maximalState(mechanism, { one: thrown(-1), other: thrown(1) } as Parameters<typeof maximalState>[1]);
    const momentum = (): number[] => [...simulation.momentumInto(new Float64Array(6), state)];
    const before = momentum();
    const approach = state[7] - state[20];
    for (let k = 0; k < 45; k++) {
      const { status, next } = simulation.step(state);
      expect(status).toBe("solved");
      // forces that are read are what has changed a body's momentum, along normals that turn within the step
      for (let axis = 0; axis < 3; axis++) {
        const gained = (mechanism.bodies[0].mass * (next[7 + axis] - state[7 + axis])) / mechanism.timestep;
        expect(Math.abs(forceOn(simulation, "one", axis) - gained)).toBeLessThan(sharp);
      }
      state = next.slice();
      const meeting = simulation.touches().filter(({ force }) => Math.hypot(...force) > 1);
      most = Math.max(most, meeting.length);
    }
    expect(Math.max(...momentum().map((entry, i) => Math.abs(entry - before[i])))).toBeLessThan(kept);
    expect(state[7] - state[20]).toBeLessThan(0.9 * approach);
  }
  // several contacts in one impact are what it is about
  if (one === "box" || one === "hull") expect(most).toBeGreaterThan(1);
});

/** Largest change of an entry of the momentum in a step. */
function momentumChange(simulation: Simulation, state: Float64Array, next: Float64Array): number {
  const [before, after] = [state, next].map((at) => simulation.momentumInto(new Float64Array(6), at));
  return Math.max(...after.map((entry, i) => Math.abs(entry - before[i])));
}

function freeBodies(bodies: Record<string, BodyDescription>) {
  const joints = Object.fromEntries(
    Object.keys(bodies).map((name) => [name, floating({ parent: "world", child: name })]),
  );
  return compile({ timestep: 0.01, gravity: [0, 0, 0], bodies, joints });
}

describe("a ball that is struck meets a third one in the same step", () => {
  const radius = 0.1;
  const ball = sphere({ radius, mass: 1, contact: { frictionCoefficient: 0.4, restitution: 0.8 } });
  const mechanism = freeBodies({ striking: ball, struck: ball, third: ball });
  const simulation = new Simulation(mechanism);
  /** At this distance from the one in the middle, spinning. */
  const beside = (angle: number, gap: number) => {
    const distance = 2 * radius + gap;
    return [distance * Math.cos(angle), distance * Math.sin(angle), 0, 0, 0, 0] as const;
  };
  const state = maximalState(mechanism, {
    striking: { position: beside(Math.PI, 0.003), velocity: [1, 0, 0, 0, 3, 0] },
    third: { position: beside(0.6, 0.002), velocity: [0, 0, 0.3, 1, 0, 2] },
  });

  test("their momentum stays", () => {
    const { next } = simulation.step(state);
    // struck at 0.3 of the step, at the third one at about 0.6, and kept apart from it
    expect(next[20]).toBeGreaterThan(0.8);
    const gaps = simulation.touches().map(({ distance }) => distance);
    expect(gaps).toHaveLength(2);
    expect(Math.min(...gaps)).toBeLessThan(1e-9);
    expect(momentumChange(simulation, state, next)).toBeLessThan(kept);
    expect(simulation.energy(next).total).toBeLessThan(simulation.energy(state).total);
  });

  test("Jacobians of the step equal differences", () => {
    const parameters = ["timestep", "bodies.struck.mass", "bodies.third.inertia.xx"];
    for (const relativeKappa of [0.1, 1e-3])
      expect(checkGradients(simulation, state, undefined, { relativeKappa, parameters }).worst).toBeLessThan(1e-7);
  });
});

test.each([
  ["balls", ["ball", "ball", "ball", "ball", "ball"], [5, 8, 18]],
  ["rods", ["rod", "rod", "rod", "rod", "rod"], [18, 35, 36]],
  ["boxes and hulls", ["box", "box", "hull", "hull", "box"], [18, 24, 29]],
  ["bodies of all kinds", ["box", "ball", "rod", "hull", "can"], [2, 15, 29]],
] as const)("five %s that meet in one place", (_, five, seeds) => {
  for (const seed of seeds) {
    const random = new Random(seed);
    const contact = { frictionCoefficient: 0.4, restitution: 0.7 };
    const mechanism = freeBodies(
      Object.fromEntries(five.map((kind, i) => [`${kind}${i}`, kinds[kind](random, contact)])),
    );
    const simulation = new Simulation(mechanism);
    const thrown = mechanism.bodies.map(({ name }, i) => {
      const angle = (2 * Math.PI * i) / five.length;
      const away = [Math.cos(angle), Math.sin(angle), random.uniform(-0.2, 0.2)];
      const position = [...away.map((entry) => 0.32 * entry), ...triple(() => random.uniform(0, 3))];
      const velocity = [...away.map((entry) => -entry), ...triple(() => random.uniform(-2, 2))];
      return [name, { position, velocity }];
    });
    let state = maximalState(mechanism, Object.fromEntries(thrown));
    for (let k = 0; k < 40; k++) {
      const { status, next } = simulation.step(state);
      expect(status).toBe("solved");
      expect(momentumChange(simulation, state, next), `seed ${seed}, step ${k}`).toBeLessThan(kept);
      state = next.slice();
    }
  }
});

test("chains of rods, whose joints move them in the step of an impact", () => {
  const random = new Random(5);
  const rod = capsule({ radius: 0.04, length: 0.2, mass: 1, contact: { frictionCoefficient: 0.4, restitution: 0.8 } });
  const anchors = { parentAnchor: [0, 0, -0.15], childAnchor: [0, 0, 0.15] } as const;
  const mechanism = compile({
    ...{ timestep: 0.01, gravity: [0, 0, 0] },
    bodies: { one: rod, ofOne: rod, other: rod, ofOther: rod },
    joints: {
      one: floating({ parent: "world", child: "one" }),
      other: floating({ parent: "world", child: "other" }),
      ball: spherical({ parent: "one", child: "ofOne", ...anchors }),
      otherBall: spherical({ parent: "other", child: "ofOther", ...anchors }),
    },
  });
  const simulation = new Simulation(mechanism);
  const thrown = (side: number) => ({
    position: [0.15 * side, 0, 0, ...triple(() => random.uniform(-0.5, 0.5))] as const,
    velocity: [-side, 0.1 * side, 0, ...triple(() => random.uniform(-2, 2))] as const,
  });
  let state = maximalState(mechanism, { one: thrown(-1), other: thrown(1) } as Parameters<typeof maximalState>[1]);
  const start = state;
  for (let k = 0; k < 40; k++) {
    const { status, next } = simulation.step(state);
    expect(status).toBe("solved");
    expect(momentumChange(simulation, state, next), `step ${k}`).toBeLessThan(kept);
    state = next.slice();
  }
  // they have bounced off each other
  expect(state[7]).toBeLessThan(0.7 * start[7]);
});

test("forces on a ball without friction add up to what it gains, while the plank under it turns and bounces", () => {
  const mechanism = compile({
    timestep: 0.01,
    bodies: {
      plank: box({ size: [0.6, 0.2, 0.1], mass: 1, contact: { frictionCoefficient: 0.5 } }),
      ball: sphere({ radius: 0.1, mass: 1, contact: { frictionCoefficient: 0 } }),
    },
    joints: {
      plank: floating({ parent: "world", child: "plank" }),
      ball: floating({ parent: "world", child: "ball" }),
    },
    shapes: [{ kind: "halfSpace", contact: { restitution: 0.5 } }],
  });
  const simulation = new Simulation(mechanism);
  let state = maximalState(mechanism, {
    plank: { position: [0, 0, 0.2, 0, 0.4, 0], velocity: [0, 0, -1, 0, 5, 0] },
    ball: { position: [0.108, 0, 0.365, 0, 0, 0], velocity: [0, 0, -2, 0, 0, 0] },
  });
  let largest = 0;
  for (let k = 0; k < 12; k++) {
    const next = simulation.step(state).next.slice();
    for (const axis of [0, 1, 2]) {
      const gained = (next[20 + axis] - state[20 + axis]) / 0.01 - mechanism.gravity[axis];
      const read = forceOn(simulation, "ball", axis);
      expect(Math.abs(read - gained)).toBeLessThan(sharp);
      largest = Math.max(largest, Math.abs(read));
    }
    state = next;
  }
  expect(largest).toBeGreaterThan(30);
});
