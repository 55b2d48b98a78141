import { describe, expect, it } from "vitest";
import * as matrix3 from "./matrix3.ts";
import * as quaternion from "./quaternion.ts";
import { Random } from "./random.ts";
import * as vector from "./vector.ts";

/** A few roundings of numbers of size 1. */
const ROUNDING = 1e-14;
/** acos-like loss near half turns. */
const NEAR_HALF_TURN = 1e-12;

function distance(a: readonly number[], b: readonly number[]): number {
  return vector.norm(a.map((entry, i) => entry - b[i]));
}

describe("quaternions", () => {
  const random = new Random(1);
  const samples = Array.from({ length: 200 }, () => ({
    p: random.quaternion(),
    q: random.quaternion(),
    v: random.unitVector(),
    w: random.unitVector(),
  }));

  it("a product rotates by its right factor first", () => {
    for (const { p, q, v } of samples) {
      const once = quaternion.rotate(quaternion.multiply(p, q), v);
      expect(distance(once, quaternion.rotate(p, quaternion.rotate(q, v)))).toBeLessThan(ROUNDING);
    }
  });

  it("a quarter turn about z takes x to y", () => {
    const q = quaternion.fromAxisAngle(vector.unitZ, Math.PI / 2);
    expect(distance(quaternion.rotate(q, vector.unitX), vector.unitY)).toBeLessThan(ROUNDING);
  });

  it("rotateInverse undoes rotate", () => {
    for (const { q, v } of samples) {
      expect(distance(quaternion.rotateInverse(q, quaternion.rotate(q, v)), v)).toBeLessThan(ROUNDING);
    }
  });

  it("the matrix does what the quaternion does, and gives it back up to sign", () => {
    for (const { q, v } of samples) {
      const m = quaternion.toMatrix(q);
      expect(distance(matrix3.transform(m, v), quaternion.rotate(q, v))).toBeLessThan(ROUNDING);
      const back = quaternion.fromMatrix(m);
      expect(distance(back, q[0] < 0 ? q.map((entry) => -entry) : q)).toBeLessThan(ROUNDING);
    }
  });

  it("rotation vectors go there and back up to half turns, tiny ones too", () => {
    for (const { v } of samples) {
      for (const angle of [0, 1e-300, 1e-12, 1e-8, 2e-8, 1e-3, 1, 3, 3.14]) {
        const r = vector.scale(v, angle);
        const back = quaternion.toRotationVector(quaternion.fromRotationVector(r));
        expect(distance(back, r)).toBeLessThan(NEAR_HALF_TURN);
      }
    }
  });

  it("a quaternion and its negative have one rotation vector", () => {
    for (const { q } of samples) {
      const negative: quaternion.Quaternion = [-q[0], -q[1], -q[2], -q[3]];
      expect(quaternion.toRotationVector(negative)).toEqual(quaternion.toRotationVector(q));
    }
  });

  it("betweenVectors takes a to b by the shortest way, opposite and nearly opposite vectors too", () => {
    for (const { v, w } of samples) {
      const nearlyOpposite = vector.normalize(vector.add(vector.scale(v, -1), vector.scale(w, 1e-6)));
      for (const target of [w, v, vector.scale(v, -1), nearlyOpposite]) {
        const q = quaternion.betweenVectors(vector.scale(v, 3), target);
        expect(distance(quaternion.rotate(q, v), target)).toBeLessThan(1e-8);
        const angle = Math.atan2(vector.norm(vector.cross(v, target)), vector.dot(v, target));
        expect(vector.norm(quaternion.toRotationVector(q))).toBeCloseTo(angle, 8);
      }
    }
  });
});

describe("vectors", () => {
  it("norm neither overflows nor hides a NaN", () => {
    expect(vector.norm([3e200, 4e200])).toBeCloseTo(5e200, -190);
    expect(vector.norm([1, Number.NaN, 2])).toBeNaN();
    expect(vector.norm([0, 0, 0])).toBe(0);
  });

  it("a vector without direction cannot be normalised", () => {
    expect(() => vector.normalize([0, 0, 0])).toThrow("has no direction");
  });

  it("the perpendicular basis is right-handed and orthonormal, and cyclic on the frame's own axes", () => {
    expect(vector.perpendicularBasis(vector.unitZ)).toEqual([vector.unitX, vector.unitY]);
    expect(vector.perpendicularBasis(vector.unitX)).toEqual([vector.unitY, vector.unitZ]);
    expect(vector.perpendicularBasis(vector.unitY)).toEqual([vector.unitZ, vector.unitX]);
    const random = new Random(2);
    for (let i = 0; i < 200; i++) {
      const axis = random.unitVector();
      const [first, second] = vector.perpendicularBasis(axis);
      expect(distance(vector.cross(first, second), axis)).toBeLessThan(ROUNDING);
      expect(vector.norm(first)).toBeCloseTo(1, 14);
      expect(vector.norm(second)).toBeCloseTo(1, 14);
    }
  });
});
