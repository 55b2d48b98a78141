import { expect, test } from "vitest";
import { block, linearComplementarity, pointMass, randomBlock } from "../../test/toys/coneProblems.ts";
import { Random } from "../math/index.ts";
import { centering, mean, meanAlong, newConeWork, weighInto } from "./centering.ts";
import { distanceToBoundary, requireInterior, stepInNeighbourhood } from "./lineSearch.ts";
import type { Direction } from "./problem.ts";

function randomDirection(random: Random, size: number, scale: number): Direction {
  const draw = (): Float64Array => new Float64Array(size).map(() => scale * random.normal());
  return { a: new Float64Array(6), b: draw(), c: draw() };
}

test("the smallest step of all cones, of b and of c, decides", () => {
  const problem = linearComplementarity(
    [
      [1, 0],
      [0, 1],
    ],
    [0, 0],
  );
  const direction = { a: new Float64Array(0), b: Float64Array.of(-1, 1), c: Float64Array.of(1, -4) };
  expect(distanceToBoundary(problem, newConeWork(problem), direction)).toBe(0.25);
});

test("a start on the boundary is refused with the number of the cone", () => {
  const problem = linearComplementarity(
    [
      [1, 0],
      [0, 1],
    ],
    [0, 0],
  );
  problem.c[1] = 0;
  expect(() => requireInterior(problem)).toThrow("cone 1 (orthant)");
});

test("shrinking stops inside the neighbourhood or with every eigenvalue at least half of what it was", () => {
  const random = new Random(11);
  for (let sample = 0; sample < 100; sample++) {
    const problem = block(randomBlock(random, 4));
    const work = newConeWork(problem);
    weighInto(work, problem);
    const direction = randomDirection(random, problem.b.length, 1);
    const first = Math.min(1, 0.999 * distanceToBoundary(problem, newConeWork(problem), direction));
    const alpha = stepInNeighbourhood(problem, work, direction, first, 0.1);
    expect(alpha).toBeLessThanOrEqual(first);
    expect(alpha).toBeGreaterThan(0);
    expect(stepInNeighbourhood(problem, work, direction, alpha, 0.1)).toBe(alpha);
    expect(stepInNeighbourhood(problem, work, direction, first, 0)).toBe(first);
  }
});

test("μ counts each cone once, in units of its weight", () => {
  const scene = { ...pointMass, velocity: [0, 0, 0], height: 0, slope: 0, friction: 1 };
  const problem = block(scene);
  const work = newConeWork(problem);
  problem.weight.set([2, 5]);
  weighInto(work, problem);
  expect(work.table.degree).toBe(2);
  problem.b.set([1, 3, 1, 0]);
  problem.c.set([4, 2, 0, 1]);
  expect(mean(problem, work)).toBeCloseTo((4 / 2 + 6 / 5) / 2, 14);
  const still = { a: problem.a, b: new Float64Array(4), c: new Float64Array(4) };
  expect(meanAlong(problem, work, still, 1)).toBe(mean(problem, work));
});

test("σ measures what the predictor leaves of the way to the target, and is 0 near it", () => {
  expect(centering(1, 0.5, 0)).toBeCloseTo(0.125, 15);
  expect(centering(1.1, 0.1, 0.1)).toBe(0);
  expect(centering(1, 3, 0.1)).toBe(1);
  expect(centering(0.19, 0.19, 0.1)).toBe(0);
  expect(centering(0.01, 0.01, 0.1)).toBe(0);
});
