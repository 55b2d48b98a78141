/** Inputs that make a motion, and steps made linear for regulators. */
import { describe, expect, test } from "vitest";
import {
  box,
  boxCorners,
  capsule,
  compile,
  floating,
  frictionContact,
  gravityCompensation,
  inverseDynamics,
  linearContact,
  linearize,
  maximalState,
  minimalFromState,
  minimalState,
  prismatic,
  Random,
  revolute,
  Simulation,
  stepGradients,
} from "../../src/index.ts";
import { arm, closeTo, rod } from "../toys/arm.ts";
import { product } from "./differences.ts";

describe("inverse dynamics", () => {
  test("gives back the inputs of a simulated step", () => {
    const random = new Random(2);
    for (const extra of [{}, { friction: 0.3 }, { servo: { stiffness: 50, damping: 2 }, actuated: false }]) {
      const { simulation, state } = arm(extra);
      for (let trial = 0; trial < 5; trial++) {
        simulation.setParameter("damperCentering", 0.2 * trial);
        const input = Float64Array.from({ length: simulation.inputSize }, () => random.uniform(-1, 1));
        const next = Float64Array.from(simulation.step(state, input).next);
        const { input: found, residual } = inverseDynamics(simulation, state, next);
        expect(residual).toBeLessThan(1e-6);
        // the simulation lands within its κ
        closeTo(found, input, 1e-5);
      }
    }
  });

  test("a floating base is underactuated: consistent motions leave nothing, others do", () => {
    const mechanism = compile({
      timestep: 0.01,
      bodies: { trunk: box({ size: [0.3, 0.2, 0.2], mass: 2 }), arm: rod },
      joints: {
        base: floating({ parent: "world", child: "trunk" }),
        hinge: revolute({
          parent: "trunk",
          child: "arm",
          axis: [0, 1, 0],
          parentAnchor: [0.1, 0, 0],
          childAnchor: [0, 0, 0.2],
          actuated: true,
        }),
      },
    });
    const simulation = new Simulation(mechanism);
    const state = maximalState(mechanism, {
      base: { position: [0, 0, 1, 0, 0, 0] },
      hinge: { position: [0.4], velocity: [1] },
    });
    const next = Float64Array.from(simulation.step(state, Float64Array.of(0.7)).next);
    const found = inverseDynamics(simulation, state, next);
    closeTo(found.input, [0.7], 1e-8);
    expect(found.residual).toBeLessThan(1e-8);
    expect(gravityCompensation(simulation, state).residual).toBeGreaterThan(1);
  });

  test("pushing a crate along the floor: inputs make up for the friction of sliding", () => {
    const crate = box({ size: [0.4, 0.4, 0.2], mass: 2 });
    for (const contact of [frictionContact, linearContact]) {
      const mechanism = compile({
        timestep: 0.01,
        bodies: { crate },
        joints: {
          base: floating({ parent: "world", child: "crate", actuated: [true, true, false, false, false, true] }),
        },
        contacts: boxCorners(crate)
          .slice(0, 8)
          .map((point) => contact({ body: "crate", point, frictionCoefficient: 0.3 })),
      });
      const simulation = new Simulation(mechanism);
      let state = maximalState(mechanism, { base: { position: [0, 0, 0.1, 0, 0, 0], velocity: [1, 0, 0, 0, 0, 0] } });
      const input = Float64Array.of(8, 0, 0);
      for (let k = 0; k < 5; k++) state = Float64Array.from(simulation.step(state, input).next);
      const next = Float64Array.from(simulation.step(state, input).next);
      const { input: found, residual, contactForces } = inverseDynamics(simulation, state, next);
      expect(residual).toBeLessThan(1e-3);
      closeTo(found, input, 1e-2);
      const friction = Object.values(contactForces).reduce((sum, { friction: [x] }) => sum + x, 0);
      expect(Math.abs(friction)).toBeLessThan(0.3 * 2 * 9.81 * 1.01);
      expect(Object.keys(contactForces).length).toBe(4);
    }
  });
});

