/** Minimal and maximal states of hinges in a row are inverse to each other, up to a quarter turn per step. */
import { expect, test } from "vitest";
import { Random } from "../math/index.ts";
import { box, compile, serial, universal } from "../mechanism/index.ts";
import { maximalFromMinimal, minimalState } from "./minimalState.ts";

const body = box({ size: [0.2, 0.3, 0.4], mass: 1 });
const timestep = 0.05;
const [x, y, z] = [
  [1, 0, 0],
  [0, 1, 0],
  [0, 0, 1],
] as const;
/** Near the lock, angles lose digits as 1/cos θ₂: a thousandth away from it, three. */
const tolerance = 1e-12;

test.each([
  ["two hinges", universal({ parent: "world", child: "body", axes: [x, y] })],
  ["three hinges", serial({ parent: "world", child: "body", axes: [x, y, z] })],
  ["three left-handed hinges", serial({ parent: "world", child: "body", axes: [y, x, z] })],
] as const)("%s", (_, hinge) => {
  const mechanism = compile({ timestep, bodies: { body }, joints: { hinge } });
  const count = mechanism.coordinateCount;
  const random = new Random(3);
  const reach = Math.PI / 2 - 1e-3;
  let within = 0;
  for (let n = 0; n < 500; n++) {
    const given = Float64Array.from({ length: 2 * count }, (_entry, i) =>
      i < count ? random.uniform(-3, 3) : random.uniform(-1.5, 1.5) / timestep,
    );
    if (count === 3) given[1] /= 2.1;
    // a quarter turn of the whole body is the most that a step can express
    const turn = given.subarray(count).reduce((sum, rate) => sum + Math.abs(rate) * timestep, 0);
    const before = given[1] - timestep * given[count + 1];
    if (turn > Math.PI || (count === 3 && Math.max(Math.abs(given[1]), Math.abs(before)) > reach)) continue;
    within++;
    minimalState(mechanism, maximalFromMinimal(mechanism, given)).forEach((value, i) => {
      expect(Math.abs(value - given[i]) * (i < count ? 1 : timestep)).toBeLessThan(tolerance);
    });
  }
  expect(within).toBeGreaterThan(150);
});
