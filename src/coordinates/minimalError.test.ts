/** Errors of minimal states are small where the bodies are near each other, however the coordinates are written. */
import { describe, expect, it } from "vitest";
import { Random } from "../math/index.ts";
import { box, compile, floating, prismatic, revolute } from "../mechanism/index.ts";
import { addMinimalError, minimalError } from "./minimalError.ts";
import { maximalFromMinimal } from "./minimalState.ts";

const body = box({ size: [0.1, 0.2, 0.3], mass: 1 });
const mechanism = compile({
  timestep: 0.01,
  bodies: { base: body, arm: body, slider: body },
  joints: {
    base: floating({ parent: "world", child: "base" }),
    arm: revolute({ parent: "base", child: "arm", axis: [0, 1, 0] }),
    slider: prismatic({ parent: "arm", child: "slider", axis: [1, 0, 0] }),
  },
});
const size = 2 * mechanism.coordinateCount;
const hinge = 6;
const turn = 2 * Math.PI;

const random = new Random(5);
const someState = (spread: number): Float64Array =>
  Float64Array.from({ length: size }, () => random.uniform(-spread, spread));
const expectNear = (a: ArrayLike<number>, b: ArrayLike<number>, tolerance: number): void => {
  for (let i = 0; i < b.length; i++) expect(Math.abs(a[i] - b[i])).toBeLessThan(tolerance);
};

describe("errors of minimal states", () => {
  it("undo what is added to them", () => {
    for (let k = 0; k < 20; k++) {
      const [x, error] = [someState(2), someState(0.5)];
      expectNear(minimalError(mechanism, x, addMinimalError(mechanism, x, error)), error, 1e-12);
    }
  });

  it("do not see whole turns of an angle or of a rotation vector, and neither do the bodies", () => {
    for (let k = 0; k < 20; k++) {
      const [reference, error] = [someState(1), someState(0.3)];
      const x = addMinimalError(mechanism, reference, error);
      const wound = x.slice();
      wound[hinge] += 3 * turn;
      const length = Math.hypot(x[3], x[4], x[5]);
      for (let i = 3; i < 6; i++) wound[i] *= 1 - turn / length;
      expectNear(minimalError(mechanism, reference, wound), error, 1e-9);
      // an attitude is its quaternion up to the sign
      const [a, b] = [x, wound].map((entry) => maximalFromMinimal(mechanism, entry));
      for (let at = 0; at < a.length; at += 13) {
        expectNear(b.subarray(at, at + 3), a.subarray(at, at + 3), 1e-12);
        const dot = [3, 4, 5, 6].reduce((sum, i) => sum + a[at + i] * b[at + i], 0);
        expect(Math.abs(dot)).toBeCloseTo(1, 12);
      }
    }
  });

  it("from a reference a turn away, the attitude at rest is near it", () => {
    const reference = new Float64Array(size);
    reference.set([0, 0, turn - 0.1], 3);
    expectNear(minimalError(mechanism, reference, new Float64Array(size)).subarray(3, 6), [0, 0, 0.1], 1e-12);
  });

  it("wrong sizes are named", () => {
    expect(() => minimalError(mechanism, new Float64Array(3), new Float64Array(size))).toThrow(/reference.*give 16/);
  });
});
