import { describe, expect, it } from "vitest";
import { box, compile, floating, Simulation } from "../../src/index.ts";

describe("a box without friction", () => {
  // contacts that hold it up cost it what the solver's tolerance leaves of them: 1e-9 of its speed
  it.each([0.5, 1, 3])("slides over tiles at %d m/s and loses no speed at their seams", (speed) => {
    const size: [number, number, number] = [0.4, 0.4, 0.4];
    const { mass, inertia } = box({ size, mass: 1 });
    const contact = { frictionCoefficient: 0 };
    const mechanism = compile({
      timestep: 0.01,
      bodies: { crate: { mass, inertia, shapes: [{ kind: "box", size, contact }] } },
      joints: { base: floating({ parent: "world", child: "crate" }) },
      shapes: [0, 1, 2].map((i) => ({ kind: "box", size: [1, 1, 0.2], position: [i, 0, -0.1], contact }) as const),
    });
    const simulation = new Simulation(mechanism);
    const input = new Float64Array(simulation.inputSize);
    let state: Float64Array = Float64Array.of(0, 0, 0.2 + 1e-6, 1, 0, 0, 0, speed, 0, 0, 0, 0, 0);
    const steps = Math.floor(1.5 / (speed * 0.01));
    for (let k = 0; k < steps; k++) {
      const { status, next } = simulation.step(state, input);
      expect(status).toBe("solved");
      state = Float64Array.from(next);
    }
    expect(state[0]).toBeCloseTo(steps * speed * 0.01, 6);
    expect(Math.abs(state[7] / speed - 1)).toBeLessThan(1e-8);
    expect(state[2]).toBeCloseTo(0.2, 5);
  });
});
