import { expect, test } from "vitest";
import { block, linearComplementarity, pointMass, randomBlock } from "../../test/toys/coneProblems.ts";
import { Random } from "../math/index.ts";
import { centering } from "./centering.ts";
import { InteriorPoint } from "./interiorPoint.ts";
import { offCentre } from "./neighbourhood.ts";
import { PlainProblem } from "./plainProblem.ts";

const identity = [
  [1, 0],
  [0, 1],
];

test("the smallest step of all cones, of b and of c, decides", () => {
  const toy = linearComplementarity(identity, [0, 0]);
  toy.b.set([1, 1]);
  toy.c.set([1, 1]);
  const problem = new PlainProblem({
    ...toyParts(toy),
    solve: (_, out) => {
      out.b.set([-1, 1]);
      out.c.set([1, -4]);
    },
  });
  problem.takeWeights();
  problem.measure(0);
  problem.solve(0, false, problem.newDirection());
  expect(problem.measures.boundary).toBe(0.25);
});

function toyParts(toy: ReturnType<typeof linearComplementarity>) {
  const { cones, b, c, weight, residual, tolerance, gapRows, gapSlacks } = toy;
  return {
    ...{ cones, b, c, weight, residual, tolerance, gapRows, gapSlacks },
    newDirection: () => toy.newDirection(),
    evaluate: () => toy.evaluate(),
    factor: () => toy.factor(),
    save: () => toy.save(),
    advance: (alpha: number, direction: ReturnType<typeof toy.newDirection>) => toy.advance(alpha, direction),
  };
}

test("a start on the boundary ends a solve with a status", () => {
  const toy = linearComplementarity(identity, [0, 0]);
  toy.c[1] = 0;
  expect(new InteriorPoint(new PlainProblem(toy)).solve()).toMatchObject({ status: "noProgress", iterations: 0 });
});

test("a step to the boundary is not centred, half of it may be, none always is", () => {
  const random = new Random(11);
  let bounded = 0;
  for (let sample = 0; sample < 100; sample++) {
    const problem = new PlainProblem(block(randomBlock(random, 4)));
    problem.takeWeights();
    problem.evaluate();
    problem.measure(0);
    problem.factor();
    const direction = problem.newDirection();
    problem.solve(0, false, direction);
    const { mu, slope, curvature, boundary } = problem.measures;
    const alpha = Math.min(1e3, boundary);
    problem.advance(alpha, direction);
    expect(problem.measures.mu).toBeCloseTo(mu + alpha * (slope + alpha * curvature), 9);
    if (boundary < 1e3) {
      bounded++;
      expect(offCentre(problem, 0.1)).toBeGreaterThanOrEqual(0);
    }
    problem.advance(0, direction);
    expect(offCentre(problem, 1)).toBe(-1);
    expect(problem.measures.mu).toBe(mu);
  }
  expect(bounded).toBeGreaterThan(50);
});

test("μ counts each cone once, in units of its weight", () => {
  const toy = block({ ...pointMass, velocity: [0, 0, 0], height: 0, slope: 0, friction: 1 });
  const problem = new PlainProblem(toy);
  toy.weight.set([2, 5, 5, 5]);
  problem.takeWeights();
  toy.b.set([1, 3, 1, 0]);
  toy.c.set([4, 2, 0, 1]);
  problem.measure(0);
  expect(problem.measures.mu).toBeCloseTo((4 / 2 + 6 / 5) / 2, 14);
});

test("σ measures what the predictor leaves of the way to the target, and is 0 near it", () => {
  expect(centering(1, 0.5, 0)).toBeCloseTo(0.125, 15);
  expect(centering(1.1, 0.1, 0.1)).toBe(0);
  expect(centering(1, 3, 0.1)).toBe(1);
  expect(centering(0.19, 0.19, 0.1)).toBe(0);
  expect(centering(0.01, 0.01, 0.1)).toBe(0);
});
