/**
 * Inputs that change under an error tolerance: each gives the impulse of one time step, wherever its parts are cut, and gradients with respect to inputs
 * are those of the run.
 */
import { describe, expect, test } from "vitest";
import {
  compile,
  floating,
  frictionContact,
  type MechanismDescription,
  prismatic,
  revolute,
  Simulation,
  sphere,
  stateAt,
} from "../../src/index.ts";

const h = 0.1;
const tolerances = [1e-1, 1e-2, 1e-3, 1e-4, 1e-5];

/** A sled of 1 kg without weight, and what makes a tolerance cut: a pendulum that swings over, and a ball that lands. */
function scene(sled: "motor" | "limited motor" | "thruster" | "wrench", restitution?: number): MechanismDescription {
  const ball = sphere({ radius: 0.1, mass: 1 });
  const limit = sled === "limited motor" ? { effortLimit: 1 } : {};
  const isMotor = sled.endsWith("motor");
  return {
    timestep: h,
    bodies: { sled: { ...ball, gravityScale: 0 }, bob: ball, ball },
    joints: {
      rail: prismatic({ parent: "world", child: "sled", axis: [1, 0, 0], actuated: isMotor, ...limit }),
      hinge: revolute({ parent: "world", child: "bob", axis: [0, 1, 0], childAnchor: [0, 0, 0.4] }),
      base: floating({ parent: "world", child: "ball" }),
    },
    ...(sled === "thruster" && {
      thrusters: { jet: { body: "sled", force: [1, 0, 0] as const, limits: [-1, 1] as const } },
    }),
    contacts: [
      frictionContact({
        ...{ body: "ball", point: [0, 0, 0], radius: 0.1, frictionCoefficient: 0.4 },
        ...(restitution !== undefined && { restitution }),
      }),
    ],
  };
}

const start = {
  hinge: { position: [2.5], velocity: [3] },
  base: { position: [2, 0, 1, 0, 0, 0], velocity: [1, 0, 0, 0, 4, 0] },
} as const;

/** 1 N in one step and none after it, and then a push that changes in every step. */
const pulses = [0, 0, 0, 1, 0, 0, -3, 0.5, 2, 0.25, 0, 0];

describe("inputs that change give the impulse of one time step each", () => {
  for (const kind of ["motor", "limited motor", "thruster", "wrench"] as const) {
    test.each(tolerances)(`${kind}, tolerance %s`, (errorTolerance) => {
      const simulation = new Simulation(compile(scene(kind)), { errorTolerance });
      const isLimited = kind === "limited motor" || kind === "thruster";
      let state = stateAt(simulation, start);
      const cuts = new Set<number>();
      let expected = 0;
      for (const push of pulses) {
        const force = isLimited ? Math.max(-1, Math.min(1, push)) : push;
        if (kind === "wrench") simulation.setWrench("sled", { force: [push, 0, 0] });
        const input = Float64Array.from({ length: simulation.inputSize }, () => push);
        const { status, next } = simulation.step(state, input);
        expect(status).toBe("solved");
        state = next.slice();
        expected += h * force;
        for (const part of simulation.division?.parts ?? []) cuts.add(part);
        // what the last part's second half gives comes with the next step
        const last = simulation.division?.parts.at(-1) ?? 1;
        expect(state[7]).toBeCloseTo(expected - (last / 2) * h * force, 9);
      }
      expect(state[7]).toBeCloseTo(expected, 9);
      if (errorTolerance < 1e-2) expect(cuts.size).toBeGreaterThan(5);
    });
  }

  test("a run that is cut in two and handed on has the same bits", () => {
    const run = (from: Float64Array, inputs: readonly number[], continuation?: object) =>
      new Simulation(compile(scene("motor")), { errorTolerance: 1e-4 }).rollout(from, {
        inputs: inputs.map((push) => [push]),
        ...(continuation && { continuation: JSON.parse(JSON.stringify(continuation)) }),
      });
    const from = stateAt(new Simulation(compile(scene("motor")), { errorTolerance: 1e-4 }), start);
    const whole = run(from, pulses);
    const first = run(from, pulses.slice(0, 7));
    const second = run(first.final, pulses.slice(7), first.continuation);
    expect(second.final).toEqual(whole.final);
    expect(first.continuation.pace?.inputs).toEqual({ "rail.slide": -3 });
  });

  test("whole steps go on as they did: the input of a step gives all of its impulse in that step", () => {
    const simulation = new Simulation(compile(scene("motor")));
    let state = stateAt(simulation, start);
    let expected = 0;
    for (const push of pulses) {
      state = simulation.step(state, Float64Array.of(push)).next.slice();
      expected += h * push;
      expect(state[7]).toBeCloseTo(expected, 12);
    }
  });
});
