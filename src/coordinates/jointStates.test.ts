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

test("what is no state of a joint, and intervals without a length, are refused: they had been left out, or made NaN", () => {
  const loose = maximalState as (mechanism: typeof a1, joints: unknown, timestep?: unknown) => Float64Array;
  expect(() => loose(a1, { base: [0, 0, 1, 0, 0, 0] })).toThrow("unknown-option at joints.base.0");
  expect(() => loose(a1, { base: { positions: [] } })).toThrow('did you mean "position"');
  expect(() => loose(a1, { base: { position: "123456" } })).toThrow("wrong-type at joints.base.position");
  expect(() => loose(a1, { base: null })).toThrow("wrong-type at joints.base");
  for (const timestep of [0, -0.01, Number.NaN, Number.POSITIVE_INFINITY, "x"]) {
    expect(() => loose(a1, {}, timestep)).toThrow("out-of-range at timestep");
    expect(() => minimalState(a1, state, timestep as number)).toThrow("out-of-range at timestep");
  }
});
