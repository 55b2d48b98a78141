/**
 * Gradients of steps with one contact of every kind of feature, in, near and out of contact, against differences at the same κ. Features are
 * held: what changes when others take their place is no part of a gradient.
 */
import { describe, expect, test } from "vitest";
import { featureKinds } from "../../src/geometry/index.ts";
import { differentiableParameters } from "../../src/gradients/parameters.ts";
import { checkGradients, Random, Simulation } from "../../src/index.ts";
import { flyingPair, inWorld, randomPlacement, stateOf } from "./featureScenes.ts";
import { anyFeature } from "./roundOracle.ts";

const kinds = featureKinds.filter((kind) => kind !== "pointPlane");
/** What the project promises. */
const promised = 1e-6;
/** N; what does not touch is pressed by 1e-6. */
const pressed = 0.01;
const gaps = { "in contact": 1e-5, near: 0.05, "out of contact": 0.3 };

describe.each(kinds)("%s", (feature) => {
  describe.each([false, true])("otherMoves: %s", (otherMoves) => {
    test.each(Object.keys(gaps) as (keyof typeof gaps)[])("%s", (where) => {
      const random = new Random(300 + kinds.indexOf(feature));
      const first = randomPlacement(random);
      const other = otherMoves ? first : inWorld;
      const second = randomPlacement(random);
      const values = anyFeature(random, feature, second, other, gaps[where]);
      const mechanism = flyingPair([{ feature, values, frictionCoefficient: 0.5 }], otherMoves);
      const simulation = new Simulation(mechanism);
      const velocity = (): number[] => Array.from({ length: 6 }, () => random.normal());
      const velocities = [velocity(), velocity()];
      const stateFor = (sign: number): Float64Array =>
        stateOf(
          [first, second],
          velocities.map((six) => six.map((entry) => sign * entry)),
        );
      const input = new Float64Array(simulation.inputSize);
      const isPressed = (sign: number): boolean => {
        simulation.step(stateFor(sign), input);
        return simulation.contact("contact0").normal > pressed;
      };
      // what touches approaches, one way or the other
      const sign = isPressed(1) === (where === "in contact") ? 1 : -1;
      expect(isPressed(sign)).toBe(where === "in contact");
      const state = stateFor(sign);
      const parameters = differentiableParameters(simulation.system).filter((name) => /^contacts/.test(name));
      for (const kappa of [1e-2, 1e-5]) {
        for (const coordinates of ["maximal", "minimal"] as const) {
          const check = checkGradients(simulation, state, input, {
            kappa,
            coordinates,
            parameters: coordinates === "maximal" ? parameters : [],
            goodEnough: promised / 20,
          });
          expect(check.worst, `κ = ${kappa}, ${coordinates}: ${check.entry}`).toBeLessThan(promised);
        }
      }
    });
  });
});
