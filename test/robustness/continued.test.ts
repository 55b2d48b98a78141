/** Long runs of random scenes, whose steps go on from the last, and steps that a cold start solves otherwise than one that goes on. */
import { describe, expect, test } from "vitest";
import { measure } from "../../benchmarks/robustness/measure.ts";
import { compile, models, Random, Simulation, startState } from "../../src/index.ts";

test("in long runs, no step fails and none is wrong", () => {
  const { total, classes } = measure({ seed: 2, steps: 900, runs: "continued" });
  expect([total.failed, total.unreported]).toEqual([0, 0]);
  for (const kind of ["tree", "treeContact", "quadruped"] as const) {
    const tally = classes.get(kind);
    expect(tally?.firstAttempt).toBeGreaterThan(0.98 * (tally?.steps ?? Number.NaN));
  }
});

describe("a robot under torques that make its feet stick or slip", () => {
  const mechanism = compile(models.a1({ timestep: 0.01 }));
  const h = mechanism.timestep;
  const { frictionCoefficient: mu } = mechanism.contacts[0];

  /** Complementarity of the equations, in N·m: 1e-8 of m V² h per contact, with V up to a few m/s. */
  const pressing = 1e-5;
  /** Friction beyond its cone, as a part of what the robot weighs. */
  const beyond = 1e-6;

  /** What a solved step promises, from what can be read: nothing enters, nothing pulls, nothing presses from afar, friction is in its cone. */
  function expectSolution(simulation: Simulation): void {
    for (const { name } of mechanism.contacts) {
      const { normal, friction, distance } = simulation.contact(name);
      expect(distance).toBeGreaterThan(0);
      expect(normal).toBeGreaterThanOrEqual(0);
      expect(normal * distance).toBeLessThan(pressing);
      expect(Math.hypot(...friction)).toBeLessThan(mu * normal + beyond * 120);
    }
  }

  test("cold starts and runs that go on both solve every step, where they differ too", () => {
    const [run, cold] = [new Simulation(mechanism), new Simulation(mechanism)];
    const random = new Random(3);
    const state = startState(mechanism).slice();
    for (let k = 0; k < 80; k++) {
      const input = Float64Array.from({ length: mechanism.inputSize }, () => random.uniform(-15, 15));
      const goesOn = run.step(state, input);
      cold.continuation = undefined;
      const again = cold.step(state, input);
      for (const [simulation, result] of [
        [run, goesOn],
        [cold, again],
      ] as const) {
        expect(result.status).toBe("solved");
        // impulses of parts add up, distances are those of the last
        if (result.substeps === 1) expectSolution(simulation);
        for (let body = 0; body < mechanism.bodies.length; body++) {
          const [x, v] = [13 * body + 2, 13 * body + 9];
          if (result.substeps === 1) expect(result.next[x]).toBeCloseTo(state[x] + h * result.next[v], 12);
        }
      }
      state.set(goesOn.next);
    }
  });
});
