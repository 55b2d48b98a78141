/** The solver on blocks in random states: how many iterations it takes, where it fails, and what no iterate does. */
import { expect, test } from "vitest";
import { block, randomBlock } from "../../test/toys/coneProblems.ts";
import { coneMargin, Random } from "../math/index.ts";
import { InteriorPoint, PlainProblem, type SolveResult } from "./index.ts";

test("a random point mass takes at most 7 iterations on average and never fails at κ = 1e-8", () => {
  const random = new Random(24);
  const scenes = 500;
  let total = 0;
  let failures = 0;
  for (let sample = 0; sample < scenes; sample++) {
    const { status, iterations } = new InteriorPoint(new PlainProblem(block(randomBlock(random, 1)))).solve();
    if (status !== "solved") failures++;
    total += iterations;
  }
  expect(failures).toBe(0);
  expect(total / scenes).toBeLessThan(7);
});

test("blocks on four contacts jam on under 4% of random scenes, and a hold at 1e-2 solves all of them", () => {
  const random = new Random(25);
  const scenes = 200;
  let failures = 0;
  for (let sample = 0; sample < scenes; sample++) {
    const scene = randomBlock(random, 4);
    if (new InteriorPoint(new PlainProblem(block(scene))).solve().status === "solved") continue;
    failures++;
    expect(new InteriorPoint(new PlainProblem(block(scene))).solve({ holds: [1e-2] }).status).toBe("solved");
  }
  // some do, or the hold has not been tried
  expect(failures).toBeGreaterThan(0);
  expect(failures / scenes).toBeLessThan(0.04);
});

test.each([{}, { neighbourhood: 0 }, { correction: false }, { boundaryFraction: 0.9 }])(
  "no iterate leaves its cones, with %o",
  (options) => {
    const random = new Random(26);
    for (let sample = 0; sample < 60; sample++) {
      const problem = block(randomBlock(random, 4));
      const check = ({ alpha }: SolveResult): void => {
        expect(alpha).toBeLessThanOrEqual(1);
        for (const cone of problem.cones) {
          expect(coneMargin(problem.b, cone)).toBeGreaterThan(0);
          expect(coneMargin(problem.c, cone)).toBeGreaterThan(0);
        }
      };
      new InteriorPoint(new PlainProblem(problem)).solve({ ...options, kappa: 1e-6, onIteration: check });
    }
  },
);

test("the second-order term saves iterations", () => {
  const mean = (correction: boolean): number => {
    const random = new Random(27);
    let total = 0;
    for (let sample = 0; sample < 100; sample++) {
      total += new InteriorPoint(new PlainProblem(block(randomBlock(random, 1)))).solve({ correction }).iterations;
    }
    return total / 100;
  };
  expect(mean(true)).toBeLessThan(mean(false));
});

test("cones that an inexact solve left far below its κ are brought back to the path, those that are on it stay to the bit", () => {
  const random = new Random(5);
  const kappa = 1e-6;
  let moved = 0;
  for (let sample = 0; sample < 100; sample++) {
    const problem = block(randomBlock(random, 4));
    const plain = new PlainProblem(problem);
    const solver = new InteriorPoint(plain);
    if (solver.solve({ kappa }).status !== "solved") continue;
    const before = plain.measures.smallestEigenvalue;
    const b = problem.b.slice();
    const iterations = solver.recentre();
    expect(solver.result.status).toBe("solved");
    expect(solver.result.complementarityViolation).toBeLessThanOrEqual(kappa);
    // aimed at κ/5, and at least half of that
    if (before >= 0.1 * kappa) expect([iterations, ...problem.b]).toEqual([0, ...b]);
    else {
      moved++;
      expect(plain.measures.smallestEigenvalue).toBeGreaterThan(before);
    }
  }
  expect(moved).toBeGreaterThan(0);
});
