/** Condition numbers of small matrices, against what is known of them. */
import { expect, test } from "vitest";
import { conditionFromInverse } from "../../experiments/convergence/condition.ts";
import { type Dense, inverse, times } from "../../experiments/convergence/dense.ts";

/** Powers stop when a norm changes by a thousandth. */
const ACCURACY = 0.01;
const dense = (...rows: number[][]): Dense => ({ size: rows.length, entries: Float64Array.from(rows.flat()) });

test("a matrix times its inverse leaves a vector as it is, with rows exchanged on the way", () => {
  const matrix = dense([0, 2, 1], [1, 1, 0], [4, 0, 3]);
  const vector = Float64Array.from([1, -2, 3]);
  const back = times(inverse(matrix), times(matrix, vector));
  for (let i = 0; i < 3; i++) expect(back[i]).toBeCloseTo(vector[i], 12);
});

test("the condition of a diagonal matrix is the ratio of its entries, and 1 when it may be scaled", () => {
  const { scaleFree, inUnits } = conditionFromInverse(inverse(dense([1e6, 0], [0, 1e-3])));
  expect(Math.abs(inUnits / 1e9 - 1)).toBeLessThan(ACCURACY);
  expect(Math.abs(scaleFree - 1)).toBeLessThan(ACCURACY);
});

test("the best scaling of a matrix has the condition ρ(|A⁻¹||A|), whatever its units", () => {
  // A⁻¹ = (2, -1; -1, 2)/3, so |A⁻¹||A| = (5, 4; 4, 5)/3, whose largest eigenvalue is 3
  const scales = [1, 1e5];
  const scaled = [2, 1, 1, 2].map((value, at) => (value * scales[at >> 1]) / scales[at & 1] ** 2);
  for (const entries of [[2, 1, 1, 2], scaled]) {
    const { scaleFree } = conditionFromInverse(inverse({ size: 2, entries: Float64Array.from(entries) }));
    expect(Math.abs(scaleFree / 3 - 1)).toBeLessThan(ACCURACY);
  }
});
