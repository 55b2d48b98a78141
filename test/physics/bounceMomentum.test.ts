/** Momentum of bodies that bounce off each other in free flight, several parts of them at once: kept to rounding, as without restitution. */
import { expect, test } from "vitest";
import {
  type BodyDescription,
  box,
  capsule,
  compile,
  cylinder,
  floating,
  hull,
  maximalState,
  Random,
  Simulation,
  sphere,
} from "../../src/index.ts";

/** kg m/s and kg m²/s, of bodies of 1 kg that meet at 2 m/s: what the solver leaves open where contacts carry a load besides, and rounding. */
const kept = 1e-11;

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
