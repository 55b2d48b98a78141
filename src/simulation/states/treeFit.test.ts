/**
 * What is seen of a state by the state that its own coordinates make: states of rotation matrices (test/physics/jointOracle.ts) are seen to hold,
 * and none that those matrices find off by more. Faults are the same whether joints are looked at one by one, as in the first calls, or in this way.
 */
import { expect, test } from "vitest";
import { chain, jointCases, randomState } from "../../../test/physics/jointCases.ts";
import { flatState, plainGaps, plainState } from "../../../test/physics/jointOracle.ts";
import { minimalState } from "../../coordinates/index.ts";
import { Random } from "../../math/index.ts";
import { compile } from "../../mechanism/index.ts";
import { models } from "../../models/index.ts";
import { checkState } from "./checkState.ts";
import { treeCoordinates } from "./treeFit.ts";

const h = 0.01;

test.each(jointCases)("$name: what holds by rotation matrices is seen to, and nothing else is", ({ form }) => {
  const mechanism = chain({ form, links: 3, timestep: h, floats: false });
  const random = new Random(11);
  const given = Float64Array.from({ length: 2 * mechanism.coordinateCount }, () => random.uniform(-0.6, 0.6));
  const state = flatState(plainState(mechanism, given, h));
  const seen = treeCoordinates(mechanism, state, h, undefined, 1e-9, 1e-9);
  expect(seen?.length).toBe(given.length);
  seen?.forEach((value, i) => {
    expect(Math.abs(value - given[i])).toBeLessThan(i < given.length / 2 ? 1e-13 : 1e-13 / h);
  });
  // a place, an attitude or a velocity is off by itself: where joints say nothing of it, the state still holds
  let taken = 0;
  for (let entry = 0; entry < state.length; entry++) {
    const off = state.slice();
    off[entry] += entry % 2 === 0 ? 1e-5 : -1e-5;
    for (const [length, angle] of [
      [2e-4, 2e-4],
      [1e-3, 1e-6],
      [1e-6, 1e-3],
      [1e-7, 1e-7],
    ]) {
      if (!treeCoordinates(mechanism, off, h, undefined, length, angle)) continue;
      taken++;
      const gaps = plainGaps(mechanism, off, h);
      expect(gaps.length).toBeLessThan(length);
      expect(gaps.angle).toBeLessThan(angle);
    }
  }
  expect(taken).toBeGreaterThan(60);
});

test.each(jointCases)("$name: faults of one number that is off", ({ form }) => {
  const make = () => chain({ form, links: 3, timestep: h, floats: false });
  const warm = make();
  const random = new Random(5);
  const state = randomState(warm, 7, 1, 0.6);
  for (let call = 0; call < 6; call++) minimalState(warm, state);
  expect(treeCoordinates(warm, state, h, undefined, 1e-6, 1e-6)).toEqual(minimalState(warm, state));
  let found = 0;
  for (const size of [1e-8, 1e-7, 4e-7, 2e-6, 1e-4, 1e-2]) {
    const off = state.slice();
    off[Math.floor(random.uniform(0, off.length))] += size;
    const faults = checkState(make(), off);
    found += faults.length;
    expect(checkState(warm, off)).toEqual(faults);
  }
  expect(found).toBeGreaterThan(0);
});

test("limits, gears and contacts of a robot whose joints hold are looked at all the same", () => {
  for (const name of ["a1", "panda"] as const) {
    const make = () => compile(models[name]());
    const warm = make();
    for (const seed of [1, 2, 3]) {
      const state = randomState(warm, seed, 0.1, 1);
      for (let call = 0; call < 6; call++) minimalState(warm, state);
      expect(treeCoordinates(warm, state, warm.timestep, undefined, 1e-7, 1e-7)).toBeDefined();
      const faults = checkState(make(), state);
      expect(faults.some(({ code }) => code === "limit-exceeded")).toBe(true);
      expect(checkState(warm, state)).toEqual(faults);
    }
  }
});
