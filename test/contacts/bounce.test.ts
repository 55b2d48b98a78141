/** Restitution at contacts of features: balls that meet in the air, by two kinds of features. */
import { describe, expect, test } from "vitest";
import { checkGradients, compile, floating, Simulation, sphere } from "../../src/index.ts";
import { withContacts } from "../../src/mechanism/index.ts";

const [radius, other] = [0.1, 0.2];

/** Two balls in the air along x, `gap` apart; the second one is `body`. */
function balls(feature: "pointPoint" | "roundRound", restitution: number, masses: readonly [number, number]) {
  const ball = (size: number): number[] => [size ** 2, size ** 2, size ** 2, 0, 0, 0];
  const values =
    feature === "pointPoint"
      ? [0, 0, 0, radius, 0, 0, 0, other, 0, 1, 0]
      : [0, 0, 0, ...ball(radius), 0, 0, 0, 0, ...ball(other), 0, 1, 0, 0, 0, 1, 0];
  const mechanism = compile({
    timestep: 0.01,
    gravity: [0, 0, 0],
    bodies: { first: sphere({ radius: other, mass: masses[0] }), second: sphere({ radius, mass: masses[1] }) },
    joints: {
      first: floating({ parent: "world", child: "first" }),
      second: floating({ parent: "world", child: "second" }),
    },
  });
  const contact = { name: "meet", body: 1, other: 0, feature, values, frictionCoefficient: 0, restitution };
  return new Simulation(withContacts(mechanism, [contact]));
}

function start(gap: number, speed: number, aside = 0): Float64Array {
  const body = (x: number, y: number, v: number): number[] => [x, y, 0, 1, 0, 0, 0, v, 0, 0, 0, 0, 0];
  return Float64Array.from([...body(0, 0, 0), ...body(radius + other + gap, aside, -speed)]);
}

describe.each(["pointPoint", "roundRound"] as const)("%s", (feature) => {
  test.each([
    [1, 1, 1],
    [0.5, 1, 3],
    [0, 2, 1],
  ] as const)("balls part at e = %f of their approach, masses %f and %f", (restitution, a, b) => {
    const simulation = balls(feature, restitution, [a, b]);
    const state = start(0.05, 2);
    for (let k = 0; k < 10; k++) {
      const { status, next } = simulation.step(state);
      expect(status).toBe("solved");
      state.set(next);
    }
    // momentum, and Newton's rule
    const [v, w] = [state[7], state[20]];
    expect(a * v + b * w).toBeCloseTo(-2 * b, 7);
    // what stays together is still pushed apart a little at the solver's κ
    expect(Math.abs(w - v - 2 * restitution)).toBeLessThan(3e-6);
  });
});

test("gradients through the bounce of two balls equal differences", () => {
  const simulation = balls("pointPoint", 0.7, [1, 2]);
  const state = start(0.008, 2, 0.05);
  const check = checkGradients(simulation, state, new Float64Array(0), {
    kappa: 1e-5,
    parameters: ["contacts.meet.restitution", "contacts.meet.otherRadius"],
    goodEnough: 1e-7,
  });
  expect(check.worst, check.entry).toBeLessThan(1e-6);
});