describe("linearisation", () => {
  test("a regulator from A and B balances a cart-pole", () => {
    const mechanism = compile({
      timestep: 0.02,
      bodies: {
        cart: box({ size: [0.3, 0.2, 0.1], mass: 1 }),
        pole: capsule({ radius: 0.02, length: 0.8, mass: 0.2 }),
      },
      joints: {
        rail: prismatic({ parent: "world", child: "cart", axis: [1, 0, 0], actuated: true, damping: 0.1 }),
        pivot: revolute({ parent: "cart", child: "pole", axis: [0, 1, 0], childAnchor: [0, 0, -0.4] }),
      },
    });
    const simulation = new Simulation(mechanism);
    const upright = maximalState(mechanism);
    for (const coordinates of ["minimal", "maximal"] as const) {
      const { c } = linearize(simulation, upright, new Float64Array(1), { coordinates });
      expect(Math.max(...c.map(Math.abs))).toBeLessThan(1e-12);
    }
    const { A, B } = linearize(simulation, upright, new Float64Array(1));
    const K = regulator(A, B, Float64Array.of(1, 10, 0.1, 0.1), 0.1);

    const run = (gain: Float64Array) =>
      simulation.rollout(maximalState(mechanism, { rail: { position: [0.5] }, pivot: { position: [0.3] } }), {
        steps: 400,
        controller: (state, _, input) => {
          const x = minimalFromState(simulation, state);
          input[0] = -x.reduce((sum, entry, i) => sum + gain[i] * entry, 0);
          return input;
        },
      }).final;
    expect(Math.max(...minimalFromState(simulation, run(K)).map(Math.abs))).toBeLessThan(1e-3);
    expect(Math.abs(minimalFromState(simulation, run(new Float64Array(4)))[1])).toBeGreaterThan(1);
  });

  test("the next joint coordinates count the turns of the run, and c is what the step adds to them", () => {
    const mechanism = compile({
      timestep: 0.01,
      gravity: [0, 0, 0],
      bodies: { wheel: rod },
      joints: { hinge: revolute({ parent: "world", child: "wheel", axis: [0, 1, 0], actuated: true }) },
    });
    const simulation = new Simulation(mechanism);
    const input = new Float64Array(1);
    const spun = simulation.rollout(maximalState(mechanism, { hinge: { velocity: [20] } }), { steps: 100 });
    // 20 rad in a second, past the 4π after which a state's own angle repeats
    const { minimalNext, next } = stepGradients(simulation, spun.final, input, { coordinates: "minimal" });
    closeTo(minimalNext, [20.2, 20], 1e-8);
    closeTo(minimalNext.subarray(0, 1), simulation.coordinates(next), 1e-14);
    expect(minimalState(mechanism, next)[0]).toBeLessThan(4 * Math.PI);
    closeTo(linearize(simulation, spun.final, input).c, [0.2, 0], 1e-8);
    // a wound start whose run is handed in
    const { continuation } = spun;
    const fresh = new Simulation(mechanism);
    const handed = stepGradients(fresh, spun.final, input, { coordinates: "minimal", continuation });
    expect(handed.minimalNext).toEqual(minimalNext);
    expect(() => stepGradients(fresh, spun.final, input).minimalNext).toThrow(/minimal/);
  });

  test("a result that is handed in is overwritten, to the bits of a new one", () => {
    const { simulation, state } = arm();
    const input = new Float64Array(simulation.inputSize).fill(0.1);
    for (const coordinates of ["minimal", "maximal"] as const) {
      const into = linearize(simulation, state, new Float64Array(simulation.inputSize), { coordinates });
      const { A, B, c } = into;
      expect(linearize(simulation, state, input, { coordinates, into })).toBe(into);
      const again = linearize(simulation, state, input, { coordinates });
      expect([A, B, c]).toEqual([again.A, again.B, again.c]);
    }
  });
});

/** K of u = −K x by Riccati's iteration, for one input. */
function regulator(A: Float64Array, B: Float64Array, q: Float64Array, r: number): Float64Array {
  const n = q.length;
  const transposed = (matrix: Float64Array, columns: number): Float64Array => {
    const rows = matrix.length / columns;
    return matrix.map((_, i) => matrix[(i % rows) * columns + Math.floor(i / rows)]);
  };
  let P = Float64Array.from({ length: n * n }, (_, i) => (i % (n + 1) === 0 ? q[i / (n + 1)] : 0));
  const Q = P;
  let K = new Float64Array(n);
  for (let round = 0; round < 2000; round++) {
    const PB = product(P, B, n);
    const PA = product(P, A, n);
    const gain = r + product(transposed(B, 1), PB, n)[0];
    K = product(transposed(PB, 1), A, n).map((entry) => entry / gain);
    const closed = product(transposed(A, n), PA, n);
    const drop = product(product(transposed(PA, n), B, n), K, 1);
    const next = closed.map((entry, i) => Q[i] + entry - drop[i]);
    // rounding must not be left to grow
    const mirrored = transposed(next, n);
    P = next.map((entry, i) => (entry + mirrored[i]) / 2);
  }
  return K;
}
