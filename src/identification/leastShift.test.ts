/** The least change that keeps all bounds, by the conditions that only it fulfils. */
import { expect, it } from "vitest";
import { dot, Random } from "../math/index.ts";
import { leastShift } from "./leastShift.ts";

it("keeps all bounds, and is a sum of the rows that push, as only the least one is", () => {
  const random = new Random(3);
  let pushed = 0;
  for (let trial = 0; trial < 200; trial++) {
    const [n, size] = [1 + (trial % 7), 6];
    // all bounds are kept by one point, and some rows depend on each other
    const inside = Float64Array.from({ length: size }, () => random.uniform(-1, 1));
    const rows = Array.from({ length: n }, () => Float64Array.from({ length: size }, () => random.uniform(-1, 1)));
    if (n > 2) rows.push(rows[0].map((entry, i) => 0.5 * entry + 0.5 * rows[1][i]));
    const asked = rows.map((row) => dot(row, inside) - random.uniform(0, 0.2));
    const spread = Float64Array.from({ length: size }, () => random.uniform(0.1, 2));
    const { shift, active } = leastShift(rows, asked, spread);
    for (const [i, row] of rows.entries()) expect(dot(row, shift)).toBeGreaterThan(asked[i] - 1e-9);
    for (const i of active) expect(dot(rows[i], shift)).toBeCloseTo(asked[i], 9);
    // W d = Aᵀ y with y ≥ 0 of active rows alone: no other point is as near, since ‖·‖ is convex
    const points = Array.from({ length: 20 }, () => inside.map((entry) => entry + random.uniform(-0.02, 0.02)));
    for (const point of points) {
      if (rows.some((row, i) => dot(row, point) < asked[i])) continue;
      const slope = shift.reduce((sum, entry, i) => sum + (entry / spread[i]) * (point[i] - entry), 0);
      expect(slope).toBeGreaterThan(-1e-9);
    }
    pushed += active.length;
  }
  expect(pushed).toBeGreaterThan(200);
});

it("changes nothing where nothing is asked for", () => {
  const { shift, active } = leastShift([Float64Array.of(1, 0)], [-1], Float64Array.of(1, 1));
  expect([...shift, active.length]).toEqual([0, 0, 0]);
});
