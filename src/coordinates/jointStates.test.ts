/** States of joints by name, as a controller or a reset makes them in every step. */
import { expect, test } from "vitest";
import { compile } from "../mechanism/index.ts";
import { models } from "../models/index.ts";
import { jointStates, maximalState } from "./jointStates.ts";
import { minimalState } from "./minimalState.ts";
import { startState } from "./startState.ts";

const a1 = compile(models.a1());
const state = startState(a1, "raised");
const joints = jointStates(a1, state);

/** The least of several rounds of calls, ms. */
function leastOf(call: () => void): number {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 20; round++) {
    const begin = performance.now();
    for (let i = 0; i < 50; i++) call();
    least = Math.min(least, performance.now() - begin);
  }
  return least;
}

test("the first call and the hundredth give the same bits", () => {
  const first = maximalState(compile(models.a1()), joints);
  for (let call = 0; call < 100; call++) maximalState(a1, joints);
  expect(maximalState(a1, joints)).toEqual(first);
});

// numbers through expressions took 150 times as long as the kernels of the other way
test("a state from joints costs about what joints from a state cost", () => {
  const there = leastOf(() => minimalState(a1, state));
  const back = leastOf(() => maximalState(a1, joints));
  expect(back).toBeLessThan(30 * there);
});
