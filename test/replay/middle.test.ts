/** Where the camera looks. */
import { Vector3 } from "three";
import { expect, test } from "vitest";
import { middleInto } from "../../apps/replay/middle.ts";

function middle(points: readonly (readonly number[])[], size: number): Vector3 {
  const center = new Vector3();
  middleInto(center, Float64Array.from(points.flat()), points.length, size);
  return center;
}

const heap = [
  [0, 0, 0.1],
  [0.3, 0, 0.1],
  [0, 0.3, 0.1],
  [0.3, 0.3, 0.1],
  [0.15, 0.15, 0.4],
];

test("bodies that are together are seen about their mean", () => {
  const mean = new Vector3(0.15, 0.15, 0.16);
  expect(middle(heap, 1).distanceTo(mean)).toBeLessThan(0.01);
});

test("a body that falls out of the world takes the view along by less than the scene's size: before, nothing else was seen", () => {
  const before = middle(heap, 1);
  for (const depth of [10, 500, 1e5]) {
    const after = middle([...heap, [2, 0, -depth]], 1);
    expect(after.distanceTo(before)).toBeLessThan(0.4);
  }
});

test("all that goes somewhere is followed", () => {
  const away = heap.map(([x, y, z]) => [x + 50, y, z]);
  expect(
    middle(away, 1)
      .sub(middle(heap, 1))
      .distanceTo(new Vector3(50, 0, 0)),
  ).toBeLessThan(1e-9);
});
