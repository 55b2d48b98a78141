import { describe, expect, it } from "vitest";
import * as matrix3 from "./matrix3.ts";
import * as quaternion from "./quaternion.ts";
import { Random } from "./random.ts";
import * as vector from "./vector.ts";

describe("symmetric eigenvalues", () => {
  it("come out sorted and to rounding, with a right-handed set of vectors", () => {
    const random = new Random(3);
    for (let i = 0; i < 200; i++) {
      const values = [random.uniform(-1, 1), random.uniform(0, 1e-3), random.uniform(1, 5)].sort((a, b) => a - b);
      const m = matrix3.rotateInertia(matrix3.diagonal(values[0], values[1], values[2]), random.quaternion());
      const found = matrix3.symmetricEigen(m);
      const columns = ([0, 1, 2] as const).map((j) => matrix3.column(found.vectors, j));
      for (let j = 0; j < 3; j++) {
        expect(Math.abs(found.values[j] - values[j])).toBeLessThan(2e-14);
        const image = matrix3.transform(m, columns[j]);
        expect(vector.norm(vector.sub(image, vector.scale(columns[j], values[j])))).toBeLessThan(2e-14);
      }
      expect(vector.dot(vector.cross(columns[0], columns[1]), columns[2])).toBeCloseTo(1, 13);
    }
  });

  it("of equal moments and of a diagonal matrix are the diagonal", () => {
    expect(matrix3.symmetricEigenvalues(matrix3.diagonal(2, 2, 2))).toEqual([2, 2, 2]);
    expect(matrix3.symmetricEigenvalues(matrix3.diagonal(3, 1, 2))).toEqual([1, 2, 3]);
  });

  it("of a matrix with NaN end in NaN, not in an endless loop", () => {
    const values = matrix3.symmetricEigenvalues([
      [1, Number.NaN, 0],
      [Number.NaN, 1, 0],
      [0, 0, 1],
    ]);
    expect(values.some(Number.isNaN)).toBe(true);
  });
});

describe("inertias", () => {
  it("two points on a turned, shifted stick have the inertia that their sum gives", () => {
    const q = quaternion.fromAxisAngle(vector.normalize([1, 2, 3]), 0.7);
    const shift: vector.Vector3 = [0.3, -0.2, 0.5];
    const stick = matrix3.diagonal(2, 2, 0);
    const moved = matrix3.parallelAxis(matrix3.rotateInertia(stick, q), 2, shift);
    let sum = matrix3.diagonal(0, 0, 0);
    for (const z of [-1, 1]) {
      sum = matrix3.parallelAxis(sum, 1, vector.add(shift, quaternion.rotate(q, [0, 0, z])));
    }
    for (const i of [0, 1, 2] as const) {
      expect(vector.norm(vector.sub(moved[i], sum[i]))).toBeLessThan(1e-14);
    }
  });
});
