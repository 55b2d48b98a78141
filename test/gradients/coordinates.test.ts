/** Joint coordinates and body states: round trips, Jacobians against differences, for every kind of joint. */
import { describe, expect, test } from "vitest";
import { addError, stateError } from "../../src/gradients/stateError.ts";
import {
  box,
  compile,
  floating,
  jointStates,
  type Mechanism,
  maximalFromMinimal,
  maximalJacobian,
  maximalState,
  minimalJacobian,
  minimalState,
  Random,
  revolute,
} from "../../src/index.ts";
import { chain, jointCases } from "../physics/jointCases.ts";
import { column, difference, product, relativeError } from "./differences.ts";

/** Four products of rotations, each rounded to 1e-16 or so. */
const roundTrip = 1e-12;
/** What fourth-order differences over 1e-3 can resolve of functions whose curvature is about 1/h. */
const resolution = 1e-7;

function randomMinimal(mechanism: Mechanism, random: Random): Float64Array {
  const c = mechanism.coordinateCount;
  return Float64Array.from({ length: 2 * c }, (_, i) => (i < c ? random.uniform(-0.8, 0.8) : random.uniform(-2, 2)));
}

function requireConsistent(mechanism: Mechanism, seed: number): void {
  const x = randomMinimal(mechanism, new Random(seed));
  const z = maximalFromMinimal(mechanism, x);
  expect(relativeError(minimalState(mechanism, z), x)).toBeLessThan(roundTrip);
  expect(relativeError(maximalState(mechanism, jointStates(mechanism, z)), z)).toBeLessThan(roundTrip);

  const [c2, n12] = [x.length, 12 * mechanism.bodies.length];
  const X = minimalJacobian(mechanism, z);
  const S = maximalJacobian(mechanism, z);
  const identity = product(X, S, n12);
  for (let i = 0; i < c2; i++) identity[i * c2 + i] -= 1;
  expect(Math.max(...identity.map(Math.abs))).toBeLessThan(roundTrip);

  for (let j = 0; j < c2; j++) {
    const moved = difference((amount) => {
      const y = Float64Array.from(x);
      y[j] += amount;
      return stateError(z, maximalFromMinimal(mechanism, y));
    }, 1e-3);
    expect(relativeError(column(S, c2, j), moved)).toBeLessThan(resolution);
  }
  for (let j = 0; j < n12; j++) {
    const read = difference((amount) => {
      const error = new Float64Array(n12);
      error[j] = amount;
      return minimalState(mechanism, addError(z, error));
    }, 1e-4);
    expect(relativeError(column(X, n12, j), read)).toBeLessThan(resolution);
  }
}

describe("joint coordinates ⇄ body states", () => {
  for (const { name, form } of jointCases) {
    test(`${name}: round trips and Jacobians`, () => {
      requireConsistent(chain({ form, links: 3, timestep: 0.05 }), 1);
      requireConsistent(chain({ form, links: 2, timestep: 0.05, floats: false }), 2);
    });
  }

  test("angles past half a turn, which are read as less than none, turn the same way", () => {
    for (const { form } of jointCases.filter(({ name }) => /universal|two|three|left/.test(name))) {
      const mechanism = chain({ form, links: 1, timestep: 0.05, floats: false });
      const c = mechanism.coordinateCount;
      for (let turned = 0; turned < c; turned++) {
        // the middle one of three turns by a quarter at most
        if (c === 3 && turned === 1) continue;
        const x = Float64Array.from({ length: 2 * c }, (_, i) => (i === turned ? 3.3 : 0.2 + 0.1 * i));
        const z = maximalFromMinimal(mechanism, x);
        expect(minimalState(mechanism, z)[turned]).toBeCloseTo(3.3 - 2 * Math.PI, 9);
        const S = maximalJacobian(mechanism, z);
        for (let j = 0; j < 2 * c; j++) {
          const moved = difference((amount) => {
            const y = Float64Array.from(x);
            y[j] += amount;
            return stateError(z, maximalFromMinimal(mechanism, y));
          }, 1e-3);
          expect(relativeError(column(S, 2 * c, j), moved)).toBeLessThan(resolution);
        }
      }
    }
  });

  test("a joint whose child is nearer to the world is walked backwards", () => {
    for (const { form } of jointCases) {
      const mechanism = compile({
        timestep: 0.05,
        bodies: { near: box({ size: [0.1, 0.2, 0.3], mass: 1 }), far: box({ size: [0.3, 0.1, 0.2], mass: 2 }) },
        joints: {
          base: floating({ parent: "world", child: "near" }),
          turned: { ...form, parent: "far", child: "near", parentAnchor: [0.1, 0.2, 0], childAnchor: [0, 0.1, 0.3] },
        },
      });
      requireConsistent(mechanism, 3);
    }
  });

  test("a minimal state of the wrong size is refused", () => {
    const mechanism = compile({
      timestep: 0.01,
      bodies: { rod: box({ size: [0.1, 0.1, 1], mass: 1 }) },
      joints: { hinge: revolute({ parent: "world", child: "rod", axis: [1, 0, 0] }) },
    });
    expect(() => maximalFromMinimal(mechanism, new Float64Array(3))).toThrow("wrong-size at minimal state");
  });
});
