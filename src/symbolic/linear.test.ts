import { expect, test } from "vitest";
import {
  cross,
  dot,
  evaluate,
  Graph,
  identity,
  matMul,
  matVec,
  quaternionConjugate,
  quaternionMultiply,
  rotate,
  rotateInverse,
  rotationMatrix,
  type Scalar,
  transpose,
  vadd,
} from "./index.ts";

const root = Math.sqrt(0.5);
/** A quarter turn about z. */
const quarter = [root, 0, 0, root];
const skew = [0.5, -0.5, 0.5, 0.5];

function expectClose(actual: readonly Scalar[], expected: readonly number[]): void {
  actual.forEach((value, i) => {
    expect(value as number).toBeCloseTo(expected[i], 14);
  });
}

test("a quarter turn about z takes x to y", () => {
  expectClose(rotate(quarter, [1, 0, 0]), [0, 1, 0]);
});

test("the inverse rotation undoes the rotation", () => {
  expectClose(rotateInverse(skew, rotate(skew, [1, 2, 3])), [1, 2, 3]);
});

test("the rotation matrix rotates as the quaternion does, and its inverse is its transpose", () => {
  expectClose(matVec(rotationMatrix(skew), [1, 2, 3]), rotate(skew, [1, 2, 3]) as number[]);
  const product = matMul(rotationMatrix(skew), transpose(rotationMatrix(skew)));
  product.forEach((row, i) => {
    expectClose(row, identity(3)[i] as number[]);
  });
});

test("a product of quaternions turns by the right factor first", () => {
  const both = rotate(quaternionMultiply(quarter, skew), [1, 2, 3]);
  expectClose(both, rotate(quarter, rotate(skew, [1, 2, 3])) as number[]);
  expectClose(quaternionMultiply(skew, quaternionConjugate(skew)), [1, 0, 0, 0]);
});

test("a cross product is orthogonal to its factors", () => {
  const graph = new Graph();
  const [a, b] = [graph.symbols("a", 3), graph.symbols("b", 3)];
  const value = (symbol: { id: number }) => 1 + symbol.id;
  const [first, second] = evaluate([dot(cross(a, b), a), dot(cross(a, b), b)], value);
  expect(first).toBe(0);
  expect(second).toBe(0);
});

test("vectors of different lengths are refused", () => {
  expect(() => vadd([1, 2], [1])).toThrow(/length/);
});
