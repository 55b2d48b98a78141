/** Which bodies hardly count for the units of a step, asked directly: tests of physics have what comes of it. */
import { expect, test } from "vitest";
import { maximalState } from "../../coordinates/index.ts";
import { floating, type MechanismTouch, sphere } from "../../mechanism/index.ts";
import { compile } from "../states/compileMechanism.ts";
import { FarBodies } from "./farBodies.ts";

/** Shares of balls in a row, 100 m apart unless `x` says otherwise, that fly up at these speeds. */
function shares(speeds: readonly number[], x: (i: number) => number = (i) => 100 * i): number[] {
  const names = speeds.map((_, i) => `ball${i}`);
  const mechanism = compile({
    timestep: 0.01,
    bodies: Object.fromEntries(names.map((name) => [name, sphere({ radius: 0.1, mass: 1, contact: true })])),
    joints: Object.fromEntries(names.map((name) => [name, floating({ parent: "world", child: name })])),
  });
  const state = maximalState(
    mechanism,
    Object.fromEntries(
      names.map((name, i) => [name, { position: [x(i), 0, 0, 0, 0, 0], velocity: [0, 0, speeds[i], 0, 0, 0] }]),
    ),
  );
  const share = new Float64Array(speeds.length);
  const far = new FarBodies(mechanism, mechanism.touch as MechanismTouch);
  far.weigh(share, state, 0, new Float64Array(speeds.length), 0.01, 10);
  return [...share];
}

test("what is fast and far from everything hardly counts", () => {
  expect(shares([0, 90, 0])).toEqual([1, 1e-3, 1]);
  // what it can reach within twenty steps is near
  expect(shares([0, 90, 0], (i) => 10 * i)).toEqual([1, 1, 1]);
});

test("below the speed that matters, and where all are far, all count", () => {
  expect(shares([0, 9, 0])).toEqual([1, 1, 1]);
  expect(shares([80, 90, 70])).toEqual([1, 1, 1]);
});

test("the first one that is near ends the search: slower ones make no difference", () => {
  // the second and third are beside each other
  expect(shares([95, 90, 20, 30], (i) => [0, 100, 101, 200][i])).toEqual([1e-3, 1, 1, 1]);
});

test("no more than a few are looked at, the fastest first", () => {
  const speeds = Array.from({ length: 50 }, (_, i) => 20 + i);
  const found = shares(speeds);
  expect(found.slice(0, 18)).toEqual(new Array(18).fill(1));
  expect(found.slice(18)).toEqual(new Array(32).fill(1e-3));
});
