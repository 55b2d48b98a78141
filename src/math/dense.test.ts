import { expect, test } from "vitest";
import { cached } from "./cached.ts";
import { cholesky, choleskySolve, dot } from "./dense.ts";
import { Random } from "./random.ts";

test("Cholesky factors solve positive definite systems, several right-hand sides at a time", () => {
  const random = new Random(5);
  const n = 6;
  const rows = Array.from({ length: n }, () => Float64Array.from({ length: n }, () => random.normal()));
  // B Bᵀ + 1
  const A = Float64Array.from({ length: n * n }, (_, at) => {
    const [i, j] = [Math.floor(at / n), at % n];
    return dot(rows[i], rows[j]) + (i === j ? 1 : 0);
  });
  const wanted = Array.from({ length: 2 }, () => Float64Array.from({ length: n }, () => random.normal()));
  const X = Float64Array.from({ length: 2 * n }, (_, at) =>
    dot(A.subarray(n * Math.floor(at / 2), n * Math.floor(at / 2) + n), wanted[at % 2]),
  );
  const L = A.slice();
  expect(cholesky(L, n)).toBe(-1);
  choleskySolve(L, X, n, 2);
  X.forEach((entry, at) => {
    expect(entry).toBeCloseTo(wanted[at % 2][Math.floor(at / 2)], 12);
  });
});

test("the row whose pivot is rounding is named", () => {
  // the third row is the sum of the other two
  expect(cholesky(Float64Array.of(2, 1, 3, 1, 2, 3, 3, 3, 6), 3)).toBe(2);
  // a pivot of 1e-8 of its entry is none where that is asked for
  const nearly = [1, 1, 1, 1 + 1e-8];
  expect(cholesky(Float64Array.from(nearly), 2)).toBe(-1);
  expect(cholesky(Float64Array.from(nearly), 2, 1e-6)).toBe(1);
});

test("what a cache lacks is made once", () => {
  const cache = new Map<string, number>();
  let made = 0;
  const make = (key: string): number => key.length + made++;
  expect([cached(cache, "four", make), cached(cache, "four", make), cached(cache, "a", make)]).toEqual([4, 4, 2]);
});
