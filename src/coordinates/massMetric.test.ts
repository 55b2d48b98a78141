/** Bases of sparse vectors: zeros are passed over, and nothing else changes. */
import { expect, test } from "vitest";
import { dot, Random } from "../math/index.ts";
import { OrthonormalBasis } from "./massMetric.ts";

/** Taken out twice, entry by entry, zeros too. */
function rejected(vectors: readonly Float64Array[], v: Float64Array): Float64Array {
  const rest = v.slice();
  for (let round = 0; round < 2; round++) {
    for (const vector of vectors) {
      const along = dot(vector, rest);
      for (let i = 0; i < rest.length; i++) rest[i] -= along * vector[i];
    }
  }
  return rest;
}

test("a basis of vectors with zeros has the bits of one that looks at all of them", () => {
  const random = new Random(3);
  const [bodies, size] = [9, 54];
  // each vector is of two bodies, as a joint's constraints are; some repeat, and are spanned
  const sparse = Array.from({ length: 40 }, (_, k) => {
    const [a, b] = [k % bodies, (5 * k) % bodies];
    return Float64Array.from({ length: size }, (_, i) => ([a, b].includes(Math.floor(i / 6)) ? random.normal() : 0));
  });
  const basis = new OrthonormalBasis(1e-9);
  const plain: Float64Array[] = [];
  for (const vector of [...sparse, sparse[7]]) {
    basis.add(vector);
    const rest = rejected(plain, vector);
    const left = Math.sqrt(dot(rest, rest));
    if (left > 1e-9 * Math.sqrt(dot(vector, vector))) plain.push(rest.map((entry) => entry / left));
  }
  expect(basis.vectors.length).toBe(plain.length);
  expect(plain.some((vector) => vector.includes(0))).toBe(true);
  expect(basis.vectors).toEqual(plain);
  const dense = Float64Array.from({ length: size }, () => random.normal());
  const own = dense.slice();
  basis.reject(own);
  expect(own).toEqual(rejected(plain, dense));
});
