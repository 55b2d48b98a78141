/** Starts of runs whose steps are divided by an error tolerance, against closed forms: in motion, at rest, and from a state within a run. */
import { describe, expect, test } from "vitest";
import { box, compile, floating, maximalState, prismatic, Simulation, sphere, stateAt } from "../../src/index.ts";

const g = 9.81;
const h = 0.05;

/** A mass on a spring and a damper, pushed by a motor: x(t) = c + e^(−γt)(A cos ωt + B sin ωt). */
const swung = { mass: 0.5, stiffness: 200, damping: 3, force: 4, position: 0.02, velocity: 1.5 } as const;

function slider(errorTolerance: number | undefined): Simulation {
  const { mass, stiffness, damping } = swung;
  const mechanism = compile({
    ...{ timestep: h, gravity: [0, 0, 0], springConservation: 1, damperCentering: 1 },
    bodies: { mass: box({ size: [0.1, 0.1, 0.1], mass }) },
    joints: {
      rail: prismatic({ parent: "world", child: "mass", axis: [1, 0, 0], stiffness, damping, actuated: true }),
    },
  });
  return new Simulation(mechanism, errorTolerance === undefined ? {} : { errorTolerance });
}

function swungTo(time: number): number {
  const { mass, stiffness, damping, force, position, velocity } = swung;
  const [centre, decay] = [force / stiffness, damping / (2 * mass)];
  const frequency = Math.sqrt(stiffness / mass - decay ** 2);
  const cosine = position - centre;
  const sine = (velocity + decay * cosine) / frequency;
  return centre + Math.exp(-decay * time) * (cosine * Math.cos(frequency * time) + sine * Math.sin(frequency * time));
}

describe("a start", () => {
  // ω h is 1: whole steps are far off, and so would be a start that is written as the mean over one
  test("in motion is as near to the closed form as the tolerance asks for", () => {
    const input = Float64Array.of(swung.force);
    const errors = [1e-4, 1e-5, 1e-6].map((tolerance) => {
      const simulation = slider(tolerance);
      const rail = { position: [swung.position], velocity: [swung.velocity] };
      let error = 0;
      const along = simulation.rollout(stateAt(simulation, { rail }, { input }), { steps: 8, inputs: input });
      along.positions("mass").forEach(([x], k) => {
        error = Math.max(error, Math.abs(x - swungTo(k * h)));
      });
      return error;
    });
    // tolerance^(2/3) in theory, which is 4.6
    expect(errors[1]).toBeLessThan(errors[0] / 2.5);
    expect(errors[2]).toBeLessThan(errors[1] / 3.5);
    expect(errors[2]).toBeLessThan(1.2e-4);
  });

  test("for steps that bring a tolerance of their own is that of a simulation that has it", () => {
    const rail = { position: [swung.position], velocity: [swung.velocity] };
    const [given, own] = [undefined, 1e-4].map((tolerance) => slider(tolerance));
    const options = { input: Float64Array.of(swung.force), errorTolerance: 1e-4 };
    expect(stateAt(given, { rail }, options)).toEqual(stateAt(own, { rail }, { input: options.input }));
    expect(stateAt(given, { rail }, options)).not.toEqual(stateAt(given, { rail }, { input: options.input }));
    expect(() => stateAt(given, { rail }, { errorTolerance: 0 })).toThrow(/options\.errorTolerance: .*leave it out/);
  });

  test("at rest falls as the parabola does, from a state of joints too", () => {
    const mechanism = compile({
      timestep: h,
      bodies: { ball: sphere({ radius: 0.1, mass: 1 }) },
      joints: { base: floating({ parent: "world", child: "ball" }) },
    });
    const simulation = new Simulation(mechanism, { errorTolerance: 1e-4 });
    const fall = simulation.rollout(maximalState(mechanism), { steps: 20 });
    const half = h / 2048;
    fall.positions("ball").forEach(([, , z], k) => {
      const time = k * h;
      expect(Math.abs(z + (g * time * (time + 2 * half)) / 2)).toBeLessThan(1e-9);
    });
  });

  test("from a state within a run goes on as the run did, and so does one in another time step", () => {
    const simulation = slider(1e-5);
    const start = stateAt(simulation, { rail: { position: [swung.position], velocity: [swung.velocity] } });
    const whole = simulation.rollout(start, { steps: 8 });
    const rest = slider(1e-5).rollout(whole.states[3], { steps: 5, continuation: whole.continuationAt(3) });
    rest.states.forEach((state, k) => {
      expect(Math.abs(state[0] - whole.states[3 + k][0])).toBeLessThan(1e-9);
    });
    // a slide has no spin, and so the same state in every interval
    simulation.rollout(start, { steps: 3 });
    simulation.setParameter("timestep", h / 2);
    const finer = simulation.rollout(whole.states[3], { steps: 10 });
    expect(Math.abs(finer.final[0] - whole.final[0])).toBeLessThan(2e-4);
  });
});
