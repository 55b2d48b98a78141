import { describe, expect, test } from "vitest";
import { Random } from "../math/index.ts";
import { fitForces } from "./forceFit.ts";
import { leastSquares } from "./leastSquares.ts";

const column = (...entries: number[]): Float64Array => Float64Array.from(entries);

describe("least squares", () => {
  test("what can be balanced is, by the smallest amounts", () => {
    // two columns along the same direction share the work
    const x = leastSquares([column(1, 0, 0), column(1, 0, 0), column(0, 2, 0)], column(-4, 6, 0));
    expect(Array.from(x).map((entry) => Number(entry.toFixed(12)))).toEqual([2, 2, -3]);
  });

  test("what cannot is left perpendicular to all columns", () => {
    const random = new Random(1);
    const columns = Array.from({ length: 4 }, () => column(...Array.from({ length: 7 }, () => random.normal())));
    const b = column(...Array.from({ length: 7 }, () => random.normal()));
    const x = leastSquares(columns, b);
    const rest = b.map((entry, i) => entry + columns.reduce((sum, c, j) => sum + c[i] * x[j], 0));
    for (const c of columns)
      expect(Math.abs(c.reduce((sum, entry, i) => sum + entry * rest[i], 0))).toBeLessThan(1e-14);
  });
});

describe("forces in cones", () => {
  const along = [{ kind: "orthant", offset: 0, size: 1 }] as const;
  const ice = [{ kind: "secondOrder", offset: 0, size: 3 }] as const;

  test("a support pushes and does not pull", () => {
    const push = fitForces(column(-3), [column(1)], [column(1)], along);
    expect(push.forces[0]).toBeCloseTo(3, 3);
    expect(Math.abs(push.inputs[0])).toBeLessThan(1e-3);
    const pull = fitForces(column(3), [column(1)], [column(1)], along);
    expect(pull.forces[0]).toBe(0);
    expect(pull.inputs[0]).toBeCloseTo(-3, 10);
  });

  test("friction gives what the cone allows, inputs the rest", () => {
    // rows: normal, tangent; friction coefficient 0.5, so that b₁ = 0.5 γ pushes with 2 b₁
    const normal = column(2, 0, 0);
    const columns = [normal, column(0, 1, 0), column(0, 0, 1)];
    const held = fitForces(column(-10, -4, 0), [column(0, 1, 0)], columns, ice);
    expect(held.forces[1]).toBeCloseTo(4, 2);
    const slides = fitForces(column(-10, -7, 0), [column(0, 1, 0)], columns, ice);
    expect(slides.forces[1]).toBeCloseTo(5, 3);
    expect(slides.inputs[0]).toBeCloseTo(2, 3);
  });
});
