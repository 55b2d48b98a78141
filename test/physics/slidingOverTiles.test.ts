import { describe, expect, it } from "vitest";
import { box, compile, floating, type Shape, Simulation } from "../../src/index.ts";

const contact = { frictionCoefficient: 0 };
const crate: Shape = { kind: "box", size: [0.4, 0.4, 0.4], contact };
const can: Shape = { kind: "cylinder", radius: 0.2, length: 0.4, contact };

describe("without friction", () => {
  // contacts that hold it up cost it what the solver's tolerance leaves of them: 1e-9 of its speed
  it.each([
    ["a crate", 1, crate],
    ["a crate", 3, crate],
    ["a can", 1, can],
  ] as const)("%s slides over tiles at %d m/s and loses no speed at their seams", (_, speed, shape) => {
    const { mass, inertia } = box({ size: [0.4, 0.4, 0.4], mass: 1 });
    const mechanism = compile({
      timestep: 0.01,
      bodies: { slider: { mass, inertia, shapes: [shape] } },
      joints: { base: floating({ parent: "world", child: "slider" }) },
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

  // a crate whose edges are next to seams keeps what it rests on, and nothing of that may hold it back
  it.each([0.3, 0.3 - 1e-9, 0.3 + 1e-9, 0.7, -0.3])(
    "a crate that rests at x = %d is pushed off without a bump",
    (x) => {
      const { mass, inertia } = box({ size: [0.4, 0.4, 0.4], mass: 1 });
      const mechanism = compile({
        timestep: 0.01,
        bodies: { slider: { mass, inertia, shapes: [crate] } },
        joints: { base: floating({ parent: "world", child: "slider" }) },
        shapes: [-1, 0, 1].map((i) => ({ kind: "box", size: [1, 1, 0.2], position: [i, 0, -0.1], contact }) as const),
      });
      const simulation = new Simulation(mechanism);
      let state: Float64Array = Float64Array.of(x, 0, 0.2, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0);
      for (let k = 0; k < 10; k++) state = simulation.step(state).next.slice();
      simulation.setWrench("slider", { force: [1, 0, 0] });
      for (let k = 1; k <= 20; k++) {
        state = simulation.step(state).next.slice();
        expect(state[7] / (0.01 * k)).toBeCloseTo(1, 6);
      }
      expect(state[2]).toBeCloseTo(0.2, 6);
    },
  );
});
