/** The quick form of benchmarks/robustness.ts: 2,400 steps of random mechanisms from random states, fixed seed. */
import { expect, test } from "vitest";
import { measure } from "../../benchmarks/robustness/measure.ts";

/** The figures promised for 100,000 steps; so few steps allow for no more than a handful of exceptions. */
const promised = { firstAttempt: 0.997, mean: 7, p99: 15 };
const steps = 2400;
const seed = 1;

const { total, foreseen, classes, scaled } = measure({ seed, steps });

test("every kind of scene takes part", () => {
  for (const tally of classes.values()) expect(tally.steps).toBeGreaterThan(steps / 20);
});

test("at least 99.7% of the steps with known contacts are solved at the first attempt, and all steps in the end", () => {
  expect(foreseen.firstAttempt / foreseen.steps).toBeGreaterThanOrEqual(promised.firstAttempt);
  expect(total.failed).toBe(0);
});

test("a step that is called solved penetrates nothing, leaves no shape in another, opens no joint and is finite", () => {
  expect(total.unreported).toBe(0);
});

test("a step with known contacts takes at most 7 iterations on average, and 99 of 100 at most 15", () => {
  expect(foreseen.mean).toBeLessThanOrEqual(promised.mean);
  expect(foreseen.quantile(0.99)).toBeLessThanOrEqual(promised.p99);
});

test("masses 1024 times larger take exactly as many iterations", () => {
  expect(scaled.steps).toBeGreaterThan(steps / 20);
  expect(scaled.equal).toBe(scaled.steps);
});
